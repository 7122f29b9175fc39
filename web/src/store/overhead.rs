//! The request overhead: what a request has beside its messages, and sends with each of them.

use serde_json::Value;

/// How the line with it begins among the records. The engine keeps it and passes over it.
const BEGIN: &str = "{\"record\":\"requestOverhead\",";

/// The instructions and tools of a loaded request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overhead {
    /// The instructions as text; empty if there are none.
    pub(crate) instructions: String,
    /// The tool schemas as JSON; empty if there are none.
    pub(crate) tools: String,
}

impl Overhead {
    /// True if there is nothing beside the messages.
    pub(crate) fn is_empty(&self) -> bool {
        self.instructions.is_empty() && self.tools.is_empty()
    }

    /// What is counted.
    pub(crate) fn text(&self) -> String {
        let texts = [self.instructions.as_str(), &self.tools];
        texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// The line that stores it.
    pub(super) fn line(&self) -> String {
        let [instructions, tools] = [&self.instructions, &self.tools].map(|it| Value::from(&**it));
        format!("{BEGIN}\"instructions\":{instructions},\"tools\":{tools}}}\n")
    }
}

/// What records have beside the messages.
pub(crate) fn overhead_in(text: &str) -> Overhead {
    let line = text.lines().find(|line| line.starts_with(BEGIN));
    let record = line.and_then(|line| serde_json::from_str::<Value>(line).ok()).unwrap_or_default();
    let field =
        |name: &str| record.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    Overhead { instructions: field("instructions"), tools: field("tools") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_found_among_records_as_it_was_written() {
        let overhead = Overhead {
            instructions: "Say \"yes\".\nOr \u{2028} no.".to_owned(),
            tools: "[{\"name\":\"look\"}]".to_owned(),
        };
        let records =
            format!("{{\"record\":\"begin\"}}\n{}{{\"record\":\"x\"}}\n", overhead.line());
        assert_eq!(overhead_in(&records), overhead);
        assert_eq!(overhead_in("{\"record\":\"begin\"}\n"), Overhead::default());
    }

    #[test]
    fn only_what_is_there_is_counted() {
        let of = |instructions: &str, tools: &str| {
            let (instructions, tools) = (instructions.to_owned(), tools.to_owned());
            Overhead { instructions, tools }.text()
        };
        assert_eq!(of("Be kind.", ""), "Be kind.");
        assert_eq!(of("", "[]"), "[]");
        assert_eq!(of("Be kind.", "[]"), "Be kind.\n[]");
    }
}
