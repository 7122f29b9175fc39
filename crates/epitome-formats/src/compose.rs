//! The messages of a view, made of the app's own messages.

use epitome::history::{Change, Edit, Log, PartChange, View};
use epitome::message::{MessageId, Part, Role};
use epitome::{BlankText, Contract, Neighbours, ReasoningPolicy, ResultPlace};
use epitome_columns::sort_by_key;
use serde_json::Value;

use crate::content::ContentPart;
use crate::dialect::Turn;
use crate::edit_message::edit_message;
use crate::registry::Format;
use crate::steps::{split_step_id, steps_of};

/// One message of the view.
#[derive(Clone, Debug, PartialEq)]
pub enum Outgoing {
    /// The app's message, unchanged.
    Keep(MessageId),
    /// A message that has to be composed.
    Composed(Recipe),
}

/// How a message is composed.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    pub(crate) fragments: Vec<Fragment>,
    /// A message of the app that shows in which form the engine's texts are to be written.
    pub(crate) sample: Option<MessageId>,
}

/// What a composed message takes from one source.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fragment {
    /// Steps of a message of the app.
    Original {
        message: MessageId,
        /// How many steps the log has of the message.
        count: usize,
        /// The steps that stay, in order.
        steps: Vec<usize>,
        /// Changes by step.
        changes: Vec<(usize, Vec<PartChange>)>,
    },
    /// A message that the engine inserts.
    Inserted { role: Role, parts: Vec<Part> },
}

impl Recipe {
    /// The recipe of a message of the app that stays as it is. A host that changes its form composes it by this.
    pub fn whole(log: &Log, message: &MessageId) -> Self {
        let count = steps_of(log, message).count();
        let (message, steps) = (message.clone(), (0..count).collect());
        let whole = Fragment::Original { message, count, steps, changes: Vec::new() };
        Self { fragments: vec![whole], sample: None }
    }

    /// The app's messages that the composed message takes something from.
    pub fn sources(&self) -> impl Iterator<Item = &MessageId> {
        self.fragments.iter().filter_map(|fragment| match fragment {
            Fragment::Original { message, .. } => Some(message),
            Fragment::Inserted { .. } => None,
        })
    }

    /// The app's messages that [`Self::compose`] reads: its [sources](Self::sources), and for a format with
    /// several serialized forms one that shows the form.
    pub fn needs(&self) -> impl Iterator<Item = &MessageId> {
        self.sources().chain(&self.sample)
    }

    /// Composes the message. `original` gives each message that the recipe [needs](Self::needs). Linear in
    /// the size of these.
    pub fn compose<'a>(
        &self,
        format: Format,
        original: impl Fn(&MessageId) -> Option<&'a Value>,
    ) -> Value {
        let sample = self.sample.as_ref().and_then(&original);
        let dialect = format.dialect();
        let dialect = sample.and_then(|sample| dialect.form_of(sample)).unwrap_or(dialect);
        let mut composed: Option<Value> = None;
        let mut add = |value: Value| match &mut composed {
            Some(composed) => dialect.merge(composed, value),
            None => composed = Some(value),
        };
        for fragment in &self.fragments {
            match fragment {
                Fragment::Original { message, count, steps, changes } => {
                    let changes: Vec<(usize, &[PartChange])> =
                        changes.iter().map(|(step, changes)| (*step, changes.as_slice())).collect();
                    if let Some(original) = original(message) {
                        add(edit_message(dialect, original, Some((steps, *count)), &changes));
                    }
                }
                Fragment::Inserted { role, parts } => {
                    let parts = parts.iter().map(ContentPart::of).collect();
                    let turn = Turn { role: *role, author: None, parts };
                    dialect.write(&turn, &mut Vec::new()).into_iter().for_each(&mut add);
                }
            }
        }
        composed.unwrap_or(Value::Null)
    }
}

impl Format {
    /// How each message of a view is made: which of the app's messages stay as they are, and how the others
    /// are composed. Linear in the view.
    pub fn compose(self, log: &Log, view: &View) -> Vec<Outgoing> {
        self.grouped(log, view, &self.contract())
    }

