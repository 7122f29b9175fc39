//! The roles of messages, in words.

use epitome::message::Role;

use crate::language::t;

/// The name of a role.
pub(crate) fn role_label(role: Role) -> &'static str {
    match role {
        Role::System => t!("system"),
        Role::User => t!("user"),
        Role::Assistant => t!("assistant"),
        Role::Tool => t!("tool"),
    }
}
