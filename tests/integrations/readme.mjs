// The TypeScript blocks of both READMEs, with the names that they leave to the reader.

import { readFileSync } from "node:fs";
import ts from "typescript";

const root = new URL("../../", import.meta.url);

/** What a reader has to put in, by name: its type, and what has to be imported for it. */
const GIVEN = {
  apiKey: "string",
  ask: "(request: { system: string; user: string; signal: AbortSignal }) => Promise<{ text: string; finishReason: string }>",
  compactor: 'import("epitome").Compactor',
  countBy: "(messages: object[], signal: AbortSignal) => Promise<number>",
  messages: 'import("@anthropic-ai/sdk").Anthropic.MessageParam[]',
  model: undefined,
  run: "(call: object) => Promise<string>",
  system: 'import("@anthropic-ai/sdk").Anthropic.TextBlockParam[]',
  text: "string",
  tools: undefined,
};

/** The model and the tools of each SDK, by what a block imports. */
const OF_SDK = [
  ['from "ai"', { model: 'import("ai").LanguageModel', tools: 'import("ai").ToolSet' }],
  ['langchain"', { model: 'import("@langchain/core/language_models/chat_models").BaseChatModel', tools: "[]" }],
  ["", { model: "string", tools: 'import("@anthropic-ai/sdk").Anthropic.Tool[]' }],
];

/** The blocks of a README: each with its place, its heading, its text, and the types of the names that it leaves open. */
function blocksOf(path) {
  const readme = readFileSync(new URL(path, root), "utf8");
  return Array.from(readme.matchAll(/^```ts\n(.*?)^```$/gms), ({ 1: code, index }) => {
    const before = readme.slice(0, index);
    const line = before.split("\n").length + 1;
    const heading = before.match(/^#+ .*$/gm).at(-1).replace(/^#+ /, "");
    const [, ofSdk] = OF_SDK.find(([imported]) => code.includes(imported));
    const names = openNames(code).filter((name) => name in GIVEN);
    return { name: `${path}:${line}`, heading, code, given: Object.fromEntries(names.map((name) => [name, GIVEN[name] ?? ofSdk[name]])) };
  });
}

/** The blocks of both READMEs. */
export const blocks = ["README.md", "crates/epitome-wasm/npm/README.md"].flatMap(blocksOf);

/** The names that a block uses and neither declares nor imports. */
function openNames(code) {
  const file = ts.createSourceFile("block.ts", code, ts.ScriptTarget.ES2022);
  const host = { ...ts.createCompilerHost({}), getSourceFile: (name) => (name === file.fileName ? file : undefined) };
  const program = ts.createProgram([file.fileName], { noLib: true, noResolve: true, types: [] }, host);
  const CANNOT_FIND = [2304, 18004];
  const found = program.getSemanticDiagnostics(file).filter(({ code }) => CANNOT_FIND.includes(code));
  return [...new Set(found.map(({ start, length }) => code.slice(start, start + length)))];
}
