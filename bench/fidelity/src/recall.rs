//! Whether recall finds what a question needs: its passages in a part of the budget, and the messages that answer it.

use std::time::Instant;

use epitome::message::Entry;
use epitome::tokens::Tokenizer;
use epitome_recall::{Index, Search};
use serde_json::Value;

use crate::baselines;
use crate::data;
use crate::engine;
use crate::evidence::{Meeting, Score};
use crate::table::Table;
use crate::tokens;

/// Exact tokens.
struct Exact;

impl Tokenizer for Exact {
    fn count(&self, text: &str) -> u32 {
        tokens::count(text) as u32
    }

    fn error_band(&self) -> f64 {
        0.0
    }
}

/// A message as the package gives it to the index.
fn entry(message: &Value) -> Entry {
    let role = message["role"].as_str().unwrap_or("user");
    let name = message["name"].as_str().unwrap_or_default();
    Entry { number: 1, speaker: format!("{role} {name}"), time: None, text: data::text_of(message) }
}

fn index(messages: &[Value]) -> Index {
    let mut index = Index::default();
    messages.iter().for_each(|message| index.append(&entry(message)));
    index
}

fn search(index: &Index, question: &str, texts: &[String]) -> Search {
    let mut search = index.search(question, |_| true);
    search.widen(index, |message| texts[message].clone());
    search
}

/// How often the messages that answer a question are among those that fit it best.
#[derive(Debug)]
pub(crate) struct Answered {
    count: u32,
    /// One of them is among the first 1, 5 and 10.
    pub(crate) any: [f64; 3],
    /// All of them are among the first 10.
    all: f64,
    /// The mean of one divided by the place of the first of them.
    pub(crate) reciprocal: f64,
}

/// Chats whose questions name the messages that answer them.
pub(crate) fn answered(chats: &[Value]) -> Answered {
    let (mut hits, mut all, mut reciprocal, mut count) = ([0_u32; 3], 0_u32, 0.0, 0_u32);
    for chat in chats {
        let messages = data::messages(chat);
        let index = index(messages);
        let texts: Vec<String> = messages.iter().map(data::text_of).collect();
        for question in chat["qa"].as_array().into_iter().flatten() {
            let ids = question["evidence"].as_array().into_iter().flatten();
            let place = |id: &Value| messages.iter().position(|message| message["id"] == *id);
            let evidence: Vec<usize> = ids.filter_map(place).collect();
            let answerable = (1..=4).contains(&question["category"].as_u64().unwrap_or(0));
            if !answerable || evidence.is_empty() {
                continue;
            }
            count += 1;
            let text = question["question"].as_str().unwrap_or_default();
            let ranked = search(&index, text, &texts).ranked(&index);
            let first = ranked.iter().take(10);
            all += u32::from(
                evidence.iter().all(|message| first.clone().any(|found| found == message)),
            );
            let Some(place) = ranked.iter().position(|message| evidence.contains(message)) else {
                continue;
            };
            for (hits, most) in hits.iter_mut().zip([1, 5, 10]) {
                *hits += u32::from(place < most);
            }
            reciprocal += 1.0 / (place + 1) as f64;
        }
    }
    Answered {
        count,
        any: hits.map(|hits| f64::from(hits) / f64::from(count)),
        all: f64::from(all) / f64::from(count),
        reciprocal: reciprocal / f64::from(count),
    }
}

/// Prints the same, compared with plain BM25 (figures of the data's README).
pub(crate) fn chats(chats: &[Value]) {
    let Answered { count, any: [one, five, ten], all, reciprocal } = answered(chats);
    println!(
        "\n## Messages that answer {count} questions\n| method | any@1 | any@5 | any@10 | all@10 | MRR |\n|---|---|---|---|---|---|"
    );
    println!("| plain BM25 | 0.331 | 0.562 | 0.647 | 0.583 | 0.439 |");
    println!("| epitome | {one:.3} | {five:.3} | {ten:.3} | {all:.3} | {reciprocal:.3} |");
}

/// What a base of the meeting and one recall for each question have of its answer.
fn with_recall(meeting: &Meeting, index: &Index, base: &str, budget: usize) -> Score {
    meeting.score_each(|question| {
        let search = search(index, question, &meeting.texts);
        let text = |message: usize| meeting.texts[message].clone();
        let passages = search.passages(index, text, budget as u32, base, &Exact);
        let quotes = passages.iter().flat_map(|passage| &passage.quotes);
        quotes.fold(base.to_owned(), |context, quote| format!("{context}\n{}", quote.text))
    })
}

/// AG of each question with 10 % of the meeting, half of it a summary and half of it recall.
#[cfg(test)]
pub(crate) fn with_summary(meeting: &Meeting) -> Vec<f64> {
    let budget = meeting.tokens / 20;
    let base = engine::alone(&meeting.messages, budget);
    with_recall(meeting, &index(&meeting.messages), &base, budget).ag
}

/// The bytes of an index over these messages, as a share of those of their texts.
#[cfg(test)]
pub(crate) fn stored_share(messages: &[Value]) -> f64 {
    let bytes: usize = messages.iter().map(|message| data::text_of(message).len()).sum();
    index(messages).to_bytes().len() as f64 / bytes as f64
}

/// Half of 10 % for a summary or the tail, the other half for one recall with the question.
pub(crate) fn meetings(title: &str, meetings: &[Meeting]) {
    let mut tables = (Table::default(), Table::default());
    for meeting in meetings {
        let budget = meeting.tokens / 20;
        let index = index(&meeting.messages);
        for (name, base) in [
            ("tail", baselines::tail(&meeting.texts, budget)),
            ("cover", baselines::cover(&meeting.texts, budget)),
            ("epitome", engine::alone(&meeting.messages, budget)),
        ] {
            let score = with_recall(meeting, &index, &base, budget);
            tables.0.add(name, "10 %, half of it recall", score.ag);
            tables.1.add(name, "10 %, half of it recall", score.e);
        }
    }
    tables.0.print(&format!("AG with recall, {title}"), "cover");
    tables.1.print(&format!("E with recall, {title}"), "cover");
}

/// Time and size of an index over a long conversation.
pub(crate) fn size(messages: &[Value]) {
    let texts: Vec<String> = messages.iter().map(data::text_of).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let started = Instant::now();
    let index = index(messages);
    let built = started.elapsed();
    let stored = index.to_bytes();
    // Every hundredth message of people as a question, which is longer than most questions.
    let questions: Vec<&str> = messages
        .iter()
        .filter(|message| message["role"] == "user")
        .map(data::content)
        .filter(|text| (20..200).contains(&text.len()))
        .step_by(100)
        .collect();
    let mut times: Vec<f64> = questions
        .iter()
        .map(|question| {
            let started = Instant::now();
            let search = search(&index, question, &texts);
            let text = |message: usize| texts[message].clone();
            let _ = search.passages(&index, text, 2_000, "", &epitome_tokens::Heuristic);
            started.elapsed().as_secs_f64() * 1_000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "\n## Index\n| messages | text | built | stored | share | questions | median | slowest |\n|---|---|---|---|---|---|---|---|\n| {} | {bytes} bytes | {built:.0?} | {} bytes | {:.1} % | {} | {:.1} ms | {:.1} ms |",
        messages.len(),
        stored.len(),
        100.0 * stored.len() as f64 / bytes as f64,
        times.len(),
        times[times.len() / 2],
        times[times.len() - 1],
    );
}
