//! The summary of the next compaction is written before it is due.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop"
)]

use epitome::history::Edit;
use epitome::message::{Message, MessageId, Role, Usage};
use epitome::policy::{Keep, Phase, PrepareAt, StaleSummary};
use epitome::tokens::CharactersPer;
use epitome::{
    Compactor, Contract, Event, Failure, FailureKind, NextSummary, Outcome, Output, Policy,
    PreparedUse, Reason, Report, Snapshot, SummaryRequest, Timestamp, Waste,
};

/// A compaction is due at 750 tokens; a message has 50.
pub(crate) fn policy(prepare_at: f64) -> Policy {
    let mut policy = Policy::recommended(1_000);
    policy.reducers.clear();
    policy.keep = Keep::Fraction(0.2);
    policy.keep_requests_tokens = 0;
    policy.prepare_at = Some(PrepareAt::Fraction(prepare_at));
    policy
}

pub(crate) struct Chat {
    pub(crate) compactor: Compactor,
    pub(crate) events: Vec<Event>,
    /// Requests that have no answer yet.
    pub(crate) requests: Vec<SummaryRequest>,
    pub(crate) said: usize,
}

impl Chat {
    pub(crate) fn new(policy: Policy) -> Self {
        let compactor =
            Compactor::new(policy, Contract::default(), Box::new(CharactersPer(4))).unwrap();
        Self { compactor, events: Vec::new(), requests: Vec::new(), said: 0 }
    }

    pub(crate) fn say(&mut self, messages: usize) {
        for _ in 0..messages {
            let role = if self.said.is_multiple_of(2) { Role::User } else { Role::Assistant };
            let text = format!("{:x<184}", format!("Message {0} in src/m{0}.rs ", self.said));
            self.compactor.append(Message::new(format!("m{}", self.said), role, text)).unwrap();
            self.said += 1;
        }
    }

    /// Adds messages one by one, with a check after each, until a compaction is due.
    pub(crate) fn say_until_due(&mut self) -> Reason {
        for _ in 0..30 {
            self.say(1);
            if let Some(reason) = self.check() {
                return reason;
            }
        }
        unreachable!("no compaction is due")
    }

    pub(crate) fn check(&mut self) -> Option<Reason> {
        let due = self.compactor.check(Phase::TurnStart);
        self.drain();
        due
    }

    pub(crate) fn drain(&mut self) {
        loop {
            match self.compactor.poll_output() {
                Output::Before(_) => self.compactor.proceed().unwrap(),
                Output::Summarize(request) => self.requests.push(request),
                Output::Persist(_) => self.compactor.handle_persisted().unwrap(),
                Output::Event(event) => self.events.push(event),
                Output::Save(_) | Output::Changed | Output::Continue => {}
                Output::Wait(_) => return,
            }
        }
    }

    pub(crate) fn answer(&mut self, text: &str) {
        let request = self.requests.remove(0);
        self.compactor.handle_summary(request.id, text);
        self.drain();
    }

    pub(crate) fn compact(&mut self, reason: Reason, instructions: Option<&str>) {
        self.compactor.compact(reason, instructions.map(str::to_owned)).unwrap();
        self.drain();
    }

    pub(crate) fn report(&self) -> &Report {
        self.compactor.report().unwrap()
    }

    pub(crate) fn used(&self) -> Option<PreparedUse> {
        self.report().prepared.and_then(|prepared| prepared.used)
    }

    pub(crate) fn dropped(&self) -> Vec<bool> {
        let dropped = self.events.iter().filter_map(|event| match event {
            Event::PreparationDropped { request, .. } => Some(request.is_some()),
            _ => None,
        });
        dropped.collect()
    }

    pub(crate) fn is_prepared(&self) -> bool {
        self.events.contains(&Event::Prepared)
    }

    /// A chat whose next summary is written, just above the point at which it begins.
    pub(crate) fn prepared(prepare_at: f64) -> Self {
        let mut chat = Self::new(policy(prepare_at));
        while chat.requests.is_empty() {
            chat.say(1);
            assert_eq!(chat.check(), None);
        }
        assert!(chat.requests[0].is_ahead);
        chat.answer("They have talked of everything.");
        assert!(chat.is_prepared() && !chat.compactor.is_busy());
        chat
    }
}

