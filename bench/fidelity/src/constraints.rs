//! Constraints, decisions and who is who, after many compactions: `CompactBench`'s templates, checked in the context itself.
//!
//! A case is a template with names of our own in it. Its conversation goes on about other things, and is compacted again and
//! again. Then everything that the template asks for has to be there word for word, and of a decision that was replaced the
//! newest has to be the last one said.

use std::collections::BTreeMap;
use std::path::Path;

use epitome::{Policy, Reason};
use epitome_formats::Format;
use epitome_tests::App;
use serde_json::{Value, json};

use crate::data;
use crate::packages::{self, Packages};

/// A window in which a compaction leaves about a thousand tokens.
const WINDOW: u32 = 2_000;
/// Exchanges about other things before each compaction: about 1,500 tokens.
const OTHERS: usize = 14;

const PEOPLE: [&str; 8] = [
    "Priya Raman",
    "Tomás Ortega",
    "Lena Vogt",
    "Samuel Okafor",
    "Mei Tanaka",
    "Jonas Lund",
    "Ada Kowalski",
    "Omar Haddad",
];
const PROJECTS: [&str; 6] = [
    "billing migration",
    "onboarding redesign",
    "warehouse rollout",
    "search rewrite",
    "audit report",
    "mobile launch",
];
const ACTIONS: [&str; 10] = [
    "share customer emails with vendors",
    "deploy on a Friday afternoon",
    "use the legacy payment gateway",
    "rewrite the parser in one step",
    "publish the draft before legal review",
    "move the backups to another region",
    "cache responses for thirty minutes",
    "split the service into two queues",
    "skip the accessibility checks",
    "merge both price lists",
];
const COMPANIES: [&str; 4] = ["Northwind Freight", "Calla Health", "Ostrava Steel", "Juniper Bank"];

/// What the exchanges about other things are made of.
const TOPICS: [&str; 12] = [
    "the coffee machine",
    "parking permits",
    "the summer party",
    "monitor arms",
    "the new lift",
    "fruit baskets",
    "badge photos",
    "the fire drill",
    "plants for the lobby",
    "the carpet",
    "a lost umbrella",
    "window blinds",
];

/// A template: its turns up to the question at its end, and what has to survive.
struct Template {
    family: String,
    variables: Vec<(String, String)>,
    turns: Vec<(String, String)>,
    wanted: Vec<String>,
    /// What was decided last, and what it has replaced.
    decision: Option<(String, Vec<String>)>,
}

/// A text in quotation marks, or without.
fn scalar(text: &str) -> String {
    text.trim().trim_matches('"').replace("\\\"", "\"")
}

/// The value of a key in a line such as `- {name: person_a, generator: person_name}`.
fn inline(line: &str, key: &str) -> Option<String> {
    let (_, rest) = line.split_once(&format!("{key}:"))?;
    Some(scalar(rest.split([',', '}']).next()?))
}

