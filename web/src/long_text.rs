//! A text of any length.

use leptos::prelude::*;

use crate::direction::marked;

/// Shows a text in blocks of which the browser lays out only those that are in view: all of a summary of 20,000 tokens would hold
/// the page for 40 ms.
pub(crate) fn long_text(text: &str) -> impl IntoView + use<> {
    let blocks = blocks(text).into_iter();
    blocks
        .map(|block| view! { <p class="block" dir="auto">{marked(block).into_owned()}</p> })
        .collect_view()
}

/// The least length of a block, in bytes: about what is seen of it at once.
const BLOCK: usize = 2_000;

/// Whole lines together.
pub(crate) fn blocks(text: &str) -> Vec<&str> {
    let (mut blocks, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let mut ends = rest.match_indices('\n').map(|(at, _)| at + 1);
        let end = ends.find(|end| *end >= BLOCK).unwrap_or(rest.len());
        let (block, after) = rest.split_at(end);
        blocks.push(block);
        rest = after;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_shown_in_blocks_of_whole_lines() {
        let line = "A line of the summary, é.\n";
        let text = format!("{}The end.", line.repeat(200));
        let blocks = blocks(&text);
        assert_eq!(blocks.concat(), text);
        assert_eq!(blocks.len(), 3);
        assert!(blocks.iter().all(|block| block.ends_with(['\n', '.']) && block.len() < 2_100));
        assert!(super::blocks("").is_empty());
    }
}
