//! The tokenizer can be changed, at once or message by message, and an exact count says that it is exact.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue should fail")]

use epitome::message::{Audience, Message, Part, Role};
use epitome::policy::{Keep, Policy};
use epitome::test_notation::transcript;
use epitome::tokens::{BoxedTokenizer, CharactersPer, CountState, Tokenizer};
use epitome::{CommandError, Compactor, Contract, Output, Reason};

/// An exact tokenizer: each word is a token.
struct Words;

impl Tokenizer for Words {
    fn count(&self, text: &str) -> u32 {
        text.split_whitespace().count() as u32
    }

    fn error_band(&self) -> f64 {
        0.0
    }

    fn divide(&self, text: &str, from: usize) -> usize {
        text.get(from..).and_then(|rest| rest.find(' ')).map_or(text.len(), |at| from + at)
    }
}

const TALK: &str =
    "s: be kind to all\nu: one two three\na: four five\nu: six seven eight nine\na: ten";

fn compactor(tokenizer: BoxedTokenizer) -> Compactor {
    let policy = Policy { keep: Keep::Messages(2), ..Policy::recommended(1_000) };
    let mut compactor = Compactor::new(policy, Contract::default(), tokenizer).unwrap();
    for message in transcript(TALK) {
        compactor.append(message).unwrap();
    }
    compactor
}

fn said(id: &str, text: &str) -> Message {
    Message::new(id, Role::User, text)
}

fn count_on(compactor: &mut Compactor) {
    while compactor.count_next().unwrap() {}
}

#[test]
fn b1_an_exact_tokenizer_makes_the_count_exact() {
    let mut compactor = compactor(Box::new(CharactersPer(4)));
    let pressure = compactor.pressure();
    assert_eq!((pressure.exact, pressure.error_band > 0.0), (false, true));
    compactor.count_by(Box::new(Words));
    let pressure = compactor.pressure();
    assert_eq!((pressure.tokens, pressure.exact), (14 + 5 * 4, true));
    assert!(pressure.error_band <= 0.0);
}

#[test]
fn b1_counting_again_in_steps_gives_the_same_as_at_once() {
    let mut slowly = compactor(Box::new(CharactersPer(1)));
    let mut at_once = compactor(Box::new(CharactersPer(1)));
    let before = slowly.pressure();
    slowly.begin_count_by(Box::new(Words));
    assert_eq!(slowly.count_next(), Ok(true));
    assert_eq!(slowly.count_next(), Ok(true));
    assert_eq!(slowly.pressure(), before, "what counted before counts on");
    // Messages that are added or edited meanwhile are counted too, before and after the current position.
    for compactor in [&mut slowly, &mut at_once] {
        compactor.append(said("m5", "eleven twelve")).unwrap();
        compactor.edit(said("m1", "one")).unwrap();
        compactor.edit(said("m3", "six")).unwrap();
    }
    count_on(&mut slowly);
    at_once.count_by(Box::new(Words));
    assert_eq!(slowly.pressure(), at_once.pressure());
    assert_eq!(slowly.pressure().tokens, 11 + 6 * 4);
    assert_eq!(slowly.count_next(), Ok(false), "nothing is left to do");
    assert_eq!(slowly.pressure(), at_once.pressure());
}

#[test]
fn a_running_compaction_keeps_its_token_counts() {
    let mut compactor = compactor(Box::new(CharactersPer(1)));
    compactor.edit(said("m1", &"one two three ".repeat(40))).unwrap();
    compactor.begin_count_by(Box::new(Words));
    compactor.compact(Reason::Manual, None).unwrap();
    let before = compactor.pressure();
    assert_eq!(compactor.count_next(), Err(CommandError::Busy));
    loop {
        match compactor.poll_output() {
            Output::Before(_) => compactor.proceed().unwrap(),
            Output::Summarize(request) => compactor.handle_summary(request.id, "They counted."),
            Output::Persist(_) => {
                assert_eq!(compactor.pressure(), before);
                compactor.handle_persisted().unwrap();
            }
            Output::Save(_) | Output::Changed | Output::Event(_) | Output::Continue => {}
            Output::Wait(_) => break,
        }
    }
    count_on(&mut compactor);
    assert!(compactor.pressure().exact);
}

#[test]
fn j24_a_message_that_was_counted_before_is_appended_as_any_other() {
    let new = || said("m9", "eleven twelve thirteen");
    for changes in [false, true] {
        let [mut ahead, mut at_once] = [(); 2].map(|()| compactor(Box::new(CharactersPer(1))));
        let mut counted = ahead.begin_message(new());
        assert_eq!(counted.id(), &new().id);
        assert!(ahead.count_message(&mut counted));
        if changes {
            // What was counted is of another tokenizer then.
            ahead.count_by(Box::new(Words));
            at_once.count_by(Box::new(Words));
        }
        ahead.append_counted(counted).unwrap();
        at_once.append(new()).unwrap();
        assert_eq!(ahead.pressure(), at_once.pressure());
        assert_eq!(ahead.view(), at_once.view());
    }
}