impl Template {
    /// Reads what is needed of a file: its lines have one key each.
    fn read(text: &str) -> Self {
        let mut template = Self {
            family: String::new(),
            variables: Vec::new(),
            turns: Vec::new(),
            wanted: Vec::new(),
            decision: None,
        };
        let (mut section, mut role, mut kind, mut check) =
            (String::new(), String::new(), String::new(), String::new());
        let mut variable = String::new();
        let mut old = Vec::new();
        let mut new = None;
        for line in text.lines() {
            let trimmed = line.trim().trim_start_matches("- ");
            if line.starts_with("  ") && !line.starts_with("   ") && line.ends_with(':') {
                section = trimmed.trim_end_matches(':').to_owned();
            }
            let value = trimmed.split_once(':').map(|(_, value)| scalar(value)).unwrap_or_default();
            match (section.as_str(), trimmed.split(':').next().unwrap_or_default()) {
                (_, "family") => template.family = value,
                ("variables", _) if trimmed.starts_with('{') => {
                    if let (Some(name), Some(generator)) =
                        (inline(trimmed, "name"), inline(trimmed, "generator"))
                    {
                        template.variables.push((name, generator));
                    }
                }
                ("variables", "name") => variable = value,
                ("variables", "generator") => template.variables.push((variable.clone(), value)),
                ("transcript", "role") => {
                    role = value;
                    if role == "distractor_block" {
                        template.turns.push((role.clone(), String::new()));
                    }
                }
                ("transcript", "template") => template.turns.push((role.clone(), value)),
                ("evaluation_items", "type") => kind = value,
                ("evaluation_items", "check") => check = value,
                ("evaluation_items", "value") => match (kind.as_str(), check.as_str()) {
                    (_, "contains_normalized") => {
                        if kind == "locked_decision_retention" {
                            new = Some(value.clone());
                        }
                        template.wanted.push(value);
                    }
                    ("forbidden_behavior_retention", "forbidden_absent") => old.push(value),
                    _ => {}
                },
                _ => {}
            }
        }
        if template.family == "decision_override" {
            template.decision = new.map(|new| (new, old));
        }
        // The last turn asks for what is to be known.
        template.turns.pop();
        template
    }

    /// The template with names, other ones for each number.
    fn case(&self, number: usize) -> (Self, Vec<Value>) {
        let mut used: BTreeMap<&str, usize> = BTreeMap::new();
        let mut names: Vec<(String, &str)> = Vec::new();
        for (name, generator) in &self.variables {
            let count = used.entry(generator).or_default();
            let list: &[&str] = match generator.as_str() {
                "person_name" => &PEOPLE,
                "project_noun" => &PROJECTS,
                "org_name" => &COMPANIES,
                _ => &ACTIONS,
            };
            names.push((format!("{{{{{name}}}}}"), list[(number * 3 + *count) % list.len()]));
            *count += 1;
        }
        let fill = |text: &str| {
            names.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
        };
        let case = Self {
            family: self.family.clone(),
            variables: Vec::new(),
            turns: Vec::new(),
            wanted: self.wanted.iter().map(|text| fill(text)).collect(),
            decision: self
                .decision
                .as_ref()
                .map(|(new, old)| (fill(new), old.iter().map(|text| fill(text)).collect())),
        };
        let turns = self.turns.iter().flat_map(|(role, text)| match role.as_str() {
            "distractor_block" => others(number, 4),
            _ => vec![json!({ "role": role, "content": fill(text) })],
        });
        (case, turns.collect())
    }
}

/// This many exchanges about other things.
fn others(from: usize, count: usize) -> Vec<Value> {
    let exchange = |index: usize| {
        let topic = TOPICS[index % TOPICS.len()];
        let question = format!(
            "By the way, round {index}: has anybody heard about {topic}? The notice from office {} mentions it, and floor {} asked twice already.",
            index * 7 % 90,
            index % 9
        );
        let answer = format!(
            "About {topic}: facilities wrote in note {} that it is on their list for week {}, and that nothing has to be done until then.",
            index * 13 % 700,
            index % 50
        );
        [
            json!({ "role": "user", "content": question }),
            json!({ "role": "assistant", "content": answer }),
        ]
    };
    (from..from + count).flat_map(exchange).collect()
}

/// Lower case, and one blank in place of any white space.
fn normalized(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How many of the checks of a case hold in a context, and how many there are.
fn holds(case: &Template, context: &str) -> (usize, usize) {
    let context = normalized(context);
    let last = |text: &str| context.rfind(&normalized(text));
    let wanted = case.wanted.iter().map(|text| last(text).is_some());
    let is_newest =
        case.decision.iter().map(|(new, old)| old.iter().all(|old| last(new) > last(old)));
    let results: Vec<bool> = wanted.chain(is_newest).collect();
    (results.iter().filter(|holds| **holds).count(), results.len())
}

/// What compacts the conversation of a case.
#[derive(Clone, Copy)]
enum Method<'a> {
    Epitome,
    Package(&'a Packages, &'a str),
}

