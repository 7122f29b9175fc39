//! Whether a sentence of a user holds for all turns to come: an instruction, a preference, or what the user is like.

use std::sync::LazyLock;

use super::letters::{is_alphanumeric, is_unspaced};
use super::word_list::{PhraseList, WordList};

/// How a sentence of a user lasts, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lasting {
    /// Something that the user does or likes, which may be about one thing only.
    Habit,
    /// What the user wants, cannot have or is called.
    Preference,
    /// What is asked for in all turns to come.
    Instruction,
}

/// The longest sentence that is read, in bytes: what is longer was mostly pasted.
const LONGEST: usize = 600;

/// Phrases that say of an instruction how long it holds.
const FROM_NOW_ON: &str = "from now on|from here on|from this point|going forward|in future|in the future|every time you|each time you|\
    every time|i want you to|i'd like you to|any time i|anytime i|whenever i|whenever you|every time i|each time i|if i ask|when i ask|if i say|unless i say|unless i ask|\
    until i say|until further notice|in all your|in every answer|in every reply|in your answers|in your replies|in your responses|\
    for anything about|as a rule|one rule|ground rule|house rule|remind me that|call me|address me|refer to me|\
    don't ever|do not ever|please always|please never|make sure you|make sure that you|be sure to|you must|without asking me|\
    ask me first|ask me before|check with me|run it past me|past me first|you write for me|\
    ab jetzt|ab sofort|ab heute|von jetzt an|von nun an|in zukunft|jedes mal wenn|jedes mal, wenn|immer wenn|ohne mich zu fragen|\
    duze mich|sieze mich|nenn mich|nenne mich|wenn ich nach|frag mich vorher|\
    à partir de maintenant|à l'avenir|dorénavant|désormais|chaque fois que|tutoie-moi|vouvoie-moi|tutoyez-moi|appelle-moi|\
    appelez-moi|quand je demande|si je demande|sans me demander|\
    a partir de ahora|de ahora en adelante|en adelante|en el futuro|cada vez que|siempre que|llámame|tutéame|cuando pregunte|\
    si pregunto|sin preguntarme|\
    d'ora in poi|da ora in poi|da adesso in poi|in futuro|ogni volta che|chiamami|dammi del tu|dammi del lei|quando chiedo|\
    se chiedo|senza chiedermi|\
    a partir de agora|de agora em diante|daqui em diante|daqui para a frente|no futuro|sempre que|toda vez que|chama-me|me chame|\
    trata-me por|quando eu perguntar|se eu perguntar|sem me perguntar|\
    voortaan|vanaf nu|in het vervolg|in de toekomst|elke keer|telkens als|noem me|spreek me aan|als ik vraag|zonder te vragen|\
    впредь|отныне|с этого момента|с этих пор|в дальнейшем|в будущем|каждый раз|зови меня|называй меня|обращайся ко мне|\
    когда я спрашиваю|если я спрошу|\
    bundan sonra|bundan böyle|artık hep|her seferinde|bana hep|sorduğumda|\
    من الآن فصاعدا|من الآن فصاعدًا|في المستقبل|كلما|نادني|अब से|आगे से|हर बार|मुझे बुलाओ|\
    od teraz|od tej pory|na przyszłość|za każdym razem|mów mi|zawsze gdy|från och med nu|i fortsättningen|varje gång|kalla mig";

/// Adverbs that make an instruction of a clause that begins with them.
const BEGINNING: &str = "always never";
/// Words before such an adverb with which a clause still asks for something.
const OPENERS: &str =
    "please and but or so then also must should to just rule kindly again instead therefore";
/// Adverbs of other languages, which stand behind a verb as well.
const ADVERBS: &str = "immer nie niemals grundsätzlich stets künftig toujours jamais siempre nunca jamás sempre mai altijd nooit steeds \
    всегда никогда daima hep asla zawsze nigdy alltid aldrig دائما دائمًا أبدا हमेशा";

/// Pronouns with which a clause tells something and asks for nothing; those of the first person come first.
const FIRST: &str =
    "i we ich wir je j nous yo nosotros io noi eu nós ik wij я мы ben biz jag vi ja my";
const OTHERS: &str = "he she it they it's that's he's she's er sie es man il elle on ils elles c'est él ella ellos lui lei loro ele ela \
    eles hij zij ze het он она оно они o onlar";

