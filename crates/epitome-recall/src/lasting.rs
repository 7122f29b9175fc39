//! What users have said that holds for all turns to come: instructions, preferences, and what they are like.
//!
//! A request to which such a sentence applies seldom has its words: a question for a restaurant does not say `vegetarian`. So these
//! sentences are ranked among themselves, and have a share of the budget that no other message takes from them.

use std::collections::{BTreeMap, BTreeSet};

use epitome_text::lasting::Lasting;

use crate::index::Index;
use crate::portable::logarithm;
use crate::search::Search;
use crate::terms::TermId;

/// The share of a budget that such sentences may take.
pub(crate) const SHARE: f32 = 0.25;
/// What a sentence is worth by what it is, in units of a rare word that it has in common with the question.
const INSTRUCTION: f32 = 2.0;
const PREFERENCE: f32 = 1.5;
/// How much more the latest sentence is worth than the first.
const RECENT: f32 = 0.5;
/// How much less each of its terms makes it worth: what holds always is said in few words.
const LENGTHY: f32 = 0.03;
/// How well a sentence without a word of the question fits, compared with the message that fits best; and how much of a common
/// value makes it fit half as well as it can.
const APPLIES: f32 = 0.55;
const HALF: f32 = 3.0;
/// How many of them are ranked among the messages that fit.
const RANKED: usize = 4;
/// How many of these sentences have a word at most, if two that share it may be about the same.
const TELLING: u32 = 3;
/// Sentences by their places in the index, the one to quote first first, each with how well it fits, from 0 to 1.
pub(crate) type Ranking = Vec<(usize, f32)>;

impl Index {
    /// True if a model takes part: what people say to each other is no instruction for one.
    fn has_assistant(&self) -> bool {
        self.speakers.iter().any(|speaker| speaker.starts_with("assistant"))
    }

    /// In how many of the sentences each of these terms is.
    fn with_terms(&self, terms: impl Fn(&TermId) -> bool) -> BTreeMap<TermId, u32> {
        let mut counts = BTreeMap::new();
        let all = self.lasting.iter().flat_map(|said| &said.terms);
        all.filter(|term| terms(term)).for_each(|term| *counts.entry(*term).or_default() += 1);
        counts
    }
}

impl Search {
    /// The sentences that may apply. Costs O(terms of all of them), and O(n log n) in their number.
    pub(crate) fn lasting(&self, index: &Index) -> Ranking {
        if index.lasting.is_empty() || !index.has_assistant() {
            return Vec::new();
        }
        let terms = self.turn();
        let with = index.with_terms(|term| terms.contains_key(term));
        let count = index.lasting.len() as f32;
        let rarity = |term: &TermId| {
            let with = with.get(term).copied().unwrap_or_default() as f32;
            logarithm(1.0 + (count - with + 0.5) / (with + 0.5))
        };
        let scored = index.lasting.iter().enumerate().filter_map(|(place, said)| {
            if self.share(said.unit as usize) <= 0.0 {
                return None;
            }
            let shared = said.terms.iter().filter_map(|term| Some((term, terms.get(term)?)));
            let fit = shared.fold(0.0, |sum, (term, weight)| sum + weight * rarity(term));
            let kind = match said.kind {
                Lasting::Instruction => INSTRUCTION,
                Lasting::Preference => PREFERENCE,
                Lasting::Habit if fit > 0.0 => 0.0,
                Lasting::Habit => return None,
            };
            let lengthy = LENGTHY * said.terms.len() as f32;
            Some((place, fit, kind + fit + RECENT * place as f32 / count - lengthy))
        });
        let mut scored: Vec<(usize, f32, f32)> = scored.collect();
        scored.sort_unstable_by(|a, b| b.2.total_cmp(&a.2).then(b.0.cmp(&a.0)));
        let fits = |fit: f32| APPLIES + (1.0 - APPLIES) * fit / (fit + HALF);
        let ranking = scored.into_iter().map(|(place, fit, _)| (place, fits(fit))).collect();
        latest_first(index, ranking)
    }

    /// The units of the sentences that apply best, each with how well it fits compared with the best unit.
    pub(crate) fn lasting_units(&self, index: &Index) -> Vec<(usize, f32)> {
        let best = self.lasting(index).into_iter().take(RANKED);
        let units =
            best.filter_map(|(place, fit)| Some((index.lasting.get(place)?.unit as usize, fit)));
        units.collect()
    }
}