/// The conversation of a case as a method has left it.
enum View<'a> {
    App(Box<App>),
    Kept { packages: &'a Packages, strategy: &'a str, messages: Vec<Value> },
}

impl<'a> View<'a> {
    fn new(method: Method<'a>) -> Self {
        match method {
            Method::Epitome => {
                let app = App::new(Format::OpenAiChat, Policy::recommended(WINDOW));
                View::App(Box::new(app.expect("the policy works")))
            }
            Method::Package(packages, strategy) => {
                View::Kept { packages, strategy, messages: Vec::new() }
            }
        }
    }

    fn append(&mut self, message: Value) {
        match self {
            View::App(app) => app.append(message).map(drop).expect("a message is an object"),
            View::Kept { messages, .. } => messages.push(message),
        }
    }

    fn compact(&mut self) {
        match self {
            View::App(app) => {
                app.compact(Reason::Manual).expect("nothing else is running");
            }
            View::Kept { packages, strategy, messages } => {
                *messages = packages.keep(strategy, messages, WINDOW as usize / 2);
            }
        }
    }

    fn context(&self) -> String {
        let texts: Vec<String> = match self {
            View::App(app) => app.messages().iter().map(data::text_of).collect(),
            View::Kept { messages, .. } => messages.iter().map(data::text_of).collect(),
        };
        texts.join("\n")
    }
}

/// How many checks hold after 1, 3 and 10 compactions, of how many.
type Row = [(usize, usize); 3];

/// The row of each family.
fn measure(folder: &Path, method: Method<'_>) -> BTreeMap<String, Row> {
    let mut files: Vec<_> = std::fs::read_dir(folder.join("drift"))
        .map(|files| files.filter_map(|file| Some(file.ok()?.path())).collect())
        .unwrap_or_default();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    let mut table: BTreeMap<String, Row> = BTreeMap::new();
    for (number, path) in files.iter().enumerate() {
        let text = std::fs::read_to_string(path).expect("a template");
        let (case, turns) = Template::read(&text).case(number);
        let mut view = View::new(method);
        turns.into_iter().for_each(|message| view.append(message));
        let row = table.entry(case.family.clone()).or_default();
        for cycle in 1..=10 {
            others(number * 100 + cycle * OTHERS, OTHERS)
                .into_iter()
                .for_each(|message| view.append(message));
            view.compact();
            let Some(place) = [1, 3, 10].iter().position(|at| *at == cycle) else { continue };
            let context = view.context();
            let (held, all) = holds(&case, &context);
            row[place].0 += held;
            row[place].1 += all;
            if std::env::var_os("SHOW").is_some() && held < all {
                eprintln!("{} after {cycle}: {held} of {all}\n{context}\n", path.display());
            }
        }
    }
    table
}

/// Prints a row for each family, and the sums of all methods.
pub(crate) fn print(folder: &Path, packages: &Packages) {
    println!("\n## Constraints, decisions, people and references after many compactions\n");
    println!("| checks that hold | once | 3 times | 10 times |\n|---|---|---|---|");
    let print = |name: &str, row: &Row| {
        let cells = row.map(|(held, all)| format!("{held} of {all}"));
        println!("| {name} | {} |", cells.join(" | "));
    };
    let families = measure(folder, Method::Epitome);
    for (family, row) in &families {
        print(&format!("epitome, {}", family.replace('_', " ")), row);
    }
    print("epitome, all", &sum(&families));
    for strategy in packages::WITHOUT_SUMMARIZER.into_iter().chain(packages::WITH_SUMMARIZER) {
        let all = sum(&measure(folder, Method::Package(packages, strategy)));
        print(&format!("{strategy}, all"), &all);
    }
}

fn sum(families: &BTreeMap<String, Row>) -> Row {
    families.values().fold(Row::default(), |sum, row| {
        [0, 1, 2].map(|at| (sum[at].0 + row[at].0, sum[at].1 + row[at].1))
    })
}
