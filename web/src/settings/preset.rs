//! The preset that the settings start from.

mod model;
mod view;

pub(crate) use model::preset_label;
pub(super) use view::PresetSettings;
