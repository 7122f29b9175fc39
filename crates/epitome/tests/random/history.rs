//! Random histories, tidy and broken: a pattern of beats that repeats, so that long ones are made quickly.

use std::fmt;

use epitome::message::{Media, Message, Part, Role};
use epitome::test_notation::notate;
use proptest::prelude::*;

/// A history in the making. It is shown as the messages it makes.
#[derive(Clone)]
pub(crate) struct Script {
    beats: Vec<Beat>,
    repeats: usize,
    /// Calls have names of their own; otherwise they share a few, and some have none.
    own_names: bool,
}

/// A few messages that belong together.
#[derive(Clone, Debug)]
enum Beat {
    Say {
        who: Role,
        words: usize,
        sealed: bool,
        pinned: bool,
    },
    Work {
        calls: Vec<Call>,
        sealed: bool,
        pinned: bool,
        answers: Answers,
    },
    /// A result that nobody may have asked for.
    Stray {
        call: u8,
        words: usize,
    },
    /// Somebody, or a machine, asks whether all is well.
    Health {
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

/// How the calls of one message are answered.
#[derive(Clone, Copy, Debug)]
enum Answers {
    All,
    Backwards,
    /// In one message.
    Together,
    AllButTheFirst,
    /// After somebody has said something else.
    Late,
    Twice,
    /// Before they are made.
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
    let sealed = prop::bool::weighted(0.3);
    let pinned = prop::bool::weighted(0.04);
    let say = (talks, words(), sealed, pinned).prop_map(|(who, words, sealed, pinned)| Beat::Say {
        who,
        words,
        sealed,
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
        .prop_map(|(calls, sealed, pinned, answers)| Beat::Work { calls, sealed, pinned, answers });
    let health = any::<bool>().prop_map(|synthetic| Beat::Health { synthetic });
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

/// A history of about `beats` × `repeats` × 2 messages.
pub(crate) fn script(
    beats: std::ops::Range<usize>,
    repeats: std::ops::Range<usize>,
) -> impl Strategy<Value = Script> {
    any::<bool>().prop_flat_map(move |broken| {
        let beats = prop::collection::vec(beat(broken), beats.clone());
        let own_names = if broken { any::<bool>().boxed() } else { Just(true).boxed() };
        (beats, repeats.clone(), own_names).prop_map(|(beats, repeats, own_names)| Script {
            beats,
            repeats,
            own_names,
        })
    })
}

impl Script {
    /// Its messages, named `m0`, `m1`, … from `first` on; no more than `most`.
    pub(crate) fn messages(&self, first: usize, most: usize) -> Vec<Message> {
        let mut writer = Writer { first, own_names: self.own_names, messages: Vec::new() };
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
    own_names: bool,
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
            Beat::Say { who, words, sealed, pinned } => {
                let number = self.first + self.messages.len();
                let seal = (*sealed && *who == Role::Assistant).then(sealed_thought);
                let said = Part::text(format!("{} {number}", text(*words)));
                self.add(*who, seal.into_iter().chain([said]).collect()).pinned = *pinned;
            }
            Beat::Work { calls, sealed, pinned, answers } => {
                self.work(calls, *sealed, *pinned, *answers);
            }
            Beat::Stray { call, words } => {
                let name = self.name(*call, 9_999);
                self.add(Role::Tool, vec![result(&name, *words)]);
            }
            Beat::Health { synthetic } => {
                let asked = self.add(Role::User, vec![Part::text("Is there anything to do?")]);
                asked.synthetic = synthetic.then(|| "health-check".into());
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
        match (self.own_names, call) {
            (true, call) => format!("call-{call}-{turn}"),
            (false, 5) => String::new(),
            (false, call) => format!("c{call}"),
        }
    }

    fn work(&mut self, calls: &[Call], sealed: bool, pinned: bool, answers: Answers) {
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
        let seal = sealed.then(sealed_thought);
        let asked = named.iter().map(|(name, call)| Part::ToolCall {
            call: name.as_str().into(),
            name: "look".into(),
            arguments: call.arguments.written(),
        });
        let parts = seal.into_iter().chain([Part::text("let me look")]).chain(asked).collect();
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

fn sealed_thought() -> Part {
    Part::Reasoning { text: "well now".into(), signature: Some("sealed".into()) }
}

/// A result in Latin for the most part, or in none of it.
fn result(call: &str, words: usize) -> Part {
    let told =
        if words.is_multiple_of(2) { text(words) } else { "庭園の薔薇、".repeat(words) };
    Part::ToolResult { call: call.into(), name: None, text: format!("日本 {told}") }
}

/// Some words, with what a summary must not lose among them.
fn text(words: usize) -> String {
    const WORDS: [&str; 8] =
        ["wörd", "garden", "src/main.rs", "roses", "because", "250", "must", "not."];
    let words: Vec<&str> = WORDS.iter().cycle().take(words).copied().collect();
    words.join(" ")
}
