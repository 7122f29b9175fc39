//! Finds the names of people in a sentence, by capitals and by the words around them.

use epitome_text::letters::is_alphanumeric;
use epitome_text::stop_words::StopWords;

/// Calls `each` for every name in the sentence, in order: two or more capitalized words in a row, and a single
/// capitalized word if the words around it say that it is a person's. A title before a name is not part of it.
///
/// Works for scripts with capitals. The words around a single name are recognized in English, and some in other languages of
/// Europe, where those before a place count as well. Linear.
pub(super) fn for_each<'a>(sentence: &'a str, mut each: impl FnMut(&'a str)) {
    // Most sentences end here, without a list of their words.
    if !has_capitals(sentence) {
        return;
    }
    let words = Word::all(sentence);
    // In a title such as `Getting Started`, capitals say nothing.
    let is_title = !words.iter().any(Word::is_lower);
    let mut names: Vec<Name> = Vec::new();
    let mut start = 0;
    while start < words.len() {
        let length = run(&words, start);
        if length > 0 {
            let is_person = (length > 1 && !is_title) || is_person(&words, start, start + length);
            names.push(Name { start, end: start + length, is_person });
        }
        start += length.max(1);
    }
    // If other nouns are capitalized too, as in German, a capital behind the first word of a sentence says nothing.
    let others = names.iter().filter(|name| name.start > 0 && name.end - name.start == 1).count();
    if others > 1 {
        names.retain(|name| name.start > 0 || name.end != 2);
    }
    join_enumerated(&words, &mut names);
    for name in names.iter().filter(|name| name.is_person) {
        if let (Some(first), Some(last)) = (words.get(name.start), words.get(name.end - 1)) {
            each(sentence.get(first.start..last.end).unwrap_or(first.text));
        }
    }
}

/// True if a sentence names a person, as far as its form shows that.
pub fn names_somebody(sentence: &str) -> bool {
    let mut names = false;
    for_each(sentence, |_| names = true);
    names
}

/// Capitalized words in a row, by their indices.
struct Name {
    start: usize,
    /// The index after the last word.
    end: usize,
    is_person: bool,
}

/// Calls `each` for every capitalized word and every run of them, with all runs within it: the texts that show that a
/// name is still there.
pub(super) fn every<'a>(sentence: &'a str, mut each: impl FnMut(&'a str)) {
    if !has_capitals(sentence) {
        return;
    }
    let words = Word::all(sentence);
    for (index, first) in words.iter().enumerate().filter(|(_, word)| word.is_name) {
        for (at, last) in words.iter().enumerate().skip(index).take(MAX_WORDS) {
            if at > index && last.begins {
                break;
            }
            if last.is_name {
                each(sentence.get(first.start..last.end).unwrap_or(first.text));
            } else if !PARTICLES.contains(&last.text) {
                break;
            }
            if last.ends {
                break;
            }
        }
    }
}

/// True if a word may be a name by its form, without those with which most sentences begin.
fn has_capitals(sentence: &str) -> bool {
    // Most sentences have none at all, which is seen without a look at where words begin.
    if !sentence.bytes().any(|byte| byte.is_ascii_uppercase() || byte >= 0xC3) {
        return false;
    }
    let mut is_start = true;
    sentence.bytes().enumerate().any(|(at, byte)| {
        let starts = std::mem::replace(&mut is_start, !byte.is_ascii_alphanumeric() && byte < 0x80);
        // A quotation mark may stand before the capital. Most letters of other scripts have none.
        let may_be_capital = || {
            let first = sentence.get(at..).and_then(|rest| rest.chars().next());
            first.is_some_and(|first| first.is_uppercase() || !is_alphanumeric(first))
        };
        if !starts || !(byte.is_ascii_uppercase() || (byte >= 0xC3 && may_be_capital())) {
            return false;
        }
        let word = sentence.get(at..).and_then(|rest| rest.split(char::is_whitespace).next());
        let word = word.unwrap_or_default().trim_end_matches([',', '.', ':', '!', '?']);
        word.len() > 1 && COMMON.binary_search(&word).is_err()
    })
}

