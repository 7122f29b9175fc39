//! How full the window was after each message: a line that rises, with a drop for each compaction.

use std::fmt::Write as _;

use epitome::message::CheckpointId;
use epitome::{Compactor, Reason};
use leptos::prelude::*;

use super::length;
use crate::label::reason_label;
use crate::language::t;
use crate::number::{change, count, plural, share, thousands};
use crate::store::{Outlook, Store};

/// Above this number of times the highest point, the window would leave the line too little of the height.
const TALLEST: f64 = 2.5;

/// The share of the chart's height that a label takes.
const LABEL: f64 = 0.16;

/// A compaction in the course of the conversation, in the provider's tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fall {
    checkpoint: CheckpointId,
    reason: Reason,
    /// How many messages there were.
    messages: usize,
    /// Where it is, from 0 to 1.
    pub(super) at: f64,
    pub(super) before: u32,
    pub(super) after: u32,
}

/// The line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    /// Its corners: where, from 0 to 1, and the tokens of the prompt there.
    pub(super) corners: Vec<(f64, u32)>,
    /// The compactions, oldest first.
    pub(super) falls: Vec<Fall>,
}

impl Line {
    /// The course of a conversation, on the bars of its picture. Linear in the conversation.
    pub(super) fn of(compactor: &Compactor, outlook: &Outlook) -> Self {
        let conversation = compactor.conversation();
        let (scale, course) = (compactor.scale(), conversation.course());
        let (per_bar, messages) = (outlook.per_bar(), course.tokens.len());
        let place = |messages: usize| match messages.checked_sub(1) {
            Some(last) => outlook.end(last),
            None => 0.0,
        };
        let falls = course.compactions.iter().map(|point| Fall {
            checkpoint: point.checkpoint,
            reason: point.reason,
            messages: point.messages,
            at: place(point.messages),
            before: scale.prompt_tokens(point.before),
            after: scale.prompt_tokens(point.after),
        });
        let falls: Vec<Fall> = falls.collect();
        let mut next = falls.iter().peekable();
        let mut corners = vec![(0.0, 0)];
        let mut fall_until = |reached: usize, corners: &mut Vec<(f64, u32)>| {
            while let Some(fall) = next.next_if(|fall| fall.messages <= reached) {
                corners.extend([(fall.at, fall.before), (fall.at, fall.after)]);
            }
        };
        for first in (0..messages).step_by(per_bar) {
            let behind = (first + per_bar).min(messages);
            // A compaction in the middle of a bar is drawn at its end, before what came behind it.
            fall_until(behind - 1, &mut corners);
            if let Some(tokens) = course.tokens.get(behind - 1) {
                corners.push((place(behind), scale.prompt_tokens(*tokens)));
            }
            fall_until(behind, &mut corners);
        }
        Self { corners, falls }
    }

    fn highest(&self) -> u32 {
        self.corners.iter().map(|(_, tokens)| *tokens).max().unwrap_or_default()
    }

    /// The tokens now.
    pub(super) fn last(&self) -> u32 {
        self.corners.last().map_or(0, |(_, tokens)| *tokens)
    }

    /// The tokens at the upper edge of a chart with a window of this size.
    pub(super) fn top(&self, window: u32) -> u32 {
        let highest = self.highest().max(1);
        match f64::from(window) <= f64::from(highest) * TALLEST {
            true => highest.max(window),
            false => highest,
        }
    }

    /// The line as a path in a square of 100, and what is below it if `closed`.
    fn path(&self, top: u32, closed: bool) -> String {
        let mut path = String::new();
        for (index, (at, tokens)) in self.corners.iter().enumerate() {
            let (x, y) = (at * 100.0, 100.0 - share(*tokens, top) * 100.0);
            let command = if index == 0 { 'M' } else { 'L' };
            // Writing to a string cannot fail.
            let _ = write!(path, "{command}{x:.2} {y:.2}");
        }
        if closed {
            path.push_str("V100H0z");
        }
        path
    }
}

