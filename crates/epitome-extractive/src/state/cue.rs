//! Words that make a sentence a standing instruction or a decision, in the languages that are written most.

use std::sync::LazyLock;

use epitome::facts::names_somebody;
use epitome_text::lasting::{Lasting, lasting, only_asks};
use epitome_text::letters::{is_alphanumeric, is_unspaced};
use epitome_text::word_list::{Beginnings, PhraseList, WordList};

/// Words between blanks and punctuation, in lower case.
const WORDS: &str = "never always must mustn't don't dont avoid prefer preferred decided decision agreed instead \
    required requirement cannot shouldn't chose nie niemals immer muss müssen stattdessen entschieden beschlossen bevorzuge \
    nunca siempre debe deben prefiero decidido decidimos evita jamais toujours doit doivent préfère décidé éviter sempre \
    deve prefiro decidimos evite mai sempre deve preferisco deciso nooit altijd moet besloten никогда всегда должен \
    должны нельзя решили решено предпочитаю أبدا دائما يجب قررنا ممنوع हमेशा कभी चाहिए तय asla her zaman karar 절대 항상 반드시 결정";

/// The same in scripts without blanks.
const UNSPACED: [&str; 13] = [
    "不要",
    "必须",
    "永远",
    "决定",
    "一定要",
    "禁止",
    "别再",
    "必ず",
    "絶対",
    "決め",
    "しないで",
    "決定",
    "ห้าม",
];

/// Phrases of standing instructions.
const PHRASES: &str = "under no circumstances|hard rule|hard line|red line|ground rule|non-negotiable|not negotiable|off limits|\
    off-limits|off the table|let's not|let us not|unter keinen umständen|auf keinen fall|bajo ninguna circunstancia|\
    en aucun cas|sous aucun prétexte|in nessun caso|em hipótese alguma|ни в коем случае|onder geen beding";

/// Phrases by which somebody decides for all: what is done from now on.
const PLANS: &str = "let's|let us|we'll|we will|we should|we're going to|we are going to|going with|go with|new plan|final answer|plan is|\
    scratch that|from now on|lass uns|wir machen|wir nehmen|ab jetzt|vamos a|a partir de ahora|on va|nous allons|vamos|давайте|\
    мы будем|andiamo|我们就|就按|これで|にします|하기로|하자";

/// Words that say who does something.
const ROLES: &str = "owns own owner owners leads lead leading responsible handles handle handling charge assigned assignee driving \
    reviewer reviews maintainer contact runs will takes verantwortlich zuständig leitet übernimmt betreut encarga encargado \
    responsable responsabile responsável lidera dirige gère отвечает ведёт ответственный";

/// First words of a sentence that says something only behind the one before it.
const BACK: &str = "it that this they these those both es das dies diese eso esto ça cela ceci isso isto questo это それ これ";
/// Phrases of such a sentence.
const BACK_PHRASES: &str = "do that|do this|do it|do so|like that|of that|of this";

/// The words and phrases above, as they are looked for.
struct Cues {
    words: WordList,
    roles: WordList,
    back: WordList,
    phrases: PhraseList,
    plans: PhraseList,
    back_phrases: PhraseList,
    unspaced: Beginnings<()>,
    promises: Beginnings<()>,
    decisions: CueWords,
    risks: CueWords,
    changes: Beginnings<()>,
}

static CUES: LazyLock<Cues> = LazyLock::new(|| Cues {
    words: WordList::of(WORDS),
    roles: WordList::of(ROLES),
    back: WordList::of(BACK),
    phrases: PhraseList::of(PHRASES),
    plans: PhraseList::of(PLANS),
    back_phrases: PhraseList::of(BACK_PHRASES),
    unspaced: Beginnings::of(UNSPACED),
    promises: Beginnings::of(PROMISES),
    decisions: CueWords::of(DECISIONS),
    risks: CueWords::of(RISKS),
    changes: Beginnings::of(CHANGES),
});

/// Words that are looked for in sentences: as words, or anywhere in scripts that have no blanks.
struct CueWords {
    words: WordList,
    anywhere: Beginnings<()>,
}

impl CueWords {
    /// The words of a text, between white space. Those of at most three characters that are not of ASCII may stand anywhere.
    fn of(words: &'static str) -> Self {
        let is_word = |word: &&str| word.is_ascii() || word.chars().count() > 3;
        Self {
            words: WordList::new(words.split_whitespace().filter(is_word)),
            anywhere: Beginnings::of(words.split_whitespace().filter(|word| !is_word(word))),
        }
    }

    /// Linear in the sentence.
    fn are_in(&self, sentence: &str) -> bool {
        // Few sentences have one of the words, which is seen without a copy of the sentence.
        let mut words = sentence.as_bytes().split(|byte| !byte.is_ascii_alphanumeric());
        if sentence.is_ascii() && !words.any(|word| self.words.may_have(word)) {
            return false;
        }
        let is_listed = |word: &str| match word.is_ascii() {
            true => self.words.may_have(word.as_bytes()) && self.words.has(&word.to_lowercase()),
            // The scripts without blanks have no capitals either, and what is looked for in them may stand anywhere.
            false => !word.starts_with(is_unspaced) && self.words.has(&word.to_lowercase()),
        };
        sentence.split(|c: char| !is_alphanumeric(c)).any(is_listed)
            || (!sentence.is_ascii() && self.anywhere.are_in(sentence))
    }
}

/// What a sentence of a user is worth to later turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It says who does something, or what is done from now on.
    Plan,
    /// It instructs or decides.
    Rule,
    /// It says what the user wants always, cannot have or is called.
    Preference,
    /// It says how each turn to come is to be answered.
    Instruction,
}