/// The most words of a name.
const MAX_WORDS: usize = 5;

/// A word of a sentence, without the punctuation around it.
struct Word<'a> {
    text: &'a str,
    /// Where it starts and ends in the sentence, in bytes.
    start: usize,
    end: usize,
    /// Whether it can be a name or a part of one by its form.
    is_name: bool,
    /// Whether punctuation before it, such as a bracket, begins something new.
    begins: bool,
    /// Whether punctuation behind it, or a possessive, ends the name that it is in.
    ends: bool,
    /// Whether a comma follows.
    comma: bool,
}

impl<'a> Word<'a> {
    fn all(sentence: &'a str) -> Vec<Self> {
        let mut words = Vec::new();
        let mut start = 0;
        for piece in sentence.split(char::is_whitespace) {
            let text = piece.trim_matches(|c: char| !is_alphanumeric(c));
            let before =
                piece.len() - piece.trim_start_matches(|c: char| !is_alphanumeric(c)).len();
            let bare = ["'s", "’s"].iter().find_map(|s| text.strip_suffix(s)).unwrap_or(text);
            let behind = piece.get(before + bare.len()..).unwrap_or_default();
            // The full stop of an initial or a title ends nothing.
            let is_short = bare.chars().nth(1).is_none() || TITLES.contains(&bare);
            let is_abbreviated = is_short && behind == ".";
            let ends = !behind.is_empty() && !is_abbreviated;
            if !bare.is_empty() {
                words.push(Self {
                    text: bare,
                    start: start + before,
                    end: start + before + bare.len(),
                    is_name: is_name(bare),
                    begins: before > 0,
                    ends,
                    comma: behind.starts_with(','),
                });
            } else if let Some(last) = words.last_mut() {
                // Punctuation between spaces, such as a dash.
                last.ends = true;
            }
            start += piece.len() + piece_end(sentence, start + piece.len());
        }
        words
    }

    /// True for a word of some length that begins with a small letter.
    fn is_lower(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_lowercase)
            && self.text.chars().nth(3).is_some()
    }

    fn is_one_of(&self, list: &[&str]) -> bool {
        list.iter().any(|word| word.eq_ignore_ascii_case(self.text))
    }
}

/// The length of the white space at this place; 0 at the end.
fn piece_end(sentence: &str, at: usize) -> usize {
    sentence.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
}

/// True for a word with a capital first, small letters behind it, and no other sign but a hyphen or an apostrophe;
/// and for an initial. Words that are capitalized for other reasons do not count.
fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    if !letters.next().is_some_and(char::is_uppercase) || COMMON.binary_search(&word).is_ok() {
        return false;
    }
    if TITLES.contains(&word)
        || is_adverb(word)
        || StopWords::default().contain(&word.to_lowercase())
    {
        return false;
    }
    let mut after_joint = word.starts_with("Mc");
    let (mut small, mut count, mut after_apostrophe) = (false, 1, false);
    for letter in letters {
        count += 1;
        let joint = matches!(letter, '-' | '\'' | '’');
        // A small letter behind an apostrophe makes a contraction, such as `We're`.
        if after_apostrophe && letter.is_lowercase() {
            return false;
        }
        after_apostrophe = joint && letter != '-';
        small |= letter.is_lowercase();
        // In `McKay` the capital follows the `c`.
        let capital_fits = after_joint && letter.is_uppercase();
        if !joint && !letter.is_lowercase() && !capital_fits {
            return false;
        }
        after_joint = joint || (count == 2 && word.starts_with("Mc"));
    }
    small || count == 1
}

/// True for a word such as `Unfortunately`, with which many sentences begin.
fn is_adverb(word: &str) -> bool {
    let ends = ["ally", "tely", "edly", "ntly"].iter().any(|end| word.ends_with(end));
    CONNECTING.contains(&word) || (word.len() > 6 && ends)
}