/// The chart with a list of the compactions.
#[component]
pub(super) fn FillOverTime(store: Store) -> impl IntoView {
    let messages = Memo::new(move |_| store.outlook.with(|it| it.as_ref().map(|it| it.messages)));
    let tokens = Memo::new(move |_| store.pressure.with(|it| it.as_ref().map(|it| it.tokens)));
    // Not for each plan: while a mark is dragged, only the plan changes.
    let line = Memo::new(move |_| {
        store.revision.track();
        tokens.track();
        messages.get()?;
        let outlook = store.outlook.get_untracked()?;
        store.read(|session| Some(Line::of(session.compactor()?, &outlook)))
    });
    let pressure = move || store.pressure.get();
    let top = Memo::new(move |_| {
        let window = pressure().map_or(0, |pressure| pressure.window);
        line.with(|line| line.as_ref().map_or(1, |line| line.top(window)))
    });
    let planned = Memo::new(move |_| {
        let plan = store.plan.get().filter(|plan| plan.idle.is_none())?;
        Some(plan.tokens_after)
    });
    let chart = move || {
        line.get().map(|line| {
            let top = top.get();
            view! {
                <path class="course-area" d=line.path(top, true)></path>
                <path class="course-line" d=line.path(top, false)></path>
            }
        })
    };
    let drop = move || {
        let (last, top) = (line.with(|line| line.as_ref().map_or(0, Line::last)), top.get());
        planned.get().map(|after| {
            let height = |tokens| 100.0 - share(tokens, top) * 100.0;
            let path = format!("M100 {:.2}V{:.2}", height(last), height(after));
            view! { <path class="course-planned" d=path></path> }
        })
    };
    let label = move || line.with(|line| line.as_ref().map(described));
    let window = move || pressure().map(|pressure| pressure.window);
    let threshold = move || pressure().and_then(|pressure| pressure.threshold);
    let falls = Memo::new(move |_| line.with(|line| line.as_ref().map(|line| line.falls.clone())));
    let numbers = move || {
        let falls = falls.get().unwrap_or_default();
        numbered(&falls)
            .map(|(number, at)| {
                view! {
                    <span
                        class="course-number"
                        aria-hidden="true"
                        style:inset-inline-start=length(at)
                    >
                        {thousands(number)}
                    </span>
                }
            })
            .collect_view()
    };
    let entries = move || {
        let falls = falls.get().unwrap_or_default();
        let entries = (1..).zip(falls);
        entries.map(|(number, fall)| view! { <li><Entry store number fall /></li> }).collect_view()
    };
    view! {
        <figure class="course" aria-labelledby="course-heading">
            <figcaption>
                <h2 id="course-heading">{t!("Fill over time")}</h2>
                <span class="hint">{t!("The tokens that the model gets after each message, and what a compaction takes.")}</span>
            </figcaption>
            <div class="course-field">
                <svg
                    class="course-picture"
                    viewBox="0 0 100 100"
                    preserveAspectRatio="none"
                    role="img"
                    aria-label=label
                >
                    {chart}
                    {drop}
                </svg>
                {numbers}
                <Level top tokens=Signal::derive(window) label=|tokens| t!("window {tokens}", tokens) />
                <Level top tokens=Signal::derive(threshold) below=true label=|tokens| t!("compacts at {tokens}", tokens) />
            </div>
            <Show when=move || falls.with(|falls| falls.as_ref().is_some_and(|falls| !falls.is_empty()))>
                <ol class="course-key" aria-label=t!("Fill over time")>{entries}</ol>
            </Show>
        </figure>
    }
}

/// A level that the line may reach, if it is in the chart.
#[component]
fn Level(
    top: Memo<u32>,
    tokens: Signal<Option<u32>>,
    label: fn(String) -> String,
    /// Whether the label is below the line where it has room there, and otherwise further on, so that two levels near each other can
    /// both be read.
    #[prop(optional)]
    below: bool,
) -> impl IntoView {
    let shown = move || tokens.get().filter(|tokens| *tokens <= top.get());
    let height = move || share(shown().unwrap_or_default(), top.get());
    let is_below = move || below && height() > LABEL;
    view! {
        <span
            class="course-level"
            class:labelled-below=is_below
            class:labelled-beside=move || below && !is_below()
            hidden=move || shown().is_none()
            style:inset-block-end=move || length(height())
        >
            <span>{move || shown().map(|tokens| label(thousands(tokens)))}</span>
        </span>
    }
}

/// What one compaction has taken and why it ran; a press shows what it changed.
#[component]
fn Entry(store: Store, number: u32, fall: Fall) -> impl IntoView {
    let tokens = t!(
        "{before} → {after} tokens ({change})",
        before = thousands(fall.before),
        after = thousands(fall.after),
        change = change(fall.before, fall.after)
    );
    let messages = plural(count(fall.messages), "message", "messages");
    view! {
        <button
            type="button"
            class="legend-entry"
            title=t!("Show what it changed")
            on:click=move |_| store.compared.set(Some(fall.checkpoint))
        >
            <span class="compaction-number">{thousands(number)}</span>
            <strong>{reason_label(fall.reason)}</strong>
            " "
            <span>{tokens} " · " {t!("after {messages}", messages)}</span>
        </button>
    }
}