#[test]
fn k9_the_next_summary_is_written_while_the_chat_goes_on_and_is_there_at_once() {
    let mut chat = Chat::new(policy(0.6));
    chat.say(11);
    assert_eq!(chat.check(), None);
    assert!(chat.requests.is_empty(), "550 tokens are below the point");
    chat.say(1);
    assert_eq!(chat.check(), None);
    assert!(chat.requests[0].input.contains("Message 0 "));
    // The chat goes on meanwhile, and no second request is made.
    chat.say(1);
    assert_eq!(chat.check(), None);
    assert_eq!(chat.requests.len(), 1);
    let view = chat.compactor.view();
    chat.answer("They have talked of everything.");
    assert_eq!(chat.compactor.view(), view, "nothing changes before a compaction is due");

    let reason = chat.say_until_due();
    assert_eq!(reason, Reason::Threshold);
    chat.compactor.set_time(Timestamp(5_000));
    chat.compact(reason, None);
    let report = chat.report();
    assert!(matches!(report.outcome, Outcome::Applied { .. }), "{report:?}");
    assert_eq!((report.requests, report.waited_ms), (1, Some(0)));
    assert_eq!(chat.used(), Some(PreparedUse::AsWritten));
    assert_eq!(report.prepared.unwrap().wasted, Waste::default());
    let is_progress = |event: &Event| matches!(event, Event::Progress { .. });
    assert!(!chat.events.iter().any(is_progress), "nothing is read for it");
    assert!(chat.requests.is_empty() && chat.dropped().is_empty());
    assert!(report.tokens_after <= 500 && report.summary.as_ref().unwrap().contains("everything"));
    let paths = [&report.receipt.kept, &report.receipt.appended, &report.receipt.given_up];
    assert!(paths.iter().any(|facts| facts.iter().any(|fact| fact.text == "src/m0.rs")));

    // Undo takes it back, and the next summary is another one.
    chat.compactor.undo().unwrap();
    chat.drain();
    assert_eq!(chat.compactor.view().edits.len(), chat.said);
}

#[test]
fn k9_a_compaction_waits_only_for_what_is_not_written_yet() {
    let mut chat = Chat::new(policy(0.6));
    let reason = chat.say_until_due();
    assert_eq!(chat.requests.len(), 1);
    chat.compactor.set_time(Timestamp(1_000));
    chat.compact(reason, None);
    assert!(chat.compactor.is_busy() && chat.requests.len() == 1, "it waits for the same request");
    chat.compactor.set_time(Timestamp(1_040));
    chat.answer("They have talked of everything.");
    assert_eq!((chat.report().requests, chat.report().waited_ms), (1, Some(40)));
    assert_eq!(chat.used(), Some(PreparedUse::AsWritten));
}

#[test]
fn k9_a_compaction_that_waits_goes_on_by_itself_if_the_request_fails() {
    let mut chat = Chat::new(policy(0.6));
    let reason = chat.say_until_due();
    chat.compact(reason, None);
    let request = chat.requests.remove(0);
    let failure = Failure { kind: FailureKind::Permanent, message: "the server is on fire".into() };
    chat.compactor.handle_failure(request.id, failure, Timestamp(0));
    chat.drain();
    assert!(!chat.requests[0].is_ahead);
    chat.answer("They have talked of everything.");
    assert!(matches!(chat.report().outcome, Outcome::Applied { .. }));
    assert_eq!(chat.used(), None);
    assert_eq!(chat.report().prepared.unwrap().wasted.requests, 1);
}

#[test]
fn k9_what_came_since_is_added_if_the_result_would_be_too_large_without_it() {
    let mut chat = Chat::prepared(0.35);
    let reason = chat.say_until_due();
    chat.compact(reason, None);
    let request = &chat.requests[0];
    assert!(request.input.contains("talked of everything"), "the draft is the summary so far");
    assert!(!request.input.contains("Message 0 "), "what it covers is not sent again");
    assert!(request.input.contains("Message 8 ") && !request.is_ahead);
    chat.answer("They have talked of all that, and of more.");
    assert_eq!((chat.used(), chat.report().requests), (Some(PreparedUse::ToppedUp), 2));
    assert_eq!(chat.report().prepared.unwrap().wasted, Waste::default());
    assert!(chat.report().tokens_after <= 500);
}

#[test]
fn k9_it_is_thrown_away_if_what_it_covers_changes_and_its_cost_is_reported() {
    let changes: [fn(&mut Compactor); 5] = [
        |compactor| compactor.edit(Message::new("m0", Role::User, "Another one.")).unwrap(),
        |compactor| compactor.remove("m1".into()).unwrap(),
        |compactor| {
            let more = Message::new("new", Role::User, "In between.");
            compactor.insert(more, "m2".into()).unwrap();
        },
        |compactor| compactor.move_head(Some("m2".into())).unwrap(),
        |compactor| {
            let policy =
                Policy { stale_summary: StaleSummary::Renew, ..compactor.policy().clone() };
            compactor.set_policy(policy).unwrap();
        },
    ];
    for change in changes {
        let mut chat = Chat::prepared(0.6);
        change(&mut chat.compactor);
        chat.drain();
        assert_eq!(chat.dropped(), [false]);
        chat.compact(Reason::Manual, None);
        if chat.requests.is_empty() {
            continue;
        }
        chat.answer("They have talked.");
        let prepared = chat.report().prepared.unwrap();
        assert_eq!((prepared.used, prepared.wasted.requests), (None, 1));
        assert!(prepared.wasted.tokens > 400, "{prepared:?}");
    }
    // The same while it is being written: the host may end the request, and a late answer is not used.
    let mut chat = Chat::new(policy(0.6));
    chat.say(12);
    chat.check();
    chat.compactor.remove("m1".into()).unwrap();
    chat.drain();
    assert_eq!(chat.dropped(), [true]);
    chat.answer("They have talked of everything.");
    assert!(!chat.is_prepared());
    assert!(matches!(chat.events.last(), Some(Event::Stale { .. })));
}

