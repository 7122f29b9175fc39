//! Where something stands in a message, as keys and indices.

use std::fmt;

use serde_json::Value;

/// A way into a JSON value: `content[3].text`. The empty one leads to the value itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path(Vec<Step>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Key(&'static str),
    Index(usize),
}

impl Path {
    /// The value of a key of the message.
    pub(crate) fn key(key: &'static str) -> Self {
        Self(vec![Step::Key(key)])
    }

    /// The value of a key of what this leads to.
    #[must_use]
    pub(crate) fn then(mut self, key: &'static str) -> Self {
        self.0.push(Step::Key(key));
        self
    }

    /// An element of what this leads to.
    #[must_use]
    pub(crate) fn at(mut self, index: usize) -> Self {
        self.0.push(Step::Index(index));
        self
    }

    /// The same way, from further up.
    #[must_use]
    pub(crate) fn under(&self, parent: &Self) -> Self {
        Self(parent.0.iter().chain(&self.0).copied().collect())
    }

    /// The list that this leads to an element of.
    pub(crate) fn parent(&self) -> Option<Self> {
        match self.0.split_last()? {
            (Step::Index(_), parents) => Some(Self(parents.to_vec())),
            (Step::Key(_), _) => None,
        }
    }

    pub(crate) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn get<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        self.0.iter().try_fold(value, |value, step| match step {
            Step::Key(key) => value.get(*key),
            Step::Index(index) => value.get(*index),
        })
    }

    pub(crate) fn get_mut<'a>(&self, value: &'a mut Value) -> Option<&'a mut Value> {
        self.0.iter().try_fold(value, |value, step| match step {
            Step::Key(key) => value.get_mut(*key),
            Step::Index(index) => value.get_mut(*index),
        })
    }

    /// Takes out what this leads to. What stands behind an element moves up.
    pub(crate) fn remove(&self, value: &mut Value) {
        let Some((last, parents)) = self.0.split_last() else { return };
        let Some(parent) = Self(parents.to_vec()).get_mut(value) else { return };
        match (last, parent) {
            (Step::Key(key), Value::Object(object)) => {
                object.shift_remove(*key);
            }
            (Step::Index(index), Value::Array(array)) if *index < array.len() => {
                array.remove(*index);
            }
            _ => {}
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if place == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
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
    fn a_path_reads_as_one_writes_it_and_leads_there() {
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
