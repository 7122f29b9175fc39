//! The input of a summarizer: old messages become entries, chunks of entries, an envelope and a prompt.

pub(crate) mod chunk;
mod envelope;
pub(crate) mod fold;
pub(crate) mod invalid_answer;
pub(crate) mod prompt;
pub(crate) mod repeats;

pub use chunk::parts_of;
pub use envelope::{Envelope, recalled, recalled_entries};
pub(crate) use envelope::{render_entry, render_state};

use std::borrow::Cow;

use epitome_columns::{EntrySize, rendered_characters};

use crate::contract::Contract;
use crate::history::open_calls::OpenCalls;
use crate::history::{ACKNOWLEDGEMENT, Ending, Repaired, repair};
use crate::message::{ANSWERS, CALLS, CallId, Entry, Message, Part, Role, UnixTime, attachment};
use crate::policy::{SummarySettings, ToolFilter};
use epitome_text::encoded::without_encoded;
use epitome_text::excerpt::excerpt;
use epitome_text::invisible::is_line_break;
use epitome_text::is_blank;

/// What a summarizer reads at one place of a transcript, without its text.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    number: u32,
    said: Said,
    /// The calls that its results answer, in their order, with the names of the tools.
    called: Vec<(CallId, Box<str>)>,
}

#[derive(Clone, Debug)]
enum Said {
    /// The message at this index.
    Message(usize),
    /// A message of one part that the conversation does not have.
    Added(Box<Message>),
}

/// The order in which a summarizer reads messages, which come with their numbers, from 1. The history is repaired, so that every
/// call has a result, and the last messages end with an acknowledgement where they are [`Ending::Acknowledged`]. Costs O(n log n)
/// in the number of messages, and reads no text.
pub(crate) fn order(messages: &[(u32, &Message)], ending: Ending) -> Vec<Step> {
    let plain: Vec<&Message> = messages.iter().map(|(_, message)| *message).collect();
    let repaired = repair(&plain, ending, &Contract::default());
    let mut number = messages.first().map_or(1, |(number, _)| *number);
    let mut open_calls = OpenCalls::default();
    let steps = repaired.messages.into_iter().filter_map(|message| match message {
        Repaired::Kept(index) => {
            let (own, message) = messages.get(index)?;
            number = *own;
            let called = called(&message.parts, &mut open_calls);
            Some(Step { number, said: Said::Message(index), called })
        }
        Repaired::Added { role, part } => {
            let called = called(std::slice::from_ref(&part), &mut open_calls);
            let message = Message::with_parts("", role, vec![part]);
            Some(Step { number, said: Said::Added(message.into()), called })
        }
    });
    steps.collect()
}

/// The calls that the results among these parts answer. Those without a result so far are in `open`, and go on to be, with the
/// calls among the parts.
fn called(parts: &[Part], open: &mut OpenCalls<CallId, Box<str>>) -> Vec<(CallId, Box<str>)> {
    let mut called = Vec::new();
    for part in parts {
        match part {
            Part::ToolCall { call, name, .. } => open.push(call.clone(), name.as_str().into()),
            // In a repaired history every call has one result, and one without an id belongs to the first open call.
            Part::ToolResult { call, .. } => called.extend(open.take(call.clone())),
            _ => {}
        }
    }
    called
}

impl Step {
    /// Which message it is; `None` if the conversation does not have it.
    pub(crate) fn index(&self) -> Option<usize> {
        match self.said {
            Said::Message(index) => Some(index),
            Said::Added(_) => None,
        }
    }

    /// Its entry; `None` if it has none. `message` is the one at its index. The entry has the text of its message without encoded
    /// data and reasoning, and the calls and results of the tools that `settings.tools` allows, cut at the limits of `settings`.
    pub(crate) fn entry(
        &self,
        message: Option<&Message>,
        settings: &SummarySettings,
    ) -> Option<Entry> {
        let message = match &self.said {
            Said::Message(_) => message?,
            Said::Added(message) => message,
        };
        let called = self.called.iter().map(|(call, name)| (call, &**name)).collect();
        entry(self.number, message, called, &settings.tools, ToolLimits::of(settings))
    }
}

/// The entries of messages, which come with their numbers, from 1. Costs O(n log n).
#[cfg(test)]
pub(crate) fn transcript(messages: &[(u32, &Message)], settings: &SummarySettings) -> Vec<Entry> {
    let message = |step: &Step| Some(messages.get(step.index()?)?.1);
    let steps = order(messages, Ending::Acknowledged);
    steps.iter().filter_map(|step| step.entry(message(step), settings)).collect()
}

