//! The messages of a log as a tree: each has the one before it as its parent, and one path is the conversation.
//!
//! A chat page regenerates an answer, or edits a question and sends it again. What was said before stays in the tree as a
//! branch beside the new one. The path leads from the first message to the *head*, behind which the next one is appended.

use std::iter::successors;
use std::num::NonZeroU32;

use epitome_columns::{Hash, Seen};

use crate::message::MessageId;

/// A message in the tree. In four bytes also as an `Option`, since a tree has several for each message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId(NonZeroU32);

impl NodeId {
    fn of(index: usize) -> Option<Self> {
        NonZeroU32::new(u32::try_from(index + 1).ok()?).map(Self)
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// Index of the record with the latest version of the message.
    record: usize,
    parent: Option<NodeId>,
    /// The oldest child; the others follow as its siblings.
    first_child: Option<NodeId>,
    next_sibling: Option<NodeId>,
    /// The child on the path that led through this node last.
    last_visited: Option<NodeId>,
    /// Number of messages before it. Only kept up to date for nodes on the path.
    depth: usize,
}

/// The tree and its path. Costs are in the number of messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// The id of the message of each node.
    ids: Vec<MessageId>,
    /// The indices of these. Without those of removed messages, so that their ids are free.
    seen: Seen,
    path: Vec<NodeId>,
    /// The oldest first message; those of other branches follow as its siblings.
    first: Option<NodeId>,
}

impl Tree {
    /// Appends a message behind the head; `record` has it. Costs O(1) on average, and O(1) for each branch that begins there. False
    /// if there is a message with this id on any branch.
    pub(crate) fn append(&mut self, id: &MessageId, record: usize) -> bool {
        let parent = self.path.last().copied();
        let Some(node) = self.create(id, record, parent) else { return false };
        self.add_child(parent, node);
        self.path.push(node);
        true
    }

    /// Puts a message in front of another one on every branch that has that one; `record` has the new one. Linear in the
    /// messages behind it. False if the id is known, or the other message is not on the path.
    pub(crate) fn insert(&mut self, id: &MessageId, record: usize, before: &MessageId) -> bool {
        let Some(position) = self.position(before) else { return false };
        let Some(next) = self.path.get(position).copied() else { return false };
        let parent = self.parent(next);
        let Some(node) = self.create(id, record, parent) else { return false };
        let sibling = self.next_sibling(next);
        self.replace_child(parent, next, Some(node));
        self.visit(parent, Some(node));
        if let Some(inserted) = self.node_mut(node) {
            inserted.next_sibling = sibling;
            inserted.first_child = Some(next);
            inserted.last_visited = Some(next);
        }
        if let Some(moved) = self.node_mut(next) {
            moved.parent = Some(node);
            moved.next_sibling = None;
        }
        self.path.insert(position, node);
        self.number_from(position);
        true
    }

    /// Takes a message out of every branch; what follows it follows the message before it. Linear in the messages behind
    /// it. Returns its position; `None` if it is not on the path.
    pub(crate) fn remove(&mut self, id: &MessageId) -> Option<usize> {
        let position = self.position(id)?;
        let node = self.at(position)?;
        self.seen.remove(hash(id), index(node));
        let (parent, sibling) = (self.parent(node), self.next_sibling(node));
        let children: Vec<NodeId> = self.siblings_from(self.first_child(node)).collect();
        for child in &children {
            if let Some(child) = self.node_mut(*child) {
                child.parent = parent;
            }
        }
        if let Some(last) = children.last().and_then(|last| self.node_mut(*last)) {
            last.next_sibling = sibling;
        }
        let last_visited = self.last_child(node);
        self.replace_child(parent, node, children.first().copied().or(sibling));
        self.visit(parent, last_visited);
        self.path.remove(position);
        self.number_from(position);
        Some(position)
    }

