// Rolls the declarations of all files up into one, which is committed as epitome.d.ts.
//
//   node scripts/declarations.mjs --check      fails if the committed file differs from that of the build
//   node scripts/declarations.mjs --update     replaces the committed file

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const HEAD = `// Written by scripts/declarations.mjs. The types of options and results come from Rust.

declare global {
  interface SymbolConstructor {
    /** As in TypeScript's library for \`using\`, which an app may not have. */
    readonly dispose: unique symbol;
  }
}

`;

/** What a file of wasm is when it is imported: tools that compile it give a module, tools that copy it give its address. */
const WASM = "/** The compiled module, or its address where tools copy the file. */\ndeclare const module: WebAssembly.Module;\nexport default module;\n";

/** The files whose functions are public. All types that these files mention are public too. */
const [API, COUNTING] = ["api/api.d.ts", "api/counting.d.ts"];
const SLIM = "entrypoints/slim.d.ts";
const SLIM_MODULES = "api-slim/modules.d.ts";
/** The declarations of the wasm modules with glue. */
const GLUE = ["epitome", "endpoint", "validation"].map((module) => `glue/${module}.d.ts`);
/** Entries with types of their own, each after those whose types it uses. */
const MORE = ["storage", "node", "bullmq", "models", "worker", "ai", "langchain", "openai", "openai-agents", "anthropic"];

/** The types that the entry `epitome/tokens` exports. */
const COUNTING_TYPES = [
  "CountOptions", "Encoding", "EncodingOptions", "EncodingSource", "EpitomeError", "ErrorCode", "EstimateOptions", "TokenCounter",
  "TokenFamily",
];

/** The declarations of all entries, from the files that tsc has written to `dist`. */
export function declarations(dist) {
  const written = readdirSync(dist, { recursive: true }).map((name) => name.replaceAll("\\", "/"));
  const modules = written.filter((name) => name.endsWith(".d.ts") && /^(api|counting|host|recall|wasm|storage|queue|node|bullmq|models|ai|langchain|openai|anthropic|agents|worker)\/|^error/.test(name));
  const entries = MORE.map((name) => `entrypoints/${name}.d.ts`);
  const files = [...modules, ...GLUE, SLIM, SLIM_MODULES, ...entries].map((name) => {
    const text = readFileSync(join(dist, name), "utf8");
    return ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true);
  });
  const fileOf = (name) => files.find(({ fileName }) => fileName === name);
  const found = new Map();
  for (const [name, statement] of files.filter(({ fileName }) => !/^entrypoints/.test(fileName)).flatMap(named)) {
    const others = found.get(name) ?? [];
    // The modules share types of the engine.
    if (!others.some((other) => other.getText() === statement.getText())) {
      found.set(name, [...others, statement]);
    }
  }
  const kept = new Map();
  const visit = (node) => {
    const declared = refers(node) ? found.get(node.text) : undefined;
    if (declared !== undefined && !kept.has(node.text)) {
      if (declared.length > 1 && !declared.every(ts.isFunctionDeclaration)) {
        throw new Error(`two files declare a type ${node.text}, of which one is public; only one of them can have this name`);
      }
      kept.set(node.text, declared.map(printed).join(""));
      declared.forEach((statement) => ts.forEachChild(statement, visit));
    }
    ts.forEachChild(node, visit);
  };
  for (const name of [API, COUNTING]) {
    ts.forEachChild(fileOf(name), visit);
  }
  const later = fileOf(SLIM_MODULES).statements.find((statement) => statement.name?.text === "LaterModules");
  const init = fileOf(SLIM).statements.find((statement) => statement.name?.text === "init");
  const functions = fileOf(COUNTING).statements.map((statement) => statement.name?.text).filter((name) => name !== undefined);
  const types = COUNTING_TYPES.map((name) => `type ${name}`);
  const origins = new Map([...kept.keys()].map((name) => [name, "../epitome.js"]));
  const more = MORE.map((name) => [name, entryOf(fileOf(`entrypoints/${name}.d.ts`), found, origins, `./${name}.js`)]);
  return {
    ...Object.fromEntries(more),
    tokens: `export { ${[...functions, "isEpitomeError", ...types].join(", ")} } from "../epitome.js";\n`,
    wasm: WASM,
    epitome: HEAD + [...kept.values()].join("\n"),
    slim: `export * from "../epitome.js";\n${printed(later)}${printed(init)}`,
  };
}

/** The declarations of an entry: what it exports, and the types that these mention. `origins` says which file has a type already;
 * those of this entry are added to it. */
