//! Finds the names of people and places in scripts without capitals, by the titles and the kinds of places beside them.

use std::sync::LazyLock;

use epitome_text::letters::is_alphanumeric;
use epitome_text::word_list::Beginnings;

/// Calls `each` for the names in a sentence in Chinese, Japanese, Korean, Arabic or Hindi, in order: a person with a title or
/// after the words with which people introduce themselves, and a place with its kind. A title and a kind that stand directly
/// beside a name are a part of it: `王先生`, `横浜市`, `مطار القاهرة`. Linear.
pub(super) fn for_each<'a>(sentence: &'a str, mut each: impl FnMut(&'a str)) {
    let scripts = Scripts::of(sentence);
    if scripts.han {
        unspaced(sentence, scripts.kana, &mut each);
    }
    if scripts.hangul || scripts.arabic || scripts.devanagari {
        spaced(sentence, &mut each);
    }
}

/// True if a name is in a script without capitals, so that its form does not show that it is one.
pub(super) fn is_uncased(name: &str) -> bool {
    name.chars()
        .any(|c| is_alphanumeric(c) && !c.is_lowercase() && !c.is_uppercase() && !c.is_ascii())
}

/// Which of these scripts a sentence has.
#[derive(Default)]
struct Scripts {
    han: bool,
    kana: bool,
    hangul: bool,
    arabic: bool,
    devanagari: bool,
}

impl Scripts {
    fn of(sentence: &str) -> Self {
        let mut scripts = Self::default();
        if sentence.is_ascii() {
            return scripts;
        }
        for character in sentence.chars() {
            match character {
                '\u{600}'..='\u{6FF}' => scripts.arabic = true,
                '\u{900}'..='\u{97F}' => scripts.devanagari = true,
                '\u{3041}'..='\u{30FF}' => (scripts.han, scripts.kana) = (true, true),
                '\u{3400}'..='\u{9FFF}' => scripts.han = true,
                '\u{AC00}'..='\u{D7A3}' => scripts.hangul = true,
                _ => {}
            }
        }
        scripts
    }
}

/// What stands behind a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// A title that comes after a family name.
    Title,
    /// A Japanese title, which any name may have.
    Address,
    /// What a place is.
    Place,
}

static BEHIND: LazyLock<Beginnings<Behind>> = LazyLock::new(|| {
    Beginnings::new([
        ("先生", Behind::Title),
        ("女士", Behind::Title),
        ("小姐", Behind::Title),
        ("太太", Behind::Title),
        ("老师", Behind::Title),
        ("医生", Behind::Title),
        ("教授", Behind::Title),
        ("经理", Behind::Title),
        ("主任", Behind::Title),
        ("律师", Behind::Title),
        ("同学", Behind::Title),
        ("部長", Behind::Title),
        ("課長", Behind::Title),
        ("社長", Behind::Title),
        ("さん", Behind::Address),
        ("くん", Behind::Address),
        ("ちゃん", Behind::Address),
        ("様", Behind::Address),
        ("氏", Behind::Address),
        ("机场", Behind::Place),
        ("医院", Behind::Place),
        ("大学", Behind::Place),
        ("公园", Behind::Place),
        ("广场", Behind::Place),
        ("博物馆", Behind::Place),
        ("空港", Behind::Place),
        ("病院", Behind::Place),
        ("公園", Behind::Place),
        ("博物館", Behind::Place),
        ("市", Behind::Place),
        ("省", Behind::Place),
        ("县", Behind::Place),
        ("県", Behind::Place),
        ("区", Behind::Place),
        ("路", Behind::Place),
        ("街", Behind::Place),
        ("镇", Behind::Place),
        ("村", Behind::Place),
        ("町", Behind::Place),
        ("站", Behind::Place),
        ("駅", Behind::Place),
        ("城", Behind::Place),
    ])
});

