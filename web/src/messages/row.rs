//! One row of the list, worked out when it comes into sight.

use epitome::history::Edit;
use epitome::message::{Message, Role};
use epitome::{Fate, Plan};
use leptos::prelude::*;

use super::preview::preview;
use super::window::ROW_HEIGHT;
use crate::number::{count, thousands};
use crate::store::{Perspective, Store};

/// What becomes of the message in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The plan has a fate for it.
    Planned(Fate),
    /// It is the summary.
    Summary,
    /// The engine put it in so that the provider accepts the rest.
    Added,
}

impl Standing {
    /// The word on the badge.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Planned(fate) => fate.as_str(),
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
    /// What becomes of it.
    pub(crate) standing: Standing,
    /// The message.
    pub(crate) message: Message,
    /// Its tokens.
    pub(crate) tokens: u32,
}

impl Row {
    /// The row at an index of the list on display.
    pub(crate) fn at(store: Store, index: usize) -> Option<Self> {
        match store.perspective.get() {
            Perspective::Conversation => Self::original(store, index),
            Perspective::Model => store.view.with(|view| match view.edits.get(index)? {
                Edit::Keep(id) => {
                    let position = store.read(|session| session.compactor()?.log().position(id));
                    Self::original(store, position?)
                }
                Edit::Insert { role, parts } => {
                    let message = Message::with_parts("", *role, parts.clone());
                    let tokens = store.read(|session| {
                        let meter = session.compactor()?.conversation().meter();
                        Some(meter.measure(&message).tokens)
                    });
                    let summary = *role == Role::User;
                    let standing = if summary { Standing::Summary } else { Standing::Added };
                    Some(Self { position: None, standing, message, tokens: tokens? })
                }
            }),
        }
    }

    fn original(store: Store, position: usize) -> Option<Self> {
        let fate = |plan: &Plan| plan.fates.get(position).copied();
        let fate = store.plan.with(|plan| plan.as_deref().and_then(fate));
        store.read(|session| {
            Some(Self {
                position: Some(position),
                standing: Standing::Planned(fate.unwrap_or(Fate::Keep)),
                message: session.message(position)?.clone(),
                tokens: session.tokens(position),
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
            let number = face.position.map_or("·".to_owned(), |at| thousands(count(at + 1)));
            view! {
                <span class="row-number">{number}</span>
                <span class="row-speaker" data-role=face.role>{face.speaker}</span>
                <span class="row-preview">{face.preview}</span>
                <span class="row-tokens">
                    {thousands(face.tokens)} <span class="visually-hidden">" tokens"</span>
                </span>
                <span class="badges">
                    {face.pinned.then(|| view! { <span class="badge" data-fate="pinned">"pinned"</span> })}
                    <span class="badge" data-fate=face.standing.as_str()>{face.standing.as_str()}</span>
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
                data-fate=move || row.with(|face| face.as_ref().map(|face| face.standing.as_str()))
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
    position: Option<usize>,
    role: &'static str,
    speaker: String,
    preview: String,
    tokens: u32,
    standing: Standing,
    pinned: bool,
}

impl Face {
    fn of(row: &Row) -> Self {
        Self {
            position: row.position,
            role: row.message.role.as_str(),
            speaker: row.speaker(),
            preview: preview(&row.message),
            tokens: row.tokens,
            standing: row.standing,
            pinned: row.message.pinned,
        }
    }
}
