//! Finds the facts of a transcript.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use epitome_columns::{Hash, Seen};
use strum::EnumCount as _;

use super::checklist::{ItemReader, identity, is_checkbox};
use super::fact::{Fact, Mention, Source};
use super::{Kind, lines, name, token, uncased};
use crate::message::Entry;
use crate::message::MessageId;
use crate::message::{ANSWERS, CALLS};
use epitome_text::excerpt::without_note;
use epitome_text::identifier;
use epitome_text::letters::{is_alphanumeric, is_unspaced};
use epitome_text::noise::is_import;
use epitome_text::sentence;
use epitome_text::stop_words::StopWords;
use epitome_text::word_list::{Beginnings, WordList};

/// The facts found so far, each text once, in the order of their first mention. Of each kind there are at most
/// [`MAX_OF_KIND`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    mentions: Vec<Mention>,
    /// The indices of all but the items of lists.
    seen: Seen,
    /// The indices of the items of lists, by what makes two items the same.
    items: Seen,
    /// How many facts of each kind there are.
    counts: [usize; Kind::COUNT],
    /// Mentions of facts beyond [`MAX_OF_KIND`].
    unlisted: u32,
}

/// The most facts of one kind. A long log has a million numbers, and nobody reads a list of as many.
pub(super) const MAX_OF_KIND: usize = 20_000;

impl Facts {
    /// Adds the facts of these entries. Costs O(n log n) in their text.
    pub(crate) fn read(&mut self, entries: &[Entry]) {
        let stop_words = StopWords::default();
        for entry in entries {
            let source = &Source::of(entry);
            let is_speech = !entry.speaker.starts_with("tool");
            let mut reader = ItemReader::default();
            let mut in_code = false;
            // A result begins with the tool, which says nothing of the words behind it.
            let result = || entry.text.split_once(ANSWERS).filter(|(tool, _)| !tool.contains('\n'));
            let result = if is_speech { None } else { result() };
            let text = result.map_or(entry.text.as_str(), |(_, text)| text);
            let mut lines = text.lines();
            while let Some(line) = lines.next() {
                let line = without_note(line);
                // The arguments of a call are not sentences, and all of their keys are in quotation marks.
                let is_speech = is_speech && !line.starts_with(CALLS);
                if line.starts_with(CALLS) {
                    // A list that is written to a file shows what is done now.
                    for item in boxes(line) {
                        self.add_item(item, source);
                    }
                } else if let Some(item) = reader.item(line, &lines, is_speech) {
                    self.add_item(item, source);
                }
                in_code ^= line.trim_start().starts_with("```");
                // Which of its files a program uses is in the program.
                let is_code = in_code || !is_speech;
                if !(is_code && is_import(line)) {
                    self.line(line, is_speech, in_code, source, &stop_words);
                }
            }
        }
    }

