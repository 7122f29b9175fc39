//! Words that make a sentence a standing instruction or a decision, in the languages that are written most.

/// Words between blanks and punctuation, in lower case.
const WORDS: &str = "never always must mustn't don't dont avoid prefer preferred decided decision agreed instead \
    required requirement cannot shouldn't chose nie niemals immer muss müssen stattdessen entschieden beschlossen bevorzuge \
    nunca siempre debe deben prefiero decidido decidimos evita jamais toujours doit doivent préfère décidé éviter sempre \
    deve prefiro decidimos evite mai sempre deve preferisco deciso nooit altijd moet besloten никогда всегда должен \
    должны нельзя решили решено предпочитаю أبدا دائما يجب قررنا ممنوع हमेशा कभी चाहिए तय asla her zaman karar 절대 항상 반드시 결정";

/// The same in scripts without blanks.
const UNSPACED: [&str; 14] = [
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
    "禁止",
    "決定",
    "ห้าม",
];

/// True if a sentence instructs or decides.
pub(super) fn instructs(sentence: &str) -> bool {
    if UNSPACED.iter().any(|cue| sentence.contains(cue)) {
        return true;
    }
    let separates = |c: char| !c.is_alphanumeric() && c != '\'' && c != '’';
    let mut words = sentence.split(separates).filter(|word| !word.is_empty());
    let is_cue = |word: &str| {
        let word = word.to_lowercase().replace('’', "'");
        WORDS.split_whitespace().any(|cue| cue == word)
    };
    words.clone().nth(2).is_some() && words.any(is_cue)
}

/// Words of decisions, which are among the cues above.
const DECISIONS: &str = "decided decision agreed chose entschieden beschlossen decidido decidimos décidé deciso besloten \
    решили решено قررنا karar 결정 决定 決め 決定";

/// True if a sentence says that something was decided.
pub(super) fn decides(sentence: &str) -> bool {
    names(sentence, DECISIONS)
}

/// True if one of these words is in a sentence: as a word, or anywhere in scripts that have no blanks.
fn names(sentence: &str, cues: &str) -> bool {
    let lower = sentence.to_lowercase();
    let is_word = |cue: &str| lower.split(|c: char| !c.is_alphanumeric()).any(|word| word == cue);
    cues.split_whitespace().any(|cue| match cue.is_ascii() || cue.chars().count() > 3 {
        true => is_word(cue),
        false => lower.contains(cue),
    })
}

/// Words that name a risk.
const RISKS: &str = "risk risks risky danger dangerous risiko risiken gefahr riesgo riesgos peligro risque risques danger \
    rischio rischi risco riscos risico риск риски опасно خطر riski 위험 风险 危险 リスク 危険 जोखिम";

/// True if a sentence names a risk.
pub(super) fn warns(sentence: &str) -> bool {
    names(sentence, RISKS)
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
    let lower = sentence.to_lowercase();
    CHANGES.iter().any(|cue| lower.contains(cue))
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
pub(super) fn promises(sentence: &str) -> bool {
    let begin = sentence
        .char_indices()
        .nth(12)
        .map_or(sentence, |(at, _)| sentence.get(..at).unwrap_or(sentence));
    let lower = begin.to_lowercase();
    PROMISES.iter().any(|cue| lower.starts_with(cue)) && !lower.starts_with("let me know")
}
