//! One row of the list, computed when it becomes visible.

use epitome::Action;
use epitome::history::{Change, Edit, PartChange};
use epitome::message::Message;
use leptos::prelude::*;

use super::layout::{Item, Layout};
use super::preview::{preview, shown};
use super::visible_rows::ROW_HEIGHT;
use crate::label::{Treatment, action_label, change_label, role_label};
use crate::language::t;
use crate::number::thousands;
use crate::store::{MessageNumber, Perspective, Store, is_recalled};

/// What happens or has happened to the message of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// The plan's action for it.
    Planned(Action),
    /// An active checkpoint has removed it without a summary.
    Removed,
    /// It is the summary.
    Summary,
    /// The engine added it so that the provider accepts the conversation.
    Added,
    /// It quotes messages that were brought back.
    BroughtBack,
}

impl Status {
    /// The status in the page's markup, for the style sheets.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Planned(action) => Treatment::of(action).as_str(),
            Self::Removed => "dropped",
            Self::Summary => "summary",
            Self::Added => "added",
            Self::BroughtBack => "done",
        }
    }

    /// The text on the badge.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Planned(action) => action_label(action),
            Self::Removed => t!("removed"),
            Self::Summary => t!("summary"),
            Self::Added => t!("added"),
            Self::BroughtBack => brought_back(),
        }
    }
}

/// A computed row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The position in the log; `None` for a message that the engine composed.
    pub(crate) position: Option<usize>,
    /// The number of the message.
    pub(crate) number: Option<MessageNumber>,
    /// What happens to it.
    pub(crate) status: Status,
    /// What was already done to it: it is rewritten, or quoted in the next request, or a quote itself.
    pub(crate) done: Option<&'static str>,
    /// The message, as the list shows it.
    pub(crate) message: Message,
    /// The paths of offloaded tool results, by the index of their part.
    pub(crate) offloaded: Vec<(usize, String)>,
    /// Its tokens, as the list shows it.
    pub(crate) tokens: u32,
    /// Its tokens after a compaction.
    pub(crate) tokens_after: u32,
}

impl Row {
    /// The row at an index of the shown list.
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
                // The label of a summary stands before its tag.
                let text = message.text();
                let tag = text.lines().find(|line| line.starts_with('<'));
                let summary = tag.is_some_and(|tag| tag.starts_with(SUMMARY));
                let status = match summary {
                    true => Status::Summary,
                    false if is_recalled(&message) => Status::BroughtBack,
                    false => Status::Added,
                };
                let (position, number, done, offloaded) = (None, None, None, Vec::new());
                Some(Self {
                    position,
                    number,
                    status,
                    done,
                    message,
                    offloaded,
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
                let status = match projection.dropped.contains(&position) {
                    true => Status::Removed,
                    false => Status::Planned(action),
                };
                let rewritten = projection.rewritten.get(&position);
                let changes = rewritten.map_or(&[][..], |rewritten| &rewritten.rewrite.changes);
                let (message, offloaded, tokens) = match perspective {
                    Perspective::Conversation => {
                        (session.message(position)?, Vec::new(), session.tokens(position))
                    }
                    Perspective::Model => (
                        conversation.seen(position)?,
                        offloaded_paths(changes),
                        scale.to_provider(conversation.seen_tokens(position)),
                    ),
                };
                let rewritten = changes.first().map(|change| change_label(&change.change));
                let done = match session.is_brought_back(position) {
                    true => Some(brought_back()),
                    false if is_recalled(message) => Some(t!("recalled")),
                    false => rewritten,
                };
                let tokens_after = plan.as_ref().map_or(tokens, |plan| {
                    scale.to_provider(plan.message_tokens(conversation, position).1)
                });
                Some(Self {
                    position: Some(position),
                    number: session.number(position),
                    status,
                    done,
                    message: message.clone(),
                    offloaded,
                    tokens,
                    tokens_after,
                })
            })
        })
    }

    /// The author's name, if there is one, and the role. The name comes first, because it tells authors of one role apart.
    pub(crate) fn speaker(&self) -> String {
        match &self.message.author {
            Some(author) => format!("{author} · {}", role_label(self.message.role)),
            None => role_label(self.message.role).to_owned(),
        }
    }
}

/// The text on the badge of what the next request has again.
fn brought_back() -> &'static str {
    t!("brought back")
}

/// How the tag of every summary starts.
const SUMMARY: &str = "<conversation-summary ";

/// The paths of offloaded results, by the index of their part in the rewritten message, which lacks removed parts.
fn offloaded_paths(changes: &[PartChange]) -> Vec<(usize, String)> {
    let mut removed = 0;
    let mut offloaded = Vec::new();
    for PartChange { part, change } in changes {
        match change {
            Change::Remove => removed += 1,
            Change::Offload { path, .. } => {
                offloaded.push((part.saturating_sub(removed), path.clone()));
            }
            Change::Text { .. } | Change::Arguments { .. } => {}
        }
    }
    offloaded
}

/// The id of a row's button.
pub(super) fn element_id(index: usize) -> String {
    format!("message-{index}")
}

