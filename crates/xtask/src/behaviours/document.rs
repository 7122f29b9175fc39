//! docs/behaviours.md as data: sections, their rules, and the tests that prove each rule.
//!
//! ```text
//! ## A. Messages
//!
//! ### a1: One message type
//!
//! One or more sentences that state the rule.
//!
//! Open: what is missing; only if the rule is not proven completely.
//!
//! - `name_of_a_test` in `folder/file.rs`
//! ```

use super::rule_id;

/// The whole document.
#[derive(Debug)]
pub(super) struct Document {
    sections: Vec<Section>,
}

#[derive(Debug)]
struct Section {
    title: String,
    rules: Vec<Rule>,
}

/// One rule.
#[derive(Debug)]
pub(super) struct Rule {
    /// The letter of the section and a number.
    pub(super) id: String,
    /// True if the document says that something is missing.
    pub(super) is_open: bool,
    /// The tests that prove it.
    pub(super) tests: Vec<Test>,
    has_text: bool,
}

/// A test as the document names it.
#[derive(Debug)]
pub(super) struct Test {
    /// The name of the function, or the title. `${…}` stands for any text, as in the title's source.
    pub(super) name: String,
    /// The file, from the root of the checkout.
    pub(super) file: String,
}

impl Document {
    /// Reads the text of the document. The error names the line or the rule that does not follow the form.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut document = Self { sections: Vec::new() };
        for (line, number) in text.lines().zip(1..) {
            document
                .push(line.trim_end())
                .map_err(|problem| format!("line {number}: {problem}"))?;
        }
        for rule in document.rules() {
            if !rule.has_text {
                return Err(format!("rule {}: no sentence states the rule", rule.id));
            }
            if !rule.is_open && rule.tests.is_empty() {
                return Err(format!("rule {}: neither open nor proven by a test", rule.id));
            }
        }
        Ok(document)
    }

    fn push(&mut self, line: &str) -> Result<(), String> {
        if let Some(title) = line.strip_prefix("## ") {
            self.sections.push(Section { title: title.into(), rules: Vec::new() });
            return Ok(());
        }
        let Some(section) = self.sections.last_mut() else {
            // The introduction.
            return Ok(());
        };
        if let Some(heading) = line.strip_prefix("### ") {
            let rule = Rule::begin(heading, section)?;
            section.rules.push(rule);
        } else if let Some(rule) = section.rules.last_mut() {
            rule.push(line)?;
        }
        Ok(())
    }

    /// Every rule, in order.
    pub(super) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.sections.iter().flat_map(|section| &section.rules)
    }

    /// Every test with its rule.
    pub(super) fn tests(&self) -> impl Iterator<Item = (&Rule, &Test)> {
        self.rules().flat_map(|rule| rule.tests.iter().map(move |test| (rule, test)))
    }

    /// One line for each section and one for all sections: the number of proven rules, and the open ones.
    pub(super) fn overview(&self) -> String {
        let width = self.sections.iter().map(|section| section.title.chars().count()).max();
        let width = width.unwrap_or(0);
        let line = |title: &str, rules: &[&Rule]| {
            let open: Vec<&str> =
                rules.iter().filter(|rule| rule.is_open).map(|rule| rule.id.as_str()).collect();
            let proven = rules.len() - open.len();
            let open = if open.is_empty() {
                String::new()
            } else {
                format!(", {} open: {}", open.len(), open.join(" "))
            };
            format!("{title:width$}  {proven:>3} proven{open}\n")
        };
        let mut overview = String::new();
        for section in &self.sections {
            overview += &line(&section.title, &section.rules.iter().collect::<Vec<_>>());
        }
        overview + &line("All", &self.rules().collect::<Vec<_>>())
    }
}

impl Rule {
    fn begin(heading: &str, section: &Section) -> Result<Self, String> {
        let id = heading.split(':').next().unwrap_or_default();
        if !rule_id::is_id(id) {
            return Err(format!("`{id}` is not an id such as b2"));
        }
        let letter = section.title.chars().next().map(|letter| letter.to_ascii_lowercase());
        if letter != id.chars().next() {
            return Err(format!("{id} is in the section `{}`", section.title));
        }
        if section.rules.iter().any(|rule| rule.id == id) {
            return Err(format!("{id} exists twice"));
        }
        Ok(Self { id: id.into(), is_open: false, tests: Vec::new(), has_text: false })
    }

