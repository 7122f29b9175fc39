//! A conversation copied as plain text: each turn begins with the name of its speaker and a colon.

use epitome::message::Role;

/// The names that begin a turn, in lower case.
const SPEAKERS: [(&str, Role); 12] = [
    ("system", Role::System),
    ("user", Role::User),
    ("human", Role::User),
    ("you", Role::User),
    ("me", Role::User),
    ("you said", Role::User),
    ("assistant", Role::Assistant),
    ("ai", Role::Assistant),
    ("model", Role::Assistant),
    ("chatgpt said", Role::Assistant),
    ("chatgpt", Role::Assistant),
    ("claude", Role::Assistant),
];

/// The turns of a text; `None` if it does not begin with a turn or has only one.
pub(super) fn turns(text: &str) -> Option<Vec<(Role, String)>> {
    let mut turns: Vec<(Role, String)> = Vec::new();
    for line in text.lines() {
        match (speaker(line), turns.last_mut()) {
            (Some((role, words)), _) => turns.push((role, words.to_owned())),
            (None, Some((_, said))) => {
                said.push('\n');
                said.push_str(line);
            }
            (None, None) if line.trim().is_empty() => {}
            (None, None) => return None,
        }
    }
    for (_, said) in &mut turns {
        said.truncate(said.trim_end().len());
    }
    (turns.len() > 1).then_some(turns)
}

/// The speaker who begins a turn with this line, and what is said in it. The name may be in the markup of a heading or of bold
/// text.
fn speaker(line: &str) -> Option<(Role, &str)> {
    let (name, words) = line.split_once(':')?;
    let markup = |character: char| matches!(character, '*' | '#' | '_' | '>' | ' ');
    let name = name.trim_matches(markup).to_lowercase();
    let (_, role) = SPEAKERS.iter().find(|(speaker, _)| *speaker == name)?;
    Some((*role, words.trim_start_matches(markup)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_found_by_their_speakers() {
        let text = "\nUser: hi\nthere\n\n**Assistant:** hello: you\nUser:\n  bye\n";
        let said = [
            (Role::User, "hi\nthere".to_owned()),
            (Role::Assistant, "hello: you".to_owned()),
            (Role::User, "\n  bye".to_owned()),
        ];
        assert_eq!(turns(text).unwrap(), said);
    }

    #[test]
    fn a_text_without_speakers_is_no_conversation() {
        for text in ["hello, world", "Note: one\nUser: two\nAssistant: three", "User: only one", ""]
        {
            assert_eq!(turns(text), None, "{text}");
        }
    }
}
