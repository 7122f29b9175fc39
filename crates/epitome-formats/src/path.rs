//! Where a value is in a message, as keys and indices.

use std::fmt;

use serde_json::Value;

/// A path into a JSON value: `content[3].text`. The empty path leads to the value itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path(Vec<Segment>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Segment {
    Key(&'static str),
    Index(usize),
}

impl Path {
    /// The member `key` of the message.
    pub(crate) fn key(key: &'static str) -> Self {
        Self(vec![Segment::Key(key)])
    }

    /// The member `key` of the value at this path.
    #[must_use]
    pub(crate) fn then(mut self, key: &'static str) -> Self {
        self.0.push(Segment::Key(key));
        self
    }

    /// The element `index` of the array at this path.
    #[must_use]
    pub(crate) fn at(mut self, index: usize) -> Self {
        self.0.push(Segment::Index(index));
        self
    }

    /// The same path from an outer value, in which this path begins at `parent`.
    #[must_use]
    pub(crate) fn under(&self, parent: &Self) -> Self {
        Self(parent.0.iter().chain(&self.0).copied().collect())
    }

    /// The path of the array, if this path leads to an element of one.
    pub(crate) fn parent(&self) -> Option<Self> {
        match self.0.split_last()? {
            (Segment::Index(_), parents) => Some(Self(parents.to_vec())),
            (Segment::Key(_), _) => None,
        }
    }

    pub(crate) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn get<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        self.0.iter().try_fold(value, |value, segment| match segment {
            Segment::Key(key) => value.get(*key),
            Segment::Index(index) => value.get(*index),
        })
    }

    pub(crate) fn get_mut<'a>(&self, value: &'a mut Value) -> Option<&'a mut Value> {
        self.0.iter().try_fold(value, |value, segment| match segment {
            Segment::Key(key) => value.get_mut(*key),
            Segment::Index(index) => value.get_mut(*index),
        })
    }

    /// Removes the value at this path. In an array, later elements move up.
    pub(crate) fn remove(&self, value: &mut Value) {
        let Some((last, parents)) = self.0.split_last() else { return };
        let Some(parent) = Self(parents.to_vec()).get_mut(value) else { return };
        match (last, parent) {
            (Segment::Key(key), Value::Object(object)) => {
                object.shift_remove(*key);
            }
            (Segment::Index(index), Value::Array(array)) if *index < array.len() => {
                array.remove(*index);
            }
            _ => {}
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Key(key) if position == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_path_prints_as_javascript_writes_it_and_leads_to_its_value() {
        let path = Path::key("content").at(1).then("text");
        assert_eq!(path.to_string(), "content[1].text");
        assert_eq!(path.under(&Path::key("kwargs")).to_string(), "kwargs.content[1].text");
        let mut value = json!({ "content": [{}, { "text": "hi", "x": 1 }] });
        assert_eq!(path.get_mut(&mut value), Some(&mut json!("hi")));
        path.remove(&mut value);
        assert_eq!(value, json!({ "content": [{}, { "x": 1 }] }));
        Path::key("content").at(0).remove(&mut value);
        assert_eq!(value, json!({ "content": [{ "x": 1 }] }));
        Path::key("content").at(7).remove(&mut value);
        assert_eq!(value, json!({ "content": [{ "x": 1 }] }));
    }
}
