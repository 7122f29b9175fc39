//! Finds which of many texts occur anywhere in other texts, in one pass over these.

use std::collections::VecDeque;

/// A node of the tree of all wanted texts by their bytes (the automaton of Aho and Corasick). Children are a list: few
/// nodes have more than one. Those of the others are in a table.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    byte: u8,
    /// True if a wanted text ends here.
    ends: bool,
    /// True once the path to this node was found.
    found: bool,
    first_child: u32,
    next_sibling: u32,
    /// Where the table of its children begins; 0 without one.
    table: u32,
    /// The node of the longest other path that this node's path ends with.
    fallback: u32,
}

const ROOT: u32 = 0;
/// The number of entries of a table: a child for each byte, or [`ROOT`].
const TABLE: usize = 256;
/// From so many children on, a node has a table: most bytes of a text are looked up at a few nodes near the root.
const MANY: usize = 5;

/// Texts to find, and which of them were found so far.
#[derive(Debug)]
pub struct Search {
    nodes: Vec<Node>,
    /// The tables of all nodes that have one; that of the root is the first.
    tables: Vec<u32>,
    /// The node where each text ends, in their order.
    ends: Vec<u32>,
    /// How many nodes with an end are not found yet.
    missing: usize,
    /// The node of what was read last.
    at: u32,
    #[cfg(test)]
    steps: usize,
}

