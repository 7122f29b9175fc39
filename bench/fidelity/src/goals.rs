//! What the user of a booking chat wants: F_zh, the values of the goal, and F_ja, the wanted conditions.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::data;
use crate::tokens;

/// A chat with a goal.
pub(crate) struct Chat {
    /// Its messages.
    pub(crate) messages: Vec<Value>,
    /// Their contents.
    pub(crate) texts: Vec<String>,
    /// The tokens of the contents.
    pub(crate) tokens: usize,
    /// Its language: `zh` or `ja`.
    pub(crate) language: String,
    wanted: Vec<Wanted>,
}

enum Wanted {
    /// It has to stand there as it is.
    Value(String),
    /// The share of these pairs of characters counts.
    Pairs(BTreeSet<String>),
}

impl Chat {
    /// Reads one conversation with facts.
    pub(crate) fn read(conversation: &Value) -> Self {
        let mut messages = data::messages(conversation).to_vec();
        let facts = &conversation["facts"];
        let language = conversation["lang"].as_str().unwrap_or_default().to_owned();
        // The agent repeats all conditions at the end.
        if language == "ja"
            && let Some(recap) =
                messages.iter().position(|message| data::content(message).contains("・"))
        {
            messages.truncate(recap);
        }
        let texts: Vec<String> =
            messages.iter().map(|message| data::content(message).to_owned()).collect();
        let all = squeezed(&texts.join("\n"));
        let mut wanted = Vec::new();
        for condition in facts["conditions"].as_array().into_iter().flatten() {
            let there = pairs(&all);
            let own = pairs(condition.as_str().unwrap_or_default());
            let own: BTreeSet<String> = own.intersection(&there).cloned().collect();
            if !own.is_empty() {
                wanted.push(Wanted::Pairs(own));
            }
        }
        let mut values = BTreeSet::new();
        for goal in facts["final_goal"].as_array().into_iter().flatten() {
            match &goal[3] {
                Value::String(value) => values.insert(squeezed(value)),
                Value::Array(list) => {
                    values.extend(list.iter().filter_map(Value::as_str).map(squeezed));
                    true
                }
                _ => false,
            };
        }
        values.retain(|value| value.chars().count() > 1 && all.contains(value.as_str()));
        wanted.extend(values.into_iter().map(Wanted::Value));
        let tokens = texts.iter().map(|text| tokens::count(text)).sum();
        Self { messages, texts, tokens, language, wanted }
    }

    /// The share of what is wanted that is in a text.
    pub(crate) fn score(&self, context: &str) -> f64 {
        let context = squeezed(context);
        let there = pairs(&context);
        let shares = self.wanted.iter().map(|wanted| match wanted {
            Wanted::Value(value) => f64::from(u8::from(context.contains(value.as_str()))),
            Wanted::Pairs(own) => own.intersection(&there).count() as f64 / own.len() as f64,
        });
        shares.sum::<f64>() / self.wanted.len().max(1) as f64
    }
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}

fn pairs(text: &str) -> BTreeSet<String> {
    let characters: Vec<char> = text.chars().collect();
    let pairs = characters.windows(2).filter(|pair| pair.iter().all(|c| c.is_alphanumeric()));
    pairs.map(|pair| pair.iter().collect()).collect()
}
