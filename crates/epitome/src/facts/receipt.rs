//! The receipt of a summary: which facts it kept, which were appended to it, and which were given up.

use epitome_columns::{Hash, Seen, SortedMap, SortedSet, sort_by_key};
use serde::Serialize;

use super::checklist::{identity, may_be_item};
use super::fact::Mention;
use super::lists::select;
use super::scan::item_hash;
use super::token::in_other_notation;
use super::uncased::is_uncased;
use super::{Fact, Facts, Kind, Lookup, lines, name};

use crate::message::{MessageId, Role};
use crate::tokens::{Meter, MeterTokens};
use epitome_text::search::Search;
use epitome_text::sentence;

/// Where each fact of the summarized messages is after a compaction. Facts are taken from all text of users and
/// models, and from tool calls and results as far as the summarizer reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// Facts in the summary or in a message that stays.
    pub kept: Vec<Fact>,
    /// Facts that were appended to the summary, word for word.
    pub appended: Vec<Fact>,
    /// Facts for which there was no space. They are still in the log. The summary says how many items of lists are
    /// among them.
    pub given_up: Vec<Fact>,
    /// How often further facts were mentioned that are in none of these lists: at most 20,000 facts of one kind are.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub unlisted: u32,
    /// Names, dates, amounts, seats and quotes in the summary, as it was written, that no summarized message contains. Of a
    /// summary without a model only paths, codes and addresses.
    pub unsupported: Vec<String>,
    /// Lines of the summary that do not say who said or found what they say, in a conversation of several authors, and lines
    /// that begin with the name of somebody else than who has written that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub unattributed: Vec<String>,
    /// Messages that stay word for word because they are pinned, or because they are system messages for this agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub pinned: Vec<MessageId>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// After so many facts in a row that do not fit the ledger, no shorter ones are looked for: a long text can have a million
/// facts, and counting the tokens of each takes time.
const MAX_TOO_LONG: usize = 1_000;

/// The first line of the ledger after a summary.
pub const LEDGER: &str = "Also said, word for word:";

/// How many tokens the facts that a summary lost may take.
pub(crate) struct FactBudget<'a> {
    /// For the ledger.
    pub(crate) ledger: MeterTokens,
    /// For lists, which are kept whole up to this size. Asked for only if the summary lost one.
    pub(crate) lists: &'a dyn Fn() -> MeterTokens,
}

/// Of the facts that `lookup` has not found in `texts`, those that the model reads from now on, selects some for the ledger and the
/// lists behind the summary: see [`ledger`] and [`lists`](super::lists()). Names of the summary are not looked up; see
/// [`unsupported`].
///
/// They take at most the tokens of `budget` by `meter`. The most important facts are selected first; in the
/// ledger they stand in the order of their first mention. `name` finds the id of a message by its number. Costs
/// O(n log n) in the facts.
pub(crate) fn build_receipt(
    facts: Facts,
    lookup: Lookup,
    texts: &[&RetainedText],
    budget: &FactBudget,
    meter: &Meter,
    name: &dyn Fn(u32) -> Option<MessageId>,
) -> Receipt {
    let mut receipt = Receipt { unlisted: facts.unlisted(), ..Receipt::default() };
    let (mut items, mut missing) = (Vec::new(), Vec::new());
    let mut series = Series::default();
    for (mention, is_kept) in lookup.apply(facts) {
        series.add(&mention);
        match (is_kept, mention.kind) {
            (true, _) => receipt.kept.push(mention.named(name)),
            (false, Kind::Checklist) => items.push(mention),
            (false, _) => missing.push(mention),
        }
    }
    find_uncased(&mut missing, texts, &mut |mention| receipt.kept.push(mention.named(name)));
    if !items.is_empty() {
        let chosen = select(&items, (budget.lists)(), meter);
        for (index, mention) in items.into_iter().enumerate() {
            let place =
                if chosen.contains(&index) { &mut receipt.appended } else { &mut receipt.given_up };
            place.push(mention.named(name));
        }
    }

    let mut by_importance: Vec<usize> = (0..missing.len()).collect();
    sort_by_key(&mut by_importance, |index| {
        std::cmp::Reverse(missing.get(*index).map(Mention::importance))
    });
    let mut left = budget.ledger - meter.count(LEDGER) - MeterTokens::new(4);
    let mut chosen: SortedSet<usize> = SortedSet::new();
    let mut too_long = 0;
    for index in by_importance {
        if too_long > MAX_TOO_LONG {
            break;
        }
        let says_something = |mention: &&Mention| {
            mention.is_meaningful() && !series.have(mention.kind, &mention.label)
        };
        let Some(mention) = missing.get(index).filter(says_something) else { continue };
        let text = line(&mention.speaker, &mention.label, &mention.text);
        let cost = meter.count(&text) + MeterTokens::new(1);
        // Goes on after a fact that does not fit: a long fact must not keep out the shorter ones after it.
        if cost <= left {
            left -= cost;
            chosen.insert(index);
            too_long = 0;
        } else {
            too_long += 1;
        }
    }
    for (index, mention) in missing.into_iter().enumerate() {
        let place =
            if chosen.contains(&index) { &mut receipt.appended } else { &mut receipt.given_up };
        place.push(mention.named(name));
    }
    receipt
}