/// Chinese family names of one character; sorted.
const FAMILY_NAMES: [char; 129] = [
    '丁', '万', '乔', '于', '任', '何', '余', '侯', '傅', '冯', '刘', '劉', '卢', '史', '叶', '吕',
    '吳', '吴', '呂', '周', '唐', '夏', '姚', '姜', '孔', '孙', '孟', '孫', '宋', '尹', '崔', '常',
    '康', '廖', '张', '張', '彭', '徐', '戴', '文', '方', '易', '曹', '曾', '朱', '李', '杜', '杨',
    '林', '梁', '楊', '武', '段', '毛', '江', '汤', '汪', '沈', '湯', '潘', '熊', '王', '田', '白',
    '盧', '石', '秦', '程', '罗', '羅', '胡', '苏', '范', '萧', '葉', '董', '蒋', '蔡', '蔣', '蕭',
    '薛', '蘇', '袁', '許', '謝', '许', '谢', '谭', '賈', '賴', '贺', '贾', '赖', '赵', '趙', '邓',
    '邱', '邵', '邹', '郑', '郝', '郭', '鄧', '鄭', '金', '錢', '鍾', '钟', '钱', '閻', '阎', '陆',
    '陈', '陳', '雷', '韓', '韩', '顾', '馬', '馮', '马', '高', '魏', '黃', '黄', '黎', '龔', '龙',
    '龚',
];

/// Characters of words around a Chinese name, which no name has; sorted.
const AROUND: [char; 93] = [
    '不', '与', '个', '为', '么', '乘', '也', '了', '于', '些', '什', '从', '他', '以', '们', '会',
    '位', '住', '你', '其', '再', '到', '去', '又', '及', '只', '叫', '可', '号', '各', '名', '向',
    '和', '哪', '回', '因', '在', '坐', '她', '如', '它', '家', '对', '将', '就', '已', '帮', '当',
    '往', '很', '怎', '您', '想', '我', '或', '所', '找', '把', '是', '最', '有', '本', '条', '来',
    '果', '某', '此', '每', '没', '用', '的', '看', '离', '经', '给', '能', '至', '被', '要', '订',
    '让', '该', '说', '请', '跟', '过', '近', '还', '这', '那', '都', '问', '附',
];

/// Characters behind the kind of a place that make another word of it: `市场`, `区别`, `路线`.
const OTHER_WORDS: &str = "场長长民区域别间线上口过边道頭头点面商";

/// The most characters of a name before its title or its kind.
const LONGEST: usize = 6;

/// Reads a script without blanks.
fn unspaced<'a>(sentence: &'a str, has_kana: bool, each: &mut impl FnMut(&'a str)) {
    introduced(sentence, has_kana, each);
    // Where the characters that may be a name begin, the last of them last.
    let mut run: Vec<usize> = Vec::new();
    for (at, character) in sentence.char_indices() {
        let rest = sentence.get(at..).filter(|_| !run.is_empty());
        let behind = rest.and_then(|rest| BEHIND.begin(rest, character));
        if let Some((text, kind)) = behind {
            let end = at + text.len();
            if let Some(start) = begins(sentence, &run, at, end, (kind, has_kana)) {
                each(sentence.get(start..end).unwrap_or_default());
                run.clear();
                continue;
            }
        }
        match is_in_name(character, has_kana) {
            true => run.push(at),
            false => run.clear(),
        }
    }
}

