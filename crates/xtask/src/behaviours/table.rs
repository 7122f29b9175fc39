//! The rows and their tests as text.

use super::evidence::Evidence;
use super::rows::{self, Due, GROUPS, Row};

/// How much the table tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Every test below its row.
    Tests,
    /// One line for each row.
    Rows,
}

/// The table, a line of totals at its end.
pub(super) fn render(evidence: &Evidence, detail: Detail) -> String {
    let width = rows::all().map(|row| row.title.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for group in &GROUPS {
        lines.push(group.title.to_owned());
        for row in group.rows {
            let state = state(row, evidence);
            lines.push(format!("  {:4}{:width$}  {state}", row.id, row.title));
            if detail == Detail::Tests {
                lines.extend(evidence.tests(row.id).iter().map(|test| format!("        {test}")));
            }
        }
        lines.push(String::new());
    }
    lines.push(totals(evidence));
    lines.join("\n") + "\n"
}

fn state(row: &Row, evidence: &Evidence) -> String {
    match (evidence.tests(row.id).len(), row.due) {
        (0, Due::Now) => "MISSING".to_owned(),
        (0, Due::Later) => "open".to_owned(),
        (1, _) => "1 test".to_owned(),
        (count, _) => format!("{count} tests"),
    }
}

fn totals(evidence: &Evidence) -> String {
    let unproven =
        |due| rows::all().filter(|row| row.due == due && evidence.tests(row.id).is_empty()).count();
    let (all, missing, open) = (rows::all().count(), unproven(Due::Now), unproven(Due::Later));
    format!("{all} rows: {} proven, {missing} missing, {open} open", all - missing - open)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source_tree::Source;

    fn check(detail: Detail, expected: &[&str]) {
        let text = "#[test] fn a1_e2_x() {} #[test] fn a1_y() {}".to_owned();
        let table = render(&Evidence::of(&[Source { path: "a.rs".into(), text }]), detail);
        let squeeze = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let found: Vec<String> = table.lines().map(squeeze).collect();
        for line in expected {
            assert!(found.iter().any(|found| found.contains(line)), "{line}\n{table}");
        }
        let tests = found.iter().filter(|line| line.contains("::")).count();
        assert_eq!(tests, if detail == Detail::Tests { 3 } else { 0 }, "{table}");
    }

    #[test]
    fn each_row_says_how_it_stands() {
        let rows = [
            "source knows 2 tests",
            "mended MISSING",
            "within limits open",
            "oldest entries 1 test",
            "57 rows: 2 proven",
        ];
        check(Detail::Rows, &rows);
        check(Detail::Tests, &rows);
        check(Detail::Tests, &["a.rs::a1_e2_x", "a.rs::a1_y"]);
    }
}