/// The number of words of the name that begins at this word; 0 if none does. Small particles such as `van der` belong
/// to it between two capitalized words.
fn run(words: &[Word], start: usize) -> usize {
    let (mut length, mut seen) = (0, 0);
    for word in words.iter().skip(start).take(MAX_WORDS) {
        if seen > 0 && word.begins {
            break;
        }
        seen += 1;
        // A name may begin with initials, and does not end with one: `Option B` is none.
        let is_initial = word.text.chars().nth(1).is_none();
        if word.is_name && !is_initial {
            length = seen;
        } else if !word.is_name && (seen == 1 || !PARTICLES.contains(&word.text)) {
            break;
        }
        if word.ends {
            break;
        }
    }
    length
}

/// True if the words around the capitalized words from `start` to before `end` say that they name a person.
fn is_person(words: &[Word], start: usize, end: usize) -> bool {
    let is = |word: Option<&Word>, list: &[&str]| word.is_some_and(|word| word.is_one_of(list));
    let last = end.checked_sub(1).and_then(|last| words.get(last));
    let next = words.get(end).filter(|_| last.is_some_and(|last| !last.ends));
    let mut before = words.get(..start).unwrap_or_default().iter().rev();
    let (previous, earlier) = (before.next(), before.next());
    // Behind a greeting or the label of a role, punctuation may come before the name.
    if is(previous, &GREETINGS) || previous.is_some_and(|word| word.ends && word.is_one_of(&ROLES))
    {
        return true;
    }
    let previous = previous.filter(|previous| !previous.ends);
    let introduced = is(previous, &INTRODUCING)
        || (is(previous, &["am"]) && is(earlier, &["I"]))
        || (is(previous, &["is"]) && is(earlier, &["name"]));
    let has_title = previous.is_some_and(|previous| TITLES.contains(&previous.text));
    let has_done_it = is(previous, &["by", "to"]) && is(earlier, &DONE_BY);
    let is_place = is(previous, &BEFORE_PLACES)
        || words.get(start).is_some_and(|word| {
            let is_place =
                |kind: &&str| word.text.strip_suffix(*kind).is_some_and(|it| it.len() > 2);
            end == start + 1 && ENDS_OF_PLACES.iter().any(is_place)
        });
    is(next, &SAYING)
        || is(previous, &ADDRESSING)
        || introduced
        || has_title
        || has_done_it
        || is_place
}

/// Marks the names that are enumerated together with a person's: `Alice, Bob and Carol`.
fn join_enumerated(words: &[Word], names: &mut [Name]) {
    let joins = |before: &Name, after: &Name| {
        let Some(last) = words.get(before.end - 1) else { return false };
        let links = words.get(before.end..after.start).unwrap_or_default();
        match links {
            [] => last.comma,
            [link] => link.is_one_of(&["and", "or"]) && (last.comma || !last.ends),
            _ => false,
        }
    };
    // A person anywhere in the list is enough, so that both directions are needed.
    for at in 1..names.len() {
        if let Some([before, after]) = names.get_mut(at - 1..=at) {
            after.is_person |= before.is_person && joins(before, after);
        }
    }
    for at in (1..names.len()).rev() {
        if let Some([before, after]) = names.get_mut(at - 1..=at) {
            before.is_person |= after.is_person && joins(before, after);
        }
    }
}

/// Small words inside of names.
const PARTICLES: [&str; 12] =
    ["van", "von", "der", "den", "de", "da", "del", "di", "la", "bin", "al", "y"];

/// Words before one's own name, in several languages.
const INTRODUCING: [&str; 9] =
    ["I'm", "I’m", "llamo", "chiamo", "heiße", "heisse", "зовут", "m'appelle", "m’appelle"];

/// Words before a place, in languages in which only names have capitals and that have no such word besides.
const BEFORE_PLACES: [&str; 6] = ["en", "desde", "hasta", "в", "во", "из"];

/// Ends of German words for a place.
const ENDS_OF_PLACES: [&str; 5] = ["straße", "strasse", "platz", "bahnhof", "flughafen"];