    /// The same without merging neighbours, and without leaving out parts that this provider refuses: for a view that is
    /// [adapted](crate::adapt) to another provider, whose rules decide about both. Linear in the view.
    pub fn compose_apart(self, log: &Log, view: &View) -> Vec<Outgoing> {
        let inside = ResultPlace::Inside;
        let own = self.contract();
        let results = if own.results == inside { inside } else { ResultPlace::DirectlyAfter };
        let (neighbours, blank_text) = (Neighbours::Free, BlankText::Allowed);
        let reasoning = ReasoningPolicy::MayDrop;
        self.grouped(log, view, &Contract { neighbours, results, blank_text, reasoning, ..own })
    }

    fn grouped(self, log: &Log, view: &View, contract: &Contract) -> Vec<Outgoing> {
        if view.as_appended {
            let steps = view.edits.iter().filter_map(Edit::id).map(split_step_id);
            // Every message has a step 0, so that each is listed once, however many steps it is read as.
            let first = steps.filter(|(_, step)| *step == 0);
            return first.map(|(message, _)| Outgoing::Keep(message)).collect();
        }
        let mut grouping = Grouping::default();
        grouping.add(log, &view.edits, contract);
        grouping.finish(self, log, view)
    }
}

/// Groups the edits of a view by the messages that are sent.
pub(crate) struct Grouping {
    groups: Vec<Group>,
    /// The latest message of the app and its number of steps: see [`fragment`].
    last: (MessageId, usize),
}

impl Default for Grouping {
    fn default() -> Self {
        Self { groups: Vec::new(), last: (MessageId::from(""), 0) }
    }
}

impl Grouping {
    /// Adds the next edits.
    pub(crate) fn add(&mut self, log: &Log, edits: &[Edit], contract: &Contract) {
        for edit in edits {
            let Some((role, fragment)) = fragment(log, edit, contract, &mut self.last) else {
                continue;
            };
            match self.groups.last_mut() {
                Some(group) if group.includes(role, &fragment, contract) => {
                    group.push(role, fragment);
                }
                _ => self.groups.push(Group { last: role, fragments: vec![fragment] }),
            }
        }
    }

    /// How each message is made.
    pub(crate) fn finish(self, format: Format, log: &Log, view: &View) -> Vec<Outgoing> {
        // A message of the log will do if the view has none: its form is that of the conversation.
        let seen = view.edits.iter().find_map(Edit::id);
        let sample = seen.or_else(|| log.message(0).map(|message| &message.id));
        // Without forms the sample is not needed, and the caller would have to pass one more message to every
        // `compose`.
        let sample = sample.filter(|_| format.dialect().has_forms());
        let sample = sample.map(|id| split_step_id(id).0);
        self.groups.into_iter().map(|group| group.outgoing(sample.as_ref())).collect()
    }
}

/// The fragments of one outgoing message.
struct Group {
    /// Role of the last fragment.
    last: Role,
    fragments: Vec<Fragment>,
}

impl Group {
    /// True if a fragment belongs to the same message: it is a step of a message that the group already has,
    /// or the provider wants neighbours of these roles as one message.
    fn includes(&self, role: Role, next: &Fragment, contract: &Contract) -> bool {
        if let Fragment::Original { message, .. } = next {
            let is_same = |own: &Fragment| matches!(own, Fragment::Original { message: own, .. } if own == message);
            // Not only the last fragment: a result that the engine adds can stand between two steps of one
            // message.
            if self.fragments.iter().any(is_same) {
                return true;
            }
        }
        are_merged(self.last, role, contract)
    }

    fn push(&mut self, role: Role, next: Fragment) {
        self.last = role;
        match (self.fragments.last_mut(), next) {
            (
                Some(Fragment::Original { message, steps, changes, .. }),
                Fragment::Original { message: other, steps: more, changes: other_changes, .. },
            ) if *message == other => {
                steps.extend(more);
                changes.extend(other_changes);
            }
            (_, next) => self.fragments.push(next),
        }
    }

    fn outgoing(self, sample: Option<&MessageId>) -> Outgoing {
        match self.fragments.as_slice() {
            [Fragment::Original { message, count, steps, changes }]
                if changes.is_empty() && steps.iter().copied().eq(0..*count) =>
            {
                Outgoing::Keep(message.clone())
            }
            fragments => {
                let inserts = |fragment: &Fragment| matches!(fragment, Fragment::Inserted { .. });
                let sample = sample.filter(|_| fragments.iter().any(inserts)).cloned();
                Outgoing::Composed(Recipe { fragments: self.fragments, sample })
            }
        }
    }
}

