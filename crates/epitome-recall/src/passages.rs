//! Chooses the sentences of the best messages that together say most in a budget.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use epitome::tokens::Tokenizer;
use epitome_text::sentence::{self, cleaned};

use crate::cut::sentences;
use crate::index::Index;
use crate::lasting;
use crate::search::{Search, messages_of};
use crate::terms::{TermId, Terms};
use crate::texts::Texts;

/// The tokens of the sentences to choose from, as a multiple of the budget.
const POOL: f32 = 1.5;
/// How much more a term of the question counts than another one.
const ASKED: f32 = 3.0;
/// The factor of a term's weight for each sentence that was chosen with it.
const REPEATED: f32 = 0.35;
/// The factor of the weight of a term that the reader knows already.
const KNOWN: f32 = 0.25;
/// Tokens that every sentence costs besides its own, so that those of one or two words are not preferred.
const OVERHEAD: f32 = 6.0;
/// Tokens of what stands between two sentences.
const SEPARATOR: u32 = 1;
/// The fewest tokens that a text has for each term. So the texts that are asked for have enough sentences for the budget.
const TOKENS_PER_TERM: f32 = 1.5;

/// The share of their terms that two sentences have in common at least, if the later one may say what has become of the earlier.
const ALIKE: f32 = 0.5;
/// The terms that they have in common at the least.
const LEAST_ALIKE: usize = 2;
/// Among how many of the best sentences such pairs are looked for.
const MOST_COMPARED: usize = 200;

/// Messages that follow each other, and what they say about a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// How well the best of them fits, from 0 to 1, which is the best message of all.
    pub score: f32,
    /// What they say, in their order.
    pub quotes: Vec<Quote>,
}

/// What one message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// The position of the message.
    pub message: usize,
    /// Its sentences, with ` … ` where some are left out.
    pub text: String,
}

/// Where a sentence stands.
#[derive(Clone, Copy)]
struct Place {
    unit: usize,
    message: usize,
    /// Its place among the sentences of the unit.
    sentence: usize,
    /// Whether the unit ends with it.
    ends_unit: bool,
}

impl Place {
    /// The order of all sentences.
    fn order(self) -> (usize, usize) {
        (self.unit, self.sentence)
    }
}

struct Candidate {
    place: Place,
    text: String,
    tokens: f32,
    terms: Vec<TermId>,
    score: f32,
}

impl Search {
    /// The messages whose texts [`Self::passages`] may read for this budget.
    #[must_use]
    pub fn wanted(&self, index: &Index, budget: u32) -> Vec<usize> {
        let mut left = POOL * budget as f32;
        let best = self.quoted().map(|(unit, _)| unit).take_while(|unit| {
            let enough = left <= 0.0;
            let length = index.units.get(*unit).map_or(0, |unit| unit.length);
            left -= (length as f32 * TOKENS_PER_TERM).max(1.0);
            !enough
        });
        // Some of what lasts may be known, and takes no budget.
        let mut left = POOL * lasting::SHARE * budget as f32;
        let lasting =
            self.lasting(index).into_iter().filter_map(|(place, _)| index.lasting.get(place));
        let lasting = lasting.take_while(|said| {
            let enough = left <= 0.0;
            left -= (said.terms.len() as f32 * TOKENS_PER_TERM).max(1.0);
            !enough
        });
        messages_of(index, best.chain(lasting.map(|said| said.unit as usize)))
    }

