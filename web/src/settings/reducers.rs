//! The reducers: what saves tokens without a model.

mod model;
mod view;

pub(super) use model::ReducerKind;
pub(super) use view::ReducerSettings;
