//! Policies written as YAML, or as the front matter of a Markdown file; errors name the line.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::{Options, Spanned};

use super::{Policy, PolicyError, PolicySpec};
use crate::json;

/// A policy that was read from YAML. It remembers the line of every field, for errors.
#[derive(Clone, Debug, PartialEq)]
pub struct YamlPolicy {
    spec: PolicySpec,
    /// The line of every value, by its path as in [`PolicyError::field`]; that of the policy itself is at `""`.
    lines: BTreeMap<String, u64>,
}

/// Why a YAML text has no policy that can work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct YamlError {
    /// The line in the text, from 1.
    pub line: u64,
    /// What is wrong there. If it is a field, its path comes first: `policy.keep.messages: …`.
    pub problem: String,
}

impl YamlPolicy {
    /// Reads the policy at a path of keys in a YAML document, such as `["compaction"]`; without keys, the whole document
    /// is the policy. `None` if the document has no such key. Linear.
    ///
    /// The fields and their names are those of a policy as JSON. An error is about YAML alone; whether the policy can
    /// work is checked by [`Self::resolve`].
    pub fn from_yaml(text: &str, path: &[&str]) -> Result<Option<Self>, YamlError> {
        let options = Options { with_snippet: false, ..Options::default() };
        let document: Spanned<Node> =
            serde_saphyr::from_str_with_options(text, options).map_err(|error| YamlError {
                line: error.location().map_or(1, |location| location.line().max(1)),
                problem: error.to_string(),
            })?;
        let Some(node) = document.at(path) else { return Ok(None) };
        let mut lines = BTreeMap::new();
        let value = node.json("", &mut lines);
        // A key without a value, as in `compaction:`, leaves all settings as they are.
        let value = if value.is_null() { Value::Object(Map::new()) } else { value };
        let at = |path: &str| line(&lines, path);
        let spec = json::read(&value).map_err(|error| YamlError {
            line: at(error.path()),
            problem: format!("policy.{error}"),
        })?;
        Ok(Some(Self { spec, lines }))
    }

    /// Reads the policy at a path of keys in the front matter of a Markdown file: the YAML between a first line `---` and
    /// the next such line. An agent's file may have it at `["features", "compaction"]`. `None` if the file has no front
    /// matter, or no such key in it. Lines of errors are those of the file.
    pub fn from_front_matter(text: &str, path: &[&str]) -> Result<Option<Self>, YamlError> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let mut lines = text.split('\n');
        let is_fence = |line: &str| line.trim_end() == "---";
        if !lines.next().is_some_and(is_fence) {
            return Ok(None);
        }
        // The empty line stands for the fence, so that lines have the numbers that they have in the file.
        let mut yaml = String::from("\n");
        for line in lines {
            if is_fence(line) {
                return Self::from_yaml(&yaml, path);
            }
            yaml.push_str(line);
            yaml.push('\n');
        }
        let problem = "the front matter has no end; add a line of three hyphens".to_owned();
        Err(YamlError { line: 1, problem })
    }

    /// The policy as written.
    pub fn spec(&self) -> &PolicySpec {
        &self.spec
    }

    /// The complete policy, after checking that it can work: [`PolicySpec::resolve`].
    pub fn resolve(&self) -> Result<Policy, YamlError> {
        self.spec.resolve().map_err(|error| self.locate(&error))
    }

    /// The complete policy of an agent, after checking that it can work: [`PolicySpec::resolve_for`].
    pub fn resolve_for(&self, agent: &str) -> Result<Policy, YamlError> {
        self.spec.resolve_for(agent).map_err(|error| self.locate(&error))
    }

    /// An error of this policy with the line of its field, or of the closest field around it that is written.
    pub fn locate(&self, error: &PolicyError) -> YamlError {
        YamlError { line: line(&self.lines, &error.field), problem: error.to_string() }
    }
}

/// The line of the field with this path, or of the closest one around it.
fn line(lines: &BTreeMap<String, u64>, path: &str) -> u64 {
    let mut path = path;
    loop {
        if let Some(line) = lines.get(path) {
            return *line;
        }
        if path.is_empty() {
            return 1;
        }
        path = path.rfind(['.', '[']).and_then(|end| path.get(..end)).unwrap_or_default();
    }
}

/// A YAML value whose parts know their lines.
#[derive(Debug)]
enum Node {
    Scalar(Value),
    List(Vec<Spanned<Node>>),
    Object(Vec<(String, Spanned<Node>)>),
}

trait At {
    /// The value at a path of keys; `None` if there is none.
    fn at(&self, path: &[&str]) -> Option<&Self>;
    /// The value as JSON. Adds its line and those of all its parts.
    fn json(&self, path: &str, lines: &mut BTreeMap<String, u64>) -> Value;
}

impl At for Spanned<Node> {
    fn at(&self, path: &[&str]) -> Option<&Self> {
        let [key, rest @ ..] = path else { return Some(self) };
        let Node::Object(entries) = &self.value else { return None };
        entries.iter().find_map(|(name, node)| (name == key).then(|| node.at(rest)))?
    }

