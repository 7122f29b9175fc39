//! Checklists and criteria that a summary lost: which of their items are appended to it, and how the model reads them.

use epitome_columns::SortedSet;

use super::fact::Mention;
use super::{Fact, Kind};
use crate::message::MessageId;
use crate::tokens::{Meter, MeterTokens};

/// The first line of the lists after a summary.
pub const LISTS: &str = "Checklists and criteria, word for word:";

/// The longest note about items that are left out, to measure it.
const LONGEST_NOTE: &str = "[100,000 more items of other lists are left out]";

/// Selects items for at most `budget` tokens, and returns their indices.
///
/// Lists of users come first, and of those the latest. A list is taken whole if it fits. Otherwise it is cut at its end.
/// Every item is counted at most twice.
pub(super) fn select(items: &[Mention], budget: MeterTokens, meter: &Meter) -> SortedSet<usize> {
    // A line break before each line.
    let cost = |text: &str| meter.count(text) + MeterTokens::new(1);
    let note = cost(LONGEST_NOTE);
    let mut left = budget - cost(LISTS) - note;
    let mut chosen = SortedSet::new();
    for list in by_importance(items) {
        let item = |index: &usize| items.get(*index);
        let head = list.first().and_then(item).map_or(note, |first| cost(&first.speaker));
        let whole: MeterTokens = list.iter().filter_map(item).map(|item| cost(&item.text)).sum();
        let mut room = left - head;
        if whole > room {
            room -= note;
        }
        let before = chosen.len();
        for index in list {
            let Some(cost) =
                items.get(index).map(|item| cost(&item.text)).filter(|cost| *cost <= room)
            else {
                break;
            };
            room -= cost;
            chosen.insert(index);
        }
        // A list of which nothing fits needs neither its head nor a note of its own.
        if chosen.len() > before {
            left = room;
        }
    }
    chosen
}

/// The lists as the model reads them, each with its speaker, and notes of how many items are left out; empty if there
/// are none.
pub(crate) fn lists(facts: &[Fact], left_out: &[Fact]) -> String {
    let items = facts.iter().filter(|fact| fact.kind == Kind::Checklist);
    let mut lists: Vec<List> = Vec::new();
    for item in items {
        List::with(&mut lists, item, |list| list.lines.push(&item.text));
    }
    let kept = lists.len();
    for item in left_out {
        List::with(&mut lists, item, |list| list.left_out += 1);
    }
    let mut lines: Vec<String> = Vec::new();
    if kept > 0 {
        lines.push(LISTS.to_owned());
    }
    for list in lists.iter().take(kept) {
        lines.push(format!("{}:", list.speaker));
        lines.extend(list.lines.iter().map(|line| (*line).to_owned()));
        if list.left_out > 0 {
            lines.push(note(list.left_out, " more", ""));
        }
    }
    let others: usize = lists.iter().skip(kept).map(|list| list.left_out).sum();
    if others > 0 {
        lines.push(match kept {
            0 => note(others, "", " of checklists and criteria"),
            _ => note(others, " more", " of other lists"),
        });
    }
    lines.join("\n")
}

/// The items of one speaker in one message.
struct List<'a> {
    speaker: &'a str,
    source: Option<&'a MessageId>,
    lines: Vec<&'a str>,
    left_out: usize,
}

impl<'a> List<'a> {
    /// Changes the list that this item belongs to, which is added if it is new. The items of a list mostly follow each
    /// other, so that the search is short.
    fn with(lists: &mut Vec<Self>, item: &'a Fact, change: impl FnOnce(&mut Self)) {
        let (speaker, source) = (item.speaker.as_str(), item.sources.first());
        let is_same = |list: &&mut Self| list.source == source && list.speaker == speaker;
        match lists.iter_mut().rfind(is_same) {
            Some(list) => change(list),
            None => {
                let mut list = Self { speaker, source, lines: Vec::new(), left_out: 0 };
                change(&mut list);
                lists.push(list);
            }
        }
    }
}

fn note(count: usize, more: &str, of: &str) -> String {
    let (items, are) = if count == 1 { ("item", "is") } else { ("items", "are") };
    format!("[{count}{more} {items}{of} {are} left out]")
}

/// The lists among the items, each as the indices of its items: those of users first, and of those the latest.
fn by_importance(items: &[Mention]) -> Vec<Vec<usize>> {
    let mut lists: Vec<Vec<usize>> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let is_same = |list: &Vec<usize>| {
            let first = list.first().and_then(|first| items.get(*first));
            first.is_some_and(|first| {
                first.numbers.first() == item.numbers.first() && first.speaker == item.speaker
            })
        };
        match lists.iter_mut().rfind(|list| is_same(list)) {
            Some(list) => list.push(index),
            None => lists.push(vec![index]),
        }
    }
    let is_of_user = |list: &Vec<usize>| {
        let first = list.first().and_then(|first| items.get(*first));
        first.is_some_and(Mention::is_of_user)
    };
    let (of_users, of_others): (Vec<_>, Vec<_>) = lists.into_iter().rev().partition(is_of_user);
    of_users.into_iter().chain(of_others).collect()
}
