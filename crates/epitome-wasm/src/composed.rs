//! The messages that are made for a view, by numbers that stay the same as long as they do.

use std::collections::BTreeMap;

use epitome::message::MessageId;
use epitome_formats::Recipe;

/// The messages that were made for the view, by number.
#[derive(Default)]
pub(crate) struct Made {
    recipes: BTreeMap<u32, Recipe>,
    /// The numbers of those that begin with a message of the host's, by its id, and of the others.
    numbers: BTreeMap<Option<MessageId>, Vec<u32>>,
    next: u32,
}

impl Made {
    /// How the message of a number is made.
    pub(crate) fn recipe(&self, number: u32) -> Option<&Recipe> {
        self.recipes.get(&number)
    }

    /// The number of a message that is made like this: the one that it had before, or a new one.
    pub(crate) fn number(&mut self, recipe: Recipe) -> u32 {
        let numbers = self.numbers.entry(recipe.sources().next().cloned()).or_default();
        let known = numbers.iter().find(|number| self.recipes.get(number) == Some(&recipe));
        if let Some(number) = known {
            return *number;
        }
        self.next += 1;
        numbers.push(self.next);
        self.recipes.insert(self.next, recipe);
        self.next
    }
}
