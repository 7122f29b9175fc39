//! Whether an instruction or a preference that a user stated long ago is there when a later request needs it: in the view, or
//! in what one recall with the request finds.
//!
//! The cases are in `bench/fidelity/standing.jsonl`, and were written for this. Six of them at a time are said in the first part
//! of a recorded conversation, which then goes on about other things and is compacted as it grows.

use std::path::Path;

use epitome::{Level, Policy, Reason};
use epitome_formats::Format;
use epitome_recall::Index;
use epitome_tests::App;
use epitome_tokens::Heuristic;
use serde_json::{Value, json};

use crate::data;

/// The window of the conversations, and their messages: about three windows of them.
const WINDOW: u32 = 16_000;
/// How many cases are said in one conversation.
const TOGETHER: usize = 6;
/// Tokens of a recall: the package's default.
const RECALLED: u32 = 1_000;
/// The tokens of a conversation beside the cases, as the package estimates them.
const TOKENS: u32 = 60_000;

/// What a user says once, and a later request to which it applies.
pub(crate) struct Case {
    pub(crate) kind: String,
    pub(crate) language: String,
    said: String,
    /// The part of it that has to be there.
    kept: String,
    later: String,
}

/// The cases of the file beside this crate.
pub(crate) fn cases() -> Vec<Case> {
    let lines = data::lines(&Path::new(env!("CARGO_MANIFEST_DIR")).join("standing.jsonl"));
    let text = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let case = |line: &Value| Case {
        kind: text(line, "kind"),
        language: text(line, "language"),
        said: text(line, "said"),
        kept: text(line, "kept"),
        later: text(line, "later"),
    };
    lines.iter().map(case).collect()
}

/// Where a case was found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    pub(crate) in_view: bool,
    pub(crate) recalled: bool,
}

impl Found {
    /// True if the model gets it by either.
    pub(crate) fn either(self) -> bool {
        self.in_view || self.recalled
    }
}

/// A recorded conversation between a user and an assistant, in which cases can be said.
pub(crate) struct Talk {
    pub(crate) name: &'static str,
    messages: Vec<Value>,
}

impl Talk {
    /// A coding session, and meetings in which one person is the user and the others answer: both are full of what sounds like
    /// an instruction.
    pub(crate) fn recorded(folder: &Path) -> Vec<Self> {
        let coding = data::lines(&folder.join("openai/long-aider-200k.jsonl"));
        let meetings = data::lines(&folder.join("retention/qmsum-product-CONCAT-200k.jsonl.gz"));
        let user =
            data::messages(&meetings[0]).first().map_or(Value::Null, |one| one["name"].clone());
        let talk = data::messages(&meetings[0]).iter().map(|message| {
            let role = if message["name"] == user { "user" } else { "assistant" };
            json!({ "role": role, "content": data::content(message) })
        });
        let coding = data::messages(&coding[0])
            .iter()
            .map(|message| json!({ "role": message["role"], "content": data::content(message) }));
        vec![
            Self { name: "coding session", messages: begun(coding) },
            Self { name: "meetings", messages: begun(talk) },
        ]
    }

    /// The cases, each with where it is found, some of them said together.
    pub(crate) fn find_all<'a>(&self, cases: &'a [Case]) -> Vec<(&'a Case, Found)> {
        let found = cases.chunks(TOGETHER).flat_map(|cases| self.find(cases));
        cases.iter().zip(found).collect()
    }

    /// Where each of these cases is found after the conversation.
    fn find(&self, cases: &[Case]) -> Vec<Found> {
        let mut app =
            App::new(Format::OpenAiChat, Policy::recommended(WINDOW)).expect("the policy works");
        let mut append = |message: Value| {
            app.append(message).expect("a message is an object");
            if app.compactor.pressure().level == Level::Compact {
                app.compact(Reason::Threshold).expect("nothing else is running");
            }
        };
        // The first half has all of them.
        let apart = self.messages.len() / 2 / (cases.len() + 1);
        let mut left = cases.iter();
        for (at, message) in (1..).zip(&self.messages) {
            append(message.clone());
            if at % apart.max(1) == 0
                && let Some(case) = left.next()
            {
                append(json!({ "role": "user", "content": case.said }));
                append(json!({ "role": "assistant", "content": "Noted." }));
            }
        }
        let view = app.messages().iter().map(data::text_of).collect::<Vec<_>>().join("\n");
        let mut index = Index::default();
        let entry = |at: usize| app.compactor.searchable(at);
        (0..).map_while(entry).for_each(|entry| index.append(&entry));
        let text = |at: usize| entry(at).map(|entry| entry.text).unwrap_or_default();
        let projection = app.compactor.conversation().projection();
        let departed: Vec<usize> = projection.compacted().collect();
        let known = projection.cover.as_ref().map_or("", |cover| &cover.summary);
        let found = cases.iter().map(|case| {
            let mut search = index.search(&case.later, |at| departed.binary_search(&at).is_ok());
            search.widen(&index, text);
            let passages = search.passages(&index, text, RECALLED, known, &Heuristic);
            let mut quotes = passages.iter().flat_map(|passage| &passage.quotes);
            Found {
                in_view: view.contains(&case.kept),
                recalled: quotes.any(|quote| quote.text.contains(&case.kept)),
            }
        });
        found.collect()
    }
}

/// The beginning of a conversation.
fn begun(messages: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut left = TOKENS;
    messages
        .take_while(|message| {
            let tokens = epitome::tokens::Tokenizer::count(&Heuristic, data::content(message));
            let fits = left >= tokens;
            left = left.saturating_sub(tokens);
            fits
        })
        .collect()
}

/// Prints the shares of the cases that are found, for each conversation.
pub(crate) fn print(folder: &Path) {
    let cases = cases();
    println!("\n## Instructions and preferences of a user, {} cases\n", cases.len());
    println!("| conversation | kind | in the view | recalled | either |\n|---|---|---|---|---|");
    for talk in Talk::recorded(folder) {
        let found = talk.find_all(&cases);
        for kind in ["instruction", "preference"] {
            let of_kind = || found.iter().filter(|(case, _)| case.kind == kind);
            let share = |holds: &dyn Fn(&Found) -> bool| {
                let held = of_kind().filter(|(_, found)| holds(found)).count();
                held as f64 / of_kind().count() as f64
            };
            println!(
                "| {} | {kind} | {:.3} | {:.3} | {:.3} |",
                talk.name,
                share(&|found| found.in_view),
                share(&|found| found.recalled),
                share(&|found| found.either()),
            );
        }
        if std::env::var_os("SHOW").is_some() {
            for (case, found) in found.iter().filter(|(_, found)| !found.either()) {
                eprintln!("{}: {} {} ({found:?})", talk.name, case.language, case.said);
            }
        }
    }
}
