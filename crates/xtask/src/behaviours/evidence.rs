//! Which tests prove which rows, and which carry an id that is no row.

use std::collections::BTreeMap;
use std::path::Path;

use crate::failure::{Failure, Result};
use crate::source_tree::{self, Source};
use crate::workspace::Workspace;

use super::rows::{self, Due};
use super::{row_id, rust_tests, script_tests};

/// The tests whose names carry ids.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    tests: BTreeMap<&'static str, Vec<String>>,
    strays: Vec<String>,
}

impl Evidence {
    /// Looks through the source of the whole workspace. Builds nothing.
    pub(super) fn collect(workspace: &Workspace) -> Result<Self> {
        let sources = source_tree::read(workspace, |path| names_of_tests(path).is_some())?;
        Ok(Self::of(&sources))
    }

    /// What `sources` prove.
    pub(super) fn of(sources: &[Source]) -> Self {
        let mut evidence = Self::default();
        for source in sources {
            let Some(names) = names_of_tests(&source.path) else { continue };
            for name in names(&source.text) {
                evidence.add(&source.path, name);
            }
        }
        evidence
    }

    fn add(&mut self, path: &Path, name: &str) {
        let test = format!("{}::{name}", path.display());
        for id in row_id::carried(name) {
            match rows::all().find(|row| row.id == id) {
                Some(row) => self.tests.entry(row.id).or_default().push(test.clone()),
                None => self.strays.push(format!("{test} carries {id}, which is no row")),
            }
        }
    }

    /// The tests that prove the row `id`, each as `path::name`.
    pub(super) fn tests(&self, id: &str) -> &[String] {
        self.tests.get(id).map_or(&[], Vec::as_slice)
    }

    /// Fails where a row that is due has no test, and where a test carries an id that is no row.
    pub(super) fn verdict(&self) -> Result {
        let mut findings = self.strays.clone();
        let missing: Vec<&str> = rows::all()
            .filter(|row| row.due == Due::Now && self.tests(row.id).is_empty())
            .map(|row| row.id)
            .collect();
        if !missing.is_empty() {
            findings.push(format!("no test proves {}", missing.join(", ")));
        }
        if findings.is_empty() {
            return Ok(());
        }
        Err(Failure::new(format!("put these right:\n  {}", findings.join("\n  "))))
    }
}

/// How to find the names of the tests in a file such as `path`, if it may have any.
fn names_of_tests(path: &Path) -> Option<fn(&str) -> Vec<&str>> {
    if path.to_string_lossy().ends_with(".d.ts") {
        return None;
    }
    match path.extension()?.to_str()? {
        "rs" => Some(rust_tests::names),
        "js" | "mjs" | "ts" | "tsx" => Some(script_tests::titles),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(files: &[(&str, &str)]) -> Evidence {
        let source =
            |(path, text): &(&str, &str)| Source { path: path.into(), text: (*text).into() };
        Evidence::of(&files.iter().map(source).collect::<Vec<_>>())
    }

    #[test]
    fn a_test_proves_every_row_whose_id_it_carries() {
        let evidence = evidence(&[
            ("src/a.rs", "#[test] fn a1_a2_x() {}"),
            ("tests/a.test.mjs", "test('a2: y', () => {})"),
            ("tests/a.d.ts", "test('a2: z', () => {})"),
            ("tests/a.md", "test('a2: z', () => {})"),
        ]);
        assert_eq!(evidence.tests("a1"), ["src/a.rs::a1_a2_x"]);
        assert_eq!(evidence.tests("a2"), ["src/a.rs::a1_a2_x", "tests/a.test.mjs::a2: y"]);
        assert!(evidence.tests("a3").is_empty());
    }

    #[test]
    fn rows_that_are_due_must_be_proven() {
        let due = rows::all().filter(|row| row.due == Due::Now);
        let mut text: Vec<String> =
            due.map(|row| format!("#[test] fn {}_x() {{}}", row.id)).collect();
        assert_eq!(evidence(&[("a.rs", &text.join("\n"))]).verdict(), Ok(()));
        text.retain(|test| !test.contains("b6_") && !test.contains("g4_"));
        assert_eq!(
            evidence(&[("a.rs", &text.join("\n"))]).verdict(),
            Err(Failure::new("put these right:\n  no test proves b6, g4"))
        );
        text.push("#[test] fn b6_g4_b99_x() {}".into());
        assert_eq!(
            evidence(&[("a.rs", &text.join("\n"))]).verdict(),
            Err(Failure::new("put these right:\n  a.rs::b6_g4_b99_x carries b99, which is no row"))
        );
    }
}
