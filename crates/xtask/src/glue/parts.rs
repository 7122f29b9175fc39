//! Cuts an optimized module into what is fetched first and parts that are fetched when they are first used. A part shares the memory
//! and the table of the first module, and imports from it the functions that both need.

mod cut;
mod linked;
mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::Path;

use linked::{Linked, Node};
use wasm_encoder::{Module, RawSection};
use wasmparser::{ConstExpr, Operator, Parser, Payload};

use crate::failure::{Failure, Result};

/// What is fetched apart.
pub(super) struct Part {
    pub(super) name: &'static str,
    /// What it exports.
    pub(super) exports: &'static [&'static str],
    /// The types whose methods it has of [`TRAITS`], which are only called as trait objects.
    pub(super) types: &'static [&'static str],
}

impl Part {
    /// The name of its file.
    pub(super) fn file(&self) -> String {
        format!("{}_bg.wasm", self.name)
    }
}

/// Writes a file without content for each part, which goes with a module that was not cut.
pub(super) fn write_empty(parts: &[Part], folder: &Path) -> Result {
    for part in parts {
        let place = folder.join(part.file());
        fs::write(&place, Module::new().finish())
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", place.display())))?;
    }
    Ok(())
}

/// The module as other tools read it.
pub(super) fn without_relocations(module: &[u8]) -> Result<Vec<u8>> {
    let mut plain = Module::new();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload.map_err(unreadable)?;
        let is_for_linkers = match &payload {
            Payload::CustomSection(custom) => {
                custom.name() == "linking" || custom.name().starts_with("reloc.")
            }
            _ => false,
        };
        let section = payload.as_section().filter(|_| !is_for_linkers);
        if let Some((id, place)) = section {
            let content = usize::try_from(place.start).ok().zip(usize::try_from(place.end).ok());
            let data = content.and_then(|(start, end)| module.get(start..end)).unwrap_or_default();
            plain.section(&RawSection { id, data });
        }
    }
    Ok(plain.finish())
}

/// What the engine's module does not contain at first: what only compactions with a summary need, what only a snapshot needs, and the
/// formats but OpenAI's, which most apps do not use.
pub(super) const ENGINE: [Part; 9] = [
    Part {
        name: "summaries",
        exports: &[
            "compactor_handleSummary",
            "compactor_handleSummaryNotes",
            "compactor_handleSummaryState",
            "compactor_handleSummaryUsage",
            "compactor_handleInstructed",
        ],
        types: &[],
    },
    Part {
        name: "extractive",
        exports: &["__wbg_extractive_free", "extractive_new", "extractive_advance", "forModel"],
        types: &[],
    },
    Part {
        name: "snapshots",
        exports: &[
            "__wbg_parsedsnapshot_free",
            "parsedsnapshot_parse",
            "parsedsnapshot_countings",
            "compactor_restore",
            "compactor_compare",
        ],
        types: &[],
    },
    format("anthropic", &["dialects::anthropic::Anthropic"]),
    format("openai-responses", &["dialects::openai_responses::OpenAiResponses"]),
    format("ai-sdk", &["dialects::ai_sdk::model::AiSdkModel", "dialects::ai_sdk::ui::AiSdkUi"]),
    format("gemini", &["dialects::gemini::Gemini"]),
    format("langchain", &["dialects::langchain::LangChain"]),
    format("bedrock", &["dialects::bedrock::Bedrock"]),
];