/// An item of the list: a message, or the place where a compaction ends.
#[component]
pub(super) fn RowView(
    store: Store,
    /// What stands where.
    layout: Memo<Layout>,
    /// The index in the list.
    index: usize,
    /// The number of items of the list.
    total: Memo<usize>,
    /// The index of the item with the focus.
    active: RwSignal<usize>,
) -> impl IntoView {
    let item = Memo::new(move |_| layout.with(|layout| layout.at(index)));
    let content = move || match item.get()? {
        Item::Message(message) => {
            Some(view! { <MessageRow store index message active /> }.into_any())
        }
        Item::Divider(compaction) => {
            Some(view! { <Divider store index compaction active /> }.into_any())
        }
    };
    let offset = format!("translateY({}px)", index.saturating_mul(ROW_HEIGHT));
    view! {
        <div
            role="listitem"
            class="row-place"
            style:transform=offset
            aria-posinset=(index + 1).to_string()
            aria-setsize=move || total.get().to_string()
        >
            {content}
        </div>
    }
}

/// A message.
#[component]
fn MessageRow(
    store: Store,
    index: usize,
    /// Its index among the messages that the list can show.
    message: usize,
    active: RwSignal<usize>,
) -> impl IntoView {
    let row = Memo::new(move |_| {
        store.revision.track();
        Row::at(store, message).map(|row| Cells::of(&row))
    });
    let open = move |_| {
        active.set(index);
        store.opened.set(Some(message));
    };
    let position = move || row.with(|cells| cells.as_ref().and_then(|cells| cells.position));
    let point = move || store.pointed.set(untrack(position));
    let point_at_nothing = move || store.pointed.set(None);
    let lit = move || {
        let position = position();
        store.lit.with(|lit| position.is_some_and(|position| lit.contains(&position)))
    };
    let cells = move || {
        row.get().map(|cells| {
            let exempt = cells.position.is_some_and(|at| store.choice.exempts((at, at)));
            let number = cells.number.map_or_else(|| "·".to_owned(), |number| number.to_string());
            view! {
                <span class="row-number">{number}</span>
                <span class="row-speaker" data-role=cells.role>{cells.speaker}</span>
                <span class="row-preview" dir="auto">{shown(&cells.preview)}</span>
                <span class="row-tokens">
                    {thousands(cells.tokens)} <span class="visually-hidden">" " {t!("tokens")}</span>
                </span>
                <span class="badges">
                    {cells.done.map(|done| view! { <span class="badge" data-action="done">{done}</span> })}
                    {exempt.then(|| view! { <span class="badge" data-action="pinned">{t!("exempt")}</span> })}
                    {cells.pinned.then(|| view! { <span class="badge" data-action="pinned">{t!("pinned")}</span> })}
                    <span class="badge" data-action=cells.status.as_str()>{cells.status.label()}</span>
                </span>
            }
        })
    };
    view! {
        <button
            type="button"
            class="row"
            id=element_id(index)
            tabindex=move || if active.get() == index { "0" } else { "-1" }
            class:lit=lit
            data-action=move || row.with(|cells| cells.as_ref().map(|cells| cells.status.as_str()))
            data-position=move || {
                row.with(|cells| cells.as_ref()?.position.map(|position| position.to_string()))
            }
            on:click=open
            on:pointerenter=move |_| point()
            on:pointerleave=move |_| point_at_nothing()
            on:focus=move |_| point()
            on:blur=move |_| point_at_nothing()
        >
            {cells}
        </button>
    }
}

/// The place behind the messages that a compaction has summarized.
#[component]
fn Divider(
    store: Store,
    index: usize,
    /// Its index among the active compactions.
    compaction: usize,
    active: RwSignal<usize>,
) -> impl IntoView {
    let compaction = Memo::new(move |_| {
        store.compactions.with(|compactions| compactions.get(compaction).cloned())
    });
    let open = move |_| {
        active.set(index);
        store.compared.set(compaction.get_untracked().map(|compaction| compaction.checkpoint));
    };
    let words = move || {
        let shown = compaction.get();
        shown.map(|shown| {
            t!(
                "Compaction {number}: {described}",
                number = shown.number,
                described = shown.described()
            )
        })
    };
    view! {
        <button
            type="button"
            class="divider"
            id=element_id(index)
            tabindex=move || if active.get() == index { "0" } else { "-1" }
            on:click=open
        >
            <span class="divider-words">{words}</span>
        </button>
    }
}

/// What a row shows. It is compared to avoid drawing an unchanged row again.
#[derive(Clone, PartialEq)]
struct Cells {
    position: Option<usize>,
    number: Option<MessageNumber>,
    role: &'static str,
    speaker: String,
    preview: String,
    tokens: u32,
    status: Status,
    done: Option<&'static str>,
    pinned: bool,
}

impl Cells {
    fn of(row: &Row) -> Self {
        Self {
            position: row.position,
            number: row.number,
            role: row.message.role.as_str(),
            speaker: row.speaker(),
            preview: preview(&row.message),
            tokens: row.tokens,
            status: row.status,
            done: row.done,
            pinned: row.message.pinned,
        }
    }
}
