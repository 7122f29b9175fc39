//! Changes to a structured state from the messages alone: what a summarizer without a model returns beside its summary.

use serde::Serialize;

use super::calls::subject;
use super::line::{Line, shortened};
use super::parsed::asks;
use super::rules::without_earlier_value;
use super::{ParsedEntry, Part, State, cue, writes};
use epitome::message::Entry;
use epitome::tokens::Tokenizer;

/// The longest text of an entry, in characters.
const TEXT: usize = 160;
/// The fewest words of a sentence that says what somebody has contributed.
const CONTRIBUTION: usize = 5;
/// Tokens of an entry besides its text, where the state is shown.
const ENTRY: u32 = 4;
/// The most entries of one list.
const MOST: usize = 10;

/// An entry of a list.
#[derive(Clone, Debug, Serialize)]
struct Item {
    text: String,
    /// The number of its message.
    sources: [u32; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    done: bool,
    /// The text of the entry whose place it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<String>,
}

/// The lists of a structured state, each with its entries, the latest first.
#[derive(Debug, Default, Serialize)]
struct Lists {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    decisions: Vec<Item>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    constraints: Vec<Item>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tasks: Vec<Item>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    questions: Vec<Item>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    risks: Vec<Item>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    artifacts: Vec<Item>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contributions: Vec<Item>,
    /// What is settled since, in the words of earlier entries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    settled: Vec<String>,
}

/// The changes that new messages make to a structured state. What the messages decide are decisions, what the user instructs are
/// constraints, requests are tasks, which are done once they are answered, and what tools have written are artifacts.
#[derive(Debug)]
pub(crate) struct Changes {
    /// The state before the messages.
    before: State,
    /// What stands in their texts.
    said: Lists,
    /// The number of the first of them.
    first: u32,
    /// The number of the latest of them that answers something.
    answered: Option<u32>,
}

impl Changes {
    /// The changes after an earlier summary alone, to which [`Self::read`] adds these messages.
    pub(crate) fn begin(summary: &str, entries: &[Entry]) -> Self {
        let (before, _) = State::begin(summary, &[]);
        let first = entries.first().map_or(u32::MAX, |entry| entry.number);
        Self { before, said: Lists::default(), first, answered: None }
    }

    /// The changes that these messages make, as [`Self::write`] writes them. Linear in them.
    pub(crate) fn of(
        summary: &str,
        entries: &[Entry],
        budget: u32,
        tokenizer: &dyn Tokenizer,
    ) -> Option<(String, u32)> {
        let mut changes = Self::begin(summary, entries);
        entries.iter().for_each(|entry| changes.read(&ParsedEntry::of(entry)));
        changes.write(&State::read(summary, entries).0, entries, budget, tokenizer)
    }

    /// Reads a message, or a part of one. Linear in it.
    pub(crate) fn read(&mut self, parsed: &ParsedEntry<'_>) {
        if parsed.answers() {
            self.answered = Some(parsed.entry.number);
        }
        self.said.read(parsed);
    }

    /// The JSON object that a summarizer returns, in at most about `budget` tokens, and its tokens; `None` if nothing has changed.
    /// `after` is the state after the messages, which `entries` are.
    pub(crate) fn write(
        self,
        after: &State,
        entries: &[Entry],
        budget: u32,
        tokenizer: &dyn Tokenizer,
    ) -> Option<(String, u32)> {
        let Self { before, said, first, answered } = self;
        let mut settled: Vec<String> = Vec::new();
        if answered.is_some() {
            settled.extend(before.requests.iter().rev().take(MOST).map(text_of));
        }
        let is_open = |line: &&Line| after.open.contains(line);
        settled
            .extend(before.open.iter().rev().filter(|line| !is_open(line)).take(MOST).map(text_of));
        let mut lists =
            Lists { settled, ..Lists::of(after, entries, first, answered.unwrap_or(0)) };
        lists.extend(said);
        let (lists, used) = lists.within(budget, tokenizer);
        let text = serde_json::to_string(&lists).ok()?;
        (text != "{}").then_some((text, used))
    }
}

impl Lists {
    /// What the state says of the messages from this number on, of which the latest with an answer is given.
    fn of(state: &State, entries: &[Entry], first: u32, answered: u32) -> Self {
        let is_new = |line: &Line| line.number() >= first && !line.text.is_empty();
        let by = |number: u32| {
            let at = entries.binary_search_by_key(&number, |entry| entry.number).ok()?;
            author(entries.get(at)?)
        };
        let line = |line: &Line| put(&line.text, line.number(), by(line.number()));
        let mut lists = Self::default();
        for rule in state.rules.lines().iter().rev().filter(|line| is_new(line)) {
            let mut item = line(rule);
            if let Some(replaced) = &rule.replaces {
                item.text = one_line(without_earlier_value(&rule.text));
                item.replaces = Some(one_line(replaced));
            }
            match cue::decides(&rule.text) {
                true => lists.decisions.push(item),
                false => lists.constraints.push(item),
            }
        }
        for open in state.open.iter().rev().filter(|line| is_new(line)) {
            match cue::promises(&open.text) {
                true => lists.tasks.push(line(open)),
                false => lists.questions.push(line(open)),
            }
        }
        for request in state.requests.iter().rev().filter(|line| is_new(line)) {
            let mut task = line(request);
            task.done = request.number() < answered;
            lists.tasks.push(task);
        }
        lists
    }