/// Phrases by which people say what they want or are like.
const WANTS: &str = "prefer|i'd rather|i would rather|i'd sooner|rather have|can't stand|cannot stand|can't bear|i hate|we hate|i dislike|\
    we dislike|i don't like|i do not like|we don't like|i really don't like|not a fan|big fan of|a fan of|my favorite|my favourite|\
    our favorite|our favourite|favourite is|favorite is|\
    best for me|better for me|for me best|i learn best|out of the question for me|\
    i don't eat|i do not eat|we don't eat|i don't drink|i do not drink|i don't drive|i do not drive|i don't fly|i can't eat|\
    i cannot eat|can't have any|can't eat|i don't own|i avoid|we avoid|i'm vegan|i'm afraid of|i'm terrified of|i stick to|i'm scared of|\
    i get seasick|i get carsick|my budget|our budget|i can afford|we can afford|more than i want to spend|\
    my pronouns|i no longer|i'm no longer|i've stopped|please no|please nothing|only, please|only please|\
    i stopped|keep kosher|keep halal|\
    ich bevorzuge|ich mag|wir mögen|ich hasse|ich vertrage|ich esse kein|ich esse keine|ich esse keinen|ich trinke kein|\
    ich trinke keinen|ich fahre kein|ich fliege nicht|lieber|am liebsten|lieblings|mein budget|unser budget|\
    je préfère|nous préférons|j'aime|j'adore|je déteste|je n'aime pas|je ne mange pas|je ne bois pas|je ne conduis pas|\
    je ne supporte pas|mon budget|notre budget|mon préféré|ma préférée|je ne peux pas manger|\
    prefiero|preferimos|me gusta|me gustan|me encanta|me encantan|odio|no soporto|no como|no bebo|no puedo comer|no conduzco|\
    mi presupuesto|nuestro presupuesto|mi favorito|mi favorita|\
    preferisco|preferiamo|mi piace|mi piacciono|adoro|non sopporto|non mangio|non bevo|non posso mangiare|non guido|\
    il mio budget|il nostro budget|il mio preferito|la mia preferita|\
    prefiro|preferimos|gosto de|não gosto|detesto|odeio|não como|não bebo|não posso comer|não conduzo|não dirijo|\
    o meu orçamento|meu orçamento|o meu favorito|a minha favorita|\
    ik heb liever|liever|het liefst|ik hou van|ik houd van|ik hou niet van|ik houd niet van|ik haat|ik eet geen|ik drink geen|\
    ik rijd geen|mijn budget|ons budget|\
    предпочитаю|мне нравится|мне нравятся|не нравится|я люблю|не люблю|ненавижу|я не ем|я не пью|не переношу|мой бюджет|\
    мне нельзя|\
    tercih ederim|severim|sevmem|sevmiyorum|seviyorum|nefret ederim|yemem|yemiyorum|içmem|içmiyorum|bütçem|\
    أفضل|أنا نباتي|أكره|لا آكل|لا أشرب|لا أحب|أحب|ميزانيتي|पसंद है|पसंद नहीं|नहीं खाता|नहीं खाती|मेरा बजट|\
    wolę|lubię|nie lubię|nie jem|nie piję|mój budżet|jag föredrar|jag gillar|jag äter inte|min budget";

/// Phrases of what people do and have, which is mostly about one thing only.
const DOES: &str = "my name is|my name's|i'm called|i go by|i'm based in|i live in|we live in|i like|we like|i love|we love|i enjoy|\
    we enjoy|i use|we use|i work|i usually|we usually|i always|i never|we always|we never|i tend to|i'm used to|\
    i mostly|i only|works for me|suits me|i have to|i need|we need|i study|i speak|i own|i play|i collect|ich heiße|\
    ich wohne in|ich benutze|ich nutze|ich arbeite|ich brauche|ich spreche|ich liebe|normalerweise|je m'appelle|\
    j'habite|j'utilise|je travaille|j'ai besoin|je parle|uso|trabajo|necesito|hablo|suelo|mi chiamo|abito a|lavoro|\
    ho bisogno|parlo|di solito|chamo-me|me chamo|moro em|trabalho|preciso|falo|costumo|ik heet|ik woon in|\
    ik gebruik|ik werk|ik spreek|meestal|меня зовут|я живу в|я использую|я работаю|мне нужно|я говорю|обычно|\
    kullanıyorum|çalışıyorum|anymore|any longer|not any more|nicht mehr";

