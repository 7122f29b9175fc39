//! How much nearer the next prompt is predicted where what a provider counts is learned script by script, in
//! conversations in two languages.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a test that cannot go on should stop, and say what it saw; it reads files"
)]

use std::fs;
use std::path::Path;

use epitome::message::{Message, Role, Usage};
use epitome::tokens::{TokenOverhead, Tokenizer};
use epitome::{Compactor, Contract, Policy};
use epitome_tests::conversations;
use epitome_tokens::{BytePairs, Estimate, Family};
use serde_json::Value;

const ENGLISH: [&str; 8] = [
    "The north bed gets too little light after four o'clock, so the roses there flower late.",
    "I moved the compost heap behind the shed, and the smell has not come back since.",
    "Could you work out how many bags of soil we need for nine metres of raised beds?",
    "Last year the slugs took every seedling in a single wet night at the end of May.",
    "A drip line costs more than a hose, but it halves what we use in a dry summer.",
    "Prune the old apple tree in February, before the buds open and after the hard frost.",
    "The neighbours asked whether we would share the water from the tank with them.",
    "Please write the list of jobs for this weekend, the most important ones first.",
];
const CHINESE: [&str; 8] = [
    "北边的花坛下午四点以后光照不足，所以那里的玫瑰开得比较晚。",
    "我把堆肥箱搬到了小屋后面，从那以后就再也没有闻到难闻的气味。",
    "请你帮我算一下，九米长的花坛一共需要多少袋营养土？",
    "去年五月底的一个雨夜，鼻涕虫把所有的幼苗都吃光了。",
    "滴灌管比普通水管贵一些，但是在干旱的夏天可以节省一半的水。",
    "老苹果树应该在二月份修剪，要等严寒过去，又要赶在发芽之前。",
    "邻居问我们愿不愿意和他们一起使用水箱里的雨水。",
    "请列出这个周末要做的事情，把最重要的放在最前面。",
];
const ARABIC: [&str; 8] = [
    "لا يصل إلى الحوض الشمالي ضوء كاف بعد الساعة الرابعة، ولذلك تتأخر أزهار الورد هناك.",
    "نقلت كومة السماد إلى ما وراء الكوخ ولم تعد الرائحة الكريهة منذ ذلك الحين.",
    "هل يمكنك أن تحسب عدد أكياس التربة اللازمة لتسعة أمتار من الأحواض المرتفعة؟",
    "في العام الماضي أكلت الحلزونات كل الشتلات في ليلة ممطرة واحدة في نهاية شهر مايو.",
    "أنبوب التنقيط أغلى من الخرطوم لكنه يوفر نصف الماء في صيف جاف.",
    "يجب تقليم شجرة التفاح القديمة في فبراير قبل أن تتفتح البراعم وبعد الصقيع الشديد.",
    "سألنا الجيران إن كنا نرغب في مشاركة مياه الخزان معهم.",
    "من فضلك اكتب قائمة الأعمال لنهاية هذا الأسبوع مع البدء بالأهم.",
];
const RUSSIAN: [&str; 8] = [
    "На северную клумбу после четырёх часов попадает мало света, поэтому розы там цветут поздно.",
    "Я перенёс компостную кучу за сарай, и с тех пор неприятный запах больше не возвращался.",
    "Посчитайте, пожалуйста, сколько мешков земли нужно на девять метров высоких грядок?",
    "В прошлом году слизни съели всю рассаду за одну дождливую ночь в конце мая.",
    "Капельный полив дороже шланга, зато в сухое лето он вдвое сокращает расход воды.",
    "Старую яблоню обрезают в феврале, до того как раскроются почки, и после сильных морозов.",
    "Соседи спросили, не поделимся ли мы с ними водой из бака.",
    "Составьте список дел на эти выходные и начните с самого важного.",
];

/// So many sentences, each time others in another order.
fn paragraph(sentences: &[&str; 8], number: usize, count: usize) -> String {
    let sentence = |at: usize| sentences[(number * 5 + at * 3 + at * number) % sentences.len()];
    (0..count).map(|at| format!("{} ", sentence(at))).collect()
}

/// Eighty messages, of which each four are in one language and the next four in the other, and of different lengths.
fn alternating(other: &[&str; 8]) -> Vec<String> {
    let text = |number: usize| {
        let sentences = if (number / 4).is_multiple_of(2) { &ENGLISH } else { other };
        paragraph(sentences, number, 4 + number % 5)
    };
    (0..80).map(text).collect()
}

/// Counts as another tokenizer has, by numbers that stand for texts: nothing tells in which script they are.
struct Blind(Vec<u32>);

impl Tokenizer for Blind {
    fn count(&self, number: &str) -> u32 {
        self.0[number.parse::<usize>().unwrap()]
    }

    fn error_band(&self) -> f64 {
        Estimate(Family::O200kBase).error_band()
    }

    fn overhead(&self) -> TokenOverhead {
        Estimate(Family::O200kBase).overhead()
    }
}