    /// Adds what stands in the text of a message, before what stands in earlier ones. Of each list the latest entries stay.
    fn read(&mut self, parsed: &ParsedEntry<'_>) {
        let ParsedEntry { entry, role, parts, sentences } = parsed;
        let author = author(entry);
        let item = |text: &str| put(text, entry.number, author);
        let mut own = Self::default();
        for part in parts {
            if let Part::Call { tool, arguments } = part
                && writes(tool)
                && let Some(subject) = subject(arguments)
            {
                own.artifacts.push(item(&subject));
            }
        }
        let is_model = *role == "assistant";
        let said = match is_model || *role == "user" {
            true => sentences.as_slice(),
            false => &[],
        };
        for sentence in said.iter().filter(|sentence| !asks(sentence)) {
            // What the user decides is among the rules. More entries than stay are not looked for.
            if is_model && own.decisions.len() < MOST && cue::decides(sentence) {
                own.decisions.push(item(sentence));
            }
            if own.risks.len() < MOST && cue::warns(sentence) {
                own.risks.push(item(sentence));
            }
        }
        let contributes = |sentence: &&&str| {
            !asks(sentence) && sentence.split_whitespace().nth(CONTRIBUTION - 1).is_some()
        };
        if is_model
            && author.is_some()
            && let Some(sentence) = said.iter().rev().find(contributes)
        {
            // Of each author the latest contribution.
            self.contributions.retain(|item| item.by.as_deref() != author);
            own.contributions.push(item(sentence));
        }
        own.extend(std::mem::take(self));
        own.all().into_iter().for_each(|list| list.truncate(MOST));
        *self = own;
    }

    /// Puts the entries of other lists behind these.
    fn extend(&mut self, mut earlier: Self) {
        for (list, earlier) in self.all().into_iter().zip(earlier.all()) {
            list.append(earlier);
        }
    }

    /// The latest entries of each list that fit, in turn, and their tokens.
    fn within(mut self, budget: u32, tokenizer: &dyn Tokenizer) -> (Self, u32) {
        let mut used = 0_u32;
        let mut chosen = Self { settled: std::mem::take(&mut self.settled), ..Self::default() };
        let from = self.all();
        for rank in 0..MOST {
            for (list, entries) in chosen.all().into_iter().zip(&from) {
                let Some(entry) = entries.get(rank) else { continue };
                let cost = tokenizer.count(&entry.text).saturating_add(ENTRY);
                if used.saturating_add(cost) <= budget {
                    used += cost;
                    list.push(entry.clone());
                }
            }
        }
        (chosen, used)
    }

    fn all(&mut self) -> [&mut Vec<Item>; 7] {
        [
            &mut self.decisions,
            &mut self.constraints,
            &mut self.tasks,
            &mut self.questions,
            &mut self.risks,
            &mut self.artifacts,
            &mut self.contributions,
        ]
    }
}

fn put(text: &str, number: u32, by: Option<&str>) -> Item {
    let by = by.map(str::to_owned);
    Item { text: one_line(text), sources: [number], by, done: false, replaces: None }
}

fn text_of(line: &Line) -> String {
    one_line(&line.text)
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shortened(&line, TEXT).into_owned()
}

/// The author's name behind the role.
fn author(entry: &Entry) -> Option<&str> {
    entry.speaker.split_once(' ').map(|(_, author)| author)
}

#[cfg(test)]
mod tests {
    use super::super::tests::entries;
    use super::*;
    use epitome::StructuredState;
    use epitome::message::MessageId;
    use epitome::test_notation::apply_answer;
    use epitome::tokens::CharactersPer;

    const TOKENS: CharactersPer = CharactersPer(4);

    fn apply(state: &mut StructuredState, summary: &str, entries: &[Entry]) {
        let Some((changes, _)) = Changes::of(summary, entries, 1_000, &TOKENS) else { return };
        let source = |number: u32| Some(MessageId::from(format!("m{number}")));
        let answer = format!("Notes.\n```json\n{changes}\n```");
        assert_eq!(apply_answer(state, &answer, &source), "Notes.");
    }

