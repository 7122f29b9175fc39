//! Random histories, valid and broken. A pattern of events repeats, so that long histories are generated quickly.

use std::fmt;

use epitome::message::{Media, Message, Part, Role};
use epitome::test_notation::notate;
use proptest::prelude::*;

/// The plan of a history. Its debug output is the messages in test notation.
#[derive(Clone)]
pub(crate) struct Script {
    beats: Vec<Beat>,
    repeats: usize,
    /// Whether each call has its own id; if not, they share a few ids, and some have none.
    unique_ids: bool,
}

/// An event: a few messages that belong together.
#[derive(Clone, Debug)]
enum Beat {
    Say {
        who: Role,
        words: usize,
        signed: bool,
        pinned: bool,
    },
    Work {
        calls: Vec<Call>,
        signed: bool,
        pinned: bool,
        answers: Answers,
    },
    /// A result that may have no call.
    Stray {
        call: u8,
        words: usize,
    },
    /// A heartbeat and its answer.
    Heartbeat {
        synthetic: bool,
    },
    Reminder {
        who: Role,
        kind: u8,
    },
    Blank {
        who: Role,
    },
    Attached,
}

#[derive(Clone, Debug)]
struct Call {
    name: u8,
    arguments: Arguments,
    result_words: usize,
}

#[derive(Clone, Copy, Debug)]
enum Arguments {
    None,
    Short,
    Long(usize),
    Broken,
}

/// How the results of the calls of one message follow.
#[derive(Clone, Copy, Debug)]
enum Answers {
    All,
    Backwards,
    /// All results in one message.
    Together,
    AllButTheFirst,
    /// After a user message.
    Late,
    Twice,
    /// Before the calls.
    Early,
    Never,
}

fn words() -> impl Strategy<Value = usize> {
    prop_oneof![6 => 1_usize..12, 3 => 12_usize..60, 1 => Just(0_usize)]
}

fn result_words() -> impl Strategy<Value = usize> {
    prop_oneof![6 => 1_usize..20, 3 => 20_usize..200, 1 => 400_usize..1_500]
}

fn call() -> impl Strategy<Value = Call> {
    let arguments = prop_oneof![
        3 => Just(Arguments::None),
        3 => Just(Arguments::Short),
        3 => (20_usize..400).prop_map(Arguments::Long),
        1 => Just(Arguments::Broken),
    ];
    (0_u8..6, arguments, result_words()).prop_map(|(name, arguments, result_words)| Call {
        name,
        arguments,
        result_words,
    })
}

fn beat(broken: bool) -> BoxedStrategy<Beat> {
    let talks =
        prop_oneof![5 => Just(Role::User), 5 => Just(Role::Assistant), 1 => Just(Role::System)];
    let signed = prop::bool::weighted(0.3);
    let pinned = prop::bool::weighted(0.04);
    let say = (talks, words(), signed, pinned).prop_map(|(who, words, signed, pinned)| Beat::Say {
        who,
        words,
        signed,
        pinned,
    });
    let answers = match broken {
        false => prop_oneof![3 => Just(Answers::All), 1 => Just(Answers::Backwards)].boxed(),
        true => prop_oneof![
            4 => Just(Answers::All),
            2 => Just(Answers::Together),
            2 => Just(Answers::AllButTheFirst),
            2 => Just(Answers::Late),
            1 => Just(Answers::Twice),
            1 => Just(Answers::Early),
            1 => Just(Answers::Never),
        ]
        .boxed(),
    };
    let calls = prop::collection::vec(call(), 1..4);
    let work = (calls, prop::bool::weighted(0.3), prop::bool::weighted(0.03), answers)
        .prop_map(|(calls, signed, pinned, answers)| Beat::Work { calls, signed, pinned, answers });
    let health = any::<bool>().prop_map(|synthetic| Beat::Heartbeat { synthetic });
    let machine = prop_oneof![Just(Role::User), Just(Role::Assistant), Just(Role::System)];
    let reminder = (machine, 0_u8..3).prop_map(|(who, kind)| Beat::Reminder { who, kind });
    if !broken {
        let beats =
            prop_oneof![6 => say, 5 => work, 1 => health, 1 => reminder, 1 => Just(Beat::Attached)];
        return beats.boxed();
    }
    let stray = (0_u8..6, result_words()).prop_map(|(call, words)| Beat::Stray { call, words });
    let blank = prop_oneof![Just(Role::User), Just(Role::Assistant)];
    let blank = blank.prop_map(|who| Beat::Blank { who });
    prop_oneof![6 => say, 6 => work, 1 => health, 1 => reminder, 1 => stray, 1 => blank].boxed()
}

/// Histories of about `beats` × `repeats` × 2 messages.
pub(crate) fn script(
    beats: std::ops::Range<usize>,
    repeats: std::ops::Range<usize>,
) -> impl Strategy<Value = Script> {
    any::<bool>().prop_flat_map(move |broken| {
        let beats = prop::collection::vec(beat(broken), beats.clone());
        let unique_ids = if broken { any::<bool>().boxed() } else { Just(true).boxed() };
        (beats, repeats.clone(), unique_ids).prop_map(|(beats, repeats, unique_ids)| Script {
            beats,
            repeats,
            unique_ids,
        })
    })
}