    fn json(&self, path: &str, lines: &mut BTreeMap<String, u64>) -> Value {
        lines.insert(path.to_owned(), self.referenced.line());
        match &self.value {
            Node::Scalar(value) => value.clone(),
            Node::List(items) => {
                let item =
                    |(index, item): (usize, &Self)| item.json(&format!("{path}[{index}]"), lines);
                Value::Array(items.iter().enumerate().map(item).collect())
            }
            Node::Object(entries) => {
                let entry = |(key, node): &(String, Self)| {
                    let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    (key.clone(), node.json(&inner, lines))
                };
                Value::Object(entries.iter().map(entry).collect())
            }
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Scalar(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Node, D::Error> {
        Node::deserialize(inner)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Node, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("is not a number"))?;
        Ok(Node::Scalar(number.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Scalar(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut object: Vec<(String, Spanned<Node>)> = Vec::new();
        while let Some((key, value)) = entries.next_entry::<String, Spanned<Node>>()? {
            if object.iter().any(|(other, _)| *other == key) {
                return Err(A::Error::custom(format!("{key} is given twice")));
            }
            object.push((key, value));
        }
        Ok(Node::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Keep;

    const YAML: &str = "preset: fill
window: 50000
keep:
  messages: 4
triggers:
  - fill: { fraction: 0.9 }
agents:
  coder:
    summary: { prompt: mine, prompts: { mine: Condense. } }
";

    fn whole(text: &str) -> YamlPolicy {
        YamlPolicy::from_yaml(text, &[]).unwrap().unwrap()
    }

    #[test]
    fn h6_a_policy_in_yaml_is_the_same_as_in_json() {
        let json = r#"{ "preset": "fill", "window": 50000, "keep": { "messages": 4 },
            "triggers": [{ "fill": { "fraction": 0.9 } }],
            "agents": { "coder": { "summary": { "prompt": "mine", "prompts": { "mine": "Condense." } } } } }"#;
        let expected: PolicySpec = serde_json::from_str(json).unwrap();
        let policy = whole(YAML);
        assert_eq!(policy.spec(), &expected);
        let all = policy.resolve().unwrap();
        assert_eq!((all.keep, all.threshold()), (Keep::Messages(4), Some(45_000)));
        let coder = policy.resolve_for("coder").unwrap();
        assert_eq!(coder.summary.prompt.as_deref(), Some("mine"));
    }

    #[test]
    fn h6_every_field_of_every_preset_can_be_written_in_yaml() {
        for name in crate::policy::PRESETS {
            let policy = Policy::preset(name, 200_000).unwrap();
            // JSON is YAML.
            let text = serde_json::to_string_pretty(&policy).unwrap();
            assert_eq!(whole(&text).resolve().unwrap(), policy, "{name}");
        }
    }

    #[test]
    fn h6_a_policy_can_be_a_part_of_a_document() {
        let text = "log: debug\ncompaction:\n  keep: { messages: 4 }\nempty:\n";
        let at = |path: &[&str]| YamlPolicy::from_yaml(text, path).unwrap();
        assert_eq!(at(&["compaction"]).unwrap().resolve().unwrap().keep, Keep::Messages(4));
        assert_eq!(at(&["empty"]).unwrap().resolve().unwrap(), Policy::recommended(200_000));
        assert_eq!(at(&["pruning"]), None);
        assert_eq!(at(&["log", "compaction"]), None);
    }

    #[test]
    fn h6_a_policy_can_be_the_front_matter_of_a_markdown_file() {
        let text = "---\r\nname: Coder\r\nfeatures:\r\n  compaction:\r\n    preset: fill\r\n    keep: { messages: 20 }\r\n\
                    ---\r\nYou are a coder.\n\n---\n\nkeep: short\n";
        let path = ["features", "compaction"];
        let policy = YamlPolicy::from_front_matter(text, &path).unwrap().unwrap();
        assert_eq!(policy.resolve().unwrap().keep, Keep::Messages(20));
        assert_eq!(YamlPolicy::from_front_matter(text, &["compaction"]), Ok(None));
        let direct = YamlPolicy::from_front_matter("\u{FEFF}---\npreset: loop\n---\n", &[]);
        assert_eq!(direct.unwrap().unwrap().spec().preset.as_deref(), Some("loop"));
        for plain in
            ["", "# Title\n---\nkeep: short\n---\n", " ---\na: b\n---", "----\na: b\n----\n"]
        {
            assert_eq!(YamlPolicy::from_front_matter(plain, &[]), Ok(None), "{plain:?}");
        }
    }

    #[test]
    fn h6_errors_name_the_line() {
        let check = |text: &str, line: u64, problem: &str| {
            let read = YamlPolicy::from_front_matter(text, &["compaction"]);
            let error = match read {
                Ok(policy) => policy.unwrap().resolve().unwrap_err(),
                Err(error) => error,
            };
            assert_eq!(error.line, line, "{error}");
            assert!(error.to_string().starts_with(&format!("line {line}: ")), "{error}");
            assert!(error.problem.contains(problem), "{error}");
        };
        check("---\na: 1\ncompaction:\n  keep: } 4\n---\n", 4, "");
        check("---\ncompaction:\n  keep:\n    messages: -1\n---\n", 4, "policy.keep.messages: ");
        check("---\ncompaction:\n  target: 7\n  window: 9\n---\n", 3, "policy.target: is 7");
        check(
            "---\ncompaction:\n  window: 9\n  tresholds: 3\n---\n",
            4,
            "policy.tresholds: unknown field",
        );
        check(
            "---\ncompaction:\n  triggers:\n    - manual\n    - fill:\n        fraction: 2\n---\n",
            6,
            "policy.triggers[1].fill.fraction",
        );
        check("---\ncompaction:\n  window: many\n---\n", 3, "many");
        check("---\ncompaction: [1]\n---\n", 2, "");
        check("---\ncompaction:\n  target: 0.5\n  target: 0.6\n---\n", 4, "target");
        check("---\ncompaction:\n  keep: 3\n", 1, "no end");
        let agent =
            whole("agents:\n  a:\n    window: 9\n    target: 7\n").resolve_for("a").unwrap_err();
        assert_eq!(agent.line, 4, "{agent}");
    }
}
