//! Cuts a module into files.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    CodeSection, ConstExpr, CustomSection, DataCountSection, DataSection, ElementSection, Elements,
    EntityType, ExportKind, ExportSection, FunctionSection, ImportSection, Module, StartSection,
    TypeSection,
};
use wasmparser::TypeRef;

use super::whole::Whole;
use super::{Belongs, Files, Part};
use crate::failure::{Failure, Result};

/// The name under which a part imports what the first module exports.
const FIRST: &str = "first";

pub(super) fn cut(module: &[u8], parts: &[Part], belongs: &[Belongs]) -> Result<Files> {
    let whole = Whole::read(module)?;
    let own = whole.functions_of(parts, belongs);
    let shared: BTreeSet<u32> = own.iter().flat_map(|own| whole.named_by(own)).collect();
    let is_apart: BTreeSet<u32> = own.iter().flatten().copied().collect();
    let shared: Vec<u32> = shared.difference(&is_apart).copied().collect();
    let first = whole.first(&is_apart, &shared, belongs)?;
    let parts = own.iter().zip(belongs).map(|(own, belongs)| whole.part(own, &shared, belongs));
    Ok(Files { first, parts: parts.collect::<Result<_>>()? })
}

impl<'a> Whole<'a> {
    /// The functions that only one part needs, for each part.
    fn functions_of(&self, parts: &[Part], belongs: &[Belongs]) -> Vec<BTreeSet<u32>> {
        let exports = |is_wanted: &dyn Fn(&str) -> bool| -> BTreeSet<u32> {
            let functions = self.exports.iter().filter(|(name, kind, _)| {
                *kind == wasmparser::ExternalKind::Func && is_wanted(name)
            });
            functions.map(|(_, _, function)| *function).collect()
        };
        let in_slots = |is_wanted: &dyn Fn(u32) -> bool| {
            self.slots
                .iter()
                .filter(|(slot, _)| is_wanted(**slot))
                .map(|(_, f)| *f)
                .collect::<Vec<_>>()
        };
        let mut roots = exports(&|name| !parts.iter().any(|part| part.exports.contains(&name)));
        roots.extend(in_slots(&|slot| !belongs.iter().any(|part| part.slots.contains(&slot))));
        roots.extend(self.start);
        let mut first = self.reached(roots);
        let reached: Vec<BTreeSet<u32>> = parts
            .iter()
            .zip(belongs)
            .map(|(part, belongs)| {
                let mut roots = exports(&|name| part.exports.contains(&name));
                roots.extend(in_slots(&|slot| belongs.slots.contains(&slot)));
                self.reached(roots)
            })
            .collect();
        let mut parts_of: HashMap<u32, usize> = HashMap::new();
        reached.iter().flatten().for_each(|function| *parts_of.entry(*function).or_default() += 1);
        // What several parts call calls nothing that only one of them calls.
        first.extend(
            parts_of.iter().filter(|(_, parts)| **parts > 1).map(|(function, _)| *function),
        );
        let is_own = |function: &u32| !first.contains(function) && *function >= self.imported();
        reached.into_iter().map(|own| own.into_iter().filter(is_own).collect()).collect()
    }