/// Puts before each sentence the latest one that may say what has become of it.
fn latest_first(index: &Index, ranking: Ranking) -> Ranking {
    let with = index.with_terms(|_| true);
    let terms = |place: usize| index.lasting.get(place).map_or(&[][..], |said| &said.terms);
    let telling = |place: usize| {
        let is_telling = |term: &&TermId| with.get(term).is_some_and(|with| *with <= TELLING);
        terms(place).iter().filter(is_telling)
    };
    let mut sharing: BTreeMap<TermId, Vec<usize>> = BTreeMap::new();
    for (place, _) in &ranking {
        telling(*place).for_each(|term| sharing.entry(*term).or_default().push(*place));
    }
    let mut seen = BTreeSet::new();
    let mut ordered = Vec::new();
    for (place, fit) in ranking {
        let others = telling(place).filter_map(|term| sharing.get(term)).flatten().copied();
        let later = others.filter(|other| *other > place && are_alike(terms(place), terms(*other)));
        let both = later.max().into_iter().chain([place]);
        ordered.extend(both.filter(|place| seen.insert(*place)).map(|place| (place, fit)));
    }
    ordered
}

/// True if two sentences, by their sorted terms, share half of what the shorter one says.
fn are_alike(one: &[TermId], other: &[TermId]) -> bool {
    let shared = one.iter().filter(|term| other.binary_search(term).is_ok()).count();
    shared * 2 >= one.len().min(other.len())
}

#[cfg(test)]
mod tests {
    use crate::index::tests::indexed;
    use epitome::tokens::CharactersPer;

    /// A talk that begins with what its user wants, and goes on about other things.
    fn talk(begin: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
        let others = [
            ("user", "Where is the ferry to the island?"),
            ("assistant", "The ferry leaves from pier three."),
            ("user", "And the ticket office?"),
            ("assistant", "It is behind the harbour restaurant."),
        ];
        begin.iter().copied().chain(others.repeat(20)).collect()
    }

    fn quoted(said: &[(&str, &str)], question: &str, budget: u32, known: &str) -> Vec<String> {
        let index = indexed(said);
        let text = |message: usize| said[message].1.to_owned();
        let mut search = index.search(question, |_| true);
        search.widen(&index, text);
        assert!(search.wanted(&index, budget).iter().all(|message| *message < said.len()));
        let passages = search.passages(&index, text, budget, known, &CharactersPer(4));
        let quotes = passages.into_iter().flat_map(|passage| passage.quotes);
        quotes.map(|quote| quote.text).collect()
    }

    const WANTS: [(&str, &str); 3] = [
        ("user", "I'm vegetarian, by the way. The bill came late."),
        ("assistant", "Noted."),
        ("user", "From now on, give distances in miles."),
    ];

    #[test]
    fn l8_what_holds_for_all_turns_is_quoted_for_a_question_without_its_words() {
        let found = quoted(&talk(&WANTS), "Which restaurant is near the harbour?", 120, "");
        assert!(found.contains(&"I'm vegetarian, by the way.".to_owned()), "{found:?}");
        assert!(found.contains(&WANTS[2].1.to_owned()), "{found:?}");
        assert!(found.iter().any(|text| text.contains("harbour restaurant")), "{found:?}");
    }

    #[test]
    fn l8_it_takes_a_quarter_of_the_budget_at_most_and_nothing_if_it_is_known() {
        let begin: Vec<(&str, &str)> = ["Call me Kim.", "I prefer trains.", "I can't eat nuts."]
            .repeat(20)
            .into_iter()
            .map(|text| ("user", text))
            .collect();
        let found = quoted(&talk(&begin), "Which restaurant is near the harbour?", 100, "");
        let lasting = |text: &&String| begin.iter().any(|(_, own)| text.contains(own));
        let characters: usize = found.iter().filter(lasting).map(String::len).sum();
        assert!((1..=100).contains(&characters), "{found:?}");
        let known =
            "- [1] I'm vegetarian, by the way.\n- [3] From now on, give distances in miles.";
        let found = quoted(&talk(&WANTS), "Which restaurant is near the harbour?", 120, known);
        assert!(found.iter().all(|text| !known.contains(text.as_str())), "{found:?}");
    }

    #[test]
    fn l8_what_people_say_to_each_other_is_no_instruction() {
        let said: Vec<(&str, &str)> = talk(&WANTS)
            .into_iter()
            .map(|(role, text)| (if role == "user" { "user alice" } else { "user bob" }, text))
            .collect();
        let found = quoted(&said, "Which restaurant is near the harbour?", 120, "");
        assert!(found.iter().all(|text| !text.contains("vegetarian")), "{found:?}");
    }

    #[test]
    fn l8_what_has_replaced_a_preference_comes_with_it() {
        let begin = [
            ("user", "I prefer aisle seats."),
            ("assistant", "Noted."),
            ("user", "I prefer window seats now."),
        ];
        let found = quoted(&talk(&begin), "Book the ferry.", 40, "");
        assert!(found.contains(&begin[2].1.to_owned()), "{found:?}");
        let found = quoted(&talk(&begin), "Book an aisle seat on the ferry.", 120, "");
        assert!(found.iter().any(|text| text.contains("window")), "{found:?}");
    }
}
