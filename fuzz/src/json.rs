//! JSON that is almost what a reader expects: made of its words, or a good document with damages.

use serde_json::{Map, Number, Value};

use crate::choices::Choices;

/// A value made of these words, at most `depth` deep.
pub(crate) fn value(choices: &mut Choices<'_>, words: &[&str], depth: usize) -> Value {
    let kinds = if depth == 0 { 6 } else { 10 };
    match choices.below(kinds) {
        0 => Value::Null,
        1 => Value::Bool(choices.byte() & 1 == 1),
        2 => number(choices),
        3 | 4 => choices.one_of(words).into(),
        5 => choices.text(40).into(),
        6 | 7 => {
            let length = choices.below(5);
            (0..length).map(|_| value(choices, words, depth - 1)).collect()
        }
        _ => {
            let length = choices.below(6);
            let fields = (0..length).map(|_| {
                let key = key(choices, words);
                (key, value(choices, words, depth - 1))
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
    }
}

fn key(choices: &mut Choices<'_>, words: &[&str]) -> String {
    if choices.once_in(16) { choices.text(12) } else { choices.one_of(words).to_owned() }
}

fn number(choices: &mut Choices<'_>) -> Value {
    const ODD: [f64; 9] = [0.0, -1.0, 1.0, 0.5, 1e300, -1e-300, 4_294_967_296.0, 9e15, -0.0];
    match choices.below(4) {
        0 => Value::from(choices.byte()),
        1 => Value::from(u64::MAX - u64::from(choices.byte())),
        2 => Value::from(i64::from(choices.byte()) - 200),
        _ => Number::from_f64(choices.one_of(&ODD)).map_or(Value::Null, Value::Number),
    }
}

/// Damages `document` at one to some places: replaces, removes, repeats, swaps, or changes a little.
pub(crate) fn damage(document: &mut Value, choices: &mut Choices<'_>, words: &[&str]) {
    for _ in 0..12 {
        damage_once(document, choices, words);
        if choices.is_empty() {
            return;
        }
    }
}

fn damage_once(place: &mut Value, choices: &mut Choices<'_>, words: &[&str]) {
    let deeper = !choices.once_in(8);
    match place {
        Value::Array(items) if deeper && !items.is_empty() => {
            let at = choices.below(items.len());
            if choices.once_in(6) {
                damage_list(items, at, choices);
            } else {
                damage_once(&mut items[at], choices, words);
            }
        }
        Value::Object(fields) if deeper && !fields.is_empty() => {
            let at = choices.below(fields.len());
            let Some(key) = fields.keys().nth(at).cloned() else { return };
            match choices.below(8) {
                0 => drop(fields.shift_remove(&key)),
                1 => {
                    let name = self::key(choices, words);
                    let value = value(choices, words, 2);
                    fields.insert(name, value);
                }
                _ => fields.values_mut().nth(at).into_iter().for_each(|field| {
                    damage_once(field, choices, words);
                }),
            }
        }
        Value::String(text) if choices.below(3) > 0 => damage_text(text, choices, words),
        _ => *place = value(choices, words, 3),
    }
}

fn damage_list(items: &mut Vec<Value>, at: usize, choices: &mut Choices<'_>) {
    match choices.below(4) {
        0 => drop(items.remove(at)),
        1 => items.insert(at, items[at].clone()),
        2 => {
            let other = choices.below(items.len());
            items.swap(at, other);
        }
        _ => items.truncate(at),
    }
}

fn damage_text(text: &mut String, choices: &mut Choices<'_>, words: &[&str]) {
    match choices.below(4) {
        0 => choices.one_of(words).clone_into(text),
        1 => text.push_str(&choices.text(12)),
        2 => {
            let kept = choices.below(text.chars().count() + 1);
            *text = text.chars().take(kept).collect();
        }
        _ => *text = choices.text(60),
    }
}
