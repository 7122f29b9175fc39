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

/// For each family, how many checks hold after 1, 3 and 10 compactions, of how many.
pub(crate) fn measure(folder: &Path) -> BTreeMap<String, [(usize, usize); 3]> {
    let mut files: Vec<_> = std::fs::read_dir(folder.join("drift"))
        .map(|files| files.filter_map(|file| Some(file.ok()?.path())).collect())
        .unwrap_or_default();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    let mut table: BTreeMap<String, [(usize, usize); 3]> = BTreeMap::new();
    for (number, path) in files.iter().enumerate() {
        let text = std::fs::read_to_string(path).expect("a template");
        let (case, turns) = Template::read(&text).case(number);
        let mut app =
            App::new(Format::OpenAiChat, Policy::recommended(WINDOW)).expect("the policy works");
        for message in turns {
            app.append(message).expect("a message is an object");
        }
        let row = table.entry(case.family.clone()).or_default();
        for cycle in 1..=10 {
            for message in others(number * 100 + cycle * OTHERS, OTHERS) {
                app.append(message).expect("a message is an object");
            }
            app.compact(Reason::Manual).expect("nothing else is running");
            let Some(place) = [1, 3, 10].iter().position(|at| *at == cycle) else { continue };
            let context: Vec<String> = app.messages().iter().map(data::text_of).collect();
            let (held, all) = holds(&case, &context.join("\n"));
            row[place].0 += held;
            row[place].1 += all;
            if std::env::var_os("SHOW").is_some() && held < all {
                eprintln!(
                    "{} after {cycle}: {held} of {all}\n{}\n",
                    path.display(),
                    context.join("\n")
                );
            }
        }
    }
    table
}

/// Prints a row for each family.
pub(crate) fn print(folder: &Path) {
    println!("\n## Constraints, decisions, people and references after many compactions\n");
    println!("| family | once | 3 times | 10 times |\n|---|---|---|---|");
    for (family, row) in measure(folder) {
        let cells = row.map(|(held, all)| format!("{held} of {all}"));
        println!("| {} | {} |", family.replace('_', " "), cells.join(" | "));
    }
}
