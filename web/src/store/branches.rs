//! How the conversation goes on here: messages behind the loaded ones, and branches.

use epitome::history::{Edit, View};
use epitome::message::{MessageId, Part, Role};
use epitome_formats::split_step_id;

use super::message_number::index_of;
use super::session::Session;

/// The versions of a message: what was said in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Versions {
    /// Their ids, oldest first.
    pub(crate) ids: Vec<MessageId>,
    /// Which of them is shown, from 0.
    pub(crate) shown: usize,
}

/// What can be done with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeatable {
    /// It is an answer, which can be written again.
    Answer,
    /// It is a request in text, which can be sent in other words.
    Request,
}

impl Session {
    /// Appends what was said, as a message in the format of the conversation. Fails with a sentence for the user.
    pub(crate) fn append(&mut self, role: Role, text: &str) -> Result<(), String> {
        let index = self.originals.length();
        let parts = vec![Part::Text { text: text.to_owned() }];
        let said = View { edits: vec![Edit::Insert { role, parts }], ..View::default() };
        let compactor = self.compactor().ok_or("no conversation is loaded")?;
        let message = self.messages_of(compactor, &said).get(0);
        let value = serde_wasm_bindgen::from_value(message.clone());
        let value = value.map_err(|error| error.to_string())?;
        let id = id_of(index);
        let reading = self.format().read(&id, &value).map_err(|error| error.to_string())?;
        let compactor = self.compactor_mut().ok_or("no conversation is loaded")?;
        for step in reading.messages {
            compactor.append(step).map_err(|error| error.to_string())?;
        }
        self.originals.push(&message);
        Ok(())
    }

    /// Leaves the message at a position and all behind it, which stay on a branch. Fails with a sentence for the user.
    pub(crate) fn leave(&mut self, position: usize) -> Result<(), String> {
        let before = position.checked_sub(1).and_then(|before| self.message(before));
        let head = before.map(|message| message.id.clone());
        let Some(compactor) = self.compactor_mut() else { return Ok(()) };
        compactor.move_head(head).map_err(|error| error.to_string())?;
        self.find_left();
        Ok(())
    }

    /// Shows the branch with this message. Fails with a sentence for the user.
    pub(crate) fn switch_to(&mut self, id: &MessageId) -> Result<(), String> {
        let Some(compactor) = self.compactor_mut() else { return Ok(()) };
        compactor.switch_to(id).map_err(|error| error.to_string())?;
        self.find_left();
        Ok(())
    }

    /// The versions of the message at a position; `None` if there is only one.
    pub(crate) fn versions(&self, position: usize) -> Option<Versions> {
        let id = &self.message(position)?.id;
        let alternatives = self.compactor()?.log().alternatives(position);
        let ids: Vec<MessageId> = alternatives.map(|message| message.id.clone()).collect();
        let shown = ids.iter().position(|other| other == id)?;
        (ids.len() > 1).then_some(Versions { ids, shown })
    }

    /// What can be done with the message at a position: an answer follows a request or a tool's result, and both are whole
    /// messages.
    pub(crate) fn repeatable(&self, position: usize) -> Option<Repeatable> {
        let message = self.message(position)?;
        let is_whole = split_step_id(&message.id).1 == 0;
        match message.role {
            _ if !is_whole => None,
            Role::Assistant => {
                let before = self.message(position.checked_sub(1)?)?.role;
                matches!(before, Role::User | Role::Tool).then_some(Repeatable::Answer)
            }
            Role::User => {
                let is_text = |part: &Part| matches!(part, Part::Text { .. });
                message.parts.iter().all(is_text).then_some(Repeatable::Request)
            }
            _ => None,
        }
    }

    /// The number of messages of the branch that is shown.
    pub(crate) fn length(&self) -> u32 {
        self.originals.length().saturating_sub(crate::number::count(self.left.len()))
    }

    /// The indices of the messages of the branch that is shown, in order.
    pub(super) fn path_indices(&self) -> Vec<u32> {
        let is_left = |index: &u32| self.left.binary_search(index).is_ok();
        (0..self.originals.length()).filter(|index| !is_left(index)).collect()
    }

    /// Finds out which messages are on branches that were left. Those that are only for some agents are on no branch. Linear in the
    /// messages.
    pub(super) fn find_left(&mut self) {
        let Some(compactor) = &self.compactor else { return };
        let log = compactor.log();
        let ids = log.messages().map(|message| split_step_id(&message.id).0);
        let mut on_path: Vec<u32> = ids.filter_map(|whole| index_of(whole.as_str())).collect();
        on_path.sort_unstable();
        let is_left = |index: &u32| {
            on_path.binary_search(index).is_err() && log.aside(&id_of(*index)).is_none()
        };
        self.left = (0..self.originals.length()).filter(is_left).collect();
    }
}

/// The engine's id of the original at an index.
fn id_of(index: u32) -> MessageId {
    MessageId::from(format!("m{index}"))
}