    /// Makes the path end with this message, or be empty. Linear in the messages that leave the path and that join it.
    /// Returns how many messages stay where they are; `None` if no branch has the message.
    pub(crate) fn move_head(&mut self, head: Option<&MessageId>) -> Option<usize> {
        let target = match head {
            Some(id) => Some(self.find(id)?),
            None => None,
        };
        let ancestors = successors(target, |node| self.parent(*node));
        let joins: Vec<NodeId> = ancestors.take_while(|node| !self.is_on_path(*node)).collect();
        let fork = match joins.last() {
            Some(first) => self.parent(*first),
            None => target,
        };
        let stay = fork.and_then(|fork| self.depth(fork)).map_or(0, |depth| depth + 1);
        self.path.truncate(stay);
        for node in joins.into_iter().rev() {
            self.visit(self.path.last().copied(), Some(node));
            self.path.push(node);
        }
        self.number_from(stay);
        Some(stay)
    }

    /// Number of messages on the path.
    pub(crate) fn len(&self) -> usize {
        self.path.len()
    }

    /// The record with the latest version of the message at a position of the path, from 0.
    pub(crate) fn record(&self, position: usize) -> Option<usize> {
        self.node(*self.path.get(position)?).map(|node| node.record)
    }

    /// The record with the latest version of any message of the tree.
    pub(crate) fn record_of(&self, node: NodeId) -> Option<usize> {
        self.node(node).map(|node| node.record)
    }

    /// Names another record as the one with the latest version of the message at a position.
    pub(crate) fn set_record(&mut self, position: usize, record: usize) {
        let node = self.path.get(position).copied();
        if let Some(node) = node.and_then(|node| self.node_mut(node)) {
            node.record = record;
        }
    }

    /// The position of a message on the path, from 0; `None` if it is not on it. Costs O(1) on average.
    pub(crate) fn position(&self, id: &MessageId) -> Option<usize> {
        let node = self.find(id)?;
        self.is_on_path(node).then(|| self.depth(node))?
    }

    /// The node of a message on any branch. Costs O(1) on average.
    pub(crate) fn find(&self, id: &MessageId) -> Option<NodeId> {
        NodeId::of(self.index_of(hash(id), id)?)
    }

    fn index_of(&self, hash: Hash, id: &MessageId) -> Option<usize> {
        self.seen.find(hash, |index| self.ids.get(index) == Some(id))
    }

    /// The node at a position of the path.
    pub(crate) fn at(&self, position: usize) -> Option<NodeId> {
        self.path.get(position).copied()
    }

    /// The position of a node on the path, from 0; `None` if it is not on it. Costs O(1).
    pub(crate) fn depth_on_path(&self, node: NodeId) -> Option<usize> {
        self.depth(node).filter(|depth| self.at(*depth) == Some(node))
    }

    /// True if the path has this node. Costs O(1).
    pub(crate) fn is_on_path(&self, node: NodeId) -> bool {
        self.depth_on_path(node).is_some()
    }

    /// How many messages the path shares with the branch that ends with this node. Linear in those that it does not share.
    pub(crate) fn shared_with(&self, node: NodeId) -> usize {
        let mut ancestors = successors(Some(node), |node| self.parent(*node));
        let shared = ancestors.find(|node| self.is_on_path(*node));
        shared.and_then(|node| self.depth(node)).map_or(0, |depth| depth + 1)
    }

