//! The messages that the engine composes for a view, by numbers that stay the same as long as the messages do.

use epitome::message::MessageId;
use epitome_columns::SortedMap;
use epitome_formats::Recipe;

/// The composed messages of the views so far, by number.
#[derive(Default)]
pub(crate) struct Composed {
    recipes: SortedMap<u32, Recipe>,
    /// The numbers of the recipes, by the first of the app's messages that a recipe uses.
    numbers: SortedMap<Option<MessageId>, Vec<u32>>,
    last: u32,
}

impl Composed {
    /// The recipe of a number.
    pub(crate) fn recipe(&self, number: u32) -> Option<&Recipe> {
        self.recipes.get(&number)
    }

    /// The number of a recipe: the one that an equal recipe has, or a new one.
    pub(crate) fn number(&mut self, recipe: Recipe) -> u32 {
        let numbers = self.numbers.entry(recipe.sources().next().cloned()).or_default();
        let known = numbers.iter().find(|number| self.recipes.get(number) == Some(&recipe));
        if let Some(number) = known {
            return *number;
        }
        self.last += 1;
        numbers.push(self.last);
        self.recipes.insert(self.last, recipe);
        self.last
    }
}
