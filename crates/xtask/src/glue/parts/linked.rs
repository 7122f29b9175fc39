//! What refers to what in a module, as the linker has written it down: the functions and data that only some exports need.
//!
//! A call by a table, such as that of a trait object, cannot be followed in the code, but the relocations name each function whose
//! address is taken, and where.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use wasmparser::{
    ElementItems, ElementKind, ExternalKind, KnownCustom, Linking, Name, Parser, Payload,
    RelocationEntry, RelocationType, SymbolInfo, TypeRef,
};

use super::{active_offset, unreadable};
use crate::failure::Result;

/// A function by its number, or a piece of data by its place in [`Linked::data`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    Function(u32),
    Data(usize),
}

/// A module that was linked with its relocations.
#[derive(Default)]
pub(super) struct Linked {
    /// The function in each slot of the table.
    slots: BTreeMap<u32, u32>,
    /// The addresses of each piece of data that has a name.
    data: Vec<Range<u32>>,
    /// What is called from outside: functions that are exported, and without a name the one that runs at the start.
    exports: Vec<(String, u32)>,
    names: HashMap<u32, String>,
    refers: BTreeMap<Node, BTreeSet<Node>>,
}

impl Linked {
    /// Reads a module that was linked with `--emit-relocs`.
    pub(super) fn read(module: &[u8]) -> Result<Self> {
        let mut linked = Self::default();
        let mut sections = Sections::default();
        let (mut symbols, mut relocations) = (Vec::new(), Vec::new());
        for payload in Parser::new(0).parse_all(module) {
            match payload.map_err(unreadable)? {
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        let is_function =
                            matches!(import.map_err(unreadable)?.ty, TypeRef::Func(_));
                        sections.imported += u32::from(is_function);
                    }
                }
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export.map_err(unreadable)?;
                        if export.kind == ExternalKind::Func {
                            linked.exports.push((export.name.to_owned(), export.index));
                        }
                    }
                }
                Payload::ElementSection(elements) => {
                    for element in elements {
                        let element = element.map_err(unreadable)?;
                        let ElementKind::Active { offset_expr, .. } = element.kind else {
                            continue;
                        };
                        let ElementItems::Functions(functions) = element.items else { continue };
                        for (slot, function) in (active_offset(&offset_expr)?..).zip(functions) {
                            linked.slots.insert(slot, function.map_err(unreadable)?);
                        }
                    }
                }
                Payload::StartSection { func, .. } => linked.exports.push((String::new(), func)),
                Payload::CodeSectionStart { unchecked_range, .. } => {
                    sections.code = unchecked_range.start;
                }
                Payload::CodeSectionEntry(body) => sections.bodies.push(body.range()),
                Payload::DataSection(segments) => {
                    sections.data = segments.range().start;
                    for segment in segments {
                        let segment = segment.map_err(unreadable)?;
                        let wasmparser::DataKind::Active { offset_expr, .. } = segment.kind else {
                            continue;
                        };
                        let content = segment.range.end - segment.data.len() as u64;
                        sections.segments.push((content, active_offset(&offset_expr)?));
                    }
                }
                Payload::CustomSection(custom) => match custom.as_known() {
                    KnownCustom::Linking(linking) => {
                        for part in linking.subsections() {
                            if let Linking::SymbolTable(table) = part.map_err(unreadable)? {
                                for symbol in table {
                                    symbols.push(symbol.map_err(unreadable)?);
                                }
                            }
                        }
                    }
                    KnownCustom::Reloc(relocs) => {
                        let is_code = custom.name() == "reloc.CODE";
                        if is_code || custom.name() == "reloc.DATA" {
                            for entry in relocs.entries() {
                                relocations.push((is_code, entry.map_err(unreadable)?));
                            }
                        }
                    }
                    KnownCustom::Name(names) => {
                        for name in names {
                            let Ok(Name::Function(names)) = name else { continue };
                            for name in names {
                                let name = name.map_err(unreadable)?;
                                linked.names.insert(name.index, name.name.to_owned());
                            }
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        linked.connect(&sections, &symbols, &relocations);
        Ok(linked)
    }
}

/// Where the sections of a module are.
#[derive(Default)]
struct Sections {
    /// The number of functions that are imported, which have the first numbers.
    imported: u32,
    code: u64,
    /// The place of the body of each function.
    bodies: Vec<Range<u64>>,
    data: u64,
    /// For each segment of data the place of its content and its address.
    segments: Vec<(u64, u32)>,
}

impl Linked {
    fn connect(
        &mut self,
        sections: &Sections,
        symbols: &[SymbolInfo<'_>],
        relocations: &[(bool, RelocationEntry)],
    ) {
        let mut nodes = Vec::new();
        // Each piece of data by where it is in the file.
        let mut placed: Vec<(Range<u64>, usize)> = Vec::new();
        for symbol in symbols {
            nodes.push(match symbol {
                SymbolInfo::Func { index, .. } => Some(Node::Function(*index)),
                SymbolInfo::Data { symbol: Some(piece), .. } => {
                    sections.segments.get(piece.index as usize).map(|(content, address)| {
                        let number = self.data.len();
                        let first = address + piece.offset;
                        self.data.push(first..first + piece.size);
                        let place = content + u64::from(piece.offset);
                        placed.push((place..place + u64::from(piece.size), number));
                        Node::Data(number)
                    })
                }
                _ => None,
            });
        }
        for (is_code, entry) in relocations {
            let refers = matches!(
                entry.ty,
                RelocationType::FunctionIndexLeb
                    | RelocationType::TableIndexSleb
                    | RelocationType::TableIndexI32
                    | RelocationType::MemoryAddrLeb
                    | RelocationType::MemoryAddrSleb
                    | RelocationType::MemoryAddrI32
            );
            let Some(Some(to)) = nodes.get(entry.index as usize).filter(|_| refers) else {
                continue;
            };
            let base = if *is_code { sections.code } else { sections.data };
            let at = base + u64::from(entry.offset);
            let from: Vec<Node> = if *is_code {
                let after = sections.bodies.partition_point(|body| body.start <= at);
                let index = after.checked_sub(1).and_then(|index| u32::try_from(index).ok());
                index.map(|index| Node::Function(sections.imported + index)).into_iter().collect()
            } else {
                // Pieces may overlap: a string can be the end of another.
                placed
                    .iter()
                    .filter(|(place, _)| place.contains(&at))
                    .map(|(_, n)| Node::Data(*n))
                    .collect()
            };
            for from in from {
                self.refers.entry(from).or_default().insert(*to);
            }
        }
    }

    /// What is called from outside, without the hash that ends the names of exports.
    pub(super) fn exports(&self) -> impl Iterator<Item = (&str, u32)> {
        self.exports.iter().map(|(name, function)| {
            let whole = name.rsplit_once('_').filter(|(_, hash)| {
                hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
            });
            (whole.map_or(name.as_str(), |(name, _)| name), *function)
        })
    }

    /// The functions of the trait object whose methods include one with this name, and no others.
    pub(super) fn methods_with(&self, name: &str) -> Vec<(Node, BTreeSet<Node>)> {
        let named = |node: &Node| match node {
            Node::Function(function) => {
                self.names.get(function).is_some_and(|of| of.contains(name))
            }
            Node::Data(_) => false,
        };
        let tables = self
            .refers
            .iter()
            .filter(|(from, to)| matches!(from, Node::Data(_)) && to.iter().any(named));
        tables.map(|(table, methods)| (*table, methods.clone())).collect()
    }

    /// What is reached from these roots. `stops` are not followed.
    pub(super) fn reached(
        &self,
        roots: impl IntoIterator<Item = Node>,
        stops: &BTreeSet<Node>,
    ) -> BTreeSet<Node> {
        let mut reached: BTreeSet<Node> = roots.into_iter().collect();
        let mut next: Vec<Node> = reached.iter().copied().collect();
        while let Some(node) = next.pop() {
            if stops.contains(&node) {
                continue;
            }
            for to in self.refers.get(&node).into_iter().flatten() {
                if reached.insert(*to) {
                    next.push(*to);
                }
            }
        }
        reached
    }

    pub(super) fn slots(&self) -> &BTreeMap<u32, u32> {
        &self.slots
    }

    pub(super) fn data(&self) -> &[Range<u32>] {
        &self.data
    }
}