function entryOf(file, found, origins, path) {
  const [lines, imports, own] = [[], new Map(), new Map()];
  const visit = (node) => {
    const name = refers(node) ? node.text : undefined;
    if (origins.has(name)) {
      imports.set(origins.get(name), (imports.get(origins.get(name)) ?? new Set()).add(name));
    } else if (found.has(name) && !own.has(name)) {
      own.set(name, found.get(name).map(printed).join(""));
      found.get(name).forEach((statement) => ts.forEachChild(statement, visit));
    }
    ts.forEachChild(node, visit);
  };
  const again = new Map();
  for (const { moduleSpecifier, exportClause } of file.statements.filter(ts.isExportDeclaration)) {
    for (const { name } of exportClause?.elements ?? []) {
      // Another entry has declared it.
      const origin = origins.get(name.text);
      if (origin !== undefined) {
        again.set(origin, [...(again.get(origin) ?? []), name.text]);
      } else {
        visit(name);
      }
    }
    if (exportClause === undefined && moduleSpecifier !== undefined) {
      lines.push(`export * from ${moduleSpecifier.getText()};\n`);
    }
  }
  again.forEach((names, origin) => lines.push(`export { ${names.sort().join(", ")} } from "${origin}";\n`));
  own.forEach((_, name) => origins.set(name, path));
  const used = [...imports].map(([from, names]) => `import type { ${[...names].sort().join(", ")} } from "${from}";\n`);
  return [...foreignTypes(found, own, file), ...used, ...lines, "\n", [...own.values()].join("\n")].join("");
}

/** True for a name of a declaration, and false for the name of a member or a parameter, which may be the same word. */
function refers(node) {
  const { parent } = node;
  const isMember = ts.isPropertySignature(parent) || ts.isMethodSignature(parent) || ts.isParameter(parent);
  return ts.isIdentifier(node) && !(isMember && parent.name === node);
}

/** The imports of types from other packages. */
function foreignTypes(found, own, file) {
  const sources = new Set([...own.keys()].flatMap((name) => found.get(name)).map((statement) => statement.getSourceFile()));
  const isForeign = (statement) => ts.isImportDeclaration(statement) && !statement.moduleSpecifier.text.startsWith(".");
  const lines = new Set();
  const names = new Map();
  for (const { importClause, moduleSpecifier } of [file, ...sources].flatMap(({ statements }) => statements.filter(isForeign))) {
    const from = moduleSpecifier.getText();
    if (importClause?.name !== undefined) {
      lines.add(`import type ${importClause.name.text} from ${from};\n`);
    }
    const known = names.get(from) ?? new Set();
    importClause?.namedBindings?.elements?.forEach(({ name }) => names.set(from, known.add(name.text)));
  }
  const named = [...names].map(([from, all]) => `import type { ${[...all].sort().join(", ")} } from ${from};\n`);
  return [...lines, ...named];
}

/** What a file exports, by name: all types, and functions and constants only if they are public. */
function named(file) {
  const isApi = [API, COUNTING].includes(file.fileName) || /^(storage|queue|node|bullmq|models|ai|langchain|openai|anthropic|agents|worker)\/|^recall\/tool|^host\/context-providers/.test(file.fileName);
  const isPublic = (statement) =>
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    (ts.isFunctionDeclaration(statement) && (isApi || statement.name?.text === "isEpitomeError")) ||
    (ts.isVariableStatement(statement) && file.fileName === API);
  const nameOf = ({ name, declarationList }) => (name ?? declarationList.declarations[0].name).text;
  return file.statements.filter(isPublic).map((statement) => [nameOf(statement), statement]);
}

function printed(statement) {
  const text = statement.getFullText().replace(/^\s*\/\* eslint-disable \*\/|^\s*\/\* tslint:disable \*\//gm, "");
  const documented = text.replace(/\/\*\*[^]*?\*\//g, forTypeScript);
  return `${documented.trim().replaceAll("    ", "  ")}\n`;
}

/** A doc comment from Rust without links to its items, and with the names of fields as they are in TypeScript. */
function forTypeScript(comment) {
  return comment
    .replace(/\[(`[^`\]]+`)\](\([^)]*\))?/g, "$1")
    .replace(/`((?:[a-z]+_)+[a-z]+)`/g, (_, name) => `\`${name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())}\``);
}

const [, script, task] = process.argv;
if (script === fileURLToPath(import.meta.url)) {
  const here = join(dirname(script), "..");
  const fresh = readFileSync(join(here, "dist/epitome.d.ts"), "utf8");
  const committed = join(here, "epitome.d.ts");
  if (task === "--update") {
    writeFileSync(committed, fresh);
  } else if (readFileSync(committed, "utf8") !== fresh) {
    console.error("epitome.d.ts is not that of the build; `npm run update:types` makes it so");
    process.exit(1);
  }
}
