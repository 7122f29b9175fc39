//! One row of the list, worked out when it comes into sight.

use epitome::Action;
use epitome::history::{Change, Edit, PartChange};
use epitome::message::Message;
use leptos::prelude::*;

use super::action::done;
use super::preview::preview;
use super::window::ROW_HEIGHT;
use crate::number::thousands;
use crate::store::{Perspective, Place, Store};

/// What becomes of the message in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The plan has an action for it.
    Planned(Action),
    /// A step in force has left it out, without a summary.
    LeftOut,
    /// It is the summary.
    Summary,
    /// The engine put it in so that the provider accepts the rest.
    Added,
}

impl Standing {
    /// The word on the badge.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Planned(action) => action.as_str(),
            Self::LeftOut => "left out",
            Self::Summary => "summary",
            Self::Added => "added",
        }
    }
}

/// A row, resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Place in the conversation; `None` for what the engine put in.
    pub(crate) position: Option<usize>,
    /// The same in numbers.
    pub(crate) place: Option<Place>,
    /// What becomes of it.
    pub(crate) standing: Standing,
    /// What was done to it already, where the model sees it otherwise than it came.
    pub(crate) done: Option<&'static str>,
    /// The message, as the list shows it.
    pub(crate) message: Message,
    /// The names of tool results that were put aside, by the index of their part.
    pub(crate) aside: Vec<(usize, String)>,
    /// Its tokens, as the list shows it.
    pub(crate) tokens: u32,
    /// Its tokens after a compaction.
    pub(crate) tokens_after: u32,
}

impl Row {
    /// The row at an index of the list on display.
    pub(crate) fn at(store: Store, index: usize) -> Option<Self> {
        match store.perspective.get() {
            Perspective::Conversation => Self::of_message(store, index, Perspective::Conversation),
            Perspective::Model => store.view.with(|view| {
                let edit = view.edits.get(index)?;
                if let Some(id) = edit.id() {
                    let position = store.read(|session| session.compactor()?.log().position(id));
                    return Self::of_message(store, position?, Perspective::Model);
                }
                let Edit::Insert { role, parts } = edit else { return None };
                let message = Message::with_parts("", *role, parts.clone());
                let tokens = store.read(|session| {
                    let compactor = session.compactor()?;
                    let cost = compactor.conversation().meter().measure(&message);
                    Some(compactor.scale().to_provider(cost.tokens))
                })?;
                let summary = message.text().starts_with(SUMMARY);
                let standing = if summary { Standing::Summary } else { Standing::Added };
                let (position, place, done, aside) = (None, None, None, Vec::new());
                Some(Self {
                    position,
                    place,
                    standing,
                    done,
                    message,
                    aside,
                    tokens,
                    tokens_after: tokens,
                })
            }),
        }
    }

    fn of_message(store: Store, position: usize, perspective: Perspective) -> Option<Self> {
        store.plan.with(|plan| {
            store.read(|session| {
                let compactor = session.compactor()?;
                let (conversation, scale) = (compactor.conversation(), compactor.scale());
                let projection = conversation.projection();
                let action = plan.as_ref().map_or(Action::Keep, |plan| plan.action(position));
                let standing = match projection.dropped.contains(&position) {
                    true => Standing::LeftOut,
                    false => Standing::Planned(action),
                };
                let rewritten = projection.rewritten.get(&position);
                let changes = rewritten.map_or(&[][..], |rewritten| &rewritten.rewrite.changes);
                let (message, aside, tokens) = match perspective {
                    Perspective::Conversation => {
                        (session.message(position)?, Vec::new(), session.tokens(position))
                    }
                    Perspective::Model => (
                        conversation.seen(position)?,
                        aside(changes),
                        scale.to_provider(conversation.seen_tokens(position)),
                    ),
                };
                let tokens_after = plan.as_ref().map_or(tokens, |plan| {
                    scale.to_provider(plan.message_tokens(conversation, position).1)
                });
                Some(Self {
                    position: Some(position),
                    place: session.place(position),
                    standing,
                    done: changes.first().map(|change| done(&change.change)),
                    message: message.clone(),
                    aside,
                    tokens,
                    tokens_after,
                })
            })
        })
    }

    /// Who speaks, with the name where there is one.
    pub(crate) fn speaker(&self) -> String {
        match &self.message.author {
            Some(author) => format!("{} · {author}", self.message.role.as_str()),
            None => self.message.role.as_str().to_owned(),
        }
    }
}

/// How a summary begins.
const SUMMARY: &str = "<conversation-summary ";

/// The names of results that were put aside, by the index of their part in the message as it is seen.
fn aside(changes: &[PartChange]) -> Vec<(usize, String)> {
    let mut removed = 0;
    let mut aside = Vec::new();
    for PartChange { part, change } in changes {
        match change {
            Change::Remove => removed += 1,
            Change::Offload { path, .. } => {
                aside.push((part.saturating_sub(removed), path.clone()));
            }
            Change::Text { .. } | Change::Arguments { .. } => {}
        }
    }
    aside
}

/// The id of a row's button.
pub(super) fn element_id(index: usize) -> String {
    format!("message-{index}")
}

/// A row.
#[component]
pub(super) fn RowView(
    store: Store,
    /// Place in the list.
    index: usize,
    /// Rows of the list.
    total: Memo<usize>,
    /// The row with the keyboard.
    active: RwSignal<usize>,
) -> impl IntoView {
    let row = Memo::new(move |_| {
        store.revision.track();
        Row::at(store, index).map(|row| Face::of(&row))
    });
    let open = move |_| {
        active.set(index);
        store.opened.set(Some(index));
    };
    let place = format!("transform: translateY({}px)", index.saturating_mul(ROW_HEIGHT));
    let face = move || {
        row.get().map(|face| {
            let number = face.place.map_or_else(|| "·".to_owned(), |place| place.to_string());
            view! {
                <span class="row-number">{number}</span>
                <span class="row-speaker" data-role=face.role>{face.speaker}</span>
                <span class="row-preview">{face.preview}</span>
                <span class="row-tokens">
                    {thousands(face.tokens)} <span class="visually-hidden">" tokens"</span>
                </span>
                <span class="badges">
                    {face.done.map(|done| view! { <span class="badge" data-action="done">{done}</span> })}
                    {face.pinned.then(|| view! { <span class="badge" data-action="pinned">"pinned"</span> })}
                    <span class="badge" data-action=face.standing.as_str()>{face.standing.as_str()}</span>
                </span>
            }
        })
    };
    view! {
        <div
            role="listitem"
            class="row-place"
            style=place
            aria-posinset=(index + 1).to_string()
            aria-setsize=move || total.get().to_string()
        >
            <button
                type="button"
                class="row"
                id=element_id(index)
                tabindex=move || if active.get() == index { "0" } else { "-1" }
                data-action=move || row.with(|face| face.as_ref().map(|face| face.standing.as_str()))
                on:click=open
            >
                {face}
            </button>
        </div>
    }
}

/// What is seen of a row.
#[derive(Clone, PartialEq)]
struct Face {
    place: Option<Place>,
    role: &'static str,
    speaker: String,
    preview: String,
    tokens: u32,
    standing: Standing,
    done: Option<&'static str>,
    pinned: bool,
}

impl Face {
    fn of(row: &Row) -> Self {
        Self {
            place: row.place,
            role: row.message.role.as_str(),
            speaker: row.speaker(),
            preview: preview(&row.message),
            tokens: row.tokens,
            standing: row.standing,
            done: row.done,
            pinned: row.message.pinned,
        }
    }
}