/// Beginnings of words for what somebody cannot have or is, in several languages.
const STEMS: [&str; 22] = [
    "allerg",
    "alérgi",
    "alergi",
    "alerji",
    "аллерг",
    "vegetari",
    "végétari",
    "vejetaryen",
    "вегетариан",
    "vegan",
    "végan",
    "веган",
    "celia",
    "celía",
    "coelia",
    "cœlia",
    "zöliakie",
    "intoleran",
    "diabet",
    "pescatari",
    "wheelchair",
    "rollstuhl",
];

/// The same in scripts without blanks and in Korean, where endings join the word. What says how long it holds comes first.
const UNSPACED_FROM_NOW_ON: [&str; 27] = [
    "今後",
    "これから",
    "以後",
    "常に",
    "必ず",
    "毎回",
    "と呼んで",
    "以后请",
    "以后都",
    "以后不",
    "以后别",
    "以后要",
    "以后回",
    "从现在",
    "從現在",
    "今后",
    "每次",
    "永远",
    "永遠",
    "一律",
    "叫我",
    "称呼我",
    "앞으로",
    "항상",
    "언제나",
    "매번",
    "불러 주세요",
];
const UNSPACED_WANTS: [&str; 40] = [
    "好き",
    "嫌い",
    "苦手",
    "アレルギー",
    "ベジタリアン",
    "ヴィーガン",
    "食べられません",
    "食べられない",
    "飲めま",
    "飲めな",
    "予算は",
    "と申します",
    "派です",
    "喜欢",
    "喜歡",
    "偏好",
    "讨厌",
    "討厭",
    "不吃",
    "不喝",
    "吃素",
    "素食",
    "过敏",
    "過敏",
    "预算",
    "預算",
    "我叫",
    "我住在",
    "좋아해",
    "좋아합",
    "좋아하",
    "싫어",
    "선호",
    "알레르기",
    "채식",
    "못 먹",
    "안 먹",
    "예산은",
    "แพ้",
    "ชอบ",
];

/// Phrases of questions that ask for something.
const POLITE: &str = "can you|could you|would you|will you|kannst du|können sie|könnten sie|puedes|podrías|peux-tu|pouvez-vous|\
    pourriez-vous|puoi|potresti|pode|poderia|можешь|можете|请|能不能|ください|주세요";

struct Lists {
    from_now_on: PhraseList,
    wants: PhraseList,
    does: PhraseList,
    polite: PhraseList,
    beginning: WordList,
    openers: WordList,
    adverbs: WordList,
    first: WordList,
    others: WordList,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists {
    from_now_on: PhraseList::of(FROM_NOW_ON),
    wants: PhraseList::of(WANTS),
    does: PhraseList::of(DOES),
    polite: PhraseList::of(POLITE),
    beginning: WordList::of(BEGINNING),
    openers: WordList::of(OPENERS),
    adverbs: WordList::of(ADVERBS),
    first: WordList::of(FIRST),
    others: WordList::of(OTHERS),
});

/// How a sentence of a user lasts; `None` if it is only about its turn. Linear in it.
pub fn lasting(sentence: &str) -> Option<Lasting> {
    if sentence.len() > LONGEST {
        return None;
    }
    let lower = sentence.to_lowercase().replace('’', "'");
    if only_asks(sentence, &lower) {
        return None;
    }
    let is_in = |cues: &[&str]| !sentence.is_ascii() && cues.iter().any(|cue| lower.contains(cue));
    if LISTS.from_now_on.is_in(&lower) || is_in(&UNSPACED_FROM_NOW_ON) {
        return Some(Lasting::Instruction);
    }
    let adverb = by_adverb(&lower);
    if adverb == Some(Lasting::Instruction) {
        return adverb;
    }
    if LISTS.wants.is_in(&lower)
        || words(&lower).any(|(_, word)| has_stem(word))
        || is_in(&UNSPACED_WANTS)
    {
        return Some(Lasting::Preference);
    }
    adverb.or_else(|| LISTS.does.is_in(&lower).then_some(Lasting::Habit))
}

