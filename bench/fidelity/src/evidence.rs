//! What questions about a meeting need: AG, the terms of the answer whose evidence is still there, and E, the evidence.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::data;
use crate::tokens;
use crate::words::{runs_of_four, sentences, terms, words};

/// A meeting with its questions.
pub(crate) struct Meeting {
    /// Its messages as recorded.
    pub(crate) messages: Vec<Value>,
    /// Their contents.
    pub(crate) texts: Vec<String>,
    /// The tokens of the contents.
    pub(crate) tokens: usize,
    questions: Vec<Question>,
}

struct Question {
    text: String,
    /// The terms of the answer with their weights, each with the sentences of the evidence that have it.
    terms: Vec<(f64, Vec<usize>)>,
    evidence: Vec<Sentence>,
}

struct Sentence {
    tokens: f64,
    runs: BTreeSet<String>,
}

/// The two measures for one meeting, each for every question.
#[derive(Clone, Debug, Default)]
pub(crate) struct Score {
    /// Grounded answer-term recall.
    pub(crate) ag: Vec<f64>,
    /// Evidence recall.
    pub(crate) e: Vec<f64>,
}

impl Meeting {
    /// Reads one conversation with questions.
    pub(crate) fn read(conversation: &Value) -> Self {
        let messages = data::messages(conversation).to_vec();
        let texts: Vec<String> =
            messages.iter().map(|message| data::content(message).to_owned()).collect();
        let mut within: BTreeMap<String, f64> = BTreeMap::new();
        for text in &texts {
            for term in terms(&words(text)).into_iter().collect::<BTreeSet<_>>() {
                *within.entry(term).or_default() += 1.0;
            }
        }
        let count = texts.len() as f64;
        let questions = conversation["qa"].as_array().into_iter().flatten();
        let questions = questions.filter(|question| question["kind"] == "specific");
        let questions = questions.filter_map(|question| {
            Question::read(question, &texts, &|term| {
                (count / within.get(term).copied().unwrap_or(1.0)).ln()
            })
        });
        Self {
            tokens: texts.iter().map(|text| tokens::count(text)).sum(),
            questions: questions.collect(),
            texts,
            messages,
        }
    }

    /// How much of what the questions need is in a text.
    pub(crate) fn score(&self, context: &str) -> Score {
        let kept = runs_of_four(&words(context));
        let mut score = Score::default();
        self.questions.iter().for_each(|question| question.score(&kept, &mut score));
        score
    }

    /// The same if the text depends on the question.
    pub(crate) fn score_each(&self, context: impl Fn(&str) -> String) -> Score {
        let mut score = Score::default();
        for question in &self.questions {
            question.score(&runs_of_four(&words(&context(&question.text))), &mut score);
        }
        score
    }
}

impl Question {
    fn score(&self, kept: &BTreeSet<String>, score: &mut Score) {
        let shares: Vec<f64> = self
            .evidence
            .iter()
            .map(|sentence| {
                let there = sentence.runs.iter().filter(|run| kept.contains(*run)).count();
                there as f64 / sentence.runs.len() as f64
            })
            .collect();
        let all: f64 = self.terms.iter().map(|(weight, _)| weight).sum();
        let grounded = self.terms.iter().filter(|(_, at)| at.iter().any(|at| shares[*at] >= 0.5));
        score.ag.push(grounded.map(|(weight, _)| weight).sum::<f64>() / all);
        let all: f64 = self.evidence.iter().map(|sentence| sentence.tokens).sum();
        let there = self.evidence.iter().zip(&shares);
        score.e.push(there.map(|(sentence, share)| sentence.tokens * share).sum::<f64>() / all);
    }

    fn read(question: &Value, texts: &[String], weight: &dyn Fn(&str) -> f64) -> Option<Self> {
        let index = |value: &Value| value.as_u64().unwrap_or(0) as usize;
        let mut evidence = Vec::new();
        let mut has: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for range in question["evidence"].as_array()? {
            let messages = texts.get(index(&range[0])..=index(&range[1]).min(texts.len() - 1));
            for sentence in messages.into_iter().flatten().flat_map(|text| sentences(text)) {
                let words = words(sentence);
                if words.len() < 4 {
                    continue;
                }
                for term in terms(&words) {
                    has.entry(term).or_default().push(evidence.len());
                }
                evidence.push(Sentence {
                    tokens: tokens::count(sentence) as f64,
                    runs: runs_of_four(&words),
                });
            }
        }
        let answer: BTreeSet<String> =
            terms(&words(question["answer"].as_str().unwrap_or_default())).into_iter().collect();
        let terms: Vec<(f64, Vec<usize>)> = answer
            .into_iter()
            .filter_map(|term| Some((weight(&term).max(0.0), has.get(&term)?.clone())))
            .collect();
        let weighs = terms.iter().map(|(weight, _)| weight).sum::<f64>() > 0.0;
        (weighs && !evidence.is_empty()).then(|| Self {
            text: question["question"].as_str().unwrap_or_default().to_owned(),
            terms,
            evidence,
        })
    }
}
