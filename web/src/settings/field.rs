//! The fields of the settings: what each reads from a policy and writes to it, and how it is shown.

mod model;
pub(crate) mod number;
mod options;
mod view;

pub(super) use model::{Choice, Extent, OTHER, Switch, TextField};
pub(super) use options::{Options, options};
pub(super) use view::{Checkbox, Place, Select, TextInput, element_id, problem};