#[test]
fn k9_changes_behind_what_it_covers_leave_it_as_it_is() {
    let mut chat = Chat::prepared(0.6);
    chat.compactor.edit(Message::new("m11", Role::Assistant, "Another answer.")).unwrap();
    chat.compactor.move_head(Some("m10".into())).unwrap();
    chat.drain();
    assert!(chat.dropped().is_empty());
    chat.compact(Reason::Manual, None);
    assert!(chat.requests.is_empty());
    assert_eq!(chat.used(), Some(PreparedUse::AsWritten));
}

#[test]
fn k9_what_a_compaction_would_leave_is_known_while_it_is_written_and_when_it_is_ready() {
    let mut chat = Chat::new(policy(0.6));
    chat.say(11);
    assert_eq!((chat.check(), chat.compactor.next_summary()), (None, None));
    chat.say(1);
    assert_eq!(chat.check(), None);
    let planned = chat.requests[0].target_tokens;
    let Some(NextSummary::Writing { tokens_after }) = chat.compactor.next_summary() else {
        panic!("it is being written")
    };
    assert!(tokens_after > planned && tokens_after < 500, "{tokens_after}");
    chat.say(1);
    let later = NextSummary::Writing { tokens_after: tokens_after + 50 };
    assert_eq!(chat.compactor.next_summary(), Some(later), "a message since stays");

    chat.answer("They have talked of everything.");
    let Some(NextSummary::Ready { tokens_after: Some(most) }) = chat.compactor.next_summary()
    else {
        panic!("a compaction takes it as it is")
    };
    chat.compact(Reason::SessionCompaction, None);
    assert_eq!(chat.used(), Some(PreparedUse::AsWritten));
    let left = chat.report().tokens_after;
    assert!(left <= most && most <= left + 200, "{left} of at most {most}");
    assert_eq!(chat.compactor.next_summary(), None);
}

#[test]
fn k9_what_a_compaction_would_leave_counts_the_summary_as_it_was_written() {
    let left_with = |text: &str| {
        let mut chat = Chat::new(policy(0.6));
        chat.say(12);
        assert_eq!(chat.check(), None);
        chat.answer(text);
        match chat.compactor.next_summary() {
            Some(NextSummary::Ready { tokens_after: Some(tokens) }) => tokens,
            other => panic!("{other:?}"),
        }
    };
    let planted: String = (0..20).map(|n| format!("They planted rose {n}. ")).collect();
    let (short, long) = (left_with("They talked."), left_with(&planted));
    assert!(long >= short + 100, "{short} and {long}");
}

#[test]
fn k9_what_is_ready_and_would_not_be_taken_as_it_is_says_so() {
    let mut chat = Chat::prepared(0.35);
    let reason = chat.say_until_due();
    let ready = NextSummary::Ready { tokens_after: None };
    assert_eq!(chat.compactor.next_summary(), Some(ready));
    chat.compact(reason, None);
    chat.answer("They have talked of all that, and of more.");
    assert_eq!(chat.used(), Some(PreparedUse::ToppedUp));
}

#[test]
fn k9_the_same_policy_again_leaves_it_and_another_one_throws_it_away() {
    let mut chat = Chat::prepared(0.6);
    let ready = chat.compactor.next_summary();
    chat.compactor.set_policy(policy(0.6)).unwrap();
    chat.drain();
    assert_eq!((chat.compactor.next_summary(), chat.dropped().len()), (ready, 0));
    chat.compactor.set_policy(policy(0.7)).unwrap();
    chat.drain();
    assert_eq!((chat.compactor.next_summary(), chat.dropped()), (None, vec![false]));
}

#[test]
fn k9_other_instructions_need_another_summary() {
    let mut chat = Chat::prepared(0.6);
    chat.compact(Reason::Manual, Some("focus on roses"));
    assert!(chat.requests[0].system.contains("focus on roses"));
    chat.answer("Roses.");
    assert_eq!(chat.used(), None);
    assert_eq!(chat.report().requests, 1);
    assert_eq!(chat.dropped(), [false], "it builds on what the other has replaced");
}

