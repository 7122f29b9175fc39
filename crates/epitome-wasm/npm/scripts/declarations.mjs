// Rolls the declarations of all modules up into one file, which is committed as epitome.d.ts.
//
//   node scripts/declarations.mjs --check      fails where the committed file is not that of the build
//   node scripts/declarations.mjs --update     makes it so

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const HEAD = "// Written by scripts/declarations.mjs. The types of options and results come from Rust.\n\n";

/** The types that the entry for counting alone speaks of. */
const COUNTING_TYPES = [
  "CountOptions", "Encoding", "EncodingOptions", "EncodingSource", "EpitomeError", "ErrorCode", "EstimateOptions", "TokenCounter",
  "TokenFamily",
];

/** The declarations of all entries, from those that tsc has left in `dist`. */
export function declarations(dist) {
  const modules = readdirSync(dist).filter((name) => name.endsWith(".d.ts"));
  const files = [...modules.filter((name) => name !== "epitome.d.ts"), "glue/epitome.d.ts", "glue/count.d.ts"].map((name) => {
    const text = readFileSync(join(dist, name), "utf8");
    return ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true);
  });
  const index = files.find((file) => file.fileName === "index.d.ts");
  const found = new Map(
    files.filter((file) => !["slim.d.ts", "tokens.d.ts"].includes(file.fileName)).flatMap((file) => named(file, file === index)),
  );
  const kept = new Map();
  const visit = (node) => {
    const declared = ts.isIdentifier(node) ? found.get(node.text) : undefined;
    if (declared !== undefined && !kept.has(node.text)) {
      kept.set(node.text, printed(declared));
      ts.forEachChild(declared, visit);
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(index, visit);
  const slim = files.find((file) => file.fileName === "slim.d.ts");
  const init = slim.statements.find((statement) => statement.name?.text === "init");
  const counting = files.find((file) => file.fileName === "tokens.d.ts");
  const own = counting.statements.map((statement) => statement.name?.text).filter((name) => name !== undefined);
  const types = COUNTING_TYPES.map((name) => `type ${name}`);
  return {
    tokens: `export { ${[...own, "isEpitomeError", ...types].join(", ")} } from "../epitome.js";\n`,
    epitome: HEAD + [...kept.values()].join("\n"),
    slim: `export * from "../epitome.js";\n${printed(init)}`,
  };
}

/** What a file exports under a name of its own. Only of the index are the functions the public ones. */
function named(file, isIndex) {
  const isPublic = (statement) =>
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    (ts.isFunctionDeclaration(statement) && (isIndex || statement.name?.text === "isEpitomeError"));
  return file.statements.filter(isPublic).map((statement) => [statement.name.text, statement]);
}

function printed(statement) {
  const text = statement.getFullText().replace(/^\s*\/\* eslint-disable \*\/|^\s*\/\* tslint:disable \*\//gm, "");
  return `${text.trim().replaceAll("    ", "  ")}\n`;
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