/// True for a question that only proposes: one that does not ask politely for something. `lower` is the sentence in lower case.
pub fn only_asks(sentence: &str, lower: &str) -> bool {
    sentence.ends_with(['?', '？', '؟']) && !LISTS.polite.is_in(lower)
}

/// What an adverb such as `always` makes of a sentence.
fn by_adverb(lower: &str) -> Option<Lasting> {
    let (mut first, mut others, mut before) = (false, false, "");
    // `Never mind.` asks for nothing.
    let is_sentence = words(lower).nth(2).is_some();
    for (at, word) in words(lower) {
        let is_first = before.is_empty() || ends_clause(lower, at);
        if is_first {
            (first, others) = (false, false);
        }
        if LISTS.beginning.has(word) {
            let begins = is_sentence && (is_first || LISTS.openers.has(before));
            match (begins, first, others) {
                (true, false, false) => return Some(Lasting::Instruction),
                (_, true, _) => return Some(Lasting::Habit),
                _ => {}
            }
        } else if LISTS.adverbs.has(word) {
            return match (first, others) {
                (true, _) => Some(Lasting::Habit),
                (false, true) => None,
                (false, false) => Some(Lasting::Instruction),
            };
        }
        first |= LISTS.first.has(word);
        others |= LISTS.others.has(word);
        before = word;
    }
    None
}

/// True if a clause ends before a position.
fn ends_clause(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_end();
    before.ends_with([',', ':', ';', '-', '–', '—', '(', '"', '“', '.', '*', '>'])
}

fn has_stem(word: &str) -> bool {
    word.len() > 4 && STEMS.iter().any(|stem| word.starts_with(stem))
}

/// The words of a text, each with its position.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let is_inside = |c: char| (is_alphanumeric(c) && !is_unspaced(c)) || c == '\'';
        let rest = text.get(at..)?;
        let start = at + rest.find(is_inside)?;
        let word = text.get(start..)?;
        let end = word.find(|c| !is_inside(c)).unwrap_or(word.len());
        at = start + end;
        Some((start, word.get(..end)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lasts: Option<Lasting>, sentences: &[&str]) {
        for sentence in sentences {
            assert_eq!(lasting(sentence), lasts, "{sentence}");
        }
    }

    #[test]
    fn l8_instructions_for_all_turns_to_come_are_told_from_what_happens() {
        check(
            Some(Lasting::Instruction),
            &[
                "Always answer in metric units.",
                "Please never quote the price without tax.",
                "From now on, write in Dutch.",
                "Could you use the 24-hour clock from here on?",
                "Thanks, and never round the numbers.",
                "Before we begin: always name your sources.",
                "Call me Kim.",
                "Antworte mir künftig auf Englisch.",
                "Réponds toujours en vers.",
                "Responde siempre con ejemplos.",
                "Rispondi sempre in inglese.",
                "Responde sempre em inglês.",
                "Antwoord altijd in het Engels.",
                "Отвечай всегда по-английски.",
                "今後は英語で答えてください。",
                "以后请用英文回答。",
                "앞으로는 영어로 대답해 주세요.",
            ],
        );
        check(
            None,
            &[
                "The test always fails on Mondays.",
                "She is friendly and always on time.",
                "It has never worked.",
                "Never mind.",
                "Are they always late?",
                "Es regnet immer.",
                "Il pleut toujours.",
                "What is the capital of Peru?",
                "",
            ],
        );
    }

    #[test]
    fn l8_preferences_and_habits_are_told_apart() {
        check(
            Some(Lasting::Preference),
            &[
                "I'm vegetarian.",
                "I prefer window seats",
                "My budget is 300 dollars.",
                "My son is allergic to cats.",
                "Ich sitze lieber vorne.",
                "Je n’aime pas les grands hôtels.",
                "Prefiero el tren.",
                "Sono allergico ai gatti.",
                "Não gosto de café.",
                "Ik eet geen vis.",
                "Я не пью кофе.",
                "猫アレルギーです。",
                "我不喝咖啡。",
                "저는 고양이 알레르기가 있어요.",
            ],
        );
        check(
            Some(Lasting::Habit),
            &[
                "I always forget my keys.",
                "I use a Mac.",
                "Ich vergesse das immer.",
                "We like the second one.",
            ],
        );
        check(None, &["I'd like a coffee.", "Do you prefer tea?", "The dog is hungry."]);
    }
}
