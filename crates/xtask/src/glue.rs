//! The wasm modules of the npm package and of the page with their JavaScript glue, optimized.

mod parts;
mod similar;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use crate::command;
use crate::effort::Effort;
use crate::failure::{Failure, Result};
use crate::glue::parts::Part;
use crate::source_paths;
use crate::steps::Steps;
use crate::toolchain::WASM;
use crate::workspace::Workspace;

/// Modules that are built into one folder.
pub(crate) struct Glue {
    modules: &'static [Module],
    /// The folder in Cargo's target folder.
    folder: &'static str,
    /// How the folder is called in the list of steps.
    title: &'static str,
    /// How long compiling takes.
    usually: &'static str,
}

/// A wasm module.
struct Module {
    name: &'static str,
    /// The Cargo package.
    package: &'static str,
    /// The features of the Cargo package that export it, with commas between; empty if it has no features.
    feature: &'static str,
    /// Passes of optimization.
    passes: &'static [&'static str],
    /// What is fetched apart when it is first used.
    parts: &'static [Part],
}

impl Module {
    /// Whether it is shipped in two files, the second of which is fetched when the first one runs. Its feature marks what is in which.
    fn is_split(&self) -> bool {
        self.feature == "split"
    }
}

/// The passes of modules that are more than loops: they are as fast with `-O2`, and 0.6 % smaller in brotli; another 0.8 % is
/// saved by restructuring their control flow and optimizing twice.
const SMALL: &[&str] = &["--flatten", "--rereloop", "-O2", "-O2"];
/// The passes of the page, which waits for people most of the time.
const SMALLEST: &[&str] = &["--flatten", "--rereloop", "-Oz", "-Oz"];
/// Counting is all loops, which `-O3` makes faster.
const FAST: &[&str] = &["-O3"];

/// What the npm package contains.
pub(crate) const PACKAGE: Glue = Glue {
    modules: &PACKAGE_MODULES,
    folder: "npm-glue",
    title: "package",
    usually: "2 minutes the first time",
};

/// What the page contains.
pub(crate) const PAGE: Glue = Glue {
    modules: &[Module {
        name: "page",
        package: "epitome-web",
        feature: "split",
        passes: SMALLEST,
        parts: &[],
    }],
    folder: "page-glue",
    title: "page",
    usually: "1 to 2 minutes the first time",
};

const PACKAGE_MODULES: [Module; 7] = [
    Module {
        name: "epitome",
        package: "epitome-wasm",
        feature: "engine,extractive",
        passes: SMALL,
        parts: &parts::ENGINE,
    },
    Module {
        name: "endpoint",
        package: "epitome-wasm",
        feature: "endpoint",
        passes: SMALL,
        parts: &[],
    },
    Module {
        name: "validation",
        package: "epitome-wasm",
        feature: "validation",
        passes: SMALL,
        parts: &[],
    },
    Module { name: "count", package: "epitome-count", feature: "", passes: FAST, parts: &[] },
    Module { name: "estimate", package: "epitome-estimate", feature: "", passes: FAST, parts: &[] },
    Module {
        name: "tokenizer",
        package: "epitome-tokenizer",
        feature: "",
        passes: FAST,
        parts: &[],
    },
    Module { name: "recall", package: "epitome-recall", feature: "", passes: &["-O2"], parts: &[] },
];

/// Functions with `inline(never)` are not inlined here either: engines recompile a hot loop together
/// with its whole function, so a loop in a small function is recompiled faster. Functions that are called often come
/// first, since their numbers then take fewer bytes.
const OPTIONS: [&str; 2] = ["--one-caller-inline-max-function-size=0", "--reorder-functions"];

/// The script by which a module that is split fetches its second file.
const LOADER: &str = "__wasm_split.js";

/// Held while modules are compiled and their files are copied.
static COMPILING: Mutex<()> = Mutex::new(());

/// Whether the modules of `glue` were built before as they are shipped, so that building them again takes less time than building
/// them otherwise.
pub(crate) fn is_built(workspace: &Workspace, glue: &Glue) -> bool {
    workspace.target(&Effort::Shipped.folder(glue.folder)).exists()
}