/// Titles before a name.
const TITLES: [&str; 19] = [
    "Mr",
    "Mrs",
    "Ms",
    "Miss",
    "Dr",
    "Prof",
    "Professor",
    "Sir",
    "Herr",
    "Herrn",
    "Frau",
    "Señor",
    "Señora",
    "Madame",
    "Don",
    "Doña",
    "Sra",
    "господин",
    "госпожа",
];

/// Greetings, which may have a comma before the name.
const GREETINGS: [&str; 6] = ["hi", "hello", "hey", "dear", "thanks", "thank"];

/// Labels of what a person does, before a colon and the name.
const ROLES: [&str; 16] = [
    "owner",
    "author",
    "reviewer",
    "assignee",
    "lead",
    "contact",
    "from",
    "to",
    "cc",
    "attendees",
    "participants",
    "present",
    "name",
    "manager",
    "client",
    "approver",
];

/// Words before the name of a person that is asked or told something.
const ADDRESSING: [&str; 12] = [
    "ask",
    "asked",
    "tell",
    "told",
    "ping",
    "cc",
    "contact",
    "email",
    "named",
    "colleague",
    "manager",
    "remind",
];

/// Words before `by` or `to` and the name of who has done something, or has to.
const DONE_BY: [&str; 12] = [
    "approved",
    "signed",
    "reviewed",
    "owned",
    "requested",
    "proposed",
    "reported",
    "assigned",
    "suggested",
    "confirmed",
    "rejected",
    "according",
];

/// What only people do, behind a name.
const SAYING: [&str; 34] = [
    "said",
    "says",
    "asked",
    "asks",
    "told",
    "tells",
    "wants",
    "wanted",
    "decided",
    "agreed",
    "agrees",
    "disagreed",
    "disagrees",
    "suggested",
    "suggests",
    "prefers",
    "preferred",
    "thinks",
    "thought",
    "approved",
    "approves",
    "confirmed",
    "owns",
    "reviews",
    "reviewed",
    "proposed",
    "wrote",
    "objected",
    "objects",
    "promised",
    "insists",
    "insisted",
    "argued",
    "volunteered",
];

/// Longer words at the beginning of sentences.
const CONNECTING: [&str; 6] =
    ["Therefore", "Meanwhile", "Otherwise", "Yesterday", "Everybody", "Wednesday"];

