//! A server with a model, and how to reach it.

mod known;
mod model;
mod reach;
mod view;

pub(super) use model::Purpose;
pub(crate) use model::Server;
pub(crate) use view::AnswersFields;
pub(super) use view::ServerFields;