/// The numbers of the compactions with their places, without those that would stand on another one.
fn numbered(falls: &[Fall]) -> impl Iterator<Item = (u32, f64)> {
    let mut free_from = 0.0;
    (1..).zip(falls).filter_map(move |(number, fall)| {
        let is_free = fall.at >= free_from;
        if is_free {
            free_from = fall.at + 0.05;
        }
        is_free.then_some((number, fall.at))
    })
}

/// The chart in words.
fn described(line: &Line) -> String {
    let tokens = plural(line.last(), "token", "tokens");
    match line.falls.len() {
        0 => t!("It has grown to {tokens} without a compaction", tokens),
        number => {
            let compactions = plural(count(number), "compaction", "compactions");
            let highest = thousands(line.highest());
            t!(
                "It was {highest} tokens at most, and is {tokens} after {compactions}",
                highest,
                tokens,
                compactions
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Apart;
    use epitome::message::{Message, Role};
    use epitome::tokens::CharactersPer;
    use epitome::{Contract, Output, Policy, Scope};

    fn conversation(messages: usize) -> Compactor {
        let policy = Policy::recommended(100_000);
        let tokenizer = Box::new(CharactersPer(4));
        let mut compactor = Compactor::new(policy, Contract::default(), tokenizer).unwrap();
        say(&mut compactor, 0..messages);
        compactor
    }

    fn say(compactor: &mut Compactor, numbers: std::ops::Range<usize>) {
        for number in numbers {
            let role = if number.is_multiple_of(2) { Role::User } else { Role::Assistant };
            let said = format!("What is said in message {number} ").repeat(20);
            compactor.append(Message::new(format!("m{number}"), role, said)).unwrap();
        }
    }

    fn compact_up_to(compactor: &mut Compactor, end: usize) {
        let scope = Scope { up_to: Some(end), ..Scope::default() };
        compactor.compact_within(Reason::Manual, None, scope).unwrap();
        loop {
            match compactor.poll_output() {
                Output::Before(_) => compactor.proceed().unwrap(),
                Output::Summarize(request) => compactor.handle_summary(request.id, "They talked."),
                Output::Persist(_) => compactor.handle_persisted().unwrap(),
                Output::Wait(_) => return,
                _ => {}
            }
        }
    }

    fn line(compactor: &Compactor) -> Line {
        let plan = compactor.plan(Reason::Manual);
        Line::of(compactor, &Outlook::of(compactor, &plan, &Apart::default()))
    }

    #[test]
    fn it_rises_to_the_tokens_of_now() {
        for messages in [1, 7, 1_000] {
            let compactor = conversation(messages);
            let line = line(&compactor);
            assert_eq!(line.last(), compactor.pressure().tokens, "{messages}");
            assert!(line.corners.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 <= two[1].1));
            assert_eq!(line.corners.last().map(|corner| corner.0), Some(1.0));
            assert_eq!(line.falls, []);
        }
    }

    #[test]
    fn each_compaction_is_a_fall_from_and_to_what_it_was() {
        for messages in [40, 2_000] {
            let mut compactor = conversation(messages);
            let before = compactor.pressure().tokens;
            compact_up_to(&mut compactor, messages - 3);
            let after = compactor.pressure().tokens;
            say(&mut compactor, messages..messages + 5);
            let line = line(&compactor);
            let fall = line.falls[0];
            assert_eq!((fall.before, fall.after, fall.messages), (before, after, messages));
            assert!(
                line.corners.windows(2).any(|two| two == [(fall.at, before), (fall.at, after)])
            );
            assert!(line.corners.windows(2).all(|two| two[0].0 <= two[1].0));
            assert_eq!(line.last(), compactor.pressure().tokens);
        }
    }

    #[test]
    fn a_window_that_is_far_above_the_line_is_not_in_the_chart() {
        let line = Line { corners: vec![(0.0, 0), (1.0, 1_000)], falls: Vec::new() };
        assert_eq!((line.top(2_400), line.top(2_600), line.top(800)), (2_400, 1_000, 1_000));
        assert_eq!(line.path(2_000, true), "M0.00 100.00L100.00 50.00V100H0z");
    }

    #[test]
    fn numbers_do_not_stand_on_each_other() {
        let fall = |at| Fall {
            checkpoint: CheckpointId(1),
            reason: Reason::Manual,
            messages: 1,
            at,
            before: 2,
            after: 1,
        };
        let falls = [0.1, 0.12, 0.14, 0.16, 1.0].map(fall);
        let shown: Vec<u32> = numbered(&falls).map(|(number, _)| number).collect();
        assert_eq!(shown, [1, 4, 5]);
    }
}