impl Search {
    /// A search for these texts. Linear in them. An empty text counts as found.
    pub fn new<'a>(wanted: impl IntoIterator<Item = &'a str>) -> Self {
        let mut search = Self {
            nodes: vec![Node { found: true, ..Node::default() }],
            tables: vec![ROOT; TABLE],
            ends: Vec::new(),
            missing: 0,
            at: ROOT,
            #[cfg(test)]
            steps: 0,
        };
        for text in wanted {
            let mut at = ROOT;
            for byte in text.bytes() {
                at = search.child(at, byte).unwrap_or_else(|| search.add(at, byte));
            }
            search.ends.push(at);
            if let Some(node) = search.nodes.get_mut(at as usize)
                && !node.ends
                && at != ROOT
            {
                node.ends = true;
                search.missing += 1;
            }
        }
        search.link();
        search
    }

    /// The texts of `wanted` that none of `texts` contains. Linear in both.
    pub fn not_in(
        wanted: Vec<String>,
        texts: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Vec<String> {
        if wanted.is_empty() {
            return wanted;
        }
        let mut search = Self::new(wanted.iter().map(String::as_str));
        for text in texts {
            search.read(text.as_ref());
            if search.missing == 0 {
                break;
            }
        }
        search.not_found(wanted)
    }

    /// True if every text was found.
    pub fn is_done(&self) -> bool {
        self.missing == 0
    }

    /// Those of the texts that were not found. `wanted` are the texts that this was made with.
    pub fn not_found(&self, wanted: Vec<String>) -> Vec<String> {
        let ends = self.ends.iter().map(|end| self.node(*end).found);
        wanted.into_iter().zip(ends).filter(|(_, found)| !found).map(|(text, _)| text).collect()
    }

    /// Those of the texts that were found. `wanted` are the texts that this was made with.
    pub fn found<'a>(
        &self,
        wanted: impl Iterator<Item = &'a str>,
    ) -> impl Iterator<Item = &'a str> {
        let ends = self.ends.iter().map(|end| self.node(*end).found);
        wanted.zip(ends).filter(|(_, found)| *found).map(|(text, _)| text)
    }

    /// Finds all texts that occur in this one. Linear in it, whatever is wanted.
    pub fn read(&mut self, text: &str) {
        self.begin();
        self.read_on(text.as_bytes());
    }

    /// Begins to read a text, of which [`Self::read_on`] gets one part after the other.
    pub fn begin(&mut self) {
        self.at = ROOT;
    }

    /// Finds all texts that end in this part of the text that is being read. It may begin and end within a character.
    pub fn read_on(&mut self, part: &[u8]) {
        self.read_bytes(part, false);
    }

    /// The same, as if all capitals of ASCII were small letters, and each white space between words of a text one blank: who quotes
    /// code or a table seldom keeps its columns.
    pub fn read_on_loosely(&mut self, part: &[u8]) {
        self.read_bytes(part, true);
    }

    fn read_bytes(&mut self, part: &[u8], loosely: bool) {
        let mut at = self.at;
        for byte in part {
            let mut byte = if loosely { byte.to_ascii_lowercase() } else { *byte };
            // Most bytes begin none of the texts, which the table of the root shows.
            if at == ROOT && self.tables.get(usize::from(byte)) == Some(&ROOT) {
                continue;
            }
            if loosely && at != ROOT && byte.is_ascii_whitespace() {
                byte = b' ';
                if self.node(at).byte == byte {
                    continue;
                }
            }
            at = self.step(at, byte);
            if at != ROOT {
                self.mark(at);
            }
        }
        self.at = at;
    }

    /// The node of the longest path that ends with this byte.
    fn step(&mut self, mut at: u32, byte: u8) -> u32 {
        loop {
            #[cfg(test)]
            {
                self.steps += 1;
            }
            match self.child(at, byte) {
                Some(next) => return next,
                None if at == ROOT => return ROOT,
                None => at = self.node(at).fallback,
            }
        }
    }

    /// Marks a path as found, and all paths that it ends with. Each node is marked once.
    fn mark(&mut self, mut at: u32) {
        while let Some(node) = self.nodes.get_mut(at as usize)
            && !node.found
        {
            node.found = true;
            self.missing -= usize::from(node.ends);
            at = node.fallback;
        }
    }

    fn node(&self, at: u32) -> Node {
        self.nodes.get(at as usize).copied().unwrap_or_default()
    }

    fn child(&self, at: u32, byte: u8) -> Option<u32> {
        let Node { first_child, table, .. } = self.node(at);
        if at == ROOT || table > 0 {
            let child = self.tables.get(table as usize + usize::from(byte));
            return child.copied().filter(|child| *child != ROOT);
        }
        let mut child = first_child;
        while child != ROOT {
            let node = self.node(child);
            if node.byte == byte {
                return Some(child);
            }
            child = node.next_sibling;
        }
        None
    }

    fn add(&mut self, at: u32, byte: u8) -> u32 {
        let new = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let next_sibling = self.node(at).first_child;
        self.nodes.push(Node { byte, next_sibling, ..Node::default() });
        if let Some(parent) = self.nodes.get_mut(at as usize) {
            parent.first_child = new;
        }
        if at == ROOT
            && let Some(root) = self.tables.get_mut(usize::from(byte))
        {
            *root = new;
        }
        new
    }

    /// Gives a node a table if it has many children.
    fn tabulate(&mut self, at: u32) {
        let next = |child: &u32| Some(self.node(*child).next_sibling).filter(|next| *next != ROOT);
        let first = Some(self.node(at).first_child).filter(|first| *first != ROOT);
        let children = std::iter::successors(first, next);
        if at == ROOT || children.clone().nth(MANY - 1).is_none() {
            return;
        }
        let children: Vec<u32> = children.collect();
        let begins = self.tables.len();
        self.tables.resize(begins + TABLE, ROOT);
        for child in children {
            let byte = usize::from(self.node(child).byte);
            if let Some(entry) = self.tables.get_mut(begins + byte) {
                *entry = child;
            }
        }
        if let Some(node) = self.nodes.get_mut(at as usize) {
            node.table = u32::try_from(begins).unwrap_or(0);
        }
    }

    /// Finds the fallback of every node, the shorter paths first, and makes the tables.
    fn link(&mut self) {
        let mut queue = VecDeque::from([ROOT]);
        while let Some(parent) = queue.pop_front() {
            self.tabulate(parent);
            let mut child = self.node(parent).first_child;
            while child != ROOT {
                let Node { byte, next_sibling, .. } = self.node(child);
                let fallback = match parent {
                    ROOT => ROOT,
                    _ => self.step(self.node(parent).fallback, byte),
                };
                if let Some(node) = self.nodes.get_mut(child as usize) {
                    node.fallback = fallback;
                }
                queue.push_back(child);
                child = next_sibling;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn j6_a_text_is_read_once_however_many_names_are_wanted() {
        // All of them begin like the text, so that each could be followed far before it differs.
        let steps = |names: usize, repeats: usize| {
            let names: Vec<String> = (0..names).map(|n| format!("src/src/src/{n}.rs")).collect();
            let mut search = Search::new(names.iter().map(String::as_str));
            let before = search.steps;
            search.read(&"src/src/sr".repeat(repeats));
            search.steps - before
        };
        for names in [1, 100, 10_000] {
            assert!(steps(names, 1_000) <= 2 * 10_000, "{names} names");
        }
        assert!(steps(100, 8_000) <= 9 * steps(100, 1_000));
    }

    #[test]
    fn j24_a_text_that_is_read_in_parts_is_read_as_one() {
        let wanted = ["garden", "bé", "sé g", "xn"].map(str::to_owned);
        let text = "a rosé garden";
        for size in 1..=text.len() {
            let mut search = Search::new(wanted.iter().map(String::as_str));
            for text in [text, "x"] {
                search.begin();
                text.as_bytes().chunks(size).for_each(|part| search.read_on(part));
            }
            assert_eq!(search.not_found(wanted.to_vec()), ["bé", "xn"], "in parts of {size} bytes");
        }
    }

    #[test]
    fn j24_capitals_are_read_as_small_letters() {
        let wanted = ["garden", "a rosé", "ÉA"].map(str::to_owned);
        let mut search = Search::new(wanted.iter().map(String::as_str));
        search.read_on_loosely("A ROSé GARden, Éa".as_bytes());
        assert_eq!(search.not_found(wanted.to_vec()), ["ÉA"]);
        let found = search.found(wanted.iter().map(String::as_str));
        assert_eq!(found.collect::<Vec<_>>(), ["garden", "a rosé"]);
    }

    #[test]
    fn j24_white_space_is_read_as_one_blank() {
        let wanted = ["a b c", "b  c", " 15", "c\td"].map(str::to_owned);
        let text = "a\t \n b   c\r\n   15";
        for size in 1..=text.len() {
            let mut search = Search::new(wanted.iter().map(String::as_str));
            search.begin();
            text.as_bytes().chunks(size).for_each(|part| search.read_on_loosely(part));
            assert_eq!(search.not_found(wanted.to_vec()), ["b  c", "c\td"], "in parts of {size}");
        }
        let mut search = Search::new(wanted.iter().map(String::as_str));
        search.read(text);
        assert_eq!(search.not_found(wanted.to_vec()), ["a b c", "b  c", "c\td"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn j6_what_is_not_found_is_what_no_text_contains(
            wanted in prop::collection::vec("[abé]{0,5}", 0..8),
            texts in prop::collection::vec("[abé]{0,12}", 0..4),
        ) {
            let expected: Vec<String> = wanted
                .iter()
                .filter(|text| !text.is_empty() && !texts.iter().any(|other| other.contains(*text)))
                .cloned()
                .collect();
            prop_assert_eq!(Search::not_in(wanted, texts.iter().map(String::as_str)), expected);
        }
    }
}
