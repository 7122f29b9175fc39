//! The picture to share: the bars, the tokens before and after, and nothing that is said in the conversation.

use epitome::{Outcome, Plan, Pressure, Report};

use super::course::Line;
use super::heights;
use crate::browser::{Block, Words};
use crate::language::t;
use crate::number::{change, count, percent, plural, share, thousands};
use crate::store::{Outlook, Treatment};

/// Width and height in pixels, as links are previewed.
pub(super) const SIZE: (u32, u32) = (1200, 630);

const LEFT: f64 = 60.0;
const WIDTH: f64 = 1080.0;
const BASE: f64 = 470.0;
const HIGHEST: f64 = 160.0;
/// Where the line over time stands, and how high it can be.
const LINE_BASE: f64 = 285.0;
const LINE_HIGHEST: f64 = 100.0;

/// The tokens before and after the compaction that was done, or now and after the planned one.
pub(super) fn heading(
    pressure: &Pressure,
    done: Option<&Report>,
    planned: Option<&Plan>,
) -> (String, String) {
    let window = thousands(pressure.window);
    let change_of = |before, about: &str, after| {
        let arrow = t!(
            "{before} → {after} tokens",
            before = thousands(before),
            after = format!("{about}{}", thousands(after))
        );
        let change = change(before, after);
        (arrow, t!("{change} · window of {window} tokens", change, window))
    };
    let done = done.filter(|report| matches!(report.outcome, Outcome::Applied { .. }));
    match (done, planned) {
        (Some(report), _) => change_of(report.tokens_before, "", report.tokens_after),
        (None, Some(plan)) => change_of(plan.tokens_before, "~", plan.tokens_after),
        (None, None) => (
            t!("{tokens} tokens", tokens = thousands(pressure.tokens)),
            t!("{share} of a window of {window} tokens", share = percent(pressure.fill), window),
        ),
    }
}

/// The picture.
pub(super) fn draw(
    outlook: &Outlook,
    line_over_time: &Line,
    (title, below): (String, String),
) -> (Vec<Block>, Vec<Words>) {
    let step = WIDTH / f64::from(count(outlook.bars.len()).max(1));
    let bars = (0_u32..).zip(heights(outlook)).map(|(index, (bar, height))| {
        let height = 4.0 + height * (HIGHEST - 4.0);
        Block {
            left: LEFT + f64::from(index) * step,
            top: BASE - height,
            width: (step * 0.82).max(1.0),
            height,
            colour: colour(bar.treatment),
        }
    });
    let mut blocks: Vec<Block> = bars.chain(over_time(line_over_time)).collect();
    let line = |left, top, size, colour, text| Words { left, top, size, text, colour };
    let messages = plural(count(outlook.messages), "message", "messages");
    let mut words = vec![
        line(LEFT, 100.0, 60, "--ink", title),
        line(LEFT, 150.0, 28, "--soft", below),
        line(LEFT, 585.0, 26, "--accent", "epitome · npm install epitome".to_owned()),
        line(LEFT + 720.0, 585.0, 26, "--soft", messages),
    ];
    let used = Treatment::ALL.into_iter().zip(outlook.numbers).filter(|(_, number)| *number > 0);
    for (column, (treatment, number)) in (0_u32..).zip(used) {
        let left = LEFT + f64::from(column) * 360.0;
        let colour = colour(treatment);
        blocks.push(Block { left, top: 501.0, width: 20.0, height: 20.0, colour });
        let text = treatment.counted(number);
        words.push(line(left + 30.0, 520.0, 24, "--ink", text));
    }
    (blocks, words)
}

/// How full the window was over time, with a fall for each compaction.
fn over_time(line: &Line) -> impl Iterator<Item = Block> {
    let top = line.top(0);
    let height = move |tokens| share(tokens, top) * LINE_HIGHEST;
    line.corners.windows(2).flat_map(move |two| {
        let &[(from, before), (to, after)] = two else { return Vec::new() };
        let left = LEFT + from * WIDTH;
        if to > from {
            let (width, height) = ((to - from) * WIDTH, height(after));
            let area = Block { left, top: LINE_BASE - height, width, height, colour: "--line" };
            let edge = Block { height: 3.0, colour: "--ink", ..area.clone() };
            return vec![area, edge];
        }
        let (high, low) = (height(before), height(after));
        let left = left - 2.0;
        vec![Block {
            left,
            top: LINE_BASE - high,
            width: 4.0,
            height: high - low,
            colour: "--accent",
        }]
    })
}

fn colour(treatment: Treatment) -> &'static str {
    match treatment {
        Treatment::Kept => "--ink",
        Treatment::Summarized => "--accent",
        Treatment::Shortened => "--warn",
        Treatment::Removed => "--error",
        Treatment::Gone => "--line",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Bar;

    #[test]
    fn the_picture_has_a_bar_for_each_message_inside_its_frame() {
        let treatments = [Treatment::Kept, Treatment::Summarized, Treatment::Gone];
        let bars = treatments.map(|treatment| Bar { tokens: 500, treatment }).to_vec();
        let outlook = Outlook { bars, messages: 3, numbers: [1, 1, 0, 0, 1], ..Outlook::default() };
        let corners = vec![(0.0, 0), (0.5, 800), (0.5, 300), (1.0, 400)];
        let line = Line { corners, ..Line::default() };
        let (blocks, words) = draw(&outlook, &line, ("title".to_owned(), "below".to_owned()));
        assert_eq!(blocks.len(), 3 + 3 + 5, "bars, entries of the key, and two rises with a fall");
        let fall = blocks.iter().filter(|block| block.colour == "--accent" && block.width == 4.0);
        assert_eq!(fall.map(|block| block.height).collect::<Vec<_>>(), [62.5]);
        assert!(blocks.iter().all(|block| block.left + block.width <= LEFT + WIDTH));
        assert!(words.iter().any(|line| line.text == "1 become the summary"));
    }
}
