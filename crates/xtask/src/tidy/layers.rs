//! The direction of arrows inside a crate: each module may use only those above it.

use std::path::{Path, PathBuf};

use super::imports::{self, Import};
use crate::failure::Result;
use crate::source_tree::{self, Source};
use crate::workspace::Workspace;

/// The order of the modules in one folder.
#[derive(Debug)]
pub(super) struct Layers {
    /// A crate's `src`, or the folder of one of its modules.
    folder: &'static str,
    /// The modules in it from top to bottom. A module may use those before it. The file of the folder itself
    /// (`lib.rs`, `bpe.rs`) and modules for tests may use all.
    order: &'static [&'static str],
}

/// Every folder whose modules have an order.
const LAYERS: [Layers; 11] = [
    Layers {
        folder: "crates/epitome/src",
        order: &[
            "json",
            "overflow",
            "message",
            "contract",
            "tokens",
            "policy",
            "facts",
            "memory",
            "structured_state",
            "history",
            "calibration",
            "transcript",
            "conversation",
            "plan",
            "compactor",
            "turn",
        ],
    },
    Layers {
        folder: "crates/epitome-text/src",
        order: &[
            "letters",
            "signs",
            "stop_words",
            "word_list",
            "lasting",
            "search",
            "encoded",
            "invisible",
            "note",
            "excerpt",
            "noise",
            "identifier",
            "sentence",
            "speaker",
        ],
    },
    Layers {
        folder: "crates/epitome-extractive/src",
        order: &[
            "state",
            "for_model",
            "term",
            "notes",
            "pieces",
            "block",
            "selection",
            "ranking",
            "render",
            "extraction",
        ],
    },
    Layers {
        folder: "crates/epitome-extractive/src/state",
        order: &["cue", "parsed", "json", "line", "digest", "rules", "known", "calls", "changes"],
    },
    Layers {
        folder: "crates/epitome-formats/src",
        order: &[
            "path",
            "shape",
            "issue",
            "text",
            "image_size",
            "attachment",
            "steps",
            "content",
            "document",
            "usage_fields",
            "dialect",
            "conformance",
            "edit_message",
            "dialects",
            "registry",
            "detect",
            "usage",
            "slices",
            "parsed",
            "compose",
            "composed",
            "acceptance",
            "untouched",
            "locked",
            "reach",
            "validate",
            "repair",
            "convert",
        ],
    },
    Layers {
        folder: "crates/epitome-recall/src",
        order: &[
            "portable",
            "stem",
            "terms",
            "texts",
            "cut",
            "said",
            "postings",
            "neighbourhood",
            "index",
            "relevance",
            "search",
            "lasting",
            "passages",
            "returning",
            "stored",
            "wasm",
        ],
    },
    Layers {
        folder: "crates/epitome-browser/src",
        order: &[
            "error",
            "secret",
            "base64",
            "mask",
            "sse",
            "thinking",
            "surrogate",
            "bounded_json",
            "retry_after",
            "timer",
            "abort_listener",
            "clock",
            "slices",
            "node_dispatcher",
            "json_lines",
            "model_path",
            "provider",
            "address",
            "keys",
            "endpoint",
            "server",
            "advice",
            "error_body",
            "deadline",
            "http_request",
            "json_request",
            "completion",
            "completion_format",
            "count_format",
            "collected",
            "chat_request",
            "chat_response",
            "anthropic_request",
            "anthropic_response",
            "gemini_request",
            "gemini_response",
            "ollama_request",
            "ollama_response",
            "complete",
            "count_tokens",
            "compact",
            "models",
        ],
    },
    Layers {
        folder: "crates/epitome-tokens/src/bpe",
        order: &[
            "prng",
            "rank",
            "batches",
            "hash",
            "merge_sources",
            "packed",
            "shard",
            "merges",
            "radix_heap",
            "merging",
            "long_piece",
            "token_bytes",
            "characters",
            "token_index",
            "pairs",
            "whole_token",
            "class",
            "text",
            "swar8",
            "simd16",
            "splitter",
            "short_piece",
            "piece_cache",
            "vocabulary",
            "steps",
            "hugging_face",
        ],
    },
    Layers {
        folder: "crates/epitome-tokens/src",
        order: &["division", "heuristic", "bpe", "encodings"],
    },
    Layers {
        folder: "crates/epitome-serve/src",
        order: &["models", "security", "options", "pages", "api_error", "completion", "routes"],
    },
    Layers {
        folder: "crates/xtask/src",
        order: &[
            "failure",
            "arguments",
            "command",
            "steps",
            "pins",
            "workspace",
            "source_tree",
            "server",
            "record",
            "agreement",
            "cargo_tool",
            "effort",
            "node",
            "llm",
            "toolchain",
            "chrome_for_testing",
            "debian",
            "installed_browser",
            "programs",
            "browser",
            "webdriver",
            "sizes",
            "compressed",
            "vocab",
            "fidelity",
            "source_paths",
            "glue",
            "sbom",
            "artifacts",
            "size",
            "reproduce",
            "fuzz",
            "mutants",
            "behaviours",
            "supply",
            "lint",
            "tidy",
            "demo",
            "shots",
            "bench",
            "test",
        ],
    },
];