/// Takes those of the missing facts that are in the texts after all: a name in a script without capitals stands there without
/// the words that showed that it is one. Linear in the texts if there is such a name.
fn find_uncased(
    missing: &mut Vec<Mention>,
    texts: &[&RetainedText],
    found: &mut dyn FnMut(Mention),
) {
    let is_wanted = |mention: &Mention| mention.kind == Kind::Name && is_uncased(&mention.text);
    let mut search =
        Search::new(missing.iter().filter(|it| is_wanted(it)).map(|it| it.text.as_str()));
    if search.is_done() {
        return;
    }
    for text in texts.iter().flat_map(|text| &text.texts) {
        search.begin();
        search.read_on(text.as_bytes());
    }
    let wanted = missing.iter().filter(|it| is_wanted(it)).map(|it| it.text.clone()).collect();
    // In the same order.
    let mut lost = search.not_found(wanted).into_iter().peekable();
    for mention in std::mem::take(missing) {
        let mut is_lost = || lost.next_if(|text| *text == mention.text).is_some();
        match !is_wanted(&mention) || is_lost() {
            true => missing.push(mention),
            false => found(mention),
        }
    }
}

/// Labels of so many numbers that none of them says much: `round: 246`.
#[derive(Default)]
struct Series {
    sizes: SortedMap<String, usize>,
}

/// The most numbers with a label that identifies each.
const SHORT_SERIES: usize = 8;

impl Series {
    /// Counts a number of this transcript. One that only an earlier summary has does not count: with the numbers that each
    /// compaction appends, a label of a few would be a series in every other one.
    fn add(&mut self, mention: &Mention) {
        if mention.kind == Kind::Number && mention.numbers.len() > mention.carried {
            *self.sizes.entry(mention.label.clone()).or_default() += 1;
        }
    }

    fn have(&self, kind: Kind, label: &str) -> bool {
        kind == Kind::Number && self.sizes.get(label).is_some_and(|size| *size > SHORT_SERIES)
    }
}

/// The ledger as the model reads it, one fact per line; empty if there are no facts. The items of lists are not in it.
pub(crate) fn ledger(facts: &[Fact]) -> String {
    let facts = facts.iter().filter(|fact| fact.kind != Kind::Checklist);
    let mut text = String::new();
    for fact in facts {
        if text.is_empty() {
            text.push_str(LEDGER);
        }
        text.push('\n');
        text.push_str(&line(&fact.speaker, &fact.label, &fact.text));
    }
    text
}

fn line(speaker: &str, label: &str, text: &str) -> String {
    // What a user calls a user need not be said twice.
    match label.is_empty() || label == speaker {
        true => format!("- {speaker}: {text}"),
        false => format!("- {speaker}: {label}: {text}"),
    }
}

/// The texts that stay after a compaction, divided into the same units as facts, so that a lookup is exact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RetainedText {
    texts: Vec<Box<str>>,
    seen: Seen,
    /// Lines that may be items of lists. Of several that are the same item, the latest one counts.
    items: Vec<Box<str>>,
    seen_items: Seen,
}

impl RetainedText {
    /// Adds a text. Linear in the text.
    pub(crate) fn add(&mut self, text: &str, role: Role) {
        super::token::for_each(text, |kind, name| {
            self.insert(name);
            if kind == Kind::Number
                && let Some(other) = in_other_notation(name)
            {
                self.insert(&other);
            }
        });
        for line in text.lines() {
            let trimmed = line.trim();
            if may_be_item(trimmed) {
                self.insert_item(trimmed);
            }
            // Sentences and quotes are facts only if a user or a model wrote them.
            if role == Role::Tool {
                continue;
            }
            sentence::for_each(line, &mut |sentence| {
                self.insert(sentence);
                name::every(sentence, |name| _ = self.insert(name));
            });
            super::scan::quotes(line, |quote| _ = self.insert(quote));
        }
    }

