//! Checklists and criteria that a summary lost: which of their items are appended to it, and how the model reads them.

use std::collections::{BTreeMap, BTreeSet};

use super::fact::Mention;
use super::{Fact, Kind};
use crate::message::MessageId;
use crate::tokens::{Meter, MeterTokens};

/// The first line of the lists after a summary.
const LISTS: &str = "Checklists and criteria, word for word:";

/// The longest note about items that are left out, to measure it.
const LONGEST_NOTE: &str = "[100,000 more items of other lists are left out]";

/// Selects items for at most `budget` tokens, and returns their indices.
///
/// Lists of users come first, and of those the latest. A list is taken whole if it fits. Otherwise it is cut at its end.
/// Costs O(n log n), and counts every item once.
pub(super) fn select(items: &[Mention], budget: MeterTokens, meter: &Meter) -> BTreeSet<usize> {
    // A line break before each line.
    let cost = |text: &str| meter.count(text) + MeterTokens::new(1);
    let note = cost(LONGEST_NOTE);
    let mut left = budget - cost(LISTS) - note;
    let mut chosen = BTreeSet::new();
    for list in by_importance(items) {
        let head = list.first().map_or(MeterTokens::ZERO, |(_, item)| cost(&item.speaker));
        let costs = list.iter().map(|(index, item)| (*index, cost(&item.text)));
        let costs: Vec<(usize, MeterTokens)> = costs.collect();
        let whole: MeterTokens = costs.iter().map(|(_, cost)| *cost).sum();
        let fits = head + whole <= left;
        let mut room = if fits { left - head } else { left - head - note };
        for (index, cost) in costs {
            if cost > room {
                break;
            }
            room -= cost;
            chosen.insert(index);
        }
        left = room;
    }
    chosen
}

/// The lists as the model reads them, each with its speaker, and notes of how many items are left out; empty if there
/// are none.
pub(crate) fn lists(facts: &[Fact], left_out: &[Fact]) -> String {
    let mut missing: BTreeMap<(&str, Option<&MessageId>), usize> = BTreeMap::new();
    for fact in left_out {
        *missing.entry(list_of(fact)).or_default() += 1;
    }
    let items = facts.iter().filter(|fact| fact.kind == Kind::Checklist);
    let mut order: Vec<(&str, Option<&MessageId>)> = Vec::new();
    let mut kept: BTreeMap<(&str, Option<&MessageId>), Vec<&str>> = BTreeMap::new();
    for item in items {
        let list = kept.entry(list_of(item)).or_default();
        if list.is_empty() {
            order.push(list_of(item));
        }
        list.push(&item.text);
    }
    let mut lines: Vec<String> = Vec::new();
    for list in order {
        if lines.is_empty() {
            lines.push(LISTS.to_owned());
        }
        lines.push(format!("{}:", list.0));
        lines.extend(kept.remove(&list).unwrap_or_default().into_iter().map(str::to_owned));
        lines.extend(missing.remove(&list).map(|count| note(count, " more", "")));
    }
    let others: usize = missing.values().sum();
    if others > 0 {
        lines.push(match lines.is_empty() {
            true => note(others, "", " of checklists and criteria"),
            false => note(others, " more", " of other lists"),
        });
    }
    lines.join("\n")
}

fn note(count: usize, more: &str, of: &str) -> String {
    let (items, are) = if count == 1 { ("item", "is") } else { ("items", "are") };
    format!("[{count}{more} {items}{of} {are} left out]")
}

/// The list that an item belongs to: those of one speaker in one message.
fn list_of(fact: &Fact) -> (&str, Option<&MessageId>) {
    (&fact.speaker, fact.sources.first())
}

/// The lists among the items, each with the indices of its items.
fn by_importance(items: &[Mention]) -> Vec<Vec<(usize, &Mention)>> {
    let mut lists: BTreeMap<(&str, Option<&u32>), Vec<(usize, &Mention)>> = BTreeMap::new();
    for (index, item) in items.iter().enumerate() {
        let list = lists.entry((&item.speaker, item.numbers.first())).or_default();
        list.push((index, item));
    }
    let mut lists: Vec<Vec<(usize, &Mention)>> = lists.into_values().collect();
    lists.sort_by_key(|list| {
        let is_of_user = list.iter().any(|(_, item)| item.is_of_user());
        let latest = list.iter().filter_map(|(_, item)| item.numbers.last()).max().copied();
        std::cmp::Reverse((is_of_user, latest))
    });
    lists
}