/// What a sentence instructs, decides or plans for all turns that come; `None` if it does not.
pub(super) fn standing(sentence: &str) -> Option<Standing> {
    match lasting(sentence) {
        Some(Lasting::Instruction) => Some(Standing::Instruction),
        Some(Lasting::Preference) => Some(Standing::Preference),
        Some(Lasting::Habit) | None => instructs(sentence),
    }
}

/// The same without what the user wants or is like for all turns to come.
pub(super) fn instructs(sentence: &str) -> Option<Standing> {
    let lower = sentence.to_lowercase().replace('’', "'");
    if only_asks(sentence, &lower) {
        return None;
    }
    if !sentence.is_ascii() && CUES.unspaced.are_in(sentence) {
        return Some(Standing::Rule);
    }
    let (mut different, mut rules, mut says_who) = (Vec::new(), false, false);
    let words = lower.split(|c: char| !is_alphanumeric(c) && c != '\'');
    for word in words.filter(|word| !word.is_empty()) {
        rules |= CUES.words.has(word);
        says_who |= CUES.roles.has(word);
        if different.len() < 3 && !different.contains(&word) {
            different.push(word);
        }
    }
    // Two words are no sentence: `Never mind.`
    if different.len() > 2 && (rules || CUES.phrases.is_in(&lower)) {
        return Some(Standing::Rule);
    }
    let assigns = || says_who || lower.contains("->") || lower.contains('→');
    let plans = !sentence.ends_with(['?', '？', '؟'])
        && (CUES.plans.is_in(&lower) || (assigns() && names_somebody(sentence)));
    plans.then_some(Standing::Plan)
}

/// True if a sentence says something only behind the one before it.
pub(super) fn refers_back(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let first = words.find(|word| !word.is_empty()).unwrap_or_default();
    CUES.back.has(first) || CUES.back_phrases.is_in(&lower)
}

/// Words of decisions, which are among the cues above.
const DECISIONS: &str = "decided decision agreed chose entschieden beschlossen decidido decidimos décidé deciso besloten \
    решили решено قررنا karar 결정 决定 決め 決定";

/// True if a sentence says that something was decided.
pub(super) fn decides(sentence: &str) -> bool {
    CUES.decisions.are_in(sentence)
}

/// Words that name a risk.
const RISKS: &str = "risk risks risky danger dangerous risiko risiken gefahr riesgo riesgos peligro risque risques danger \
    rischio rischi risco riscos risico риск риски опасно خطر riski 위험 风险 危险 リスク 危険 जोखिम";

/// True if a sentence names a risk.
pub(super) fn warns(sentence: &str) -> bool {
    CUES.risks.are_in(sentence)
}

/// Words that say that something is no longer as it was.
const CHANGES: [&str; 16] = [
    "instead",
    "changed",
    "rather",
    "anymore",
    "stattdessen",
    "statt",
    "nunmehr",
    "en lugar",
    "plutôt",
    "invece",
    "вместо",
    "代わり",
    "改为",
    "改成",
    "대신",
    "बजाय",
];

/// True if a sentence says that something is no longer as it was.
pub(super) fn changes(sentence: &str) -> bool {
    CUES.changes.are_in(&sentence.to_lowercase())
}

/// Beginnings of a sentence that announces what the one who says it does next.
const PROMISES: [&str; 14] = [
    "i'll ",
    "i’ll ",
    "i will ",
    "let me ",
    "ich werde ",
    "lass mich ",
    "voy a ",
    "déjame ",
    "je vais ",
    "vou ",
    "я сейчас ",
    "我会",
    "我来",
    "我将",
];

/// True if a sentence announces what the one who says it does next.
pub(crate) fn promises(sentence: &str) -> bool {
    let Some(first) = sentence.chars().next().and_then(|first| first.to_lowercase().next()) else {
        return false;
    };
    if !CUES.promises.may_begin_with(first) {
        return false;
    }
    let begin = sentence
        .char_indices()
        .nth(12)
        .map_or(sentence, |(at, _)| sentence.get(..at).unwrap_or(sentence));
    let lower = begin.to_lowercase();
    CUES.promises.begin(&lower, first).is_some() && !lower.starts_with("let me know")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d10_sentences_that_hold_for_all_turns_to_come_are_told_from_others() {
        for (rule, kind) in [
            ("Never call me before noon.", Standing::Instruction),
            ("Could you please always answer in French?", Standing::Instruction),
            ("I can't stand cold soup.", Standing::Preference),
            ("Under no circumstances does it leave the house.", Standing::Rule),
            ("Auf keinen Fall am Freitag.", Standing::Rule),
            ("一定要靠窗的座位。", Standing::Rule),
        ] {
            assert_eq!(standing(rule), Some(kind), "{rule}");
        }
        for plan in [
            "Let's take the night train.",
            "Mia Berg handles the tickets.",
            "Mia Berg -> tickets, Jo Falk -> food",
        ] {
            assert_eq!(standing(plan), Some(Standing::Plan), "{plan}");
        }
        for other in
            ["Never mind.", "Must it be red?", "The house handles it.", "It outlets 5 amperes."]
        {
            assert_eq!(standing(other), None, "{other}");
        }
    }

    #[test]
    fn a_decision_or_a_risk_is_a_word_of_its_own_or_stands_anywhere_without_blanks() {
        assert!(decides("Agreed: the blue one.") && decides("今天决定了地点。"));
        assert!(!decides("It is still undecided.") && !decides("An agreement"));
        assert!(warns("There is a RISK of rain.") && warns("这有风险吗"));
        assert!(!warns("An asterisk."));
    }

    #[test]
    fn d10_a_sentence_about_the_one_before_it_refers_back() {
        assert!(refers_back("That is a hard rule.") && refers_back("So let's not do that again."));
        assert!(!refers_back("I think that we must stop."));
    }
}
