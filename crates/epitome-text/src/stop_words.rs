//! Words that say nothing by themselves: function words and fillers, in the languages that are written most.

use std::sync::OnceLock;

use epitome_columns::sort;

/// Function words, in lower case and without apostrophes, each language on lines of its own.
const LISTS: &str = "\
a about above after again against all also am an and any are arent as at be because been before being below between both \
but by can cant cannot could couldnt did didnt do does doesnt doing dont down during each few for from further get gets \
go going gonna got had hadnt has hasnt have havent having he her here hers herself him himself his how i if id ill im ive \
in into is isnt it its itself just let lets like me more most my myself no nor not of off on once only or other our ours \
ourselves out over own quite really said same say see she should shouldnt so some such than that thats the their theirs \
them themselves then there theres these they theyd theyll theyre theyve thing things think this those though through to \
too under until up us very was wasnt we well were weve werent what whats when where which while who whom whos why will \
with wont would wouldnt yeah yes yep you youd youll youre youve your yours yourself yourselves okay ok oh right sort \
kind mean know actually maybe perhaps please thanks thank hello hi sure want wanna way one two make much many even \
still anyway basically um uh hmm mm mhm er erm hm ah eh huh lot bit guess stuff something anything everything \
der die das den dem des ein eine einer eines einem einen und oder aber nicht ist sind war waren wird werden wurde ich du \
er sie es wir ihr mich mir dich dir sich uns auch noch nur schon so wie was wer wo wenn dann da dass als auf aus bei bis \
durch für gegen in im ins mit nach ohne über um unter vom von vor zu zum zur am an kann können muss soll haben hat hatte \
ja nein doch mal sehr hier mein meine meinen meiner unser unsere ihre ihren seine seinen \
el la los las un una unos unas y o pero no es son era fue ser estar está están yo tú él ella nosotros ellos me te se le \
les nos lo mi tu su sus que qué como cómo cuando donde por para con sin sobre de del en entre hasta desde muy más ya sí \
también este esta esto ese esa eso hay ha han he tiene tengo puede si al \
le les une des du et ou mais ne pas est sont était être je tu il elle on nous vous ils elles ce cet cette ces mon ton son \
sa ses leur leurs qui quoi dont où quand comme pour par avec sans sur sous dans entre vers chez au aux plus très bien \
aussi oui non avoir avez avons ont avait peut fait \
o os as um uma uns umas e ou mas não é são era foi ser estar eu ele ela nós eles lhe meu seu sua que como quando onde \
por para com sem sobre do da dos das no na nos nas ao à muito mais já sim também isso este \
il lo gli uno ed ma non è sono era io lui lei noi voi loro mi ti ci si che chi come quando dove per con senza su di del \
della dei delle nel nella dal al alla molto più già sì anche questo questa ho hai ha \
de het een en of maar niet is zijn was werd ik jij hij zij wij jullie mij jou hem haar ons dat die dit deze wat wie waar \
als dan om op uit bij tot door voor met naar over te van aan kan moet heeft hebben ook nog wel ja nee er heel \
и в во не на с со что как это то а но я ты он она оно мы вы они мне меня тебя его её ее их нас вас так же бы ли у за от \
по к ко из до для о об при без под над или если когда где кто чтобы уже ещё еще да нет есть был была было были быть все \
этот эта эти тот вот только очень \
في من على إلى الى عن مع هذا هذه ذلك تلك التي الذي ما لا لم لن هل أن ان إن كان كانت هو هي هم أنا نحن أنت و أو ثم قد كل \
بعد قبل عند كما لكن نعم يا \
है हैं था थी थे हो का की के को में से पर और या लेकिन नहीं यह वह ये वे मैं हम तुम आप मुझे हमें इस उस क्या कैसे कब कहाँ जो तो भी ही \
एक कर रहा रही रहे गया \
bir ve veya ama değil bu şu o ben sen biz siz onlar mi mı mu ne nasıl için ile gibi daha çok var yok evet hayır de da \
그 이 저 것 수 등 및 또 는 은 가 를 을 에 의 도 로 와 과 네 예 좀 더";

/// Characters of Chinese that are mostly function words; sorted.
const CHINESE: [char; 49] = [
    '一', '下', '不', '与', '个', '么', '也', '了', '什', '他', '以', '们', '会', '你', '可', '吗',
    '吧', '呀', '呢', '和', '哦', '啊', '嗯', '嘛', '在', '她', '好', '它', '对', '就', '很', '怎',
    '您', '想', '我', '是', '有', '没', '的', '给', '能', '要', '请', '谢', '还', '这', '那', '都',
    '问',
];

/// Words of Chinese, of two characters each, that say nothing by themselves: connectives, courtesies, phrases of advice.
const CHINESE_PAIRS: &str = "推荐 建议 知道 告诉 需要 可以 没有 什么 怎么 那里 这里 哪里 那边 这边 多少 一家 一个 一些 一点 就是 还是 或者 或是 \
因为 所以 但是 不过 如果 已经 不错 客气 愉快 再见 问题 谢谢 感谢 麻烦 帮忙 帮助 非常 比较 我们 你们 他们 大家 觉得 然后 现在 时候 而且 并且 不是 \
只有 分别 另外 其他 别的 为您 给您 祝您 找到 帮您 清楚 抱歉 不好 当然 应该 其中 这家 那家 它家 他家 哪家 您可 方便 考虑 选择 不用 不要 有的 还有 \
都有 这个 那个 几个 几家 两家 多家 好了 行了 记下 记得 到时";

