//! A message with some parts changed and some steps removed. Everything else stays as it is.

use epitome::history::{Change, PartChange};
use epitome_columns::sort;
use serde_json::Value;

use crate::content::{ContentPart, Item};
use crate::dialect::Dialect;
use crate::path::Path;

/// Edits a message. `kept` has the indices of the steps that stay, in their new order, and the number of steps
/// that the log has of the message; `None` keeps all. `changes` are by step. Linear in the message, except for
/// removals from long lists.
pub(crate) fn edit_message(
    dialect: &dyn Dialect,
    original: &Value,
    kept: Option<(&[usize], usize)>,
    changes: &[(usize, &[PartChange])],
) -> Value {
    let mut value = original.clone();
    let Ok(mut content) = dialect.read(original) else { return value };
    if let Some((_, count)) = kept {
        content.fit(count);
    }
    let kept = kept.map(|(steps, _)| steps);
    let mut removed: Vec<&Path> = Vec::new();
    for (index, changes) in changes {
        let Some(step) = content.steps.get(*index) else { continue };
        let items: Vec<_> = step.parts().map(|(_, item)| item).collect();
        for PartChange { part, change } in *changes {
            let Some(item) = items.get(*part) else { continue };
            if *change == Change::Remove {
                removed.extend(item.places());
                continue;
            }
            for at in item.places() {
                let Some(place) = at.get_mut(&mut value) else { continue };
                match (change, &item.part) {
                    (Change::Text { text }, ContentPart::Text(_)) => dialect.set_text(place, text),
                    (
                        Change::Text { text } | Change::Offload { text, .. },
                        ContentPart::Result { .. },
                    ) => dialect.set_result(place, text),
                    (Change::Arguments { arguments }, ContentPart::Call { .. }) => {
                        dialect.set_arguments(place, arguments);
                    }
                    // The engine changes no other parts.
                    _ => {}
                }
            }
        }
    }
    if let Some(kept) = kept {
        let places = |stays: bool| {
            let steps = content.steps.iter().enumerate();
            let steps = steps.filter(move |(index, _)| kept.contains(index) == stays);
            steps.flat_map(|(_, step)| step.items.iter().flat_map(Item::places))
        };
        // A call and its result may be at one place, as in an AI SDK UI message. The place stays if either
        // stays.
        let mut stays: Vec<&Path> = places(true).collect();
        sort(&mut stays);
        removed.extend(places(false).filter(|at| stays.binary_search(at).is_err()));
    }
    if kept.is_some_and(|kept| !kept.is_sorted()) {
        let order = kept.unwrap_or_default().iter().filter_map(|index| content.steps.get(*index));
        let order = order.flat_map(|step| step.items.iter().map(|item| &item.at));
        reorder(&mut value, order.filter(|at| !removed.contains(at)));
        return value;
    }
    // From the end, so that no removal moves an element that is still to be removed.
    sort(&mut removed);
    removed.dedup();
    for at in removed.into_iter().rev().filter(|at| !at.is_root()) {
        at.remove(&mut value);
    }
    value
}

/// Replaces a list by these of its elements, in this order. Does nothing if the paths are of different lists.
fn reorder<'a>(value: &mut Value, order: impl Iterator<Item = &'a Path>) {
    let order: Vec<&Path> = order.collect();
    let Some(list) = order.first().and_then(|at| at.parent()) else { return };
    if order.iter().any(|at| at.parent().as_ref() != Some(&list)) {
        return;
    }
    let elements = order.iter().filter_map(|at| at.get_mut(value).map(|element| element.clone()));
    let elements: Vec<Value> = elements.collect();
    if let Some(slot) = list.get_mut(value) {
        *slot = elements.into();
    }
}