#[test]
fn k9_a_summarizer_that_fails_is_not_asked_again_and_again() {
    let mut chat = Chat::new(policy(0.1));
    let mut asked = 0;
    for _ in 0..14 {
        chat.say(1);
        assert_eq!(chat.check(), None);
        for request in std::mem::take(&mut chat.requests) {
            asked += 1;
            let kind = FailureKind::Transient { retry_after_ms: None };
            let failure = Failure { kind, message: "the server is busy".into() };
            chat.compactor.handle_failure(request.id, failure, Timestamp(0));
            chat.drain();
        }
    }
    assert_eq!(asked, 3);
    let reason = chat.say_until_due();
    chat.compact(reason, None);
    chat.answer("They have talked.");
    assert_eq!(chat.report().prepared.unwrap().wasted.requests, 3);
}

#[test]
fn k9_a_restored_conversation_goes_on_with_what_is_written() {
    let mut chat = Chat::prepared(0.6);
    let text = chat.compactor.snapshot().to_json_lines().unwrap();
    let snapshot = Snapshot::from_json_lines(&text).unwrap();
    chat.compactor =
        Compactor::restore(snapshot, Contract::default(), Box::new(CharactersPer(4))).unwrap();
    let reason = chat.say_until_due();
    chat.compact(reason, None);
    assert_eq!((chat.used(), chat.report().requests), (Some(PreparedUse::AsWritten), 1));
}

#[test]
fn k9_tokens_spent_in_vain_are_those_that_the_provider_reports() {
    let mut chat = Chat::new(policy(0.6));
    chat.say(12);
    chat.check();
    let usage = Usage { prompt_tokens: 700, completion_tokens: 60, ..Usage::default() };
    chat.compactor.handle_summary_usage(chat.requests[0].id, &usage);
    chat.answer("They have talked of everything.");
    chat.compactor.remove("m0".into()).unwrap();
    chat.compact(Reason::Manual, None);
    chat.answer("They have talked.");
    let wasted = chat.report().prepared.unwrap().wasted;
    assert_eq!(wasted, Waste { requests: 1, tokens: 760 });
    assert_eq!(
        chat.report().summarizer.as_ref().unwrap().tokens,
        None,
        "those are not of this one"
    );
}

#[test]
fn k9_cancelling_a_compaction_leaves_what_is_being_written() {
    let mut chat = Chat::new(policy(0.6));
    let reason = chat.say_until_due();
    chat.compact(reason, None);
    chat.compactor.cancel();
    chat.drain();
    assert_eq!(chat.report().outcome, Outcome::Cancelled);
    chat.answer("They have talked of everything.");
    assert!(chat.is_prepared());
    chat.compact(Reason::Manual, None);
    assert_eq!(chat.used(), Some(PreparedUse::AsWritten));
}

/// Whatever is prepared when, and whatever happens behind it: a message is in the view, or a summarizer has read it.
#[test]
fn k9_every_message_that_leaves_the_view_was_read() {
    let mut uses = Vec::new();
    for prepare_at in [0.2, 0.3, 0.4, 0.5, 0.6, 0.7] {
        for target in [0.2, 0.3, 0.5, 0.7] {
            for pinned in [None, Some(0), Some(3)] {
                let mut chat = Chat::new(Policy { target, ..policy(prepare_at) });
                let mut read = String::new();
                for _ in 0..40 {
                    chat.say(1);
                    if let Some(reason) = chat.check() {
                        chat.compact(reason, None);
                    }
                    while let Some(request) = chat.requests.first() {
                        read.push_str(&request.input);
                        chat.answer("They have talked of everything.");
                    }
                    if chat.said == 12
                        && let Some(number) = pinned
                    {
                        // From a message that is read to one that stays, or the other way round.
                        let message = chat.compactor.log().message(number).unwrap().clone();
                        chat.compactor.edit(Message { pinned: true, ..message }).unwrap();
                        chat.drain();
                    }
                    uses.extend(chat.events.drain(..).filter_map(|event| match event {
                        Event::End { report } => Some(report.prepared.and_then(|it| it.used)),
                        _ => None,
                    }));
                    let kept: Vec<MessageId> = (chat.compactor.view().edits.iter())
                        .filter_map(|edit| match edit {
                            Edit::Keep(id) | Edit::Replace { id, .. } => Some(id.clone()),
                            Edit::Insert { .. } => None,
                        })
                        .collect();
                    for number in 0..chat.said {
                        let is_read = read.contains(&format!("Message {number} in"));
                        assert!(is_read || kept.contains(&format!("m{number}").into()));
                    }
                }
            }
        }
    }
    for used in [PreparedUse::AsWritten, PreparedUse::ToppedUp] {
        assert!(uses.contains(&Some(used)), "{used:?} in {}", uses.len());
    }
}