    /// The facts of an earlier summary, and those `carried` along with it: its ledger, and the items of lists that it
    /// left out. `number` finds the number of a message by its id.
    pub(crate) fn of_summary<'a>(
        summary: &str,
        carried: impl Iterator<Item = &'a Fact>,
        number: &dyn Fn(&MessageId) -> Option<u32>,
    ) -> Self {
        let mut facts = Self::default();
        // The carried ones come first, since only the first mention of a text decides: here its kind, speaker and
        // sources are known.
        for Fact { kind, text, label, speaker, sources } in carried {
            let numbers: Vec<u32> = sources.iter().filter_map(number).collect();
            let (kind, speaker) = (*kind, Arc::from(speaker.as_str()));
            let is_known = match kind {
                Kind::Checklist => facts.item(identity(text)).is_some(),
                _ => facts.contain(text),
            };
            let index = facts.mentions.len();
            let (text, label) = (text.clone(), label.clone());
            let hash = match kind {
                Kind::Checklist => item_hash(identity(&text)),
                _ => Hash::of(&text, 0),
            };
            let carried = numbers.len();
            facts.mentions.push(Mention { kind, text, label, speaker, numbers, carried });
            match kind {
                _ if is_known => {}
                Kind::Checklist => facts.items.add(hash, index),
                _ => facts.seen.add(hash, index),
            }
        }
        facts.read(&lines::entries(summary));
        facts
    }

    /// True if this text is a fact. Costs O(1).
    pub(super) fn contain(&self, text: &str) -> bool {
        self.index(Hash::of(text, 0), text).is_some()
    }

    fn index(&self, hash: Hash, text: &str) -> Option<usize> {
        let is_same =
            |index: usize| self.mentions.get(index).is_some_and(|mention| mention.text == text);
        self.seen.find(hash, is_same)
    }

    /// The index of the item with this [`identity`].
    fn item(&self, own: (bool, &str)) -> Option<usize> {
        let is_same = |index: usize| {
            self.mentions.get(index).is_some_and(|mention| identity(&mention.text) == own)
        };
        self.items.find(item_hash(own), is_same)
    }

    /// The text of every fact.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.mentions.iter().map(|mention| mention.text.as_str())
    }

    /// Mentions of facts that are not among these, because there are too many of their kind.
    pub(super) fn unlisted(&self) -> u32 {
        self.unlisted
    }

    pub(super) fn mentions(&self) -> &[Mention] {
        &self.mentions
    }

    pub(super) fn into_vec(self) -> Vec<Mention> {
        self.mentions
    }

    fn line(
        &mut self,
        line: &str,
        is_speech: bool,
        in_code: bool,
        source: &Source,
        stop_words: &StopWords,
    ) {
        let line = &if is_speech { Cow::Borrowed(line) } else { unescaped(line) };
        token::for_each(line, |kind, text| {
            if let Some(mention) = self.add(kind, text, source) {
                let before = (text.as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
                let before = line.get(..before).unwrap_or_default();
                mention.label = identifier::label(before, stop_words).unwrap_or_default();
            }
        });
        if is_speech {
            quotes(line, |text| {
                self.add(Kind::Quote, text, source);
            });
            let names = !in_code && !line.starts_with('#');
            sentence::for_each(line, &mut |sentence| {
                if let Some(kind) = decision_or_negation(sentence, stop_words) {
                    self.add(kind, sentence, source);
                }
                if names {
                    name::for_each(sentence, |text| {
                        self.add(Kind::Name, text, source);
                    });
                    uncased::for_each(sentence, |text| {
                        self.add(Kind::Name, text, source);
                    });
                }
            });
        }
    }

    /// Adds an item of a list. Of two mentions the later one decides whether it is done.
    fn add_item(&mut self, item: &str, source: &Source) {
        let own = identity(item);
        let known = self.item(own);
        if let Some(mention) = known.and_then(|index| self.mentions.get_mut(index)) {
            item.clone_into(&mut mention.text);
            mention.add_number(source.number);
        } else if !self.is_full(Kind::Checklist) {
            self.items.add(item_hash(own), self.mentions.len());
            self.mentions.push(Mention::new(Kind::Checklist, item, source));
        }
    }

    /// Adds a mention, and returns it if it is the first.
    fn add(&mut self, kind: Kind, text: &str, source: &Source) -> Option<&mut Mention> {
        let hash = Hash::of(text, 0);
        let known = self.index(hash, text);
        if let Some(mention) = known.and_then(|index| self.mentions.get_mut(index)) {
            mention.add_number(source.number);
            return None;
        }
        if self.is_full(kind) {
            return None;
        }
        self.seen.add(hash, self.mentions.len());
        self.mentions.push(Mention::new(kind, text, source));
        self.mentions.last_mut()
    }

    /// Counts one more fact of a kind. True if it is one too many.
    fn is_full(&mut self, kind: Kind) -> bool {
        let Some(count) = self.counts.get_mut(kind as usize) else { return false };
        let is_full = *count >= MAX_OF_KIND;
        match is_full {
            true => self.unlisted = self.unlisted.saturating_add(1),
            false => *count += 1,
        }
        is_full
    }
}

/// The text of a record without the escapes of line breaks and quotation marks, which would be read as parts of names.
fn unescaped(line: &str) -> Cow<'_, str> {
    // Most lines have no escape at all, which one search for a byte shows.
    let is_escaped = || ["\\n", "\\t", "\\\""].iter().any(|escape| line.contains(escape));
    match line.contains('\\') && is_escaped() {
        true => line.replace("\\n", " ").replace("\\t", " ").replace("\\\"", "\"").into(),
        false => Cow::Borrowed(line),
    }
}

/// The items with a box in the arguments of a call, where line breaks are escaped.
fn boxes(call: &str) -> impl Iterator<Item = &str> {
    let has_box = call.contains("[ ]") || call.contains("[x]") || call.contains("[X]");
    let lines = if has_box { call } else { "" }.split("\\n");
    lines.filter_map(|line| {
        let value = line.rsplit("\":\"").next().unwrap_or(line);
        let value = value.rsplit("\": \"").next().unwrap_or(value);
        let item = value.split('"').next().unwrap_or(value);
        // A quotation mark within an item ends it too early.
        (is_checkbox(item.trim()) && !item.ends_with('\\')).then_some(item.trim())
    })
}