/// One finding for each use of a module that is not above, and for each module that has no place in the order.
pub(super) fn check(workspace: &Workspace) -> Result<Vec<String>> {
    let sources = source_tree::read(workspace, |path| path.extension() == Some("rs".as_ref()))?;
    let mut findings = Vec::new();
    for layers in &LAYERS {
        findings.extend(layers.findings(&sources));
    }
    Ok(findings)
}

impl Layers {
    fn findings(&self, sources: &[Source]) -> Vec<String> {
        // The name by which other crates and the file of the folder know an item, and the module that has it.
        let mut names = Vec::new();
        let mut test_modules = Vec::new();
        for source in sources.iter().filter(|source| self.is_front(&source.path)) {
            names.extend(imports::reexports(&source.text));
            test_modules.extend(imports::test_modules(&source.text));
        }
        let mut findings = Vec::new();
        for source in sources {
            let Some(module) = self.module(&source.path) else { continue };
            let segments: Vec<&str> = module.iter().map(String::as_str).collect();
            let inner = segments.get(self.prefix().len()..).unwrap_or_default();
            let Some(&own) = inner.first() else { continue };
            if test_modules.contains(&own) || inner.contains(&"tests") {
                continue;
            }
            let path = source.path.display();
            let Some(layer) = self.layer(own) else {
                findings.push(format!(
                    "{path}: `{own}` has no place among the layers of {}",
                    self.folder
                ));
                continue;
            };
            for Import { line, path: import } in imports::imports(&source.text, &segments) {
                let Some(used) = self.used(&import, &names) else { continue };
                if self.layer(&used).is_some_and(|used| used > layer) {
                    findings.push(format!(
                        "{path}:{line}: `{own}` uses `{used}`, which is below it in {}",
                        self.folder
                    ));
                }
            }
        }
        // A line may use several items of one module.
        findings.dedup();
        findings
    }

    fn layer(&self, module: &str) -> Option<usize> {
        self.order.iter().position(|name| *name == module)
    }

    /// The path of the folder as a module, from the root of its crate.
    fn prefix(&self) -> Vec<&str> {
        let inside = self.folder.split_once("/src/").map_or("", |(_, inside)| inside);
        inside.split('/').filter(|segment| !segment.is_empty()).collect()
    }

    /// Whether `path` is the file of the folder itself.
    fn is_front(&self, path: &Path) -> bool {
        let folder = Path::new(self.folder);
        ["lib.rs", "main.rs", "mod.rs"].iter().any(|name| path == folder.join(name))
            || path == folder.with_extension("rs")
    }

    /// The module of the file `path`, from the root of the crate; `None` for files outside the folder.
    fn module(&self, path: &Path) -> Option<Vec<String>> {
        if self.is_front(path) {
            return None;
        }
        let relative: PathBuf = path.strip_prefix(self.folder).ok()?.with_extension("");
        let inside = relative.iter().map(|segment| segment.to_string_lossy().into_owned());
        let inside = inside.filter(|segment| segment != "mod");
        Some(self.prefix().into_iter().map(str::to_owned).chain(inside).collect())
    }