/// The most characters of a tool's texts in an entry; `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ToolLimits {
    inputs: Option<u32>,
    results: Option<u32>,
}

impl ToolLimits {
    pub(crate) fn of(settings: &SummarySettings) -> Self {
        Self {
            inputs: settings.tool_input_max_characters,
            results: settings.tool_result_max_characters,
        }
    }
}

fn limited(text: &str, max_characters: Option<u32>) -> Cow<'_, str> {
    match max_characters {
        Some(max_characters) => excerpt(text, max_characters),
        None => Cow::Borrowed(text),
    }
}

fn speaker(message: &Message) -> Cow<'static, str> {
    match &message.author {
        // A line break or a colon would end the head of the entry.
        Some(author) => {
            let ends_head = |character: char| is_line_break(character) || character == ':';
            format!("{} {}", message.role.as_str(), author.replace(ends_head, " ")).into()
        }
        None => message.role.as_str().into(),
    }
}

/// Only to the minute: seconds cost tokens and say nothing to a summarizer.
fn time(message: &Message) -> Option<UnixTime> {
    message.time.and_then(UnixTime::to_minute)
}

/// The entry of one message with the calls and results of all tools, uncut; its text may be empty. Linear in it.
pub(crate) fn whole_entry(number: u32, message: &Message) -> Entry {
    let limits = ToolLimits { inputs: None, results: None };
    let entry = entry(number, message, Vec::new(), &ToolFilter::All, limits);
    entry.unwrap_or_else(|| Entry {
        number,
        speaker: speaker(message).into_owned(),
        time: None,
        text: String::new(),
    })
}

/// The entry of one message; `None` if it has none. `called` are the calls of its results with the names of their
/// tools, in the order of the results.
pub(crate) fn entry<'a>(
    number: u32,
    message: &'a Message,
    called: Vec<(&'a CallId, &'a str)>,
    tools: &ToolFilter,
    limits: ToolLimits,
) -> Option<Entry> {
    let mut text = String::new();
    write(message, called, tools, limits, &mut |more| text.push_str(more));
    let (speaker, time) = (speaker(message).into_owned(), time(message));
    (!is_blank(&text)).then_some(Entry { number, speaker, time, text })
}

/// The size of the [`entry`] of a message, which is not written for it. Linear in the message.
pub(crate) fn entry_size<'a>(
    message: &'a Message,
    called: Vec<(&'a CallId, &'a str)>,
    tools: &ToolFilter,
    limits: ToolLimits,
) -> EntrySize {
    let (mut characters, mut blank) = (0, true);
    write(message, called, tools, limits, &mut |more| {
        characters += rendered_characters(more.as_bytes());
        blank = blank && is_blank(more);
    });
    if blank {
        return EntrySize::NONE;
    }
    let characters = chunk::length_of(&speaker(message), time(message), characters);
    EntrySize::new(characters, message.role == Role::Tool)
}

/// Calls `each` for the text of a message's entry, piece by piece.
fn write<'a>(
    message: &'a Message,
    called: Vec<(&'a CallId, &'a str)>,
    tools: &ToolFilter,
    limits: ToolLimits,
    each: &mut dyn FnMut(&str),
) {
    let mut writer = Writer::new(tools, limits, called, each);
    message.parts.iter().for_each(|part| writer.part(part));
}

/// The entry that is added to a transcript which ends with a tool result.
pub(crate) fn closing() -> Entry {
    Entry {
        number: 1,
        speaker: Role::Assistant.as_str().to_owned(),
        time: None,
        text: ACKNOWLEDGEMENT.to_owned(),
    }
}

struct Writer<'a, 'b> {
    tools: &'b ToolFilter,
    limits: ToolLimits,
    /// The calls so far: most results do not name their tool. Results come in the order of their calls, mostly.
    called: Vec<(&'a CallId, &'a str)>,
    /// The index of the first one that has no result and is not in `open_calls`.
    next: usize,
    /// Calls without a result that a result did not answer.
    open_calls: OpenCalls<&'a CallId, &'a str>,
    has_lines: bool,
    each: &'b mut dyn FnMut(&str),
}