/// A part with types that implement the traits of formats.
const fn format(name: &'static str, types: &'static [&'static str]) -> Part {
    Part { name, exports: &[], types }
}

/// What of a module belongs to a part. Everything else is fetched first.
struct Belongs {
    /// The slots of the table whose functions only this part takes the address of.
    slots: BTreeSet<u32>,
    /// The addresses of the data that only this part reads.
    data: Vec<Range<u32>>,
}

/// A module that is fetched first, and one for each part, in their order.
pub(super) struct Files {
    pub(super) first: Vec<u8>,
    pub(super) parts: Vec<Vec<u8>>,
}

/// The traits of epitome-formats whose trait objects a format has, each with a method that every format has for itself.
const TRAITS: [(&str, &str); 2] =
    [("dialect::Dialect", "read"), ("conformance::Conformance", "recognizes")];

/// Data of fewer bytes stays in the first module: naming where it is takes as many.
const SHORT: u32 = 16;

/// Cuts `optimized`, which was made of `linked`, a module with its relocations. Functions of one part only are found by what refers to
/// them in `linked`; functions of several parts are in the first module.
pub(super) fn cut(linked: &[u8], optimized: &[u8], parts: &[Part]) -> Result<Files> {
    let linked = Linked::read(linked)?;
    let belongs = belongs(&linked, parts)?;
    cut::cut(optimized, parts, &belongs)
}

fn belongs(linked: &Linked, parts: &[Part]) -> Result<Vec<Belongs>> {
    let mut roots: Vec<BTreeSet<Node>> = Vec::new();
    let mut stops = BTreeSet::new();
    for part in parts {
        let mut own = BTreeSet::new();
        for name in part.exports {
            let export = linked.exports().find(|(export, _)| export == name);
            let (_, function) = export.ok_or_else(|| missing(part, name))?;
            own.insert(Node::Function(function));
        }
        for name in part.types {
            for (of, method) in TRAITS {
                let tables = linked.methods_with(&linker_name(name, of, method));
                if tables.is_empty() {
                    return Err(missing(part, &format!("{of}::{method} of {name}")));
                }
                for (table, methods) in tables {
                    stops.insert(table);
                    own.extend(methods);
                }
            }
        }
        roots.push(own);
    }
    let exported = |name: &str| parts.iter().any(|part| part.exports.contains(&name));
    let first = linked.exports().filter(|(name, _)| !exported(name));
    let first = linked.reached(first.map(|(_, function)| Node::Function(function)), &stops);
    let reached: Vec<BTreeSet<Node>> =
        roots.into_iter().map(|own| linked.reached(own, &stops)).collect();
    let is_only_of = |part: usize, node: &Node| {
        let others = || reached.iter().enumerate().filter(|(other, _)| *other != part);
        reached.get(part).is_some_and(|own| own.contains(node))
            && !first.contains(node)
            && !others().any(|(_, other)| other.contains(node))
    };
    let belongs = (0..parts.len()).map(|part| {
        let slots = linked.slots().iter().filter(|(_, f)| is_only_of(part, &Node::Function(**f)));
        Belongs {
            slots: slots.map(|(slot, _)| *slot).collect(),
            data: only(linked.data(), |piece| is_only_of(part, &Node::Data(piece))),
        }
    });
    Ok(belongs.collect())
}

/// How the linker calls a method of a trait for a type.
fn linker_name(of: &str, implements: &str, method: &str) -> String {
    let [of, implements] = [of, implements].map(|path| path.replace("::", ".."));
    format!("{of}$u20$as$u20$epitome_formats..{implements}$GT${}{method}17h", method.len())
}

/// The addresses that are only in pieces of data of one part, in order and joined.
fn only(data: &[Range<u32>], is_own: impl Fn(usize) -> bool) -> Vec<Range<u32>> {
    // How many pieces begin and end at an address: of the part, and of others.
    let mut changes: BTreeMap<u32, [i32; 2]> = BTreeMap::new();
    for (number, piece) in data.iter().enumerate().filter(|(_, piece)| !piece.is_empty()) {
        let whose = usize::from(!is_own(number));
        for (address, change) in [(piece.start, 1), (piece.end, -1)] {
            let at = changes.entry(address).or_default();
            at.get_mut(whose).into_iter().for_each(|count| *count += change);
        }
    }
    let (mut own, mut others) = (0, 0);
    let mut found: Vec<Range<u32>> = Vec::new();
    let mut since = None;
    for (address, [own_change, others_change]) in changes {
        own += own_change;
        others += others_change;
        match since {
            None if own > 0 && others == 0 => since = Some(address),
            Some(first) if own == 0 || others > 0 => {
                found.push(first..address);
                since = None;
            }
            _ => {}
        }
    }
    found.retain(|range| range.end - range.start >= SHORT);
    found
}

/// The offset of an active segment.
fn active_offset(expression: &ConstExpr<'_>) -> Result<u32> {
    let mut operators = expression.get_operators_reader();
    match operators.read().map_err(unreadable)? {
        Operator::I32Const { value } => Ok(value.cast_unsigned()),
        other => Err(Failure::new(format!("a segment begins at {other:?}, which is no number"))),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` calls")]
fn unreadable(error: wasmparser::BinaryReaderError) -> Failure {
    Failure::new(format!("the module cannot be read: {error}"))
}

fn missing(part: &Part, name: &str) -> Failure {
    Failure::new(format!("the module has no {name}, which the part {} should have", part.name))
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "one range of addresses")]
mod tests {
    use super::*;

    #[test]
    fn data_that_others_read_too_is_not_moved() {
        let data = [0..100, 100..200, 180..200, 200..210, 300..330, 310..320];
        let own = |pieces: &[usize]| only(&data, |piece| pieces.contains(&piece));
        assert_eq!(own(&[1]), [100..180]);
        assert_eq!(own(&[0, 1, 2, 3]), [0..210]);
        assert_eq!(own(&[3]), [], "too short");
        assert_eq!(own(&[4]), [], "both ends of what is left are too short");
        assert_eq!(own(&[4, 5]), [300..330]);
    }
}
