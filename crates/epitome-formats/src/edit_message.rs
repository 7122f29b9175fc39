//! A message with some of its parts changed and some of its pieces left out; everything else as it came.

use epitome::history::{Change, PartChange};
use serde_json::Value;

use crate::content::{Item, What};
use crate::dialect::Dialect;
use crate::path::Path;

/// Leaves in a message what is in these pieces, with these changes. `kept` names the pieces that stay, and how
/// many there are; all of them stay where it is `None`. Linear in the message, but for what is taken out of long lists.
pub(crate) fn extract(
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
    let kept = kept.map(|(pieces, _)| pieces);
    let mut gone: Vec<&Path> = Vec::new();
    for (index, changes) in changes {
        let Some(piece) = content.pieces.get(*index) else { continue };
        let items: Vec<_> = piece.parts().map(|(_, item)| item).collect();
        for PartChange { part, change } in *changes {
            let Some(item) = items.get(*part) else { continue };
            if *change == Change::Remove {
                gone.extend(item.places());
                continue;
            }
            for at in item.places() {
                let Some(place) = at.get_mut(&mut value) else { continue };
                match (change, &item.what) {
                    (Change::Text { text }, What::Text(_)) => dialect.say(place, text),
                    (Change::Text { text } | Change::Offload { text, .. }, What::Result { .. }) => {
                        dialect.answer(place, text);
                    }
                    (Change::Arguments { arguments }, What::Call { .. }) => {
                        dialect.call_with(place, arguments);
                    }
                    // The engine changes nothing else.
                    _ => {}
                }
            }
        }
    }
    if let Some(kept) = kept {
        let places = |stays: bool| {
            let pieces = content.pieces.iter().enumerate();
            let pieces = pieces.filter(move |(index, _)| kept.contains(index) == stays);
            pieces.flat_map(|(_, piece)| piece.items.iter().flat_map(Item::places))
        };
        let mut stays: Vec<&Path> = places(true).collect();
        stays.sort_unstable();
        gone.extend(places(false).filter(|at| stays.binary_search(at).is_err()));
    }
    if kept.is_some_and(|kept| !kept.is_sorted()) {
        let order = kept.unwrap_or_default().iter().filter_map(|index| content.pieces.get(*index));
        let order = order.flat_map(|piece| piece.items.iter().map(|item| &item.at));
        reorder(&mut value, order.filter(|at| !gone.contains(at)));
        return value;
    }
    // From the end, so that no index moves before it is used.
    gone.sort_unstable();
    gone.dedup();
    for at in gone.into_iter().rev().filter(|at| !at.is_root()) {
        at.remove(&mut value);
    }
    value
}

/// Has a list hold these of its elements, in this order.
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
