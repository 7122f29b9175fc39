//! The state of a conversation, from its messages alone: what was asked for, what holds, what was done, what it is about.
//!
//! It is written as sections of lines, and read again from them: an earlier state and new messages make the next one.

mod calls;
mod changes;
pub(crate) mod cue;
mod digest;
mod json;
mod known;
mod line;
mod parsed;
mod rules;

use calls::Calls;
pub(crate) use changes::Changes;
use known::{Known, Mention};
use line::{Line, chosen, cost};
pub(crate) use parsed::{ParsedEntry, Part, sentences};
use rules::Rules;
use strum::EnumCount;

use epitome::message::{CALLS, Entry};
use epitome::tokens::Tokenizer;
use epitome_text::excerpt::{split, without_note};
use epitome_text::speaker::named;

/// What the messages so far come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct State {
    requests: Vec<Line>,
    rules: Rules,
    calls: Calls,
    known: Known,
    open: Vec<Line>,
    /// True if a model takes part. What people say to each other is not a request.
    answers: bool,
    /// True if tools take part, as far as it is read.
    tools: bool,
    /// True if tools may take part: without them things are not listed, and need not be looked for.
    lists_things: bool,
}

/// The sections of a state, in the order in which they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount)]
enum Section {
    Requests,
    Rules,
    Done,
    Known,
    Open,
    /// Quotes, which are not part of the state.
    Said,
    /// The notes of a model, which are none either.
    Notes,
}

impl Section {
    const ALL: [Self; Self::COUNT] =
        [Self::Requests, Self::Rules, Self::Done, Self::Known, Self::Open, Self::Said, Self::Notes];

    fn heading(self) -> &'static str {
        match self {
            Self::Requests => "Requests:",
            Self::Rules => "Instructions and decisions:",
            Self::Done => "Done with tools:",
            Self::Known => "Known:",
            Self::Open => "Open:",
            Self::Said => SAID,
            Self::Notes => NOTES,
        }
    }
}

/// The heading of the quotes behind a state.
pub(crate) const SAID: &str = "Said:";
/// The heading of the notes of a model behind a state.
pub(crate) const NOTES: &str = "Notes:";
/// The shares of a summary that its state and the sections of it may take, in percent.
struct Shares {
    state: u32,
    requests: u32,
    rules: u32,
    done: u32,
    open: u32,
    known: u32,
    /// From so many tokens on, a summary says who wants what, what holds, what was done and what is open in at least so many
    /// tokens each: shares of it might not have a single line.
    least_for: u32,
    least: [(Section, u32); 4],
}

impl Shares {
    const WITH_TOOLS: Self = Self {
        state: 88,
        requests: 13,
        rules: 7,
        done: 7,
        open: 4,
        known: 40,
        least_for: 320,
        least: [
            (Section::Requests, 70),
            (Section::Rules, 30),
            (Section::Done, 30),
            (Section::Open, 20),
        ],
    };
    /// The same of a summary that is only the state.
    const ONLY_STATE: Self = Self {
        state: 100,
        requests: 15,
        rules: 8,
        done: 8,
        open: 5,
        known: 45,
        ..Self::WITH_TOOLS
    };
    /// The same of a summary whose other half a model writes.
    const FOR_MODEL: Self = Self {
        state: 50,
        requests: 12,
        rules: 10,
        done: 6,
        open: 3,
        known: 25,
        ..Self::WITH_TOOLS
    };
    /// If people and a model only talk, quotes say best what it is about. What holds for all turns to come is not left to them:
    /// the more is said, the less likely is one of its sentences to be quoted.
    const TALK: Self = Self {
        state: 30,
        requests: 6,
        rules: 20,
        done: 0,
        open: 1,
        known: 0,
        least_for: u32::MAX,
        ..Self::WITH_TOOLS
    };

    /// The most tokens of a section with this share in a summary.
    fn most(&self, section: Section, percent: u32, target_tokens: u32) -> u32 {
        let mut least = self.least.iter().filter(|_| target_tokens >= self.least_for);
        let least = least.find(|(own, _)| *own == section).map_or(0, |(_, tokens)| *tokens);
        share(target_tokens, percent).max(least)
    }
}

