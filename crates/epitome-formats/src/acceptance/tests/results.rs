//! Which call a result answers.

use super::*;

#[test]
fn a_result_without_an_id_answers_calls_that_wait_for_approval_last() {
    let anywhere = Contract { results: ResultPlace::AnywhereAfter, ..Contract::default() };
    let of = |text: &str| refused_of(&anywhere, text);
    let open = |call: &str, index| Some(Violation::UnansweredCall { call: call.into(), index });
    let calls = "u: hi\na: !f may:x<f> !g";
    assert_eq!(of(&format!("{calls}\nt: =")), None, "one waits, and the other is answered");
    assert_eq!(of(calls), open("g", 1));
    assert_eq!(of(&format!("{calls}\nt: =\nt: =")), None);
    assert_eq!(
        of(&format!("{calls}\nt: =\nt: =\nt: =")),
        Some(Violation::OrphanedResult { call: "".into(), index: 4 })
    );
    let earlier = "u: hi\na: !e\na: !f\nt: =f\nt: =";
    assert_eq!(
        of(earlier),
        Some(Violation::OrphanedResult { call: "".into(), index: 4 }),
        "never one of an earlier message"
    );
    assert_eq!(of("u: hi\na: !f\na: !f may:x<f>\nt: =f"), open("f", 1), "the latest of an id");
}

#[test]
fn a_result_without_an_id_answers_the_first_open_call_of_the_last_message() {
    let anywhere = Contract { results: ResultPlace::AnywhereAfter, ..Contract::default() };
    let open = |call: &str, index| Some(Violation::UnansweredCall { call: call.into(), index });
    assert_eq!(refused_of(&anywhere, "u: hi\na: !f !g\nt: =\nt: =g"), None);
    assert_eq!(refused_of(&anywhere, "u: hi\na: !f !g\nt: =\nt: ="), None);
    assert_eq!(refused_of(&anywhere, "u: hi\na: !f\na: !g\nt: ="), open("f", 1));
    assert_eq!(refused_of(&anywhere, "u: hi\na: !f !g\nt: ="), open("g", 1));
}

#[test]
fn an_image_beside_a_result_may_come_before_the_results_of_other_calls() {
    let mut messages = transcript("u: hi\na: !f !g\nt: =f\nt: =g");
    messages[2].parts.push(Part::Image(Media::default()));
    assert_eq!(refused(&Contract::default(), messages), None);
}