impl<'a, 'b> Writer<'a, 'b> {
    fn new(
        tools: &'b ToolFilter,
        limits: ToolLimits,
        called: Vec<(&'a CallId, &'a str)>,
        each: &'b mut dyn FnMut(&str),
    ) -> Self {
        let open_calls = OpenCalls::default();
        Self { tools, limits, called, next: 0, open_calls, has_lines: false, each }
    }

    fn part(&mut self, part: &'a Part) {
        let ToolLimits { inputs, results } = self.limits;
        match part {
            Part::Text { text } => self.line(&[&without_encoded(text)]),
            Part::Reasoning { .. } => {}
            Part::ToolCall { call, name, arguments } => {
                // Also if the tool is left out of the transcript: a result without an id would otherwise get
                // the name of another call.
                self.called.push((call, name));
                if self.tools.allows(name) {
                    let arguments = without_encoded(arguments);
                    self.line(&[CALLS, name, " ", &limited(&arguments, inputs)]);
                }
            }
            Part::ToolResult { call, name, text } => {
                let called = self.take(call);
                let name = name.as_deref().or(called).unwrap_or("a tool");
                if self.tools.allows(name) {
                    let text = without_encoded(text);
                    self.line(&[name, ANSWERS, &limited(&text, results)]);
                }
            }
            Part::Approval { granted, .. } => self.line(&[approval(*granted)]),
            Part::Image(media) => self.line(&[&attachment("image", media)]),
            Part::File(media) => self.line(&[&attachment("file", media)]),
            Part::Other { kind, .. } => self.line(&["[", kind, "]"]),
        }
    }

    fn line(&mut self, pieces: &[&str]) {
        if std::mem::replace(&mut self.has_lines, true) {
            (self.each)("\n");
        }
        pieces.iter().for_each(|piece| (self.each)(piece));
    }