    /// What the best messages say, in at most `budget` tokens as `tokenizer` counts their sentences. The best passage is
    /// first. `known` is what the reader has already: its sentences are not quoted, and its terms count less.
    #[must_use]
    pub fn passages(
        &self,
        index: &Index,
        text: impl Fn(usize) -> String,
        budget: u32,
        known: &str,
        tokenizer: &dyn Tokenizer,
    ) -> Vec<Passage> {
        let mut reader = Terms::default();
        let (mut said, mut known_terms) = (BTreeSet::new(), BTreeSet::new());
        for sentence in sentence::split(known) {
            said.insert(cleaned(sentence));
            reader.for_each(sentence, |term| {
                known_terms.insert(term);
            });
        }
        let is_known = |one: &Candidate| said.contains(one.text.as_str());
        let mut texts = Texts::new(text);
        let lasting = self.lasting_pool(index, &mut texts, budget, known, tokenizer);
        let taken: f32 = lasting.iter().map(|one| one.tokens).sum();
        let quoted: BTreeSet<(usize, usize)> =
            lasting.iter().map(|one| one.place.order()).collect();
        let pool = self.pool(index, &mut texts, budget, tokenizer).into_iter();
        let pool: Vec<Candidate> =
            pool.filter(|one| !is_known(one) && !quoted.contains(&one.place.order())).collect();
        let mut weights: BTreeMap<TermId, f32> = BTreeMap::new();
        for candidate in &pool {
            for term in &candidate.terms {
                *weights.entry(*term).or_default() += candidate.score;
            }
        }
        for (term, weight) in &mut weights {
            let asked = 1.0 + ASKED * self.terms.get(term).copied().unwrap_or_default();
            let known = if known_terms.contains(term) { KNOWN } else { 1.0 };
            *weight = index.rarity(*term) * weight.sqrt() * asked * known;
        }
        let mut chosen = choose(pool, weights, budget as f32 - taken);
        chosen.extend(lasting);
        chosen.sort_by_key(|candidate| candidate.place.order());
        joined(chosen)
    }

    /// The sentences that hold for all turns to come and are not known, in their share of the budget.
    fn lasting_pool(
        &self,
        index: &Index,
        texts: &mut Texts<impl Fn(usize) -> String>,
        budget: u32,
        known: &str,
        tokenizer: &dyn Tokenizer,
    ) -> Vec<Candidate> {
        let mut reader = Terms::default();
        let mut left = lasting::SHARE * budget as f32;
        let mut read = POOL * left;
        let mut chosen = Vec::new();
        for (place, score) in self.lasting(index) {
            let Some(said) = index.lasting.get(place).filter(|_| read > 0.0 && left > 0.0) else {
                break;
            };
            read -= (said.terms.len() as f32 * TOKENS_PER_TERM).max(1.0);
            let (unit, sentence) = (said.unit as usize, said.sentence as usize);
            let Some((message, part)) = index.part(unit) else { continue };
            let all = sentences(texts.of(message, part), &mut reader);
            let ends_unit = sentence + 1 == all.len();
            let Some(own) = all.into_iter().nth(sentence) else { continue };
            let tokens = (tokenizer.count(&own.text) + SEPARATOR) as f32;
            if tokens > left || known.contains(own.text.as_ref()) {
                continue;
            }
            left -= tokens;
            let (text, terms) = (own.text.into_owned(), said.terms.clone());
            let place = Place { unit, message, sentence, ends_unit };
            chosen.push(Candidate { place, text, tokens, terms, score });
        }
        chosen
    }

    /// The sentences of the best units.
    fn pool(
        &self,
        index: &Index,
        texts: &mut Texts<impl Fn(usize) -> String>,
        budget: u32,
        tokenizer: &dyn Tokenizer,
    ) -> Vec<Candidate> {
        let mut reader = Terms::default();
        let mut best = self.quoted().peekable();
        let top = best.peek().map_or(1.0, |(_, score)| *score);
        let mut left = POOL * budget as f32;
        let mut pool = Vec::new();
        for (unit, score) in best {
            let Some((message, part)) = index.part(unit) else { continue };
            let all = sentences(texts.of(message, part), &mut reader);
            let last = all.len().saturating_sub(1);
            for (sentence, own) in all.into_iter().enumerate() {
                let tokens = (tokenizer.count(&own.text) + SEPARATOR) as f32;
                left -= tokens;
                let mut terms = own.terms;
                terms.sort_unstable();
                terms.dedup();
                let text = own.text.into_owned();
                let score = score / top;
                let ends_unit = sentence == last;
                let place = Place { unit, message, sentence, ends_unit };
                pool.push(Candidate { place, text, tokens, terms, score });
            }
            if left <= 0.0 {
                break;
            }
        }
        pool
    }
}

/// For each candidate the latest one that is like it, if that is a later one. Costs O(terms) for each two of the best.
fn latest(pool: &[Candidate]) -> Vec<Option<usize>> {
    let when = |at: usize| pool.get(at).map(|candidate| candidate.place.order());
    let compared = pool.len().min(MOST_COMPARED);
    let latest = (0..pool.len()).map(|at| {
        let one = pool.get(at).filter(|_| at < compared)?;
        let others = pool.iter().enumerate().take(compared);
        let alike = others.filter(|(_, other)| are_alike(&one.terms, &other.terms));
        alike
            .map(|(other, _)| other)
            .max_by_key(|other| when(*other))
            .filter(|other| when(*other) > when(at))
    });
    latest.collect()
}

