//! A package-lock.json: every package is pinned by its content, and all come from one registry.

use std::fs;

use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// Fails with one line for each package of the lock file `name` that is not pinned.
pub(super) fn check(workspace: &Workspace, name: &str) -> Result {
    let text = fs::read_to_string(workspace.path(name))
        .map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
    let lock = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
    let complaints = complaints(&lock);
    if complaints.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("{name}:\n  {}", complaints.join("\n  "))))
}

fn complaints(lock: &Value) -> Vec<String> {
    let packages = lock.get("packages").and_then(Value::as_object);
    // The packages of this workspace are folders and links to them.
    let installed = packages.into_iter().flatten().filter(|(path, package)| {
        path.contains("node_modules/") && package.get("link") != Some(&Value::Bool(true))
    });
    let mut registry = None;
    let mut complaints = Vec::new();
    for (path, package) in installed {
        if package.get("inBundle") == Some(&Value::Bool(true)) {
            continue;
        }
        let text = |key: &str| package.get(key).and_then(Value::as_str);
        if !text("integrity").is_some_and(|hash| hash.starts_with("sha512-")) {
            complaints.push(format!("{path} has no SHA-512 of its content"));
        }
        // Without an address, a package comes from the registry that npm is set to.
        let Some(address) = text("resolved") else { continue };
        match (origin(address), registry) {
            (None, _) => complaints.push(format!("{path} does not come over https")),
            (Some(origin), None) => registry = Some(origin),
            (Some(origin), Some(first)) if origin != first => {
                complaints.push(format!("{path} comes from {origin}, and others from {first}"));
            }
            _ => {}
        }
    }
    complaints
}

/// The server of an https address.
fn origin(address: &str) -> Option<&str> {
    address.strip_prefix("https://")?.split('/').next()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(package: &Value, expected: &[&str]) {
        let first =
            json!({ "resolved": "https://packages.example/a.tgz", "integrity": "sha512-A" });
        let lock = json!({ "packages": {
            "": {}, "tests": {},
            "node_modules/a": first,
            "node_modules/b": package,
            "node_modules/ours": { "link": true },
        }});
        assert_eq!(complaints(&lock), expected);
    }

    #[test]
    fn a_package_is_pinned_by_its_content_and_comes_from_the_registry_of_the_others() {
        check(
            &json!({ "resolved": "https://packages.example/b.tgz", "integrity": "sha512-B" }),
            &[],
        );
        check(
            &json!({ "resolved": "https://packages.example/b.tgz", "integrity": "sha1-B" }),
            &["node_modules/b has no SHA-512 of its content"],
        );
        check(
            &json!({ "resolved": "https://other.example/b.tgz", "integrity": "sha512-B" }),
            &["node_modules/b comes from other.example, and others from packages.example"],
        );
        check(&json!({ "integrity": "sha512-B" }), &[]);
        check(
            &json!({ "resolved": "git+ssh://other.example/b", "integrity": "sha512-B" }),
            &["node_modules/b does not come over https"],
        );
    }
}