/// The role that the provider sees. Tool results that are inside user messages are the user's.
pub(crate) fn wire_role(role: Role, contract: &Contract) -> Role {
    match (role, contract.results) {
        (Role::Tool, ResultPlace::NextUser) => Role::User,
        _ => role,
    }
}

/// True if neighbours of these roles are one message to the provider.
pub(crate) fn are_merged(first: Role, second: Role, contract: &Contract) -> bool {
    let merged = contract.neighbours == Neighbours::Merged;
    let role = |role: Role| wire_role(role, contract);
    match (first, second) {
        (Role::System, _) | (_, Role::System) => false,
        (_, Role::Tool) if contract.results == ResultPlace::Inside => true,
        (Role::Tool, Role::Tool) => contract.results == ResultPlace::NextUser,
        _ => merged && role(first) == role(second),
    }
}

/// True for a part that the provider refuses in a message with other parts.
fn is_refused(part: &Part, contract: &Contract) -> bool {
    match part {
        Part::Text { .. } => contract.blank_text == BlankText::Refused && part.is_blank(),
        Part::Reasoning { signature: None, .. } => contract.reasoning == ReasoningPolicy::Signed,
        _ => false,
    }
}

/// The fragment for an edit, with its role. `last` caches the latest message of the app and its number of
/// steps: counting them for every step again would cost quadratic time in long messages.
fn fragment(
    log: &Log,
    edit: &Edit,
    contract: &Contract,
    last: &mut (MessageId, usize),
) -> Option<(Role, Fragment)> {
    let (id, changes) = match edit {
        Edit::Insert { role, parts } => {
            return Some((*role, Fragment::Inserted { role: *role, parts: parts.clone() }));
        }
        Edit::Keep(id) => (id, Vec::new()),
        Edit::Replace { id, changes } => (id, changes.clone()),
    };
    let step = log.message(log.position(id)?)?;
    let mut changes = changes;
    let removed = step.parts.iter().enumerate().filter(|(_, part)| is_refused(part, contract));
    let removed: Vec<PartChange> =
        removed.map(|(part, _)| PartChange { part, change: Change::Remove }).collect();
    // A step with nothing else in it keeps its parts: the view decides whether it stays.
    if !removed.is_empty() && removed.len() < step.parts.len() {
        // Changes are applied in one pass over the parts. A second change of the same part would hide all
        // changes behind it.
        changes.retain(|change| removed.iter().all(|removed| removed.part != change.part));
        changes.extend(removed);
        sort_by_key(&mut changes, |change| change.part);
    }
    let (message, index) = split_step_id(id);
    let changes = if changes.is_empty() { Vec::new() } else { vec![(index, changes)] };
    if last.0 != message {
        *last = (message.clone(), steps_of(log, &message).count());
    }
    let count = last.1;
    Some((step.role, Fragment::Original { message, count, steps: vec![index], changes }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed::ParsedMessages;
    use epitome::history::Change;
    use serde_json::json;

    fn of_log(format: Format, messages: &Value) -> (Log, View) {
        let log = ParsedMessages::of(format, messages.as_array().unwrap()).into_log();
        let view = View::repaired(&log, &format.contract());
        (log, view)
    }

    fn says(role: &str, text: &str) -> Value {
        json!({ "role": role, "content": text })
    }

    #[test]
    fn neighbours_are_merged_only_where_the_provider_wants_them_as_one_message() {
        use Role::{Assistant, System, Tool, User};
        for (roles, formats) in [
            ((User, User), vec![Format::Bedrock]),
            ((Assistant, Assistant), vec![Format::Bedrock]),
            ((Tool, User), vec![Format::Bedrock]),
            ((Tool, Tool), vec![Format::Anthropic, Format::Bedrock, Format::AiSdkUi]),
            ((Assistant, Tool), vec![Format::AiSdkUi]),
            ((System, System), vec![]),
            ((System, Tool), vec![]),
            ((User, Assistant), vec![]),
        ] {
            for format in [Format::OpenAiChat, Format::Anthropic, Format::Bedrock, Format::AiSdkUi]
            {
                let merged = are_merged(roles.0, roles.1, &format.contract());
                assert_eq!(merged, formats.contains(&format), "{roles:?} for {format:?}");
            }
        }
    }

    #[test]
    fn messages_for_another_provider_are_not_merged_but_for_calls_and_results_inside_of_them() {
        let text = |role: &str, text: &str| json!({ "role": role, "parts": [{ "text": text }] });
        let talk = json!([text("user", "one"), text("user", "two"), text("model", "three")]);
        let ask = json!({ "type": "tool_use", "id": "a", "name": "f", "input": {} });
        let result = json!({ "type": "tool_result", "tool_use_id": "a", "content": "42" });
        let results = json!([
            says("user", "hi"),
            { "role": "assistant", "content": [ask] },
            { "role": "user", "content": [result] },
            says("user", "so?"),
        ]);
        let ui = |role: &str, part: Value| json!({ "id": role, "role": role, "parts": [part] });
        let call =
            json!({ "type": "tool-f", "toolCallId": "a", "state": "input-available", "input": {} });
        let said = json!({ "type": "text", "text": "so?" });
        let placeholder =
            json!([ui("user", said.clone()), ui("assistant", call), ui("user", said)]);
        for (format, messages, merged, apart) in [
            (Format::Gemini, talk, 2, 3),
            (Format::Anthropic, results, 4, 4),
            (Format::AiSdkUi, placeholder, 3, 3),
        ] {
            let (log, view) = of_log(format, &messages);
            assert_eq!(format.compose(&log, &view).len(), merged, "{format:?}");
            assert_eq!(format.compose_apart(&log, &view).len(), apart, "{format:?}");
        }
    }

    #[test]
    fn results_of_one_turn_for_another_provider_stay_in_messages_of_their_own() {
        let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "f", "input": {} });
        let result = |id: &str| {
            json!({ "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": id, "content": "42" },
            ] })
        };
        let asks = json!({ "role": "assistant", "content": [call("a"), call("b")] });
        let talk = json!([says("user", "hi"), asks, result("a"), result("b")]);
        let (log, view) = of_log(Format::Anthropic, &talk);
        assert_eq!(Format::Anthropic.compose(&log, &view).len(), 3);
        assert_eq!(Format::Anthropic.compose_apart(&log, &view).len(), 4);
    }

    #[test]
    fn a_text_of_the_engine_needs_a_message_that_shows_the_form_where_there_are_several() {
        for (format, messages, needed) in [
            (Format::OpenAiChat, json!([says("user", "hi")]), vec![]),
            (Format::LangChain, json!([{ "type": "human", "content": "hi" }]), vec!["0"]),
        ] {
            let (log, mut view) = of_log(format, &messages);
            let summary = Edit::Insert { role: Role::User, parts: vec![Part::text("Roses.")] };
            view.edits.insert(0, summary);
            let composed = format.compose(&log, &view);
            let [Outgoing::Composed(recipe), Outgoing::Keep(kept)] = composed.as_slice() else {
                panic!("{composed:?}");
            };
            assert_eq!((recipe.sources().count(), kept.as_str()), (0, "0"), "{format:?}");
            let needs: Vec<&str> = recipe.needs().map(MessageId::as_str).collect();
            assert_eq!(needs, needed, "{format:?}");
        }
    }

    #[test]
    fn a_refused_part_is_left_out_beside_the_changes_of_other_parts() {
        let texts = ["", "a long answer"].map(|text| json!({ "type": "text", "text": text }));
        let messages = json!([says("user", "hi"), { "role": "assistant", "content": texts }]);
        let (log, mut view) = of_log(Format::Anthropic, &messages);
        let text = |part: usize, text: &str| PartChange {
            part,
            change: Change::Text { text: text.into() },
        };
        let changes = vec![text(0, "nothing"), text(1, "short")];
        view.edits[1] = Edit::Replace { id: "1".into(), changes };
        let composed = Format::Anthropic.compose(&log, &view);
        let Some(Outgoing::Composed(recipe)) = composed.last() else { panic!("{composed:?}") };
        let value = recipe.compose(Format::Anthropic, |_| messages.get(1));
        assert_eq!(value["content"], json!([{ "type": "text", "text": "short" }]));
    }
}