/// True if two sentences, by their sorted terms, may be about the same.
fn are_alike(one: &[TermId], other: &[TermId]) -> bool {
    let shared = one.iter().filter(|term| other.binary_search(term).is_ok()).count();
    let all = one.len() + other.len() - shared;
    shared >= LEAST_ALIKE && shared as f32 >= ALIKE * all as f32
}

/// The candidates with the most weight for their tokens. Of sentences that are alike, the latest is chosen first:
/// what it says holds. Scores only fall when others are chosen, so a score is computed again only when it is the best.
fn choose(pool: Vec<Candidate>, mut weights: BTreeMap<TermId, f32>, budget: f32) -> Vec<Candidate> {
    let value = |candidate: &Candidate, weights: &BTreeMap<TermId, f32>| {
        // `sum` of an empty iterator is a negative zero, whose bits would make it the largest value.
        let terms = candidate.terms.iter().filter_map(|term| weights.get(term));
        let value = terms.fold(0.0, |sum, weight| sum + weight) * candidate.score;
        (value / (candidate.tokens + OVERHEAD)).to_bits()
    };
    let valued = pool.iter().enumerate().map(|(at, one)| (value(one, &weights), Reverse(at)));
    let mut heap: BinaryHeap<(u32, Reverse<usize>)> = valued.collect();
    let latest = latest(&pool);
    let mut left = budget;
    let mut chosen = BTreeSet::new();
    while let Some((_, Reverse(at))) = heap.pop() {
        let Some(candidate) =
            pool.get(at).filter(|one| one.tokens <= left && !chosen.contains(&at))
        else {
            continue;
        };
        let now = value(candidate, &weights);
        if heap.peek().is_some_and(|(next, _)| now < *next) {
            heap.push((now, Reverse(at)));
            continue;
        }
        let later = latest.get(at).copied().flatten().filter(|later| !chosen.contains(later));
        let later = later.and_then(|later| Some((later, pool.get(later)?)));
        let (at, candidate) = match later.filter(|(_, later)| later.tokens <= left) {
            Some(later) => {
                heap.push((now, Reverse(at)));
                later
            }
            None => (at, candidate),
        };
        left -= candidate.tokens;
        for term in &candidate.terms {
            if let Some(weight) = weights.get_mut(term) {
                *weight *= REPEATED;
            }
        }
        chosen.insert(at);
    }
    let pool = pool.into_iter().enumerate();
    pool.filter(|(at, _)| chosen.contains(at)).map(|(_, candidate)| candidate).collect()
}

/// Joins sentences of one message, and messages that follow each other.
fn joined(chosen: Vec<Candidate>) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    // The unit and the place in it of the sentence that goes on behind the last one.
    let mut next = (0, 0);
    for Candidate { place, text, score, .. } in chosen {
        let Place { unit, message, sentence, ends_unit } = place;
        let follows = passages.last_mut().filter(|passage| {
            passage.quotes.last().is_some_and(|last| last.message + 1 >= message)
        });
        match follows {
            None => passages.push(Passage { score, quotes: vec![Quote { message, text }] }),
            Some(passage) => {
                passage.score = passage.score.max(score);
                match passage.quotes.last_mut().filter(|last| last.message == message) {
                    Some(last) => {
                        let follows = place.order() == next;
                        last.text.push_str(if follows { " " } else { " … " });
                        last.text.push_str(&text);
                    }
                    None => passage.quotes.push(Quote { message, text }),
                }
            }
        }
        next = if ends_unit { (unit + 1, 0) } else { (unit, sentence + 1) };
    }
    passages.sort_by(|a, b| b.score.total_cmp(&a.score));
    passages
}

#[cfg(test)]
mod tests {
    use crate::index::tests::indexed;
    use epitome::tokens::{CharactersPer, Tokenizer as _};

    const SAID: [(&str, &str); 6] = [
        (
            "user alice",
            "Good morning. The pump key is behind the blue door. Please keep it there. Rain again!",
        ),
        ("user bob", "The key of the shed hangs on a nail."),
        ("user carol", "I painted the fence."),
        ("user bob", "Roses need water."),
        ("user alice", "The second key of the pump is with Dora."),
        ("user bob", "Fine."),
    ];