    /// The messages that follow a message on any branch, oldest first; those that begin one for `None`. Linear in them.
    pub(crate) fn following(&self, node: Option<NodeId>) -> impl Iterator<Item = NodeId> + '_ {
        self.siblings_from(match node {
            Some(node) => self.first_child(node),
            None => self.first,
        })
    }

    /// Where the branch with this message ended when it was last the path. Linear in the messages behind it.
    pub(crate) fn last_head(&self, node: NodeId) -> NodeId {
        successors(Some(node), |node| self.last_child(*node)).last().unwrap_or(node)
    }

    fn create(&mut self, id: &MessageId, record: usize, parent: Option<NodeId>) -> Option<NodeId> {
        let hash = hash(id);
        if self.index_of(hash, id).is_some() {
            return None;
        }
        let node = NodeId::of(self.nodes.len())?;
        self.seen.add(hash, self.nodes.len());
        self.ids.push(id.clone());
        self.nodes.push(Node {
            record,
            parent,
            first_child: None,
            next_sibling: None,
            last_visited: None,
            depth: self.path.len(),
        });
        Some(node)
    }

    fn add_child(&mut self, parent: Option<NodeId>, node: NodeId) {
        match self.following(parent).last().and_then(|last| self.node_mut(last)) {
            Some(last) => last.next_sibling = Some(node),
            None => match parent.and_then(|parent| self.node_mut(parent)) {
                Some(parent) => parent.first_child = Some(node),
                None => self.first = Some(node),
            },
        }
        self.visit(parent, Some(node));
    }

    /// Puts a node in the place of a child, or nothing if it has no next sibling.
    fn replace_child(&mut self, parent: Option<NodeId>, child: NodeId, by: Option<NodeId>) {
        let before = self.following(parent).find(|other| self.next_sibling(*other) == Some(child));
        match before.and_then(|before| self.node_mut(before)) {
            Some(before) => before.next_sibling = by,
            None => match parent.and_then(|parent| self.node_mut(parent)) {
                Some(parent) => parent.first_child = by,
                None => self.first = by,
            },
        }
    }

    fn visit(&mut self, parent: Option<NodeId>, child: Option<NodeId>) {
        if let Some(parent) = parent.and_then(|parent| self.node_mut(parent)) {
            parent.last_visited = child;
        }
    }

    /// Sets the depths of the nodes on the path from a position on.
    fn number_from(&mut self, position: usize) {
        for depth in position..self.path.len() {
            if let Some(node) = self.at(depth).and_then(|node| self.node_mut(node)) {
                node.depth = depth;
            }
        }
    }

    fn siblings_from(&self, first: Option<NodeId>) -> impl Iterator<Item = NodeId> + '_ {
        successors(first, |node| self.next_sibling(*node))
    }

    fn node(&self, node: NodeId) -> Option<&Node> {
        self.nodes.get(index(node))
    }

    fn node_mut(&mut self, node: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(index(node))
    }

    fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.node(node)?.parent
    }

    fn first_child(&self, node: NodeId) -> Option<NodeId> {
        self.node(node)?.first_child
    }

    fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        self.node(node)?.next_sibling
    }

    fn last_child(&self, node: NodeId) -> Option<NodeId> {
        self.node(node)?.last_visited
    }

    fn depth(&self, node: NodeId) -> Option<usize> {
        self.node(node).map(|node| node.depth)
    }
}

fn hash(id: &MessageId) -> Hash {
    Hash::of(id.as_str(), 0)
}