    #[test]
    fn e1_messages_alone_give_every_list_with_its_sources() {
        let mut state = StructuredState::default();
        let review = entries(
            1,
            &[
                ("user dana", "Please review the plan of the bridge. Never close both lanes."),
                ("assistant ann", "The bolts of the north tower are a risk in winter."),
                (
                    "assistant ben",
                    "calls write_file {\"path\": \"docs/bridge.md\", \"text\": \"…\"}",
                ),
                ("tool", "write_file answers: ok"),
                ("assistant ben", "We decided to use 40 bolts of steel for each tower."),
                ("user dana", "How long does the paint need to dry?"),
            ],
        );
        apply(&mut state, "", &review);
        assert_eq!(
            state.to_text(),
            "Decisions:\n- ben: We decided to use 40 bolts of steel for each tower.\n\
             Constraints:\n- dana: Never close both lanes.\n\
             Tasks:\n- [ ] dana: How long does the paint need to dry?\n\
             - [x] dana: Please review the plan of the bridge. Never close both lanes.\n\
             Open questions:\n- dana: How long does the paint need to dry?\n\
             Risks:\n- ann: The bolts of the north tower are a risk in winter.\n\
             Artifacts:\n- ben: docs/bridge.md\n\
             Contributions:\n- ben: We decided to use 40 bolts of steel for each tower.\n\
             - ann: The bolts of the north tower are a risk in winter."
        );
        assert_eq!(state.decisions[0].sources, ["m5".into()]);
        assert_eq!(state.artifacts[0].sources, ["m3".into()]);
    }

    #[test]
    fn e1_what_is_answered_later_is_settled() {
        let mut state = StructuredState::default();
        let asked = entries(
            1,
            &[
                ("user", "Which colour does the tower get?"),
                ("assistant", "Which one do you like?"),
            ],
        );
        apply(&mut state, "", &asked);
        assert!(!state.tasks[0].done);
        assert_eq!(state.questions.len(), 2);
        let (earlier, _) = State::read("", &asked);
        let summary = earlier.write(1_000, &TOKENS);
        let answered = entries(
            3,
            &[("user", "I like a dark red one."), ("assistant", "The tower gets dark red.")],
        );
        apply(&mut state, &summary, &answered);
        assert!(state.questions.is_empty(), "{:?}", state.questions);
        assert!(state.tasks.iter().all(|task| task.done), "{:?}", state.tasks);
    }

    #[test]
    fn e1_an_instruction_that_changes_takes_the_place_of_the_earlier_one_and_shows_it() {
        let mut state = StructuredState::default();
        let asked = entries(
            1,
            &[
                ("user", "Always use port 8443 for the gateway. Never close both lanes."),
                ("assistant", "It uses port 8443."),
            ],
        );
        apply(&mut state, "", &asked);
        assert_eq!(state.constraints.len(), 2);
        let (earlier, _) = State::read("", &asked);
        let summary = earlier.write(1_000, &TOKENS);
        let changed = entries(
            3,
            &[
                ("user", "Always use port 9000 for the gateway instead."),
                ("user", "Always use port 9443 for the gateway instead."),
                ("assistant", "It uses port 9443."),
            ],
        );
        apply(&mut state, &summary, &changed);
        let texts: Vec<&str> = state.constraints.iter().map(|entry| entry.text.as_str()).collect();
        assert_eq!(
            texts,
            ["Always use port 9443 for the gateway instead.", "Never close both lanes."]
        );
        assert_eq!(
            state.constraints[0].earlier.as_deref(),
            Some("Always use port 8443 for the gateway.")
        );
        assert_eq!(state.constraints[0].sources, ["m4".into()]);
    }

    #[test]
    fn e1_changes_keep_to_their_budget_with_something_of_each_list() {
        let texts: Vec<String> = (0..40)
            .map(|at| format!("Never paint tower number {at} of the bridge. There is a risk of frost in week {at}."))
            .collect();
        let user = texts.iter().map(|text| ("user", text.as_str()));
        let said: Vec<(&str, &str)> =
            [("assistant", "What is next?")].into_iter().chain(user).collect();
        let entries = entries(1, &said);
        let (all, _) = Changes::of("", &entries, 10_000, &TOKENS).unwrap();
        let (few, used) = Changes::of("", &entries, 150, &TOKENS).unwrap();
        assert!(used <= 150 && few.len() < all.len());
        for key in ["constraints", "risks", "tasks"] {
            assert!(few.contains(&format!("\"{key}\"")) && few.contains("number 39"), "{few}");
        }
        assert_eq!(Changes::of("", &entries, 0, &TOKENS), None);
    }
}