    fn quotes(question: &str, budget: u32, known: &str) -> Vec<(usize, String)> {
        let index = indexed(&SAID);
        let text = |message: usize| SAID[message].1.to_owned();
        let mut search = index.search(question, |message| message != 5);
        search.widen(&index, text);
        let passages = search.passages(&index, text, budget, known, &CharactersPer(4));
        let quotes = passages.into_iter().flat_map(|passage| passage.quotes);
        quotes.map(|quote| (quote.message, quote.text)).collect()
    }

    #[test]
    fn l1_sentences_of_a_message_stay_in_order_and_gaps_are_shown() {
        let found = quotes("Where is the key of the pump?", 30, "");
        assert_eq!(found[0].0, 0);
        assert!(found[0].1.contains("behind the blue door."), "{found:?}");
        assert!(
            quotes("pump morning rain", 1_000, "")[0].1.starts_with("Good morning. The pump key")
        );
    }

    #[test]
    fn l2_the_quotes_fit_every_budget() {
        for budget in 0..80 {
            let found = quotes("the key of the pump, the fence and the roses", budget, "");
            let tokens: u32 = found.iter().map(|(_, text)| CharactersPer(4).count(text)).sum();
            assert!(tokens <= budget, "{tokens} of {budget}: {found:?}");
        }
    }

    #[test]
    fn l4_of_two_values_the_newer_one_is_quoted_first() {
        let said = [
            ("user", "The port of Quillfeather is 8080."),
            ("assistant", "Noted."),
            ("user", "The harbour is closed on Mondays."),
            ("user", "The port of Quillfeather is 9090 now."),
            ("user", "The port of Zephyrine is 7070."),
        ];
        let index = indexed(&said);
        let text = |message: usize| said[message].1.to_owned();
        let quoted = |budget: u32| -> Vec<usize> {
            let mut search = index.search("Which port has Quillfeather?", |_| true);
            search.widen(&index, text);
            let passages = search.passages(&index, text, budget, "", &CharactersPer(4));
            passages.iter().flat_map(|one| &one.quotes).map(|quote| quote.message).collect()
        };
        assert_eq!(quoted(12), [3]);
        let both = quoted(40);
        assert!(both.contains(&0) && both.contains(&3), "{both:?}");
    }

    #[test]
    fn l1_what_the_reader_has_is_not_quoted_again() {
        let known = "The pump key is behind the blue door.";
        let found = quotes("Where is the key of the pump?", 1_000, known);
        assert!(found.iter().all(|(_, text)| !text.contains("blue door")), "{found:?}");
        assert!(found.iter().any(|(_, text)| text.contains("with Dora")), "{found:?}");
    }

    #[test]
    fn l6_only_preferred_messages_are_quoted_by_their_scores() {
        let index = indexed(&SAID);
        let text = |message: usize| SAID[message].1.to_owned();
        let mut search = index.search("Where is the key of the pump?", |message| message != 5);
        let best = search.best(&index, 2);
        assert_eq!((best.len(), best[0]), (2, (4, 1.0)));
        search.prefer(&index, &[(1, 0.5), (3, 2.0), (5, 9.0), (77, 1.0)].into());
        assert_eq!(search.wanted(&index, 1_000), [1, 3]);
        let passages = search.passages(&index, text, 1_000, "", &CharactersPer(4));
        let quoted: Vec<usize> =
            passages.iter().flat_map(|one| &one.quotes).map(|quote| quote.message).collect();
        assert_eq!(quoted, [3, 1]);
    }

    #[test]
    fn l1_a_message_of_the_speaker_that_a_question_names_comes_first() {
        let said = [
            ("user alice", "I saw the sea."),
            ("user bob", "I saw the sea."),
            ("user alice", "Bob, Bob, the rain has come."),
        ];
        let index = indexed(&said);
        assert_eq!(index.search("What did Bob say of the sea?", |_| true).ranked(&index)[0], 1);
        assert_eq!(index.search("What did Alice say of the sea?", |_| true).ranked(&index)[0], 0);
        assert_eq!(index.search("Bob?", |_| true).ranked(&index)[0], 2);
    }
}