/// Builds the modules of `glue` and returns their folder. A folder that is newer than the modules is not built again.
pub(crate) fn build(
    workspace: &Workspace,
    steps: &Steps,
    glue: &Glue,
    effort: Effort,
) -> Result<PathBuf> {
    let Glue { modules, folder, title, usually } = *glue;
    steps.run_long(&format!("compile the wasm of the {title}"), usually, || {
        let flags = flags(workspace)?;
        // Cargo does one thing at a time, and the next build of a package replaces its file.
        let _compiling = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
        for module in modules {
            let is_cut = module.is_split() || !module.parts.is_empty();
            let is_cut = is_cut && effort == Effort::Shipped;
            let task = if is_cut { "rustc" } else { "build" };
            let mut build = workspace.cargo([task, "--locked", "--profile", effort.profile()]);
            build.args(["--target", WASM, "--config", &flags]);
            select(&mut build, module, effort);
            if is_cut {
                build.args(["--", "-Clink-arg=--emit-relocs", "-Cstrip=none"]);
            }
            command::run(&mut build)?;
            // The next module of the same package is compiled to the same file.
            let library = module.package.replace('-', "_");
            let library = workspace
                .target(&format!("wasm32-unknown-unknown/{}/{library}.wasm", effort.profile()));
            keep(&library, &compiled(workspace, module, effort)).map_err(|error| {
                Failure::new(format!("cannot copy {}: {error}", library.display()))
            })?;
        }
        Ok(())
    })?;
    let folder = effort.folder(folder);
    let glue = workspace.target(&folder);
    // Cargo.toml pins the versions of the tools.
    let mut sources: Vec<PathBuf> =
        modules.iter().map(|module| compiled(workspace, module, effort)).collect();
    sources.push(workspace.path("Cargo.toml"));
    if modules.iter().all(|module| is_newer(&glue.join(file(module)), &sources)) {
        return Ok(glue);
    }
    steps.run_long(&format!("glue of the {title}"), "1 minute", || {
        let staged = workspace.target(&format!("{folder}.unfinished"));
        for module in modules {
            let mut bindgen = workspace.command("wasm-bindgen");
            // The package always gives the module. With a default path, bundlers would copy its file into every app, next to
            // the module that is inlined.
            bindgen.args(["--target", "web", "--omit-default-module-path"]);
            bindgen.args(["--out-name", module.name, "--out-dir"]);
            let compiled = compiled(workspace, module, effort);
            if effort == Effort::Quick {
                command::run(bindgen.arg(&staged).arg(compiled))?;
                parts::write_empty(module.parts, &staged)?;
                continue;
            }
            let (first, later) = if module.is_split() {
                bindgen.arg(&staged).arg("--keep-lld-exports");
                split(workspace, module, &compiled, &staged)?
            } else {
                bindgen.arg(&staged);
                (without_relocations(module, &compiled)?, Vec::new())
            };
            command::run(bindgen.arg(first))?;
            for place in [staged.join(file(module))].into_iter().chain(later) {
                optimize(workspace, module, &place)?;
                for place in cut(workspace, module, effort, &place)? {
                    put_in_order(workspace, &place)?;
                }
            }
        }
        replace(&staged, &glue)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", glue.display())))
    })?;
    Ok(glue)
}

/// Makes two files of a compiled module, and returns the one that is fetched first, and those in `staged` that are fetched later. The
/// script that fetches them is there too.
fn split(
    workspace: &Workspace,
    module: &Module,
    compiled: &Path,
    staged: &Path,
) -> Result<(PathBuf, Vec<PathBuf>)> {
    let folder = workspace.target(&format!("{}.split", module.name));
    let failed =
        |error: io::Error| Failure::new(format!("cannot keep {}: {error}", folder.display()));
    remove(&folder).map_err(failed)?;
    let mut split = workspace.command("wasm-split-cli");
    split.args(["--target", "web", "--out-name", module.name]).arg(compiled).arg(&folder);
    command::run(&mut split)?;
    fs::create_dir_all(staged).map_err(failed)?;
    let first = format!("{}.wasm", module.name);
    let mut later = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let copy = staged.join(entry.file_name());
        if entry.file_name() == first.as_str() {
            continue;
        }
        fs::copy(entry.path(), &copy).map_err(failed)?;
        if copy.extension().is_some_and(|extension| extension == "wasm") {
            later.push(copy);
        }
    }
    let loader = staged.join(LOADER);
    let script = fs::read_to_string(&loader)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", loader.display())))?;
    fs::write(&loader, for_any_host(&script)?).map_err(failed)?;
    Ok((folder.join(first), later))
}

/// The script with another function for compiling what it fetches: its own works only with servers that say what a wasm file is.
fn for_any_host(loader: &str) -> Result<String> {
    const COMPILES: &str = "WebAssembly.instantiateStreaming(src, imports)";
    if !loader.contains(COMPILES) {
        let problem = format!("{LOADER} of this version of wasm-split does not have: {COMPILES}");
        return Err(Failure::new(problem));
    }
    let loader = loader.replace(COMPILES, "instantiate(src, imports)");
    Ok(format!("import {{ instantiate }} from \"page/instantiate.js\";\n{loader}"))
}

/// The file of a compiled module as tools read it.
fn without_relocations(module: &Module, compiled: &Path) -> Result<PathBuf> {
    if module.parts.is_empty() {
        return Ok(compiled.to_owned());
    }
    let plain = compiled.with_extension("plain.wasm");
    write(&plain, &parts::without_relocations(&read(compiled)?)?)?;
    Ok(plain)
}

/// Optimizes a file of a module in its place.
fn optimize(workspace: &Workspace, module: &Module, place: &Path) -> Result {
    wasm_opt(workspace, place, &[module.passes, &OPTIONS].concat())
}