    fn push(&mut self, line: &str) -> Result<(), String> {
        if line.starts_with("Open: ") {
            self.is_open = true;
        } else if line.starts_with("- ") {
            let test = Test::parse(line).ok_or("a test is written as - `name` in `file`")?;
            self.tests.push(test);
        } else if !line.is_empty() {
            self.has_text = true;
        }
        Ok(())
    }
}

impl Test {
    fn parse(line: &str) -> Option<Self> {
        let (name, file) = line.strip_prefix("- `")?.strip_suffix('`')?.split_once("` in `")?;
        Some(Self { name: name.into(), file: file.into() })
    }

    /// True if a test that ran under this name is the one that the document names.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let mut literals = self.name.split("${");
        let first = literals.next().unwrap_or_default();
        let Some(mut rest) = name.strip_prefix(first) else { return false };
        let mut is_exact = true;
        for literal in literals {
            let literal = literal.split_once('}').map_or("", |(_, literal)| literal);
            let Some((_, behind)) = rest.split_once(literal) else { return false };
            rest = behind;
            is_exact = !literal.is_empty();
        }
        // A title that ends in `${…}` may end in any text.
        rest.is_empty() || !is_exact
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Behaviours

Introduction.
- not a test

## A. Messages

### a1: One type
A rule.

- `a1_x` in `src/a.rs`
- `a1: y \"z\"` in `tests/a.mjs`

### a2: Another
A rule.

Open: nothing does it.

## B. Tokens

### b1: Estimators
Open: one of two.

A rule.
- `b1_x` in `src/b.rs`
";

    #[test]
    fn rules_come_with_their_tests() {
        let document = Document::parse(TEXT).unwrap();
        let rules: Vec<(&str, bool, usize)> = document
            .rules()
            .map(|rule| (rule.id.as_str(), rule.is_open, rule.tests.len()))
            .collect();
        assert_eq!(rules, [("a1", false, 2), ("a2", true, 0), ("b1", true, 1)]);
        let (_, test) = document.tests().nth(1).unwrap();
        assert_eq!((test.name.as_str(), test.file.as_str()), ("a1: y \"z\"", "tests/a.mjs"));
        assert_eq!(
            document.overview(),
            "A. Messages    1 proven, 1 open: a2\nB. Tokens      0 proven, 1 open: b1\nAll            1 proven, 2 open: a2 b1\n"
        );
    }

    #[test]
    fn what_does_not_follow_the_form_is_named() {
        let cases = [
            ("### a0x: One\n", "line 2: `a0x` is not an id such as b2"),
            ("### b1: One\n", "line 2: b1 is in the section `A. Messages`"),
            ("### a1: One\n### a1: Two\n", "line 3: a1 exists twice"),
            ("### a1: One\nText.\n- `a1_x`\n", "line 4: a test is written as - `name` in `file`"),
            ("### a1: One\nText.\n", "rule a1: neither open nor proven by a test"),
            ("### a1: One\nOpen: all.\n", "rule a1: no sentence states the rule"),
        ];
        for (text, expected) in cases {
            let problem = Document::parse(&format!("## A. Messages\n{text}")).unwrap_err();
            assert_eq!(problem, expected, "{text}");
        }
    }

    #[test]
    fn a_placeholder_in_a_title_stands_for_any_text() {
        let called = |title: &str, name: &str| {
            Test { name: title.into(), file: String::new() }.is_called(name)
        };
        assert!(called("b1_x", "b1_x") && !called("b1_x", "b1_xy") && !called("b1_x", "b1"));
        assert!(called("b1: by ${name}", "b1: by o200k_base"));
        assert!(called("b1: ${a} by ${b}, twice", "b1: texts by n, twice"));
        assert!(!called("b1: ${a} by ${b}, twice", "b1: texts by n, once"));
    }
}
