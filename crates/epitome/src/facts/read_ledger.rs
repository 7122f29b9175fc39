//! Reads the ledger behind a summary back from its text, as in a summary that an app has stored and appends again.

use super::receipt::{LEDGER, ledger};
use super::{Fact, Facts, Kind};
use crate::message::Entry;

/// The text without the ledger at its end, and the facts of the ledger. `None` if the text does not end with a ledger as
/// [`ledger`] writes it. The messages that the facts come from are not in it. Linear in the text.
pub(crate) fn read_ledger(text: &str) -> Option<(&str, Vec<Fact>)> {
    let (summary, rest) = text.rsplit_once(&format!("\n\n{LEDGER}\n"))?;
    let facts: Vec<Fact> = rest.lines().map(read_line).collect::<Option<_>>()?;
    let is_whole = ledger(&facts).strip_prefix(LEDGER)?.strip_prefix('\n') == Some(rest);
    is_whole.then_some((summary, facts))
}

fn read_line(line: &str) -> Option<Fact> {
    let (speaker, said) = line.strip_prefix("- ")?.split_once(": ")?;
    let labels = said.match_indices(": ").map(|(at, colon)| (at, at + colon.len()));
    let mut splits = labels.filter_map(|(at, text)| Some((said.get(..at)?, said.get(text..)?)));
    // A fact can have a colon in it, so that a label is only what leaves another fact behind it.
    let whole = kind_of(said, speaker).map(|kind| (kind, "", said));
    let (kind, label, text) = whole
        .or_else(|| splits.find_map(|(label, text)| Some((kind_of(text, speaker)?, label, text))))
        .unwrap_or((Kind::Quote, "", said));
    let (text, label, speaker) = (text.to_owned(), label.to_owned(), speaker.to_owned());
    Some(Fact { kind, text, label, speaker, sources: Vec::new() })
}

/// The kind of a text that is a fact as a whole.
fn kind_of(text: &str, speaker: &str) -> Option<Kind> {
    let mut facts = Facts::default();
    let (speaker, text) = (speaker.to_owned(), text.to_owned());
    facts.read(&[Entry { number: 0, speaker, time: None, text: text.clone() }]);
    facts.into_vec().into_iter().find(|mention| mention.text == text).map(|mention| mention.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(kind: Kind, speaker: &str, label: &str, text: &str) -> Fact {
        let (text, label, speaker) = (text.to_owned(), label.to_owned(), speaker.to_owned());
        Fact { kind, text, label, speaker, sources: Vec::new() }
    }

    #[test]
    fn k4_a_ledger_that_comes_back_says_who_said_what_and_anything_else_stays_text() {
        let facts = [
            fact(Kind::Negation, "user", "", "We must not water at noon."),
            fact(Kind::Identifier, "tool lookup", "order", "KX-4711"),
            fact(Kind::Url, "assistant", "", "https://example.com/roses"),
        ];
        let text = format!("Roses.\n\n{}", ledger(&facts));
        assert_eq!(read_ledger(&text), Some(("Roses.", facts.to_vec())));
        for other in ["Roses.", &format!("{text}\n\nOpen tasks"), &text.replace("- user", "user")] {
            assert_eq!(read_ledger(other), None, "{other}");
        }
    }
}