    /// What is fetched first: everything but the functions that are `apart`, and with `shared` ones exported for the parts.
    fn first(&self, apart: &BTreeSet<u32>, shared: &[u32], belongs: &[Belongs]) -> Result<Vec<u8>> {
        let stays: Vec<u32> = (0..)
            .zip(&self.functions)
            .map(|(function, _)| function)
            .filter(|f| !apart.contains(f))
            .collect();
        let mut encoder = Encoder::new((0..).zip(&stays).map(|(new, old)| (*old, new)).collect());
        let mut types = TypeSection::new();
        for (number, one) in (0..).zip(&self.types) {
            encoder.types.insert(number, number);
            types.ty().func_type(&encoder.func_type(one.clone()).map_err(failed)?);
        }
        let mut imports = ImportSection::new();
        for (module, name, of) in &self.imports {
            imports.import(module, name, encoder.entity_type(*of).map_err(failed)?);
        }
        let mut functions = FunctionSection::new();
        let mut code = CodeSection::new();
        self.encode(&mut encoder, stays.iter().copied(), &mut functions, &mut code)?;
        let mut tables = wasm_encoder::TableSection::new();
        for table in &self.tables {
            tables.table(encoder.table_type(*table).map_err(failed)?);
        }
        let mut memories = wasm_encoder::MemorySection::new();
        for memory in &self.memories {
            memories.memory(encoder.memory_type(*memory).map_err(failed)?);
        }
        let mut globals = wasm_encoder::GlobalSection::new();
        for (of, value) in &self.globals {
            globals.global(
                encoder.global_type(*of).map_err(failed)?,
                &encoder.const_expr(value.clone()).map_err(failed)?,
            );
        }
        let mut exports = ExportSection::new();
        for (name, kind, index) in &self.exports {
            let kind = encoder.export_kind(*kind).map_err(failed)?;
            match kind {
                ExportKind::Func => {
                    if let Some(new) = encoder.functions.get(index) {
                        exports.export(name, kind, *new);
                    }
                }
                _ => {
                    exports.export(name, kind, *index);
                }
            }
        }
        for (name, kind, index) in self.exported_for_parts() {
            exports.export(&name, kind, index);
        }
        for (name, function) in (0..).zip(shared) {
            exports.export(
                &u32::to_string(&name),
                ExportKind::Func,
                encoder.function_index(*function).map_err(failed)?,
            );
        }
        let mut module = Module::new();
        module
            .section(&types)
            .section(&imports)
            .section(&functions)
            .section(&tables)
            .section(&memories);
        module.section(&globals).section(&exports);
        if let Some(start) = self.start {
            module.section(&StartSection {
                function_index: encoder.function_index(start).map_err(failed)?,
            });
        }
        module.section(&self.elements(&mut encoder, &|_| true)?);
        let moved: Vec<Range<u32>> =
            belongs.iter().flat_map(|part| part.data.iter().cloned()).collect();
        self.end(&mut module, &code, &self.data_without(moved));
        Ok(module.finish())
    }

    /// A part, with the functions that are its `own`.
    fn part(&self, own: &BTreeSet<u32>, shared: &[u32], belongs: &Belongs) -> Result<Vec<u8>> {
        let needs = self.named_by(own);
        let taken: Vec<(u32, u32)> = (0..)
            .zip(shared)
            .filter(|(_, f)| needs.contains(f))
            .map(|(name, f)| (name, *f))
            .collect();
        let numbers = taken.iter().map(|(_, function)| *function).chain(own.iter().copied());
        let mut encoder = Encoder::new((0..).zip(numbers).map(|(new, old)| (old, new)).collect());
        let mut imports = ImportSection::new();
        for (name, function) in &taken {
            let of = self.functions.get(*function as usize).copied().unwrap_or_default();
            imports.import(
                FIRST,
                &name.to_string(),
                EntityType::Function(encoder.type_index(of).map_err(failed)?),
            );
        }
        for (name, kind, index) in self.exported_for_parts() {
            let index = index as usize;
            let of = match kind {
                ExportKind::Table => self.tables.get(index).map(|of| TypeRef::Table(*of)),
                ExportKind::Memory => self.memories.get(index).map(|of| TypeRef::Memory(*of)),
                _ => self.globals.get(index).map(|(of, _)| TypeRef::Global(*of)),
            };
            let of = of.ok_or_else(|| Failure::new(format!("the module has no {name}")))?;
            imports.import(FIRST, &name, encoder.entity_type(of).map_err(failed)?);
        }
        let mut functions = FunctionSection::new();
        let mut code = CodeSection::new();
        self.encode(&mut encoder, own.iter().copied(), &mut functions, &mut code)?;
        let mut exports = ExportSection::new();
        for (name, kind, index) in &self.exports {
            if *kind == wasmparser::ExternalKind::Func && own.contains(index) {
                exports.export(
                    name,
                    ExportKind::Func,
                    encoder.function_index(*index).map_err(failed)?,
                );
            }
        }
        let elements = self.elements(&mut encoder, &|function| own.contains(&function))?;
        let mut types = TypeSection::new();
        let mut known: Vec<(u32, u32)> =
            encoder.types.iter().map(|(old, new)| (*new, *old)).collect();
        known.sort_unstable();
        for (_, old) in known {
            let of =
                self.types.get(old as usize).ok_or_else(|| Failure::new("a type is missing"))?;
            types.ty().func_type(&encoder.func_type(of.clone()).map_err(failed)?);
        }
        let mut module = Module::new();
        module
            .section(&types)
            .section(&imports)
            .section(&functions)
            .section(&exports)
            .section(&elements);
        self.end(&mut module, &code, &self.data_within(&belongs.data));
        Ok(module.finish())
    }