/// The hash of the [`identity`] of an item.
pub(super) fn item_hash((has_box, text): (bool, &str)) -> Hash {
    Hash::of(text, if has_box { 2 } else { 1 })
}

/// The longest sentence that counts as a decision or a negation, in bytes.
const MAX_SENTENCE: usize = 240;

/// Words of decisions and requirements, in lower case.
const DECISION_WORDS: &str = "acceptance acordado agreed beschlossen chose concordato convenu debe deben decided decidido \
    decidimos decision deciso deve doit doivent décidé entschieden instead muss must müssen prefer \
    preferred required requirement requirements stattdessen vereinbart договорились должен должны \
    решено решили اتفقنا قررنا يجب चाहिए तय 결정 결정했습니다 결정했어요";

/// Words of negations, in lower case.
const NEGATION_WORDS: &str = "avoid can't cannot don't jamais jamás keinesfalls mai mustn't never nie niemals nooit nunca \
    shouldn't without нельзя никогда أبدا ممنوع कभी 절대";

/// Both, as they are looked for.
struct Cues {
    decisions: WordList,
    negations: WordList,
    unspaced: Beginnings<Kind>,
}

impl Cues {
    /// False for a word that is none of them, in capitals or not; true for few others.
    fn may_have(&self, word: &[u8]) -> bool {
        word.eq_ignore_ascii_case(b"not")
            || self.decisions.may_have(word)
            || self.negations.may_have(word)
    }
}

static CUES: LazyLock<Cues> = LazyLock::new(|| Cues {
    decisions: WordList::of(DECISION_WORDS),
    negations: WordList::of(NEGATION_WORDS),
    unspaced: Beginnings::new(
        UNSPACED_NEGATIONS
            .map(|cue| (cue, Kind::Negation))
            .into_iter()
            .chain(UNSPACED_DECISIONS.map(|cue| (cue, Kind::Decision))),
    ),
});

/// Decisions and negations in scripts without blanks, in which a sentence is one word.
const UNSPACED_DECISIONS: [&str; 7] = ["决定", "必须", "一定要", "決定", "決め", "必ず", "ตัดสินใจ"];
const UNSPACED_NEGATIONS: [&str; 10] = [
    "不要",
    "不能",
    "禁止",
    "绝对不",
    "千万别",
    "しないで",
    "ないでください",
    "絶対に",
    "てはいけ",
    "ห้าม",
];

/// Words before a `not` that make a sentence a negation.
const BEFORE_NOT: [&str; 6] = ["do", "must", "should", "may", "are", "is"];

fn decision_or_negation(sentence: &str, stop_words: &StopWords) -> Option<Kind> {
    if sentence.len() > MAX_SENTENCE {
        return None;
    }
    if !sentence.is_ascii() && sentence.chars().filter(|c| is_unspaced(*c)).count() >= MIN_UNSPACED
    {
        let is_negation = |kind: &Kind| *kind == Kind::Negation;
        let mut kinds = CUES.unspaced.find_in(sentence).map(|(.., kind)| kind);
        let first = kinds.next();
        return kinds.find(is_negation).or(first);
    }
    sentence.split_whitespace().nth(3)?;
    // Few sentences have one of the words, which is seen without a copy of the sentence.
    let separates = |byte: &u8| !byte.is_ascii_alphanumeric() && *byte != b'\'';
    let mut words = sentence.as_bytes().split(separates);
    if sentence.is_ascii() && !words.any(|word| CUES.may_have(word)) {
        return None;
    }
    let lower = sentence.to_lowercase().replace('’', "'");
    let mut decides = false;
    let mut before = "";
    for word in lower.split(|c: char| !is_alphanumeric(c) && c != '\'') {
        // Some sentences are both, as "it must not fail". A negation is returned at once, since its meaning
        // turns around if the `not` is lost.
        let not = word == "not" && BEFORE_NOT.contains(&before);
        if not || CUES.negations.has(word) {
            return is_informative(sentence, stop_words).then_some(Kind::Negation);
        }
        decides |= CUES.decisions.has(word);
        if !word.is_empty() {
            before = word;
        }
    }
    (decides && is_informative(sentence, stop_words)).then_some(Kind::Decision)
}

/// The fewest characters of a sentence in a script without blanks.
const MIN_UNSPACED: usize = 6;