    /// Adds a summary: its lines as they are, and what they say. Linear in it.
    pub(crate) fn add_summary(&mut self, summary: &str) {
        self.add(summary, Role::User);
        for line in lines::of(summary) {
            for sentence in sentence::split(line.text) {
                // A line without a speaker is known as it is.
                if self.insert(sentence) {
                    name::every(sentence, |name| _ = self.insert(name));
                }
            }
        }
    }

    /// Adds a unit. True if it is new.
    fn insert(&mut self, text: &str) -> bool {
        let hash = Hash::of(text, 0);
        let is_new = self.text(hash, text).is_none();
        if is_new {
            self.seen.add(hash, self.texts.len());
            self.texts.push(text.into());
        }
        is_new
    }

    fn insert_item(&mut self, item: &str) {
        match self.item(item).and_then(|index| self.items.get_mut(index)) {
            Some(earlier) => *earlier = item.into(),
            None => {
                self.seen_items.add(item_hash(identity(item)), self.items.len());
                self.items.push(item.into());
            }
        }
    }

    fn text(&self, hash: Hash, text: &str) -> Option<&str> {
        let known = |index: usize| self.texts.get(index).map(AsRef::as_ref);
        known(self.seen.find(hash, |index| known(index) == Some(text))?)
    }

    fn item(&self, item: &str) -> Option<usize> {
        let own = identity(item);
        let is_same =
            |index: usize| self.items.get(index).is_some_and(|known| identity(known) == own);
        self.seen_items.find(item_hash(own), is_same)
    }

    /// True if these texts have the fact.
    pub(super) fn has(&self, mention: &Mention) -> bool {
        self.find(mention).is_some()
    }

    /// True if one of the facts is in none of these texts.
    pub(crate) fn lacks(&self, facts: &Facts) -> bool {
        facts.mentions().iter().any(|mention| self.find(mention).is_none())
    }