/// Where the name begins that ends before `at` with this title or kind; `None` if none does.
fn begins(
    sentence: &str,
    run: &[usize],
    at: usize,
    end: usize,
    (kind, has_kana): (Behind, bool),
) -> Option<usize> {
    let first = *run.first()?;
    let family = || {
        // The shortest name of up to three characters that begins with a family name.
        let is_family = |start: &&usize| {
            let rest = sentence.get(**start..).unwrap_or_default();
            rest.chars().next().is_some_and(|it| FAMILY_NAMES.binary_search(&it).is_ok())
        };
        run.iter().rev().take(3).find(is_family).copied()
    };
    let is_name = (2..=LONGEST).contains(&run.len());
    match kind {
        Behind::Title if !has_kana => family(),
        Behind::Title => is_name.then_some(first),
        // `何名様`, `配偶者様`
        Behind::Address => {
            let last = sentence.get(..at).and_then(|before| before.chars().next_back());
            let is_kind = last.is_some_and(|last| "名人御者客屋".contains(last));
            (is_name && !is_kind).then_some(first)
        }
        Behind::Place => {
            let next = sentence.get(end..).and_then(|rest| rest.chars().next());
            let last = sentence.get(..at).and_then(|before| before.chars().next_back());
            let is_other = next.is_some_and(|next| OTHER_WORDS.contains(next))
                || last.is_some_and(|last| "公铁道线高".contains(last));
            (is_name && !is_other).then_some(first)
        }
    }
}

/// True for a character that a name in Chinese may have, or in Japanese, where words around a name are written otherwise.
fn is_in_name(character: char, is_japanese: bool) -> bool {
    matches!(character, '\u{3400}'..='\u{9FFF}' | '\u{30A1}'..='\u{30FA}' | 'ー' | '々')
        && (is_japanese || AROUND.binary_search(&character).is_err())
}

/// Words before a name with which people introduce themselves or somebody else.
static INTRODUCING: LazyLock<Beginnings<()>> = LazyLock::new(|| {
    Beginnings::of(["我叫", "名叫", "姓名是", "姓名：", "联系人：", "名前は", "担当者は"])
});

fn introduced<'a>(sentence: &'a str, has_kana: bool, each: &mut impl FnMut(&'a str)) {
    for (at, words, ()) in INTRODUCING.find_in(sentence) {
        let rest = sentence.get(at + words.len()..).unwrap_or_default().trim_start();
        let end = rest.find(|c| !is_in_name(c, has_kana)).unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or_default();
        if (2..=LONGEST).contains(&name.chars().count()) {
            each(name);
        }
    }
}

/// Words before the name of a person.
const TITLES_BEFORE: [&str; 14] = [
    "اسمي",
    "السيد",
    "السيدة",
    "الدكتور",
    "الدكتورة",
    "الأستاذ",
    "الأستاذة",
    "श्री",
    "श्रीमती",
    "सुश्री",
    "डॉ",
    "डॉक्टर",
    "नाम",
    "이름은",
];

/// Words before the name of a place.
const PLACES_BEFORE: [&str; 10] =
    ["مدينة", "شارع", "فندق", "مطار", "مستشفى", "جامعة", "محطة", "होटल", "शहर", "호텔"];

/// Ends of Korean words that name a person.
const KOREAN_TITLES: [&str; 9] =
    ["선생님", "교수님", "과장님", "팀장님", "부장님", "대표님", "박사님", "씨", "님"];
/// Words that end so and name nobody.
const KOREAN_NOT_TITLES: [&str; 8] =
    ["아저씨", "아가씨", "마음씨", "고객님", "부모님", "손님", "주인님", "하느님"];
/// Ends of Korean words that name a place.
const KOREAN_PLACES: [&str; 8] =
    ["특별시", "광역시", "대학교", "공항", "병원", "호텔", "박물관", "역"];
/// Words that end so and name none.
const KOREAN_NOT_PLACES: [&str; 2] = ["지역", "구역"];
/// Particles behind a Korean word, longer ones first.
const PARTICLES: [&str; 20] = [
    "이에요",
    "입니다",
    "에서",
    "으로",
    "까지",
    "부터",
    "에게",
    "께서",
    "예요",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "의",
    "에",
    "로",
    "와",
    "과",
];