/// Words that are capitalized at the beginning of a sentence or by custom, and are not names; sorted.
const COMMON: [&str; 182] = [
    "A", "About", "Actually", "Add", "After", "Agent", "All", "Alright", "Also", "Although", "An",
    "And", "Another", "Any", "Are", "As", "Ask", "At", "Because", "Been", "Before", "Both", "But",
    "By", "Call", "Can", "Change", "Check", "Click", "Close", "Contact", "Could", "Create",
    "Customer", "Dear", "Did", "Do", "Does", "Each", "Either", "Email", "Every", "Everyone",
    "Finally", "First", "Fix", "For", "Friday", "From", "Get", "Give", "Go", "Good", "Great",
    "Guess", "Handle", "Have", "He", "Hello", "Her", "Here", "Hey", "Hi", "His", "Hmm", "How",
    "However", "I", "I'll", "I'm", "I've", "If", "Import", "In", "Install", "Is", "It", "It's",
    "Its", "I’ll", "I’m", "I’ve", "Just", "Keep", "Let", "Let's", "Like", "Make", "Maybe", "Mm",
    "Monday", "Move", "My", "Next", "No", "Nobody", "Not", "Note", "Now", "Of", "Oh", "Ok", "Okay",
    "On", "Once", "Only", "Open", "Option", "Or", "Our", "Part", "Perhaps", "Ping", "Please",
    "Read", "Remind", "Remove", "Reset", "Right", "Run", "See", "Select", "Set", "She", "Should",
    "Show", "Since", "So", "Some", "Somebody", "Someone", "Sorry", "Start", "Step", "Stop",
    "Sunday", "Sure", "Tap", "Tell", "Test", "Thank", "Thanks", "That", "The", "Their", "Then",
    "There", "These", "They", "This", "Those", "Though", "To", "Today", "Try", "Tuesday", "Turn",
    "Uh", "Um", "Update", "Use", "User", "Verify", "Was", "We", "Well", "Were", "What", "When",
    "Where", "Which", "While", "Who", "Why", "Will", "With", "Would", "Write", "Yeah", "Yes",
    "You", "Your",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sentence: &str, expected: &[&str]) {
        let mut names = Vec::new();
        for_each(sentence, |name| names.push(name));
        assert_eq!(names, expected, "{sentence}");
    }

    #[test]
    fn d10_articles_of_other_languages_are_no_names() {
        check("Die Anlage steht in der Straße, und Mein Mann ist da.", &[]);
        check("El Hotel está en la calle.", &[]);
        check("Das hat Maria Huber gesagt.", &["Maria Huber"]);
    }

    #[test]
    fn d10_full_names_are_found() {
        check("we met with Maria Gonzalez and the others", &["Maria Gonzalez"]);
        check("Maria Gonzalez's plan is good", &["Maria Gonzalez"]);
        check("it goes to Jean-Luc van der Berg, as always", &["Jean-Luc van der Berg"]);
        check(
            "then J. R. McKay and Ana María Ñandú arrived late",
            &["J. R. McKay", "Ana María Ñandú"],
        );
        check("с нами была Анна Петрова из отдела", &["Анна Петрова"]);
    }

    #[test]
    fn d10_names_are_found_behind_a_quotation_mark_and_in_other_scripts() {
        check(
            "“Anna Lindqvist” was said, and «Élodie Bernard» too.",
            &["Anna Lindqvist", "Élodie Bernard"],
        );
        check("“Anna Lindqvist” called.", &["Anna Lindqvist"]);
        check("Анна Петрова звонила.", &["Анна Петрова"]);
    }

    #[test]
    fn d10_single_names_are_found_by_the_words_around_them() {
        check("Priya said that it is late", &["Priya"]);
        check("please ask Tom about it", &["Tom"]);
        check("it was approved by Olga yesterday", &["Olga"]);
        check("Hi Bob, how are you?", &["Bob"]);
        check("but Dr. Chen was there", &["Chen"]);
        check("my name is Mei and I am late", &["Mei"]);
        check("Alice, Bob and Carol agreed on it", &["Alice", "Bob", "Carol"]);
        check("ask Tom or Olga, and not me", &["Tom", "Olga"]);
        check("Owner: Maria Gonzalez, Wei Chen", &["Maria Gonzalez", "Wei Chen"]);
        check("Unfortunately, Bob said no", &["Bob"]);
    }

    #[test]
    fn d10_single_names_are_found_in_other_languages_of_europe() {
        check("Hola, me llamo Lucía y vivo en Sevilla.", &["Lucía", "Sevilla"]);
        check("Меня зовут Анна, я еду из Москвы в Казань.", &["Анна", "Москвы", "Казань"]);
        check("Ich heiße Jonas und wohne in der Lindenstraße.", &["Jonas", "Lindenstraße"]);
        check("Der Platz vor dem Haus ist frei.", &[]);
    }

    #[test]
    fn d10_other_capitals_are_no_names() {
        check("The parser is in Rust, with a bit of Python", &[]);
        check("It says so. We said that.", &[]);
        check("Getting Started With Docker", &[]);
        check("use the API and GitHub or JavaScript", &[]);
        check("I am done; Then I left", &[]);
        check("Yesterday, Docker and Redis were down", &[]);
        check("take Variant B and We're done", &[]);
        check("it is in the Settings (Network) or so", &[]);
        check("", &[]);
    }

    #[test]
    fn the_common_words_are_sorted() {
        assert!(COMMON.is_sorted());
    }

    #[test]
    fn every_part_of_a_name_shows_that_it_is_there() {
        let mut found = Vec::new();
        every("then Maria del Carmen Gonzalez, Tom left", |name| found.push(name));
        let expected = [
            "Maria",
            "Maria del Carmen",
            "Maria del Carmen Gonzalez",
            "Carmen",
            "Carmen Gonzalez",
            "Gonzalez",
            "Tom",
        ];
        assert_eq!(found, expected);
    }
}