    /// The fact as it stands in these texts; `None` if it is not in them.
    pub(super) fn find<'a>(&'a self, mention: &'a Mention) -> Option<&'a str> {
        let item = match mention.kind {
            Kind::Checklist => self.item(&mention.text).and_then(|index| self.items.get(index)),
            _ => None,
        };
        // A criterion within a line is found as a sentence.
        let text = || self.text(Hash::of(&mention.text, 0), &mention.text);
        let found = item.map(AsRef::as_ref).or_else(text);
        // A number may stand there in another notation; the fact keeps its own.
        found.or_else(|| {
            let other =
                (mention.kind == Kind::Number).then(|| in_other_notation(&mention.text))??;
            self.text(Hash::of(&other, 0), &other).map(|_| mention.text.as_str())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Entry;
    use crate::tokens::CharactersPer;

    fn meter() -> Meter {
        Meter::new(Box::new(CharactersPer(4)))
    }

    fn entries(texts: &[(&str, &str)]) -> Vec<Entry> {
        (1..)
            .zip(texts)
            .map(|(number, (speaker, text))| Entry {
                number,
                speaker: (*speaker).to_owned(),
                time: None,
                text: (*text).to_owned(),
            })
            .collect()
    }

    fn facts(texts: &[(&str, &str)]) -> Facts {
        let mut facts = Facts::default();
        facts.read(&entries(texts));
        facts
    }

    fn found(text: &str) -> Vec<(Kind, String)> {
        facts(&[("user", text)]).into_vec().into_iter().map(|fact| (fact.kind, fact.text)).collect()
    }

    fn check(text: &str, expected: &[(Kind, &str)]) {
        let found = found(text);
        let found: Vec<(Kind, &str)> =
            found.iter().map(|(kind, text)| (*kind, text.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn d10_names_and_numbers_are_found_as_written() {
        check("See https://example.org/a?b=1.", &[(Kind::Url, "https://example.org/a?b=1")]);
        check("Open src/main.rs, please", &[(Kind::Path, "src/main.rs")]);
        check(
            "It is in ./build or /etc/hosts",
            &[(Kind::Path, "./build"), (Kind::Path, "/etc/hosts")],
        );
        check(
            "with serde@1.0.2 and leptos==0.8",
            &[(Kind::Package, "serde@1.0.2"), (Kind::Package, "leptos==0.8")],
        );
        check(
            "flight HAT039 (reservation M61CQM)",
            &[(Kind::Identifier, "HAT039"), (Kind::Identifier, "M61CQM")],
        );
        check(
            "pay $250 by 2026-05-16, 40% of it",
            &[(Kind::Number, "$250"), (Kind::Number, "2026-05-16"), (Kind::Number, "40%")],
        );
        check(
            "12 rose bushes, 4 of them red, on port 8443 and 443",
            &[(Kind::Number, "12 rose"), (Kind::Number, "8443"), (Kind::Number, "443")],
        );
        check("nothing to see here", &[]);
        check("either/or, and so on. e.g. this", &[]);
    }

    #[test]
    fn d10_checklists_decisions_and_negations_are_found_as_whole_sentences() {
        check(
            "- [ ] src/a.rs builds",
            &[(Kind::Checklist, "- [ ] src/a.rs builds"), (Kind::Path, "src/a.rs")],
        );
        check("We decided on blue. It is nice.", &[(Kind::Decision, "We decided on blue.")]);
        check("Please do not touch the API.", &[(Kind::Negation, "Please do not touch the API.")]);
        check("call it \"the green one\"", &[(Kind::Quote, "the green one")]);
    }

    fn appended(texts: &[(&str, &str)], summary: &str) -> Vec<String> {
        let receipt = receipt_of(facts(texts), summary, 200);
        receipt.appended.into_iter().map(|fact| fact.text).collect()
    }

    #[test]
    fn d10_what_an_extract_says_behind_a_speaker_or_a_number_is_not_appended() {
        let said =
            [("user", "Never water the roses at noon."), ("user", "We decided on blue roses.")];
        let summary = "Requests:\n- [1] Never water the roses at noon.\nSaid:\nuser: We decided on blue roses.";
        assert_eq!(appended(&said, summary), [""; 0]);
        assert_eq!(appended(&said, "Roses."), said.map(|(_, text)| text));
    }

    #[test]
    fn d10_numbers_of_a_long_series_are_not_appended() {
        let rounds: Vec<String> = (0..9).map(|n| format!("That was round {}.", 100 + n)).collect();
        let said: Vec<(&str, &str)> = rounds.iter().map(|text| ("user", text.as_str())).collect();
        assert_eq!(appended(&said, "Rounds."), [""; 0]);
        assert_eq!(appended(&said[..2], "Rounds."), ["100", "101"]);
    }

    fn name(number: u32) -> Option<MessageId> {
        Some(format!("m{number}").into())
    }

    /// This many tokens for the ledger, and 50 for lists.
    fn budget(ledger: u32) -> FactBudget<'static> {
        FactBudget { ledger: MeterTokens::new(ledger), lists: &|| MeterTokens::new(50) }
    }

    /// The receipt of a summary after which no message stays, with this many tokens for the ledger.
    fn receipt_of(facts: Facts, summary: &str, ledger: u32) -> Receipt {
        receipt_with(facts, &[&read(summary)], ledger)
    }

    /// The same with these texts, in which each fact is looked up by a call of its own.
    fn receipt_with(facts: Facts, texts: &[&RetainedText], ledger: u32) -> Receipt {
        let mut lookup = Lookup::default();
        while !lookup.advance(&facts, texts, 1) {}
        build_receipt(facts, lookup, texts, &budget(ledger), &meter(), &name)
    }

    fn read(summary: &str) -> RetainedText {
        let mut text = RetainedText::default();
        text.add_summary(summary);
        text
    }

    fn names(facts: &[Fact]) -> Vec<&str> {
        facts.iter().map(|fact| fact.text.as_str()).collect()
    }

    #[test]
    fn facts_that_a_summary_lost_are_appended_with_their_speakers() {
        let facts = facts(&[
            ("user alice", "Use port 8443 and never log the token."),
            ("assistant", "I changed src/server.rs; see HAT039."),
            ("user alice", "HAT039 again"),
        ]);
        let mut retained = RetainedText::default();
        retained.add("HAT039 again", Role::User);
        let summary = read("They changed src/server.rs.");
        let receipt = receipt_with(facts, &[&summary, &retained], 200);
        assert_eq!(
            ledger(&receipt.appended),
            "Also said, word for word:\n\
             - user alice: port: 8443\n\
             - user alice: Use port 8443 and never log the token."
        );
        assert_eq!(names(&receipt.kept), ["src/server.rs", "HAT039"]);
        assert_eq!(receipt.kept[1].sources, ["m2".into(), "m3".into()]);
        assert_eq!(receipt.given_up, []);
    }

    #[test]
    fn every_fact_is_kept_appended_or_given_up_and_the_ledger_fits_its_budget() {
        let text: String = (0..200).map(|n| format!("file number{n} src/a{n}.rs\n")).collect();
        let facts = facts(&[("tool", &text)]);
        let all = facts.clone().into_vec().len();
        for tokens in [0, 20, 60, 400, 100_000] {
            let receipt = receipt_of(facts.clone(), "Much was read.", tokens);
            let sum = receipt.kept.len() + receipt.appended.len() + receipt.given_up.len();
            assert_eq!(sum, all);
            let taken = meter().count(&ledger(&receipt.appended)).get();
            assert!(taken <= tokens, "{taken} tokens in {tokens}");
        }
    }

    #[test]
    fn j13_of_each_kind_so_many_facts_are_listed_and_the_others_are_counted() {
        let words: String = (0..25_000).map(|n| format!("w{n:05}x ")).collect();
        let facts = facts(&[
            ("user", &words),
            ("user", "w00001x w24999x and port 8443. Never ever do it."),
        ]);
        let receipt = receipt_of(facts, "So.", 60);
        assert_eq!(receipt.unlisted, 5_001);
        assert_eq!(receipt.appended.len() + receipt.given_up.len(), 20_002);
        assert!(
            names(&receipt.appended).contains(&"Never ever do it."),
            "the other kinds are not full"
        );
    }

    #[test]
    fn d10_a_checklist_has_room_of_its_own() {
        let facts = facts(&[("user", "- [ ] ship it\ntrain 12:45 12:46 12:47")]);
        let receipt = receipt_of(facts, "So it was.", 22);
        assert_eq!(names(&receipt.appended), ["- [ ] ship it", "12:45"]);
        assert_eq!(names(&receipt.given_up), ["12:46", "12:47"]);
        assert!(!ledger(&receipt.appended).contains("ship"));
    }

    #[test]
    fn d10_of_an_item_in_several_texts_the_summary_decides() {
        let facts = facts(&[("user", "- [ ] ship it")]);
        let mut retained = RetainedText::default();
        retained.add("- [ ] ship it", Role::User);
        let texts = [&read("- [x] ship it"), &retained];
        let receipt = receipt_with(facts, &texts, 200);
        assert_eq!(names(&receipt.kept), ["- [x] ship it"]);
    }

    #[test]
    fn d10_the_label_of_a_fact_is_not_its_speaker_again() {
        let facts = facts(&[("user", "My user: ethan_martin_2396, and the order: W77120.")]);
        let ledger = ledger(&receipt_of(facts, "", 200).appended);
        assert!(ledger.contains("- user: ethan_martin_2396\n- user: order: W77120"), "{ledger}");
    }

    #[test]
    fn d10_a_name_in_a_script_without_capitals_is_kept_wherever_the_summary_has_it() {
        let facts = facts(&[("user", "我叫陈小雨，张经理下周到南京市。")]);
        let receipt = receipt_of(facts, "陈小雨要订房，下周到南京市。", 200);
        assert_eq!(names(&receipt.kept), ["陈小雨", "南京市"]);
        assert_eq!(names(&receipt.appended), ["张经理"]);
    }

    #[test]
    fn d10_a_number_in_another_notation_is_kept() {
        let facts = facts(&[("user", "Pay 1,234 euros by 5 pm, from 17:45 on it is closed.")]);
        let summary = "1234 euros are due at 17:00, and 5:45 pm is too late.";
        let receipt = receipt_of(facts, summary, 200);
        assert_eq!(names(&receipt.kept), ["1,234 euros", "5 pm", "17:45"]);
        assert_eq!(receipt.appended, []);
    }

    #[test]
    fn cut_notes_and_call_arguments_are_not_sentences() {
        check("read src/a.rs: 1… [2994 more characters]", &[(Kind::Path, "src/a.rs")]);
        check("calls edit {\"path\": \"src/a.rs\"}", &[(Kind::Path, "src/a.rs")]);
    }

    #[test]
    fn without_facts_the_receipt_is_empty() {
        let receipt = receipt_of(Facts::default(), "Nothing.", 100);
        assert_eq!((receipt, ledger(&[])), (Receipt::default(), String::new()));
    }
}