    /// The module of this folder that `import` leads to, if it leads into the folder.
    fn used(&self, import: &[String], names: &[(String, Vec<String>)]) -> Option<String> {
        let prefix = self.prefix();
        if !prefix.iter().eq(import.iter().take(prefix.len())) {
            return None;
        }
        let first = import.get(prefix.len())?;
        if self.layer(first).is_some() {
            return Some(first.clone());
        }
        // An item that the folder's own file passes on.
        let (_, path) = names.iter().find(|(name, _)| name == first)?;
        path.first().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(layers: &Layers, files: &[(&str, &str)], expected: &[&str]) {
        let sources: Vec<Source> = files
            .iter()
            .map(|(path, text)| Source { path: path.into(), text: (*text).to_owned() })
            .collect();
        assert_eq!(layers.findings(&sources), expected);
    }

    const ENGINE: Layers = Layers { folder: "crates/e/src", order: &["message", "policy", "plan"] };

    #[test]
    fn a_module_uses_only_what_is_above_it() {
        check(
            &ENGINE,
            &[
                ("crates/e/src/lib.rs", "pub use plan::Plan;\nuse crate::policy;"),
                (
                    "crates/e/src/plan.rs",
                    "use crate::message::Role;\nuse crate::policy::{self, Keep};",
                ),
                ("crates/e/src/plan/cut.rs", "use super::super::policy::Keep;\nuse super::Plan;"),
                ("crates/f/src/message.rs", "use crate::plan;"),
            ],
            &[],
        );
        check(
            &ENGINE,
            &[("crates/e/src/policy/mod.rs", "use crate::message;\n\nuse crate::plan::Plan;")],
            &[
                "crates/e/src/policy/mod.rs:3: `policy` uses `plan`, which is below it in crates/e/src",
            ],
        );
        check(
            &ENGINE,
            &[("crates/e/src/message/part.rs", "fn f(x: super::super::policy::Keep) {}")],
            &[
                "crates/e/src/message/part.rs:1: `message` uses `policy`, which is below it in crates/e/src",
            ],
        );
    }

    #[test]
    fn a_name_at_the_root_stands_for_its_module() {
        check(
            &ENGINE,
            &[
                ("crates/e/src/lib.rs", "pub use plan::{Plan, row::Row};"),
                ("crates/e/src/policy.rs", "use crate::{Row, other};"),
            ],
            &["crates/e/src/policy.rs:1: `policy` uses `plan`, which is below it in crates/e/src"],
        );
    }

    #[test]
    fn tests_may_use_everything() {
        check(
            &ENGINE,
            &[
                ("crates/e/src/lib.rs", "#[cfg(test)]\nmod notation;"),
                ("crates/e/src/notation.rs", "use crate::plan;"),
                ("crates/e/src/policy.rs", "#[cfg(test)]\nmod tests {\n    use crate::plan;\n}"),
                ("crates/e/src/policy/tests.rs", "use crate::plan;"),
            ],
            &[],
        );
    }

    #[test]
    fn a_new_module_needs_a_place() {
        check(
            &ENGINE,
            &[("crates/e/src/extra.rs", "")],
            &["crates/e/src/extra.rs: `extra` has no place among the layers of crates/e/src"],
        );
    }

    #[test]
    fn a_folder_inside_a_crate_has_an_order_of_its_own() {
        let bpe = Layers { folder: "crates/t/src/bpe", order: &["pairs", "merging"] };
        check(
            &bpe,
            &[
                ("crates/t/src/bpe.rs", "use crate::bpe::merging::Merge;"),
                ("crates/t/src/bpe/merging.rs", "use super::pairs;\nuse crate::heuristic;"),
                ("crates/t/src/bpe/pairs.rs", "use super::merging::Merge;"),
                ("crates/t/src/heuristic.rs", "use crate::bpe;"),
            ],
            &[
                "crates/t/src/bpe/pairs.rs:1: `pairs` uses `merging`, which is below it in crates/t/src/bpe",
            ],
        );
    }
}