/// Tokens for instructions in a short summary: a share of it would be too little for a single one.
const LEAST_RULES: u32 = 14;
/// The least summary that has so many.
const LEAST_FOR_RULES: u32 = 150;
/// The most that these may be of the summary, in percent.
const MOST_RULES: u32 = 12;

/// A summary of fewer tokens than this is only the state, if tools take part.
const LEAST_FOR_QUOTES: u32 = 100;
/// Tokens of things in addition to their share.
const ALWAYS_KNOWN: u32 = 200;
/// The longest request but the last, in characters.
const REQUEST: usize = 240;
/// The longest request, in characters.
const LAST_REQUEST: usize = 1_200;
/// The longest other line, in characters.
const LINE: usize = 300;
/// Begins and ends a block of code.
const FENCE: &str = "```";
/// The most open points.
const MAX_OPEN: usize = 32;

impl State {
    /// The state after an earlier summary and new messages, and what the earlier summary says behind its own. Linear in both but
    /// for the search of things.
    pub(crate) fn read<'a>(summary: &'a str, entries: &[Entry]) -> (Self, &'a str) {
        let (mut state, quotes) = Self::begin(summary, entries);
        entries.iter().for_each(|entry| state.entry(&ParsedEntry::of(entry)));
        (state, quotes)
    }

    /// The state after an earlier summary alone, to which [`Self::entry`] adds these messages.
    pub(crate) fn begin<'a>(summary: &'a str, entries: &[Entry]) -> (Self, &'a str) {
        let mut state = Self::default();
        let quotes = state.parse(summary);
        state.answers |= entries.iter().any(|entry| entry.speaker.starts_with("assistant"));
        state.lists_things = state.tools || entries.iter().any(uses_tools);
        (state, quotes)
    }

    /// Reads the sections of an earlier summary, and returns what is behind them.
    fn parse<'a>(&mut self, summary: &'a str) -> &'a str {
        let mut section = Section::Said;
        let mut rest = summary;
        while !rest.is_empty() {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            match Section::ALL.into_iter().find(|section| section.heading() == line) {
                Some(Section::Said | Section::Notes) => {
                    self.answers = true;
                    return after;
                }
                Some(begun) => {
                    section = begun;
                    self.answers = true;
                }
                None if section == Section::Said => return summary,
                None => self.line(section, line),
            }
            rest = after;
        }
        ""
    }

    fn line(&mut self, section: Section, line: &str) {
        let Some(line) = line.strip_prefix("- ") else { return };
        let numbered = line.strip_prefix('[').and_then(|line| line.split_once("] "));
        let parsed = numbered.and_then(|(number, text)| Some((number.parse().ok()?, text)));
        let (number, text) = parsed.unwrap_or((0, line));
        self.tools |= matches!(section, Section::Done | Section::Known);
        let own = || {
            let (speaker, said) = named(text);
            Line::new(number, &speaker.unwrap_or_default(), said)
        };
        match section {
            Section::Requests => self.requests.push(own()),
            Section::Rules => self.rules.parse(own()),
            Section::Done => self.calls.parse(text, number),
            Section::Known => self.known.parse(line),
            Section::Open => self.open.push(own()),
            Section::Said | Section::Notes => {}
        }
    }

    /// Reads a message, or a part of one. Linear in it but for the search of things.
    pub(crate) fn entry(&mut self, parsed: &ParsedEntry<'_>) {
        let entry = parsed.entry;
        self.known.age(entry.number);
        let mut said = String::new();
        let mut calls = false;
        for part in &parsed.parts {
            match part {
                Part::Call { tool, arguments } => {
                    let arguments = without_note(arguments);
                    (self.tools, calls) = (true, true);
                    let subject = self.calls.call(tool, arguments, entry.number);
                    let mention = match writes(tool) {
                        true => Mention::Changed,
                        false => Mention::Argument,
                    };
                    json::for_each(arguments, |field| {
                        // If a call is about a file or a command, its other arguments are positions in it and its text.
                        if subject.as_deref().is_none_or(|subject| subject == field.value) {
                            self.known.field(field, mention);
                        }
                    });
                }
                Part::Result(text) => {
                    let text = without_note(text);
                    self.tools = true;
                    self.calls.result(text, entry.number);
                    self.result(text);
                }
                Part::Said(text) => {
                    said.push_str(text);
                    said.push('\n');
                }
            }
        }
        if !said.trim().is_empty() && self.answers {
            self.said(parsed, said.trim());
        }
        if calls {
            // What was announced is being done.
            self.open.retain(|line| !cue::promises(&line.text));
        }
    }

    fn result(&mut self, text: &str) {
        if !json::is_json(text) {
            return;
        }
        let mut first: Option<(usize, &str)> = None;
        json::for_each(text, |field| {
            self.known.field(field, Mention::Result);
            let is_status = field.key.ends_with("status") && field.value.len() < 24;
            match first {
                Some((object, value)) if is_status && object == field.object => {
                    self.known.status(value, field.value);
                }
                _ if field.key.ends_with("id") => first = Some((field.object, field.value)),
                _ => {}
            }
        });
    }

    /// Reads all that a message says, which is `text`.
    fn said(&mut self, parsed: &ParsedEntry<'_>, text: &str) {
        let ParsedEntry { entry: Entry { number, speaker, .. }, role, sentences, .. } = parsed;
        let (number, role) = (*number, *role);
        let answers = parsed.answers();
        // A question of the model is open until the next message of the user, and a question of the user until an answer.
        let requests = &self.requests;
        let is_asked_by_user = |line: &Line| {
            requests.binary_search_by_key(&line.number(), Line::number).is_ok() && !answers
        };
        self.open.retain(is_asked_by_user);
        let line = |text: &str, longest: usize| {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            Line::new(number, speaker, split(&text, longest).0)
        };
        if role == "user" {
            // A yes or a thank you asks for nothing. A message that was divided is one request, which its first part begins.
            let is_known =
                self.requests.binary_search_by_key(&number, Line::number).is_ok() && number > 0;
            let asks = text.chars().count() > 24 || text.split_whitespace().nth(3).is_some();
            if asks && !is_known {
                self.requests.push(line(text, LAST_REQUEST));
            }
            self.standing(sentences, &line);
        }
        if matches!(role, "user" | "assistant") {
            // Questions without an answer, and what is announced without a result.
            let open = sentences.iter().filter(|sentence| parsed.is_open(sentence));
            self.open.extend(open.map(|sentence| line(sentence, LINE)));
            let excess = self.open.len().saturating_sub(MAX_OPEN);
            self.open.drain(..excess);
        }
        if !self.lists_things {
            return;
        }
        for sentence in sentences {
            self.known.sentence(sentence);
        }
        let mut is_code = false;
        for line in text.lines() {
            match line.trim_start().starts_with(FENCE) {
                true => is_code = !is_code,
                false if is_code => self.known.code(line, Mention::Result),
                false => {}
            }
        }
    }

    /// Adds what a message of the user says that holds for all turns to come, with what it refers back to.
    fn standing(&mut self, sentences: &[&str], line: &impl Fn(&str, usize) -> Line) {
        let mut added = 0;
        for (at, sentence) in sentences.iter().enumerate() {
            if cue::standing(sentence).is_none() {
                continue;
            }
            let back = sentences.get(..=at).unwrap_or_default().iter().rev();
            let start = at - back.take_while(|sentence| cue::refers_back(sentence)).count().min(at);
            let passage = sentences.get(start.max(added)..=at).unwrap_or_default().join(" ");
            match start < added {
                true => self.rules.extend(&passage),
                false => self.rules.add(line(&passage, LINE)),
            }
            added = at + 1;
        }
    }

    /// True if tools were called.
    pub(crate) fn has_calls(&self) -> bool {
        self.tools
    }

    /// The sections for a summary of at most `target_tokens`; empty if there is nothing to say. The same state is written the
    /// same.
    pub(crate) fn write(&self, target_tokens: u32, tokenizer: &dyn Tokenizer) -> String {
        let shares = match self.tools {
            true if target_tokens < LEAST_FOR_QUOTES => Shares::ONLY_STATE,
            true => Shares::WITH_TOOLS,
            false => Shares::TALK,
        };
        self.write_shares(&shares, target_tokens, tokenizer)
    }

    /// The sections for a summary of at most `target_tokens` whose other half a model writes.
    pub(crate) fn write_for_model(&self, target_tokens: u32, tokenizer: &dyn Tokenizer) -> String {
        self.write_shares(&Shares::FOR_MODEL, target_tokens, tokenizer)
    }

    fn write_shares(
        &self,
        shares: &Shares,
        target_tokens: u32,
        tokenizer: &dyn Tokenizer,
    ) -> String {
        let share = |percent: u32| share(target_tokens, percent);
        let most = |section, percent| shares.most(section, percent, target_tokens);
        let least_rules = if target_tokens < LEAST_FOR_RULES { 0 } else { LEAST_RULES };
        let rules = most(Section::Rules, shares.rules).max(least_rules.min(share(MOST_RULES)));
        let rules = chosen(self.rules.by_worth(target_tokens), rules, LINE, tokenizer);
        // The last request is what is asked for, and the first one what all of it is about.
        let mut between = self.requests.iter().enumerate();
        let (first, last) = (between.next(), between.next_back());
        let requests = last.into_iter().chain(first).chain(between.rev());
        let requests =
            chosen(requests, most(Section::Requests, shares.requests), REQUEST, tokenizer);
        let done = self.calls.lines(most(Section::Done, shares.done), tokenizer);
        let open = self.open.iter().enumerate().rev();
        let open = chosen(open, most(Section::Open, shares.open), LINE, tokenizer);
        let written = [&requests, &rules, &done, &open].into_iter().flatten();
        let used: u32 = written.map(|line| cost(line, tokenizer)).fold(0, u32::saturating_add);
        // A long list of prices helps nobody, but in a short state little else is as useful.
        let most = match self.tools {
            true => share(shares.known).saturating_add(ALWAYS_KNOWN),
            false => 0,
        };
        let left = share(shares.state).saturating_sub(used);
        let known = self.known.lines(left.min(most), tokenizer);
        let mut out = String::new();
        let sections = [
            (Section::Requests, requests),
            (Section::Rules, rules),
            (Section::Done, done),
            (Section::Known, known),
            (Section::Open, open),
        ];
        for (section, lines) in sections {
            if lines.is_empty() {
                continue;
            }
            out.push_str(section.heading());
            for line in lines {
                out.push_str("\n- ");
                out.push_str(&line);
            }
            out.push('\n');
        }
        out
    }
}