/// True if more than one word says something. A sentence such as "I don't know." says nothing without the sentences around
/// it.
fn is_informative(sentence: &str, stop_words: &StopWords) -> bool {
    let words = sentence.split(|c: char| !is_alphanumeric(c) && c != '\'' && c != '’');
    let says = |word: &&str| {
        !word.is_empty() && !stop_words.contain(&word.to_lowercase().replace(['\'', '’'], ""))
    };
    words.filter(says).nth(1).is_some()
}

/// Texts of 4 to 120 bytes between quotation marks of the same kind.
pub(super) fn quotes<'a>(line: &'a str, mut each: impl FnMut(&'a str)) {
    // Most lines have no quotation marks. To look for the first bytes of all of them is faster than five searches.
    let mut first_bytes = 0;
    for byte in line.bytes() {
        first_bytes |= match byte {
            b'"' => 1,
            0xE2 => 2,
            0xC2 => 4,
            0xE3 => 8,
            b'`' => 16,
            _ => 0,
        };
    }
    let pairs = [('"', '"'), ('“', '”'), ('«', '»'), ('「', '」'), ('`', '`')];
    for (at, (open, close)) in pairs.into_iter().enumerate() {
        if first_bytes & (1 << at) == 0 {
            continue;
        }
        let mut rest = line;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((inside, after_quote)) = after.split_once(close) else { break };
            if (4..=120).contains(&inside.len()) && inside.trim() == inside {
                each(inside);
            }
            rest = after_quote;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d10_a_sentence_that_says_nothing_is_no_decision() {
        let stop_words = StopWords::default();
        for sentence in ["I don't know .", "So it is what it must be.", "You can't do that, so."] {
            assert_eq!(decision_or_negation(sentence, &stop_words), None, "{sentence}");
        }
        assert_eq!(
            decision_or_negation("Please don't touch the API.", &stop_words),
            Some(Kind::Negation)
        );
    }

    #[test]
    fn d10_decisions_and_negations_are_found_in_other_languages() {
        let stop_words = StopWords::default();
        for sentence in [
            "Bitte niemals vor 8 Uhr läuten.",
            "Nunca me llame antes de las diez.",
            "Никогда не звоните утром раньше десяти.",
            "不要安排靠马路的房间。",
            "窓側の席にしないでください。",
            "오전에는 절대 전화하지 마세요.",
        ] {
            assert_eq!(
                decision_or_negation(sentence, &stop_words),
                Some(Kind::Negation),
                "{sentence}"
            );
        }
        for sentence in [
            "Wir haben beschlossen, mit dem Zug zu fahren.",
            "Hemos decidido ir en tren a Sevilla.",
            "Мы решили ехать на поезде утром.",
            "我们决定不开车去博物馆。",
        ] {
            assert_eq!(
                decision_or_negation(sentence, &stop_words),
                Some(Kind::Decision),
                "{sentence}"
            );
        }
        assert_eq!(decision_or_negation("有免费停车场吗？我们开车去。", &stop_words), None);
    }

    #[test]
    fn d10_which_files_a_program_imports_is_no_fact() {
        let text = "```ts\nimport { getPath } from \"../paths/config.js\";\n```\n\
                    I moved it to src/paths/config.js";
        let entry =
            Entry { number: 1, speaker: "assistant".to_owned(), time: None, text: text.to_owned() };
        let text = "read answers: import { weekOf } from \"./picker/week.js\"; // v4";
        let result =
            Entry { number: 2, speaker: "tool".to_owned(), time: None, text: text.to_owned() };
        let mut facts = Facts::default();
        facts.read(&[entry, result]);
        assert_eq!(facts.texts().collect::<Vec<_>>(), ["src/paths/config.js"]);
    }

    #[test]
    fn d10_a_box_that_is_ticked_in_a_file_is_done() {
        let entry = |number, speaker: &str, text: &str| Entry {
            number,
            speaker: speaker.to_owned(),
            time: None,
            text: text.to_owned(),
        };
        let mut facts = Facts::default();
        facts.read(&[
            entry(1, "assistant", "- [ ] Add `open()`\n- [ ] Test it"),
            entry(
                2,
                "assistant",
                r#"calls edit {"path": "plan.md", "oldText": "- [ ] Add `open()`\n", "newText": "- [x] Add `open()`\n- [ ] Say \"hi\""}"#,
            ),
        ]);
        let items: Vec<&str> = facts
            .mentions
            .iter()
            .filter(|mention| mention.kind == Kind::Checklist)
            .map(|mention| mention.text.as_str())
            .collect();
        assert_eq!(items, ["- [x] Add `open()`", "- [ ] Test it"]);
    }
}