/// A message of this many words, with a text and the arguments of a call.
fn long(words: usize) -> Message {
    let text = "garden ".repeat(words / 2);
    let arguments = serde_json::json!({ "text": text }).to_string();
    let call = Part::ToolCall { call: "c1".into(), name: "write".to_owned(), arguments };
    Message { parts: vec![Part::Text { text }, call], ..Message::new("m5", Role::Assistant, "") }
}

#[test]
fn j24_a_very_long_message_is_counted_in_slices() {
    let [mut in_slices, mut at_once] = [(); 2].map(|()| compactor(Box::new(Words)));
    let mut counted = in_slices.begin_message(long(400_000));
    let mut slices = 1;
    while !in_slices.count_message(&mut counted) {
        slices += 1;
    }
    assert!((5..=8).contains(&slices), "{slices} for 2.8 MB");
    in_slices.append_counted(counted).unwrap();
    at_once.append(long(400_000)).unwrap();
    assert_eq!(in_slices.pressure(), at_once.pressure());
    assert!(at_once.pressure().tokens > 400_000);
}

#[test]
fn j24_a_very_long_message_is_counted_again_in_slices_and_can_change_between_them() {
    for edited in [false, true] {
        let mut in_slices = compactor(Box::new(CharactersPer(1)));
        in_slices.append(long(400_000)).unwrap();
        in_slices.begin_count_by(Box::new(Words));
        for _ in 0..7 {
            assert_eq!(in_slices.count_next(), Ok(true));
        }
        if edited {
            in_slices.edit(Message { id: "m5".into(), ..long(200_000) }).unwrap();
        }
        let mut slices = 0;
        while in_slices.count_next().unwrap() {
            slices += 1;
        }
        assert!((2..=8).contains(&slices), "{slices}");
        let mut at_once = compactor(Box::new(Words));
        at_once.append(long(if edited { 200_000 } else { 400_000 })).unwrap();
        assert_eq!(in_slices.pressure().tokens, at_once.pressure().tokens);
    }
}

#[test]
fn j24_a_tokenizer_of_an_app_may_divide_a_text_anywhere() {
    /// Counts bytes, and says of a place that it is one of a division that is none.
    struct Wrong(usize);

    impl Tokenizer for Wrong {
        fn count(&self, text: &str) -> u32 {
            text.len() as u32
        }

        fn error_band(&self) -> f64 {
            0.0
        }

        fn divide(&self, _: &str, _: usize) -> usize {
            self.0
        }
    }

    for place in [0, 1, (1 << 19) + 1, usize::MAX] {
        let mut compactor = compactor(Box::new(Wrong(place)));
        let before = compactor.pressure().tokens;
        compactor.append(said("m5", &"字".repeat(400_000))).unwrap();
        assert_eq!(compactor.pressure().tokens - before, 1_200_000 + 4, "{place}");
    }
}

#[test]
fn j24_a_text_that_a_tokenizer_counts_in_steps_is_counted_in_slices_and_begun_again_after_an_edit()
{
    /// Counts bytes, fifty thousand in a step.
    struct Steps;

    impl Tokenizer for Steps {
        fn count(&self, text: &str) -> u32 {
            text.len() as u32
        }

        fn error_band(&self) -> f64 {
            0.0
        }

        fn count_on(&self, text: &str, state: &mut CountState) -> Option<u32> {
            let counted = state.get(|| 0_usize)?;
            *counted = text.len().min(*counted + 50_000);
            (*counted == text.len()).then_some(*counted as u32)
        }
    }

    let text = "-".repeat(400_000);
    let mut compactor = compactor(Box::new(Steps));
    let before = compactor.pressure().tokens;
    let mut counted = compactor.begin_message(said("m5", &text));
    let mut slices = 1;
    while !compactor.count_message(&mut counted) {
        slices += 1;
    }
    assert_eq!(slices, 8);
    compactor.append_counted(counted).unwrap();
    assert_eq!(compactor.pressure().tokens - before, 400_000 + 4);
    compactor.edit(said("m5", &text.replace('-', "=="))).unwrap();
    assert_eq!(compactor.pressure().tokens - before, 800_000 + 4);

    compactor.begin_count_by(Box::new(Steps));
    for _ in 0..9 {
        assert_eq!(compactor.count_next(), Ok(true));
    }
    compactor.edit(said("m5", &text)).unwrap();
    while compactor.count_next().unwrap() {}
    assert_eq!(compactor.pressure().tokens - before, 400_000 + 4);
}

#[test]
fn a_counted_message_for_some_agents_is_not_in_the_view_of_all() {
    let mut compactor = compactor(Box::new(CharactersPer(1)));
    let before = compactor.pressure();
    let audience = Audience::Agents(vec!["writer".into()]);
    let counted = compactor.begin_message(Message { audience, ..said("m9", "for one") });
    compactor.append_counted(counted).unwrap();
    assert_eq!(compactor.pressure(), before);
    assert_eq!(compactor.agent("writer").unwrap().log().len(), 6);
}

#[test]
fn an_agent_counts_as_its_team_did_when_it_was_asked_for_first() {
    let mut team = compactor(Box::new(CharactersPer(4)));
    let mut early = team.lend("early").unwrap();
    assert!(early.compactor().counts_as(&team));
    team.count_by(Box::new(Words));
    let mut late = team.lend("late").unwrap();
    assert!(late.compactor().counts_as(&team) && !early.compactor().counts_as(&team));
}