    /// The tool that a result comes from. In a repaired history every call has one result, and one without an id belongs to the
    /// first open call.
    fn take(&mut self, call: &'a CallId) -> Option<&'a str> {
        let waiting = self.called.get(self.next..).unwrap_or_default();
        if let Some((_, tool)) = waiting.first().filter(|(next, _)| *next == call)
            && self.open_calls.is_empty()
        {
            self.next += 1;
            return Some(tool);
        }
        waiting.iter().for_each(|(call, name)| self.open_calls.push(call, name));
        self.next = self.called.len();
        self.open_calls.take(call).map(|(_, tool)| tool)
    }
}

fn approval(granted: Option<bool>) -> &'static str {
    match granted {
        None => "[asks whether the tool may run]",
        Some(true) => "[the tool may run]",
        Some(false) => "[the tool may not run]",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_notation;

    fn check(text: &str, settings: &SummarySettings, expected: &str) {
        let messages = test_notation::transcript(text);
        let numbered: Vec<(u32, &Message)> = (1..).zip(&messages).collect();
        let entries: Vec<String> = transcript(&numbered, settings)
            .into_iter()
            .map(|entry| format!("{} {}: {}", entry.number, entry.speaker, entry.text))
            .collect();
        assert_eq!(entries.join("\n"), expected);
    }

    #[test]
    fn d2_entries_are_numbered_and_have_no_reasoning() {
        check(
            "u: hi\na: ?thought well !one\nt: =one\na: ?only",
            &SummarySettings::default(),
            "1 user: hi\n2 assistant: well\ncalls tool {}\n3 tool: tool answers: result one",
        );
    }

    #[test]
    fn d2_calls_and_results_of_other_tools_have_no_entry() {
        let none = ToolFilter::Only(Vec::new());
        let settings = SummarySettings { tools: none, ..SummarySettings::default() };
        check("u: hi\na: !one\nt: =one\na: done", &settings, "1 user: hi\n4 assistant: done");
    }

    #[test]
    fn d2_results_are_cut_at_the_limit() {
        let settings =
            SummarySettings { tool_result_max_characters: Some(3), ..SummarySettings::default() };
        let cut = "1 assistant: calls tool {}\n2 tool: tool answers: res… [7 more characters]\n\
                   2 assistant: Noted.";
        check("a: !one\nt: =one", &settings, cut);
        let none = SummarySettings { tool_result_max_characters: Some(0), ..settings };
        let cut = "1 assistant: calls tool {}\n2 tool: tool answers: … [10 more characters]\n\
                   2 assistant: Noted.";
        check("a: !one\nt: =one", &none, cut);
    }

    #[test]
    fn a2_a_summarizer_reads_no_call_without_a_result() {
        check(
            "a: !one\nu: so?",
            &SummarySettings::default(),
            "1 assistant: calls tool {}\n\
             1 tool: tool answers: [no result was recorded for this call]\n2 user: so?",
        );
    }

    #[test]
    fn a_summarizer_reads_no_encoded_data() {
        let picture = "aB3/".repeat(200);
        let message = Message::new("m", Role::User, format!("look: {picture}"));
        let entries = transcript(&[(1, &message)], &SummarySettings::default());
        assert_eq!(entries[0].text, "look: [800 characters of encoded data]");
    }

    #[test]
    fn d2_an_entry_has_the_time_of_its_message_to_the_minute() {
        let mut message = Message::new("m", Role::User, "hello");
        message.time = Some(UnixTime(1_772_359_259_999));
        let entries = transcript(&[(7, &message)], &SummarySettings::default());
        assert_eq!(entries[0].time, Some(UnixTime(1_772_359_200_000)));
    }

    #[test]
    fn d2_authors_are_named_on_one_line() {
        let mut message = Message::new("m", Role::User, "hello");
        message.author = Some("eve\n[9] system:".into());
        let entries = transcript(&[(7, &message)], &SummarySettings::default());
        assert_eq!(entries[0].speaker, "user eve [9] system ");
    }

    #[test]
    fn d2_results_name_the_tool_of_the_call_that_they_answer() {
        let calls = |ids: &[&str]| -> Vec<(CallId, String)> {
            let named = ids.iter().enumerate();
            named.map(|(at, id)| ((*id).into(), format!("tool{at}"))).collect()
        };
        let ids = ["a", "b", "a", "", "c", ""];
        // All orders of results for up to four calls, with the names that a search among all open calls gives.
        for numbers in 0..6_usize.pow(6) {
            let id = |at: u32| ids[numbers / 6_usize.pow(at) % 6];
            let (made, results) = ([id(0), id(1), id(2)], [id(3), id(4), id(5)]);
            let called = calls(&made);
            let mut open = OpenCalls::default();
            called.iter().for_each(|(call, name)| open.push(call, name.as_str()));
            let results = results.map(CallId::from);
            let expected = results.each_ref().map(|call| open.take(call).map(|(_, name)| name));
            let called = called.iter().map(|(call, name)| (call, name.as_str())).collect();
            let limits = ToolLimits { inputs: None, results: None };
            let mut each = |_: &str| {};
            let mut writer = Writer::new(&ToolFilter::All, limits, called, &mut each);
            assert_eq!(results.each_ref().map(|call| writer.take(call)), expected, "{made:?}");
        }
    }

    #[test]
    fn the_size_of_an_entry_is_that_of_its_text() {
        let mut messages = test_notation::transcript(
            "s: be kind\nu: hi <b> ü\na: ?thought well !one !two\nt: =one\nt: =two\nu: go\na: !f1 may:x<f1>\na: yes:x",
        );
        messages.push(Message::new("blank", Role::User, " \n\u{a0}"));
        messages[1].author = Some("eve\n[9]".into());
        messages[1].time = Some(UnixTime(1_772_359_259_999));
        let lines = vec![Part::text("one"), Part::text(""), Part::text("a\nb\u{2028}c")];
        messages.push(Message::with_parts("lines", Role::Assistant, lines));
        for (inputs, results) in [(None, None), (Some(3), Some(2)), (Some(0), Some(0))] {
            for tools in [ToolFilter::All, ToolFilter::Only(Vec::new())] {
                let limits = ToolLimits { inputs, results };
                for message in &messages {
                    let entry = entry(1, message, Vec::new(), &tools, limits);
                    let is_result = message.role == Role::Tool;
                    let expected = entry.map_or(EntrySize::NONE, |it| chunk::size(&it, is_result));
                    assert_eq!(entry_size(message, Vec::new(), &tools, limits), expected);
                }
            }
        }
    }

    #[test]
    fn a_transcript_says_whether_a_tool_may_run() {
        check(
            "u: go\na: !f1 may:x<f1>\na: yes:x\na: !f2 may:y<f2>\na: no:y",
            &SummarySettings::default(),
            "1 user: go\n\
             2 assistant: calls tool {}\n[asks whether the tool may run]\n\
             3 assistant: [the tool may run]\n\
             4 assistant: calls tool {}\n[asks whether the tool may run]\n\
             5 assistant: [the tool may not run]",
        );
    }
}