    /// Everything but functions that parts share with the first module.
    fn exported_for_parts(&self) -> impl Iterator<Item = (String, ExportKind, u32)> {
        let all = |kind, letter: char, count: usize| {
            (0..).zip(0..count).map(move |(index, _)| (format!("{letter}{index}"), kind, index))
        };
        let tables = all(ExportKind::Table, 't', self.tables.len());
        let memories = all(ExportKind::Memory, 'm', self.memories.len());
        tables.chain(memories).chain(all(ExportKind::Global, 'g', self.globals.len()))
    }

    fn encode(
        &self,
        encoder: &mut Encoder,
        which: impl Iterator<Item = u32>,
        functions: &mut FunctionSection,
        code: &mut CodeSection,
    ) -> Result {
        for function in which {
            let Some(body) = self.body(function).and_then(|body| self.bodies.get(body)) else {
                continue;
            };
            let of = self.functions.get(function as usize).copied().unwrap_or_default();
            functions.function(encoder.type_index(of).map_err(failed)?);
            encoder.parse_function_body(code, body.clone()).map_err(failed)?;
        }
        Ok(())
    }

    /// The slots of the table with functions of the encoded module that are wanted.
    fn elements(
        &self,
        encoder: &mut Encoder,
        is_wanted: &dyn Fn(u32) -> bool,
    ) -> Result<ElementSection> {
        let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
        for (slot, function) in &self.slots {
            let Some(new) =
                encoder.functions.get(function).copied().filter(|_| is_wanted(*function))
            else {
                continue;
            };
            match runs.last_mut() {
                Some((first, run))
                    if *first + u32::try_from(run.len()).unwrap_or(u32::MAX) == *slot =>
                {
                    run.push(new);
                }
                _ => runs.push((*slot, vec![new])),
            }
        }
        let mut elements = ElementSection::new();
        for (slot, run) in &runs {
            let slot = ConstExpr::i32_const(slot.cast_signed());
            elements.active(None, &slot, Elements::Functions(run.as_slice().into()));
        }
        Ok(elements)
    }

    /// The data outside of these addresses.
    fn data_without(&self, mut moved: Vec<Range<u32>>) -> Vec<(u32, &'a [u8])> {
        moved.sort_unstable_by_key(|range| range.start);
        let starts = std::iter::once(0).chain(moved.iter().map(|range| range.end));
        let ends = moved.iter().map(|range| range.start).chain([u32::MAX]);
        let kept: Vec<Range<u32>> = starts.zip(ends).map(|(start, end)| start..end).collect();
        self.data_within(&kept)
    }

    /// The data at these addresses.
    fn data_within(&self, ranges: &[Range<u32>]) -> Vec<(u32, &'a [u8])> {
        let mut found = Vec::new();
        for (address, bytes) in &self.data {
            for range in ranges {
                let first = range.start.max(*address);
                let from = (first - address) as usize;
                let to = (range.end.saturating_sub(*address) as usize).min(bytes.len());
                let part = bytes.get(from..to).filter(|part| !part.is_empty());
                found.extend(part.map(|part| (first, part)));
            }
        }
        found
    }

    /// Adds the sections that come last.
    fn end(&self, module: &mut Module, code: &CodeSection, data: &[(u32, &[u8])]) {
        let mut section = DataSection::new();
        for (address, bytes) in data {
            section.active(0, &ConstExpr::i32_const(address.cast_signed()), bytes.iter().copied());
        }
        if self.counts_data {
            module.section(&DataCountSection { count: section.len() });
        }
        module.section(code).section(&section);
        if let Some(features) = self.features {
            module
                .section(&CustomSection { name: "target_features".into(), data: features.into() });
        }
    }
}

/// Gives functions and types the numbers that they have in a file.
struct Encoder {
    functions: HashMap<u32, u32>,
    /// Types get a number when they are first used.
    types: HashMap<u32, u32>,
}

impl Encoder {
    fn new(functions: HashMap<u32, u32>) -> Self {
        Self { functions, types: HashMap::new() }
    }
}

impl Reencode for Encoder {
    type Error = Failure;

    fn function_index(&mut self, function: u32) -> Result<u32, reencode::Error<Failure>> {
        let new = self.functions.get(&function).copied();
        new.ok_or_else(|| {
            reencode::Error::UserError(Failure::new(format!(
                "function {function} is in another file"
            )))
        })
    }

    fn type_index(&mut self, of: u32) -> Result<u32, reencode::Error<Failure>> {
        let next = u32::try_from(self.types.len()).unwrap_or(u32::MAX);
        Ok(*self.types.entry(of).or_insert(next))
    }
}