fn index(node: NodeId) -> usize {
    usize::try_from(node.0.get()).map_or(usize::MAX, |number| number - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: char) -> MessageId {
        name.to_string().as_str().into()
    }

    /// A tree with the messages of each word on a branch of its own behind what it shares with the words before.
    fn tree(words: &[&str]) -> Tree {
        let mut tree = Tree::default();
        for word in words {
            let mut head = None;
            for name in word.chars() {
                if tree.find(&id(name)).is_none() {
                    tree.move_head(head.map(id).as_ref()).unwrap();
                    assert!(tree.append(&id(name), name as usize));
                }
                head = Some(name);
            }
        }
        tree
    }

    fn path(tree: &Tree) -> String {
        (0..tree.len())
            .filter_map(|at| char::from_u32(u32::try_from(tree.record(at)?).unwrap()))
            .collect()
    }

    fn alternatives(tree: &Tree, position: usize) -> String {
        let before = position.checked_sub(1).and_then(|before| tree.at(before));
        let records = tree.following(before).filter_map(|node| tree.record_of(node));
        records.filter_map(|record| char::from_u32(u32::try_from(record).unwrap())).collect()
    }

    /// The message with which the branch of this one ended when it was last the path.
    fn last_head(tree: &Tree, name: char) -> Option<char> {
        let head = tree.record_of(tree.last_head(tree.find(&id(name))?))?;
        char::from_u32(u32::try_from(head).unwrap())
    }

    #[test]
    fn moving_the_head_leaves_a_branch_that_can_be_taken_up_again() {
        let mut tree = tree(&["abcd", "abe", "xy"]);
        assert_eq!(path(&tree), "xy");
        assert_eq!(alternatives(&tree, 0), "ax");
        assert_eq!(last_head(&tree, 'a'), Some('e'), "the last one that was the path");
        assert_eq!(tree.move_head(Some(&id('d'))), Some(0));
        assert_eq!((path(&tree).as_str(), alternatives(&tree, 2).as_str()), ("abcd", "ce"));
        assert_eq!(tree.move_head(Some(&id('e'))), Some(2), "two messages stay");
        assert_eq!((path(&tree).as_str(), tree.position(&id('c'))), ("abe", None));
        assert_eq!(tree.move_head(Some(&id('z'))), None);
        assert_eq!(tree.move_head(None), Some(0));
        assert_eq!(tree.len(), 0);
        assert_eq!(tree.shared_with(tree.find(&id('d')).unwrap()), 0);
    }

    #[test]
    fn a_branch_without_a_removed_message_ends_as_it_ended_when_it_was_last_the_path() {
        for (words, removed, head) in [
            (["abcd", "abe"], 'b', 'e'),
            (["abe", "abcd"], 'b', 'd'),
            (["abcd", "ae"], 'e', 'a'),
            (["abcd", "abce"], 'c', 'e'),
        ] {
            let mut tree = tree(&words);
            tree.remove(&id(removed)).unwrap();
            assert_eq!(last_head(&tree, 'a'), Some(head), "{words:?} without {removed}");
            assert_eq!(path(&tree).chars().last(), Some(head), "{words:?} without {removed}");
        }
    }

    #[test]
    fn a_removed_message_leaves_every_branch() {
        let mut tree = tree(&["abcd", "abe"]);
        assert_eq!(tree.remove(&id('b')), Some(1));
        assert_eq!((path(&tree).as_str(), alternatives(&tree, 1).as_str()), ("ae", "ce"));
        tree.move_head(Some(&id('d'))).unwrap();
        assert_eq!(path(&tree), "acd");
        assert_eq!(tree.remove(&id('d')), Some(2));
        assert_eq!(tree.remove(&id('c')), Some(1));
        assert_eq!((path(&tree).as_str(), alternatives(&tree, 1).as_str()), ("a", "e"));
        assert_eq!(tree.remove(&id('e')), None, "not on the path");
        assert!(tree.append(&id('b'), 'b' as usize), "its id is free again");
        assert_eq!(alternatives(&tree, 1), "eb");
        assert_eq!(tree.remove(&id('a')), Some(0));
        assert_eq!((path(&tree).as_str(), alternatives(&tree, 0).as_str()), ("b", "eb"));
    }

    #[test]
    fn an_inserted_message_is_on_the_branches_of_the_next_one() {
        let mut tree = tree(&["abcd", "ae"]);
        tree.move_head(Some(&id('d'))).unwrap();
        assert!(tree.insert(&id('n'), 'n' as usize, &id('c')));
        assert!(!tree.insert(&id('n'), 'n' as usize, &id('c')), "the id is known");
        assert!(!tree.insert(&id('o'), 'o' as usize, &id('e')), "not on the path");
        assert_eq!((path(&tree).as_str(), tree.position(&id('d'))), ("abncd", Some(4)));
        tree.move_head(Some(&id('e'))).unwrap();
        assert_eq!(path(&tree), "ae");
        assert!(tree.insert(&id('0'), '0' as usize, &id('a')));
        assert_eq!((path(&tree).as_str(), alternatives(&tree, 2).as_str()), ("0ae", "be"));
        assert_eq!(last_head(&tree, 'b'), Some('d'));
        assert_eq!(last_head(&tree, '0'), Some('e'), "the inserted one is on the path");
        tree.move_head(Some(&id('d'))).unwrap();
        assert_eq!(path(&tree), "0abncd");
    }
}