/// Looks words up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopWords {
    /// Each word at its [`slot`] or behind it. Every word of a long text is looked up several times, so that a search through
    /// an ordered set would be a good part of a compaction.
    slots: &'static [&'static str],
}

impl Default for StopWords {
    fn default() -> Self {
        // Read once: a compaction looks words up in many places.
        static WORDS: OnceLock<Vec<&'static str>> = OnceLock::new();
        Self { slots: WORDS.get_or_init(slots) }
    }
}

impl StopWords {
    /// True for a function word or a filler, in lower case and without apostrophes. Costs O(1).
    #[must_use]
    pub fn contain(&self, word: &str) -> bool {
        if word.len() > LONGEST {
            return false;
        }
        let behind = self.slots.get(slot(word)..).unwrap_or_default();
        behind.iter().take_while(|own| !own.is_empty()).any(|own| *own == word)
    }
}

/// More than twice as many as there are words, so that few of them meet.
const SLOTS: usize = 2_048;
/// The longest word, in bytes.
const LONGEST: usize = 15;

fn slots() -> Vec<&'static str> {
    // The last words may stand behind all slots, and an empty one ends every search.
    let mut slots = vec![""; SLOTS];
    for word in LISTS.split_ascii_whitespace() {
        let mut at = slot(word);
        while slots.get(at).is_some_and(|own| !own.is_empty() && *own != word) {
            at += 1;
        }
        match slots.get_mut(at) {
            Some(slot) => *slot = word,
            None => slots.push(word),
        }
    }
    slots.push("");
    slots
}

/// Where a word is looked for.
fn slot(word: &str) -> usize {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = word.bytes().fold(0x811C_9DC5, mix);
    (hash ^ (hash >> 15)) as usize % SLOTS
}

/// True for a character that carries no content in a pair with another: a function word of Chinese, or hiragana.
pub fn is_light(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{309F}') || CHINESE.binary_search(&character).is_ok()
}

/// True for two characters that together carry no content.
pub fn is_light_pair(first: char, second: char) -> bool {
    static PAIRS: OnceLock<Vec<(char, char)>> = OnceLock::new();
    let pairs = PAIRS.get_or_init(|| {
        let characters = |pair: &str| pair.chars().next().zip(pair.chars().nth(1));
        let mut pairs: Vec<_> =
            CHINESE_PAIRS.split_ascii_whitespace().filter_map(characters).collect();
        sort(&mut pairs);
        pairs
    });
    pairs.binary_search(&(first, second)).is_ok()
}

/// The longest filler, in bytes.
pub(super) const LONGEST_FILLER: usize = 6;

/// What transcripts of speech have in braces for what is not a word. Code has any other word there, for a value.
pub(super) const SPEECH_TAGS: [&str; 14] = [
    "applause",
    "cough",
    "crosstalk",
    "disfmarker",
    "gap",
    "inaudible",
    "laugh",
    "laughter",
    "noise",
    "nonvocalsound",
    "pause",
    "sigh",
    "silence",
    "vocalsound",
];

/// True for a word of a text that only fills a pause. `er` and `um` are words of other languages: they count only where
/// another word shows that the text is English.
pub fn is_filler(word: &str, text: &str) -> bool {
    const FILLERS: [&str; 8] = ["uh", "hmm", "mm", "mm-hmm", "uh-huh", "mhm", "erm", "hm"];
    const ENGLISH_FILLERS: [&str; 2] = ["um", "er"];
    const ENGLISH: [&str; 12] =
        ["the", "and", "you", "that", "it", "this", "with", "what", "yeah", "okay", "it's", "they"];
    let is_one_of =
        |words: &[&str], word: &str| words.iter().any(|own| own.eq_ignore_ascii_case(word));
    // Most words are none of them by their last letter.
    word.len() <= LONGEST_FILLER
        && matches!(word.as_bytes().last(), Some(b'h' | b'm' | b'r' | b'H' | b'M' | b'R'))
        && (is_one_of(&FILLERS, word)
            || (is_one_of(&ENGLISH_FILLERS, word)
                && text.split_whitespace().any(|word| is_one_of(&ENGLISH, word))))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_word_of_the_lists_is_found_and_no_other_one() {
        let stop_words = StopWords::default();
        let words: BTreeSet<&str> = LISTS.split_ascii_whitespace().collect();
        assert_eq!(words.iter().map(|word| word.len()).max(), Some(LONGEST));
        for word in &words {
            assert!(stop_words.contain(word), "{word}");
            for other in [format!("{word}x"), format!("x{word}"), word.to_uppercase()] {
                assert_eq!(stop_words.contain(&other), words.contains(other.as_str()), "{other}");
            }
        }
        assert!(!stop_words.contain(""));
    }
}