fn failed(error: reencode::Error<Failure>) -> Failure {
    match error {
        reencode::Error::UserError(failure) => failure,
        other => Failure::new(format!("the module cannot be written again: {other}")),
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "one range of addresses")]
mod tests {
    use super::*;
    use wasm_encoder::{Function, MemorySection, MemoryType, TableSection, TableType, ValType};
    use wasmparser::{Parser, Payload};

    /// A module with the function `js` that is imported (0), an export `a` (1) that calls 3, an export `b` (2) that calls 0, 3 and 4,
    /// and in the table 3 and 5. All take and return nothing.
    fn module() -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        types.ty().function([ValType::I32], []);
        let mut imports = ImportSection::new();
        imports.import("host", "js", EntityType::Function(0));
        let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
        for calls in [&[3][..], &[0, 3, 4], &[], &[], &[]] {
            functions.function(0);
            let mut body = Function::new([]);
            for function in calls {
                body.instructions().call(*function);
            }
            body.instructions().end();
            code.function(&body);
        }
        let mut tables = TableSection::new();
        tables.table(TableType {
            element_type: wasm_encoder::RefType::FUNCREF,
            minimum: 3,
            maximum: None,
            table64: false,
            shared: false,
        });
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: 1,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let mut exports = ExportSection::new();
        exports.export("a", ExportKind::Func, 1).export("b", ExportKind::Func, 2);
        let mut elements = ElementSection::new();
        let slots = Elements::Functions([3, 5].as_slice().into());
        elements.active(None, &ConstExpr::i32_const(1), slots);
        let mut data = DataSection::new();
        data.active(0, &ConstExpr::i32_const(100), *b"for all, for b, for all");
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&tables);
        module.section(&memories).section(&exports).section(&elements);
        module.section(&code).section(&data);
        module.finish()
    }

    /// What a module imports and exports, how many functions it has, and its data.
    fn content(module: &[u8]) -> (Vec<String>, Vec<String>, u32, Vec<String>) {
        let mut content = (Vec::new(), Vec::new(), 0, Vec::new());
        for payload in Parser::new(0).parse_all(module) {
            match payload.unwrap() {
                Payload::ImportSection(imports) => {
                    let imports = imports.into_imports().map(Result::unwrap);
                    content.0.extend(imports.map(|it| format!("{}.{}", it.module, it.name)));
                }
                Payload::ExportSection(exports) => {
                    content.1.extend(exports.into_iter().map(|it| it.unwrap().name.to_owned()));
                }
                Payload::CodeSectionStart { count, .. } => content.2 = count,
                Payload::DataSection(segments) => {
                    let segments = segments.into_iter().map(|it| it.unwrap().data.to_vec());
                    content.3.extend(segments.map(|it| String::from_utf8(it).unwrap()));
                }
                _ => {}
            }
        }
        content
    }

    #[test]
    fn a_part_has_what_only_its_exports_and_its_slots_need() {
        let part = Part { name: "part", exports: &["b"], types: &[] };
        let slots = [2].into();
        let belongs = Belongs { slots, data: vec![109..114] };
        let files = cut(&module(), &[part], &[belongs]).unwrap();
        let (imports, exports, functions, data) = content(&files.first);
        assert_eq!(imports, ["host.js"]);
        assert_eq!(exports, ["a", "t0", "m0", "0", "1"]);
        assert_eq!((functions, data), (2, vec!["for all, ".to_owned(), ", for all".to_owned()]));
        let [part] = files.parts.as_slice() else { panic!("one part") };
        let (imports, exports, functions, data) = content(part);
        assert_eq!(imports, ["first.0", "first.1", "first.t0", "first.m0"]);
        assert_eq!(exports, ["b"]);
        assert_eq!((functions, data), (3, vec!["for b".to_owned()]));
    }

    #[test]
    fn what_two_parts_need_is_in_the_first_module() {
        let part = |exports: &'static [&'static str]| Part { name: "part", exports, types: &[] };
        let belongs = || Belongs { slots: BTreeSet::new(), data: Vec::new() };
        let files = cut(&module(), &[part(&["a"]), part(&["b"])], &[belongs(), belongs()]).unwrap();
        assert_eq!(content(&files.first).2, 2, "3, and 5 in the table");
        assert_eq!(files.parts.iter().map(|part| content(part).2).collect::<Vec<_>>(), [1, 2]);
    }
}