fn share(budget: u32, percent: u32) -> u32 {
    (u64::from(budget) * u64::from(percent) / 100) as u32
}

/// True if an entry may have a call or a result.
fn uses_tools(entry: &Entry) -> bool {
    entry.speaker.starts_with("tool") || entry.text.contains(CALLS)
}

/// True for a tool that changes what it is called with, by its name.
fn writes(tool: &str) -> bool {
    const WORDS: [&str; 6] = ["write", "edit", "create", "patch", "replace", "delete"];
    tool.split(|c: char| !c.is_alphabetic())
        .any(|word| WORDS.iter().any(|own| own.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use epitome::tokens::CharactersPer;

    const TOKENS: CharactersPer = CharactersPer(4);

    pub(crate) fn entries(first: u32, texts: &[(&str, &str)]) -> Vec<Entry> {
        let entries = (first..).zip(texts).map(|(number, (speaker, text))| Entry {
            number,
            speaker: (*speaker).to_owned(),
            time: None,
            text: (*text).to_owned(),
        });
        entries.collect()
    }

    fn written(summary: &str, entries: &[Entry]) -> String {
        State::read(summary, entries).0.write(1_000, &TOKENS)
    }

    /// The state of these messages behind a call, without which things are not listed.
    fn written_with_tools(texts: &[(&str, &str)]) -> String {
        let calls = [("assistant", "calls start {}"), ("tool", "start answers: ok")];
        written("", &entries(1, &[calls.as_slice(), texts].concat()))
    }

    fn booking() -> Vec<Entry> {
        entries(
            1,
            &[
                ("user", "Please cancel my reservation DQST39. Never call me before noon."),
                ("assistant", "calls get_reservation {\"reservation_id\": \"DQST39\"}"),
                (
                    "tool",
                    "get_reservation answers: {\"reservation_id\": \"DQST39\", \"status\": \"confirmed\", \
                     \"payments\": {\"card_77\": {\"amount\": 150}}}",
                ),
                ("assistant", "It costs 150 dollars. Shall I cancel it?"),
            ],
        )
    }

    #[test]
    fn d10_neither_a_part_of_a_number_nor_a_measure_nor_a_date_is_known() {
        let said = "It must be under 140 euros. It fell from 64,050 to 47,900 within 25–30 days. \
                    The 24-hour ticket KD-77120 makes a total of 384. It is valid until June 2027, on 5 May 09:30 it was sold.";
        let written = written_with_tools(&[("assistant", said)]);
        let known: Vec<&str> =
            written.lines().skip_while(|line| *line != "Known:").skip(1).collect();
        assert_eq!(known, ["- [3] ticket: KD-77120", "- [3] total: 384"]);
    }

    #[test]
    fn d10_a_quantity_and_a_year_are_not_known() {
        let said = "One litre needs 371 litres of water and 3.2 square metres (Poore and Nemecek, 2018). \
                    The last days of 2026 belong to week 53. In thousands: north 79.4, south 51.3. Your number is 4711.";
        let written = written_with_tools(&[("assistant", said)]);
        let known: Vec<&str> =
            written.lines().skip_while(|line| *line != "Known:").skip(1).collect();
        assert_eq!(known, ["- [3] north: 79.4", "- [3] south: 51.3", "- [3] number: 4711"]);
    }

    #[test]
    fn d10_a_state_says_who_wants_what_and_what_is_open_however_much_is_known() {
        let prices: Vec<String> = (0..200)
            .map(|at| format!("{{\"seat_id\": \"S{at}\", \"price\": {}}}", 900 + at))
            .collect();
        let prices = format!("list_seats answers: [{}]", prices.join(", "));
        let talk = entries(
            1,
            &[
                ("user", "Please find two seats for the opera on Friday. Never take the balcony."),
                ("assistant", "calls list_seats {\"hall\": \"H4\"}"),
                ("tool", &prices),
                ("assistant", "Seats S14 and S15 are free. Do you want them?"),
                ("user", "What do they cost, and can they be returned?"),
            ],
        );
        let written = State::read("", &talk).0.write(Shares::WITH_TOOLS.least_for, &TOKENS);
        assert!(TOKENS.count(&written) <= Shares::WITH_TOOLS.least_for);
        for said in [
            "[1] Please find two seats for the opera on Friday.",
            "[5] What do they cost, and can they be returned?",
            "- [1] Never take the balcony.",
            "Done with tools:\n- [2] list_seats H4",
            "Open:\n- [5] What do they cost",
            "seat_id: S",
        ] {
            assert!(written.contains(said), "{said}\n{written}");
        }
    }

    #[test]
    fn d10_what_is_said_again_and_again_is_in_a_state_once() {
        let again = "All work and no play. ".repeat(20);
        let texts: Vec<String> = (1..6).map(|number| format!("Number {number}. {again}")).collect();
        let said: Vec<(&str, &str)> = texts.iter().map(|text| ("user", text.as_str())).collect();
        let written = written_with_tools(&said);
        assert_eq!(written.matches("All work").count(), 1, "{written}");
        assert!((1..6).all(|number| written.contains(&format!("Number {number}."))), "{written}");
    }

    #[test]
    fn f4_a_line_says_who_of_several_said_it_also_in_the_next_state() {
        let team = entries(
            1,
            &[
                ("user dana", "Please plan the bridge. Never close both lanes."),
                ("assistant ann", "The lanes close one by one."),
            ],
        );
        let expected = "Requests:\n\
            - [1] user dana: Please plan the bridge. Never close both lanes.\n\
            Instructions and decisions:\n\
            - [1] user dana: Never close both lanes.\n";
        assert_eq!(written("", &team), expected);
        assert_eq!(written(expected, &[]), expected);
        assert_eq!(
            written(
                "",
                &entries(
                    1,
                    &[("user dana", "user: never close both lanes."), ("assistant", "Yes.")]
                )
            ),
            "Requests:\n- [1] user dana: user: never close both lanes.\n\
             Instructions and decisions:\n- [1] user dana: user: never close both lanes.\n"
        );
    }

    #[test]
    fn d10_a_state_says_what_was_asked_what_holds_what_was_done_and_what_is_open() {
        let expected = "Requests:\n\
            - [1] Please cancel my reservation DQST39. Never call me before noon.\n\
            Instructions and decisions:\n\
            - [1] Never call me before noon.\n\
            Done with tools:\n\
            - [2] get_reservation DQST39\n\
            Known:\n\
            - [1, 2, 3] reservation_id: DQST39 (confirmed)\n\
            - [3] payments: card_77\n\
            - [3, 4] amount: 150\n\
            Open:\n\
            - [4] Shall I cancel it?\n";
        assert_eq!(written("", &booking()), expected);
    }

    #[test]
    fn d18_an_earlier_state_and_new_messages_make_the_next_one() {
        let state = written("", &booking());
        assert_eq!(written(&state, &[]), state, "the same without new messages");
        let more = [
            ("user", "Yes."),
            ("assistant", "calls get_reservation {\"reservation_id\": \"DQST39\"}"),
            (
                "tool",
                "get_reservation answers: {\"reservation_id\": \"DQST39\", \"status\": \"cancelled\"}",
            ),
            ("assistant", "Done."),
        ];
        let next = written(&state, &entries(5, &more));
        assert!(next.contains("- [1] Please cancel my reservation DQST39."), "{next}");
        assert!(next.contains("- [6] get_reservation DQST39 ×2"), "{next}");
        assert!(next.contains("DQST39 (cancelled)") && !next.contains("confirmed"), "{next}");
        assert!(!next.contains("Open:"), "what was answered is not open: {next}");
    }

    #[test]
    fn d10_the_last_outcome_of_a_command_counts() {
        let run = [
            ("assistant", "calls bash {\"command\": \"cargo test\"}"),
            ("tool", "bash answers: running 2 tests\ntest a ... FAILED\nerror: test failed"),
            ("assistant", "calls bash {\"command\": \"cargo test\"}"),
            ("tool", "bash answers: running 2 tests\ntest result: ok. 2 passed"),
        ];
        let state = written("", &entries(1, &run));
        assert!(
            state.contains("- [3] bash cargo test ×2 → test result: ok. 2 passed (failed before)"),
            "{state}"
        );
    }

    #[test]
    fn d10_a_failure_that_a_later_run_resolved_is_said_to_be_past() {
        let run = [
            ("assistant", "calls bash {\"command\": \"cargo test\"}"),
            ("tool", "bash answers: error: test failed"),
            ("assistant", "calls bash {\"command\": \"cargo test\"}"),
            ("tool", "bash answers: test result: ok. 2 passed"),
        ];
        let state = written("", &entries(1, &run));
        let line = "- [3] bash cargo test ×2 → test result: ok. 2 passed (failed before)\n";
        assert!(state.contains(line), "{state}");
        assert_eq!(written(&state, &[]), state, "the same without new messages");
        let open = written("", &entries(1, run.get(..2).unwrap()));
        assert!(open.contains("→ error: test failed\n"), "{open}");
    }

    #[test]
    fn d10_what_was_announced_is_open_until_it_is_done() {
        let said = ("assistant", "I'll check the logs now. They are long.");
        let state = written("", &entries(1, &[("user", "Look at the logs, please."), said]));
        assert!(state.contains("Open:\n- [2] I'll check the logs now.\n"), "{state}");
        let call = ("assistant", "calls bash {\"command\": \"tail app.log\"}");
        let done = written("", &entries(1, &[("user", "Look."), said, call]));
        assert!(!done.contains("Open:"), "{done}");
    }

    #[test]
    fn d10_an_instruction_is_kept_with_what_it_refers_back_to() {
        let said = [
            (
                "user",
                "Last year somebody sold the tickets twice. It ended badly. So let's not do that.",
            ),
            ("assistant", "calls note {}"),
        ];
        let state = written("", &entries(1, &said));
        let rule = "decisions:\n- [1] Last year somebody sold the tickets twice. It ended badly. So let's not do that.\n";
        assert!(state.contains(rule), "{state}");
    }

    #[test]
    fn d10_a_message_that_was_divided_is_one_request() {
        let said =
            [("assistant", "Hello."), ("user", "Please refund my booking. The reasons are long.")];
        let state = written("", &entries(6, &said));
        let second = entries(7, &[("user", "and the fourth reason is the weather of that week.")]);
        let later = written(&state, &second);
        assert_eq!(later.matches("- [7] ").count(), 1, "{later}");
        assert!(later.contains("- [7] Please refund my booking."), "{later}");
    }

    #[test]
    fn d10_the_first_request_stays_beside_the_last_one() {
        let texts: Vec<String> =
            (0..40).map(|n| format!("Then what about flower bed {n} at the fence?")).collect();
        let mut said = vec![("user", "Help me to plan a garden behind the house.")];
        said.extend(texts.iter().map(|text| ("user", text.as_str())));
        said.push(("assistant", "calls note {}"));
        let state = State::read("", &entries(1, &said)).0.write(400, &TOKENS);
        assert!(state.starts_with("Requests:\n- [1] Help me to plan a garden"), "{state}");
        assert!(state.contains("flower bed 39") && !state.contains("flower bed 5 "), "{state}");
    }

    #[test]
    fn d10_a_request_that_does_not_fit_is_shortened_at_a_word() {
        let long =
            format!("Please move the flowers {}", "from the garden to the house ".repeat(40));
        let entries = entries(1, &[("user", &long), ("assistant", "calls move {}")]);
        let state = State::read("", &entries).0;
        for budget in [200, 350, 900] {
            let text = state.write(budget, &TOKENS);
            let line = text.lines().nth(1).unwrap_or_default();
            let kept = line.strip_prefix("- [1] ").unwrap().strip_suffix('…').unwrap();
            assert!(long.strip_prefix(kept).is_some_and(|rest| rest.starts_with(' ')), "{text}");
            assert_eq!(State::read(&text, &[]).0.write(budget, &TOKENS), text);
        }
        assert!(!state.write(60, &TOKENS).contains("Requests:"), "too little says nothing");
    }

    #[test]
    fn d10_a_question_of_the_user_is_open_until_it_is_answered() {
        let asked =
            ("user", "We sell flowers in the city. Which of the two shops is the cheaper one?");
        let open = "Open:\n- [1] Which of the two shops is the cheaper one?\n";
        let noted = ("user", "The second shop is closed on Mondays, by the way.");
        let back = ("assistant", "Let me look at their prices.");
        for next in [&[noted][..], &[noted, back], &[]] {
            let said = entries(1, &[&[asked], next, &[("assistant", "calls ask {}")]].concat());
            let state = written("", &said);
            assert!(state.contains(open), "{state}");
            assert_eq!(written(&state, &[]), state, "the same without new messages");
            let answered = written(&state, &entries(5, &[("assistant", "The first one is.")]));
            assert!(!answered.contains("Open:"), "{answered}");
        }
    }

    #[test]
    fn d10_a_decision_that_is_changed_has_the_older_value_in_brackets() {
        let said = [
            ("user", "The server must listen on port 8443."),
            ("user", "The tests must not use the network."),
            ("user", "The server must listen on port 9000 instead."),
            ("assistant", "Understood."),
        ];
        let state = written("", &entries(1, &said));
        let rules = "Instructions and decisions:\n\
            - [2] The tests must not use the network.\n\
            - [3] The server must listen on port 9000 instead. (before: 8443)\n";
        assert!(state.contains(rules), "{state}");
        assert_eq!(written(&state, &[]), state, "the same without new messages");
    }

    #[test]
    fn d10_decisions_about_different_things_do_not_replace_each_other() {
        let said = [
            ("user", "Never call Alice Moore before noon."),
            ("user", "Never call Robert Smith before noon."),
            ("assistant", "Understood."),
        ];
        let state = written("", &entries(1, &said));
        assert!(!state.contains("before:") && state.contains("Alice"), "{state}");
    }

    #[test]
    fn d10_what_a_note_of_a_cut_says_is_no_fact() {
        let cut = "price answers: {\"id\": \"A12\", \"economy\": … [2723 more characters]";
        let calls = [("assistant", "calls price {}"), ("tool", cut)];
        let state = written("", &entries(1, &calls));
        assert!(state.contains("A12") && !state.contains("2723"), "{state}");
    }

    #[test]
    fn d10_of_a_call_about_a_file_only_the_file_is_known() {
        let read = [
            (
                "assistant",
                "calls read {\"path\": \"/srv/app/main.rs\", \"offset\": 2170, \"limit\": 120}",
            ),
            ("tool", "read answers: fn main() {}"),
            ("assistant", "It calls `setModel()` and `max_tokens`, but not `main` or `a b`."),
            (
                "assistant",
                "Like so, on my iPhone:\n```ts\nrun(onChunk)\n```\nThat is from JavaScript.",
            ),
        ];
        let state = written("", &entries(1, &read));
        assert!(
            state.contains(
                "Known:\n- [1] path: /srv/app/main.rs\n- [3, 4] code: setModel, max_tokens, onChunk\n"
            ),
            "{state}"
        );
    }

    #[test]
    fn d10_what_is_known_names_its_latest_messages_if_the_summary_is_not_short() {
        let said: Vec<(&str, &str)> = vec![("assistant", "The ticket is KD-77120."); 6];
        let state = written_with_tools(&said);
        assert!(state.contains("Known:\n- [5, 6, 7, 8] ticket: KD-77120\n"), "{state}");
        let later = written(&state, &entries(9, &[("assistant", "So KD-77120 it is.")]));
        assert!(later.contains("\n- [6, 7, 8, 9] ticket: KD-77120\n"), "{later}");
        let calls = [("assistant", "calls start {}"), ("tool", "start answers: ok"), said[0]];
        let short = State::read("", &entries(1, &calls)).0.write(100, &TOKENS);
        assert!(short.contains("Known:\n- ticket: KD-77120\n"), "{short}");
    }

    #[test]
    fn d10_a_file_is_known_once_with_its_longest_path() {
        let said = [(
            "assistant",
            "Moved `read.rs` and `event.type` out of `lib.rs`; /srv/app/src/read.rs is the new path.",
        )];
        let state = written_with_tools(&said);
        assert!(
            state.contains("- [3] file: lib.rs\n") && state.contains("/srv/app/src/read.rs"),
            "{state}"
        );
        assert_eq!((state.matches("read.rs").count(), state.matches("event").count()), (1, 0));
    }

    #[test]
    fn d10_what_is_listed_is_no_label_of_what_comes_next() {
        let said = [(
            "assistant",
            "The codes are QX11, QX12 and QX13. Slash commands are /export, /copy, /login.",
        )];
        let state = written("", &entries(1, &said));
        let known = "Known:\n- [3] codes: QX11, QX12, QX13\n";
        assert!(!state.contains("export") && written_with_tools(&said).contains(known), "{state}");
    }

    #[test]
    fn what_people_say_to_each_other_is_no_request() {
        assert_eq!(
            written("", &entries(1, &[("user ann", "We must never ship on a Friday.")])),
            ""
        );
    }
}