/// Cuts the parts of a module out of its file, and returns all files.
fn cut(
    workspace: &Workspace,
    module: &Module,
    effort: Effort,
    place: &Path,
) -> Result<Vec<PathBuf>> {
    let mut files = vec![place.to_owned()];
    if module.parts.is_empty() {
        return Ok(files);
    }
    let cut =
        parts::cut(&read(&compiled(workspace, module, effort))?, &read(place)?, module.parts)?;
    for (part, _) in module.parts.iter().zip(&cut.parts) {
        files.push(place.with_file_name(part.file()));
    }
    for (place, content) in files.iter().zip([&cut.first].into_iter().chain(&cut.parts)) {
        write(place, content)?;
    }
    Ok(files)
}

/// Puts functions that are alike next to each other, and drops what only debugging needs.
fn put_in_order(workspace: &Workspace, place: &Path) -> Result {
    write(place, &similar::named_by_likeness(&read(place)?)?)?;
    wasm_opt(workspace, place, &["--reorder-functions-by-name", "--strip-debug"])
}

fn read(place: &Path) -> Result<Vec<u8>> {
    fs::read(place)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", place.display())))
}

fn write(place: &Path, content: &[u8]) -> Result {
    fs::write(place, content)
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", place.display())))
}

/// Changes a file in its place.
fn wasm_opt(workspace: &Workspace, place: &Path, passes: &[&str]) -> Result {
    // No feature flags: wasm-opt reads them from the module. With all features on it would write a module that Node 20 refuses.
    let mut command = workspace.command("node");
    command.arg(workspace.path("node_modules/binaryen/bin/wasm-opt")).args(passes);
    command::run(command.arg(place).arg("--output").arg(place))
}

/// Has Cargo build a module.
fn select(build: &mut Command, module: &Module, effort: Effort) {
    match effort {
        // In one call, Cargo would give all packages the features that epitome-wasm asks of the engine, and the modules that
        // only count would contain glue that they do not need.
        Effort::Shipped => {
            build.args(["--package", module.package]);
            if !module.feature.is_empty() {
                build.args(["--no-default-features", "--features", module.feature]);
            }
        }
        // In one call, the engine is compiled once for the page and the package.
        Effort::Quick => {
            for module in PACKAGE.modules.iter().chain(PAGE.modules) {
                build.args(["--package", module.package]);
            }
            let own = match module.package {
                "epitome-wasm" => module.feature,
                _ => "engine",
            };
            let own = own.split(',').map(|feature| format!("epitome-wasm/{feature}"));
            let features: Vec<String> = own.chain(["epitome-recall/default".to_owned()]).collect();
            build.args(["--no-default-features", "--features", &features.join(",")]);
        }
    }
}

/// A setting for `cargo --config`. All modules have the same flags, so that crates that several of them need are compiled once.
fn flags(workspace: &Workspace) -> Result<String> {
    let mut flags = source_paths::flags(workspace)?;
    // Leptos then compiles a view once for all places where it may stand. The page's code has 7 % fewer bytes.
    flags.push("--cfg=erase_components".to_owned());
    // Cargo joins these flags with those of `.cargo/config.toml`.
    let flags = flags.iter().map(|flag| format!("'{flag}'")).collect::<Vec<_>>();
    Ok(format!("target.{WASM}.rustflags=[{}]", flags.join(",")))
}

fn file(module: &Module) -> String {
    format!("{}_bg.wasm", module.name)
}

/// Where the compiled module is kept.
fn compiled(workspace: &Workspace, module: &Module, effort: Effort) -> PathBuf {
    workspace.target(&format!("{}/{}.wasm", effort.folder("wasm-modules"), module.name))
}

/// Copies a file, unless the copy has the same content: what is made from the copy is then still new enough.
fn keep(file: &Path, copy: &Path) -> io::Result<()> {
    let content = fs::read(file)?;
    if fs::read(copy).is_ok_and(|before| before == content) {
        return Ok(());
    }
    copy.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(copy, content)
}

/// Moves the folder `staged` to `place`, and removes what `place` held before.
pub(crate) fn replace(staged: &Path, place: &Path) -> io::Result<()> {
    remove(place)?;
    fs::rename(staged, place)
}

/// Removes a folder, if there is one.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether `product` exists and is newer than all of `sources`.
pub(crate) fn is_newer(product: &Path, sources: &[PathBuf]) -> bool {
    let modified = |path: &Path| -> io::Result<SystemTime> { fs::metadata(path)?.modified() };
    let Ok(produced) = modified(product) else {
        return false;
    };
    sources.iter().all(|source| modified(source).is_ok_and(|changed| changed < produced))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_module_fetches_later_is_compiled_by_the_function_of_the_page() {
        let loader = "export const load = make(() => {
    const src = fetch(new URL(\"./later.wasm\", import.meta.url));
    return async (imports) => (WebAssembly.instantiateStreaming(src, imports));
});
";
        let expected = "import { instantiate } from \"page/instantiate.js\";
export const load = make(() => {
    const src = fetch(new URL(\"./later.wasm\", import.meta.url));
    return async (imports) => (instantiate(src, imports));
});
";
        assert_eq!(for_any_host(loader).ok().as_deref(), Some(expected));
        let other = loader.replace("src, imports", "imports, src");
        let problem = for_any_host(&other).err().map(|failure| failure.to_string());
        assert!(problem.is_some_and(|problem| problem.contains("instantiateStreaming")));
    }
}