/// Has people and a model take turns, and every prompt predicted before the provider tells its count. Returns how far
/// off predictions are once some turns were counted, against what was appended since the last count.
fn error(texts: &[String], told: &[u32], tokenizer: impl Tokenizer + Send + Sync + 'static) -> f64 {
    const BESIDE: u32 = 700;
    const TURNS_TO_LEARN: usize = 20;
    let around = Estimate(Family::O200kBase).overhead().message;
    let policy = Policy::recommended(1_000_000);
    let mut compactor = Compactor::new(policy, Contract::default(), Box::new(tokenizer)).unwrap();
    let (mut real, mut off, mut appended) = (BESIDE, 0, 0);
    for (turn, (texts, told)) in texts.chunks(2).zip(told.chunks(2)).enumerate() {
        let [question, answer] = [told[0] + around, told[1] + around];
        compactor.append(Message::new(format!("q{turn}"), Role::User, &texts[0])).unwrap();
        real += question;
        if turn > TURNS_TO_LEARN {
            off += compactor.pressure().tokens.abs_diff(real);
            appended += question;
        }
        compactor.append(Message::new(format!("a{turn}"), Role::Assistant, &texts[1])).unwrap();
        let usage = Usage { prompt_tokens: real, completion_tokens: answer, ..Usage::default() };
        compactor.handle_usage(usage);
        real += answer;
    }
    f64::from(off) / f64::from(appended)
}

/// How far off predictions are where scripts are told apart, and by one factor for all.
fn errors(name: &str, texts: &[String], provider: &dyn Tokenizer) -> [f64; 2] {
    let told: Vec<u32> = texts.iter().map(|text| provider.count(text)).collect();
    let estimates = texts.iter().map(|text| Estimate(Family::O200kBase).count(text)).collect();
    let numbers: Vec<String> = (0..texts.len()).map(|number| number.to_string()).collect();
    let by_script = error(texts, &told, Estimate(Family::O200kBase));
    let by_one = error(&numbers, &told, Blind(estimates));
    let [first, second] = [by_script, by_one].map(|error| error * 100.0);
    println!("{name:24} {first:5.1} % by script, {second:5.1} % by one factor");
    [by_script, by_one]
}

/// `cl100k_base`; `None`, said aloud, where its vocabulary was not packed.
fn cl100k() -> Option<BytePairs> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../crates/epitome-wasm/npm/encodings/cl100k_base.vocab");
    let Ok(file) = fs::read(&path) else {
        eprintln!("SKIPPED: {} is missing; `cargo xtask vocab` packs it", path.display());
        return None;
    };
    Some(BytePairs::read(&file).unwrap())
}

#[test]
fn what_is_said_in_two_languages_is_predicted_closer_than_by_one_factor() {
    let Some(exact) = cl100k() else { return };
    // What a provider takes more than double for is not learned, as for Arabic.
    let cases: [(&str, &[&str; 8], &dyn Tokenizer, f64); 5] = [
        ("Chinese, cl100k_base", &CHINESE, &exact, 0.08),
        ("Chinese, Claude", &CHINESE, &Estimate(Family::Claude), 0.04),
        ("Arabic, cl100k_base", &ARABIC, &exact, 0.20),
        ("Russian, cl100k_base", &RUSSIAN, &exact, 0.10),
        ("Russian, Claude", &RUSSIAN, &Estimate(Family::Claude), 0.08),
    ];
    for (name, sentences, provider, most) in cases {
        let [by_script, by_one] = errors(name, &alternating(sentences), provider);
        assert!(by_script < most && by_script < by_one * 0.6, "{name}: {by_script} {by_one}");
    }
}

#[test]
fn what_is_said_in_one_language_is_predicted_as_by_one_factor() {
    let Some(exact) = cl100k() else { return };
    let [by_script, by_one] = errors("English alone", &alternating(&ENGLISH), &exact);
    assert!((by_script - by_one).abs() < 1e-9, "{by_script} {by_one}");
}

/// What people and tools say in recorded chats: ten messages in English, then ten in Chinese or Japanese, and so on.
fn recorded() -> Option<Vec<String>> {
    let recordings = conversations()?;
    let of = |name: &str| -> Vec<String> {
        let those = recordings.iter().filter(|conversation| conversation.name.contains(name));
        let texts = those.flat_map(|conversation| &conversation.messages);
        let text = |message: &Value| Some(message.get("content")?.as_str()?.to_owned());
        texts.filter_map(text).filter(|text| text.len() > 40).collect()
    };
    let (english, other) = (of("taubench-airline"), of("multilingual"));
    let stretches = english.chunks(10).zip(other.chunks(10)).take(100);
    Some(stretches.flat_map(|(english, other)| [english, other].concat()).collect())
}

#[test]
fn recorded_chats_in_turns_are_predicted_closer_than_by_one_factor() {
    let (Some(exact), Some(texts)) = (cl100k(), recorded()) else { return };
    let [by_script, by_one] = errors("recorded, cl100k_base", &texts, &exact);
    assert!(by_script < 0.05 && by_script < by_one / 2.0, "{by_script} {by_one}");
    let [by_script, by_one] = errors("recorded, Claude", &texts, &Estimate(Family::Claude));
    assert!(by_script < 0.03 && by_script < by_one, "{by_script} {by_one}");
}