/// Reads a script with blanks.
fn spaced<'a>(sentence: &'a str, each: &mut impl FnMut(&'a str)) {
    let mut before = "";
    for piece in sentence.split_whitespace() {
        let word = piece.trim_matches(|c: char| !is_alphanumeric(c) && !is_mark(c));
        let is_name = word.chars().nth(1).is_some() && !word.is_ascii();
        let bare = PARTICLES.iter().find_map(|it| word.strip_suffix(it)).unwrap_or(word);
        if TITLES_BEFORE.contains(&before) && is_name {
            each(bare);
        } else if PLACES_BEFORE.contains(&before) && is_name {
            each(between(sentence, before, bare));
        } else if let Some(title) = KOREAN_TITLES.iter().find(|title| bare.ends_with(*title)) {
            let stem = bare.strip_suffix(title).unwrap_or_default();
            if stem.is_empty() && (2..=4).contains(&before.chars().count()) && is_hangul(before) {
                each(between(sentence, before, bare));
            } else if stem.chars().nth(1).is_some() && !KOREAN_NOT_TITLES.contains(&bare) {
                each(bare);
            }
        } else if let Some(kind) = KOREAN_PLACES.iter().find(|kind| bare.ends_with(*kind)) {
            let stem = bare.strip_suffix(kind).unwrap_or_default();
            let is_none = KOREAN_NOT_PLACES.iter().any(|end| bare.ends_with(end));
            if stem.chars().nth(1).is_some() && is_hangul(stem) && !is_none {
                each(bare);
            }
        }
        // Behind a full stop or a comma something new begins; that of an abbreviation is behind its title.
        let goes_on = piece.ends_with(word) || TITLES_BEFORE.contains(&word);
        before = if goes_on { word } else { "" };
    }
}

/// The text from one word of a sentence to another behind it.
fn between<'a>(sentence: &'a str, first: &'a str, last: &'a str) -> &'a str {
    let offset = |word: &str| (word.as_ptr() as usize).saturating_sub(sentence.as_ptr() as usize);
    sentence.get(offset(first)..offset(last) + last.len()).unwrap_or(last)
}

fn is_hangul(word: &str) -> bool {
    word.chars().all(|character| matches!(character, '\u{AC00}'..='\u{D7A3}'))
}

/// True for a sign that belongs to the letter before it, as vowels of Hindi do.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{900}'..='\u{903}' | '\u{93A}'..='\u{94F}' | '\u{64B}'..='\u{65F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sentence: &str, expected: &[&str]) {
        let mut names = Vec::new();
        for_each(sentence, |name| names.push(name));
        assert_eq!(names, expected, "{sentence}");
    }

    #[test]
    fn d10_people_and_places_are_found_in_scripts_without_capitals() {
        check("王先生和李小明老师下周三到上海。", &["王先生", "李小明老师"]);
        check(
            "你好，我叫陈小雨，住在南京市鼓楼区中山路。",
            &["陈小雨", "南京市", "鼓楼区", "中山路"],
        );
        check("请从浦东机场去复旦大学。", &["浦东机场", "复旦大学"]);
        check(
            "田中さんと佐藤部長は横浜市の新横浜駅に来ます。",
            &["田中さん", "佐藤部長", "横浜市", "新横浜駅"],
        );
        check("名前は山本花子です。", &["山本花子"]);
        check("김민수 씨가 서울역에서 박지영님을 만났어요.", &["김민수 씨", "서울역", "박지영님"]);
        check("제 이름은 최영호입니다. 인천공항으로 가요.", &["최영호", "인천공항"]);
        check("اسمي ليلى، وأصل إلى مطار القاهرة مع السيد أحمد.", &["ليلى", "مطار القاهرة", "أحمد"]);
        check("मेरा नाम अनीता है और श्री शर्मा होटल ताज में हैं।", &["अनीता", "शर्मा", "होटल ताज"]);
    }

    #[test]
    fn d10_words_that_end_like_names_are_none() {
        check("这个城市的超市在附近的小区，请问医生。", &[]);
        check("高速公路上的路线和地区的区别。", &[]);
        check("お客様と皆さん、配偶者様に同じ仕様で、市場に行きます。", &[]);
        check("오늘 날씨가 좋아서 손님과 고객님이 이 지역에 많아요.", &[]);
        check("Nothing here.", &[]);
    }
}
