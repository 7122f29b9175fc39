//! A module as it is cut: all of its sections, and which functions call which.

use std::collections::{BTreeMap, BTreeSet};

use wasmparser::{
    DataKind, ElementItems, ElementKind, FuncType, FunctionBody, GlobalType, MemoryType, Operator,
    Parser, Payload, TableType, TypeRef,
};

use super::{active_offset, unreadable};
use crate::failure::{Failure, Result};

/// What a module contains, as far as cutting it needs to know.
#[derive(Default)]
pub(super) struct Whole<'a> {
    pub(super) types: Vec<FuncType>,
    pub(super) imports: Vec<(&'a str, &'a str, TypeRef)>,
    /// The type of each function, with those that are imported first.
    pub(super) functions: Vec<u32>,
    pub(super) bodies: Vec<FunctionBody<'a>>,
    /// The functions that each function with a body names.
    pub(super) names: Vec<BTreeSet<u32>>,
    pub(super) tables: Vec<TableType>,
    pub(super) memories: Vec<MemoryType>,
    pub(super) globals: Vec<(GlobalType, wasmparser::ConstExpr<'a>)>,
    pub(super) exports: Vec<(&'a str, wasmparser::ExternalKind, u32)>,
    pub(super) start: Option<u32>,
    pub(super) slots: BTreeMap<u32, u32>,
    pub(super) data: Vec<(u32, &'a [u8])>,
    pub(super) counts_data: bool,
    /// Which features of wasm the module uses.
    pub(super) features: Option<&'a [u8]>,
}

impl<'a> Whole<'a> {
    pub(super) fn read(module: &'a [u8]) -> Result<Self> {
        let mut whole = Self::default();
        for payload in Parser::new(0).parse_all(module) {
            match payload.map_err(unreadable)? {
                Payload::TypeSection(types) => {
                    for one in types.into_iter_err_on_gc_types() {
                        whole.types.push(one.map_err(unreadable)?);
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        let import = import.map_err(unreadable)?;
                        if let TypeRef::Func(of) = import.ty {
                            whole.functions.push(of);
                        } else {
                            let what = format!("{}.{}", import.module, import.name);
                            return Err(Failure::new(format!(
                                "{what} is imported and no function"
                            )));
                        }
                        whole.imports.push((import.module, import.name, import.ty));
                    }
                }
                Payload::FunctionSection(functions) => {
                    for of in functions {
                        whole.functions.push(of.map_err(unreadable)?);
                    }
                }
                Payload::TableSection(tables) => {
                    for table in tables {
                        whole.tables.push(table.map_err(unreadable)?.ty);
                    }
                }
                Payload::MemorySection(memories) => {
                    for memory in memories {
                        whole.memories.push(memory.map_err(unreadable)?);
                    }
                }
                Payload::GlobalSection(globals) => {
                    for global in globals {
                        let global = global.map_err(unreadable)?;
                        whole.globals.push((global.ty, global.init_expr));
                    }
                }
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export.map_err(unreadable)?;
                        whole.exports.push((export.name, export.kind, export.index));
                    }
                }
                Payload::StartSection { func, .. } => whole.start = Some(func),
                Payload::ElementSection(elements) => {
                    for element in elements {
                        let element = element.map_err(unreadable)?;
                        let (
                            ElementKind::Active { table_index: None | Some(0), offset_expr },
                            ElementItems::Functions(functions),
                        ) = (element.kind, element.items)
                        else {
                            return Err(Failure::new(
                                "the table is not filled by lists of functions",
                            ));
                        };
                        for (slot, function) in (active_offset(&offset_expr)?..).zip(functions) {
                            whole.slots.insert(slot, function.map_err(unreadable)?);
                        }
                    }
                }
                Payload::DataCountSection { .. } => whole.counts_data = true,
                Payload::DataSection(segments) => {
                    for segment in segments {
                        let segment = segment.map_err(unreadable)?;
                        let DataKind::Active { offset_expr, .. } = segment.kind else {
                            return Err(Failure::new("data is not in the memory from the start"));
                        };
                        whole.data.push((active_offset(&offset_expr)?, segment.data));
                    }
                }
                Payload::CodeSectionEntry(body) => {
                    let mut named = BTreeSet::new();
                    for operator in body.get_operators_reader().map_err(unreadable)? {
                        match operator.map_err(unreadable)? {
                            Operator::Call { function_index }
                            | Operator::ReturnCall { function_index }
                            | Operator::RefFunc { function_index } => {
                                named.insert(function_index);
                            }
                            _ => {}
                        }
                    }
                    whole.names.push(named);
                    whole.bodies.push(body);
                }
                Payload::CustomSection(custom) if custom.name() == "target_features" => {
                    whole.features = Some(custom.data());
                }
                _ => {}
            }
        }
        Ok(whole)
    }

    pub(super) fn imported(&self) -> u32 {
        u32::try_from(self.imports.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn body(&self, function: u32) -> Option<usize> {
        function.checked_sub(self.imported()).map(|index| index as usize)
    }

    /// The functions that these functions name.
    pub(super) fn named_by(&self, functions: &BTreeSet<u32>) -> BTreeSet<u32> {
        let bodies = functions.iter().filter_map(|function| self.body(*function));
        bodies.filter_map(|body| self.names.get(body)).flatten().copied().collect()
    }

    /// These functions, and all that they call, directly and not by the table.
    pub(super) fn reached(&self, roots: BTreeSet<u32>) -> BTreeSet<u32> {
        let mut reached = roots.clone();
        let mut next = roots;
        while !next.is_empty() {
            next = self.named_by(&next).difference(&reached).copied().collect();
            reached.extend(&next);
        }
        reached
    }
}