impl Script {
    /// Its messages, at most `most`, with ids from `m{first}` on.
    pub(crate) fn messages(&self, first: usize, most: usize) -> Vec<Message> {
        let mut writer = Writer { first, unique_ids: self.unique_ids, messages: Vec::new() };
        for _ in 0..self.repeats {
            for beat in &self.beats {
                if writer.messages.len() < most {
                    writer.beat(beat);
                }
            }
        }
        writer.messages
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages = self.messages(0, 2_000);
        write!(f, "{} messages:\n{}", messages.len(), notate(&messages))
    }
}

struct Writer {
    first: usize,
    unique_ids: bool,
    messages: Vec<Message>,
}

impl Writer {
    fn add(&mut self, who: Role, parts: Vec<Part>) -> &mut Message {
        let id = format!("m{}", self.first + self.messages.len());
        self.messages.push(Message::with_parts(id, who, parts));
        self.messages.last_mut().unwrap()
    }

    fn beat(&mut self, beat: &Beat) {
        match beat {
            Beat::Say { who, words, signed, pinned } => {
                let number = self.first + self.messages.len();
                let reasoning = (*signed && *who == Role::Assistant).then(signed_reasoning);
                let said = Part::text(format!("{} {number}", text(*words)));
                self.add(*who, reasoning.into_iter().chain([said]).collect()).pinned = *pinned;
            }
            Beat::Work { calls, signed, pinned, answers } => {
                self.work(calls, *signed, *pinned, *answers);
            }
            Beat::Stray { call, words } => {
                let name = self.name(*call, 9_999);
                self.add(Role::Tool, vec![result(&name, *words)]);
            }
            Beat::Heartbeat { synthetic } => {
                let asked = self.add(Role::User, vec![Part::text("Is there anything to do?")]);
                asked.synthetic = synthetic.then(|| "heartbeat".into());
                self.add(Role::Assistant, vec![Part::text("HEARTBEAT_OK")]);
            }
            Beat::Reminder { who, kind } => {
                let said = Part::text(format!("Remember the tasks of list {kind}. {}", text(9)));
                self.add(*who, vec![said]).synthetic = Some(format!("reminder-{kind}"));
            }
            Beat::Blank { who } => {
                self.add(*who, vec![Part::text(" ")]);
            }
            Beat::Attached => {
                let parts = vec![
                    Part::text("look at these"),
                    Part::Image(Media { pixels: Some((90, 70)), ..Media::default() }),
                    Part::Other { kind: "hologram".into(), characters: 40 },
                ];
                self.add(Role::User, parts).author = Some("alice".into());
            }
        }
    }

    fn name(&self, call: u8, turn: usize) -> String {
        match (self.unique_ids, call) {
            (true, call) => format!("call-{call}-{turn}"),
            (false, 5) => String::new(),
            (false, call) => format!("c{call}"),
        }
    }

    fn work(&mut self, calls: &[Call], signed: bool, pinned: bool, answers: Answers) {
        let turn = self.first + self.messages.len();
        let named: Vec<(String, &Call)> = calls
            .iter()
            .enumerate()
            .map(|(index, call)| (self.name(call.name, turn * 10 + index), call))
            .collect();
        let mut results: Vec<Part> =
            named.iter().map(|(name, call)| result(name, call.result_words)).collect();
        if let Answers::Early = answers {
            self.answer(std::mem::take(&mut results));
        }
        let reasoning = signed.then(signed_reasoning);
        let asked = named.iter().map(|(name, call)| Part::ToolCall {
            call: name.as_str().into(),
            name: "look".into(),
            arguments: call.arguments.written(),
        });
        let parts = reasoning.into_iter().chain([Part::text("let me look")]).chain(asked).collect();
        self.add(Role::Assistant, parts).pinned = pinned;
        match answers {
            Answers::Never => results.clear(),
            Answers::Backwards => results.reverse(),
            Answers::AllButTheFirst => drop(results.drain(..1)),
            Answers::Twice => results.extend(results.clone()),
            Answers::Late => {
                self.add(Role::User, vec![Part::text("wait, and look elsewhere too")]);
            }
            Answers::All | Answers::Together | Answers::Early => {}
        }
        if let Answers::Together = answers {
            self.add(Role::Tool, results);
        } else {
            self.answer(results);
        }
    }

    fn answer(&mut self, results: Vec<Part>) {
        for result in results {
            self.add(Role::Tool, vec![result]);
        }
    }
}

impl Arguments {
    fn written(self) -> String {
        match self {
            Self::None => "{}".into(),
            Self::Short => r#"{"path":"a.rs","lines":[1,2]}"#.into(),
            Self::Long(words) => {
                format!(r#"{{"path":"src/b.rs","content":"{}","deep":{{"n":[1,2]}}}}"#, text(words))
            }
            Self::Broken => r#"{"path":"a.r"#.into(),
        }
    }
}

fn signed_reasoning() -> Part {
    Part::Reasoning { text: "well now".into(), signature: Some("signature".into()) }
}

/// A result that is mostly in Latin script, or mostly in Japanese.
fn result(call: &str, words: usize) -> Part {
    let text =
        if words.is_multiple_of(2) { text(words) } else { "庭園の薔薇、".repeat(words) };
    Part::ToolResult { call: call.into(), name: None, text: format!("日本 {text}") }
}

/// This many words, with facts among them that a summary must not lose.
fn text(words: usize) -> String {
    const WORDS: [&str; 8] =
        ["wörd", "garden", "src/main.rs", "roses", "because", "250", "must", "not."];
    let words: Vec<&str> = WORDS.iter().cycle().take(words).copied().collect();
    words.join(" ")
}
