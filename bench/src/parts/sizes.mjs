// What a page downloads: bundles of the smallest entry points with their files, uncompressed, in gzip and in brotli.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { countingEntry } from "../entries.mjs";

const require = createRequire(import.meta.url);
const here = dirname(fileURLToPath(import.meta.url));
const inEpitome = (file) => join(dirname(require.resolve("epitome/package.json")), file);
const inTiktoken = (file) => join(dirname(require.resolve("tiktoken")), file);

/** Larger files are compressed at a lower quality, because the highest would take minutes. */
const LARGE = { quick: 2_000_000, full: 9_000_000 };

/** What a page loads, by name: a module to bundle, and files to load unchanged. */
function loads() {
  const bpeOpenAI = process.env.BENCH_BPE_OPENAI ?? "";
  return [
    { name: "epitome: vocabulary o200k_base, whole", files: [inEpitome("encodings/o200k_base.vocab")] },
    { name: "epitome: vocabulary, ASCII shard", files: [inEpitome("encodings/o200k_base.ascii.vocab")] },
    { name: "epitome: vocabulary, the rest", files: [inEpitome("encodings/o200k_base.rest.vocab")] },
    {
      name: "epitome: estimator, module and glue",
      module: `export { estimateTokens } from "${countingEntry()}"`,
    },
    { name: "epitome: whole package, module inlined", module: 'export * from "epitome"' },
    {
      name: "epitome: whole package, module as a file",
      module: 'export * from "epitome/slim"',
      files: [inEpitome("dist/glue/epitome_bg.wasm")],
    },
    { name: "tokenx", module: 'export { estimateTokenCount } from "tokenx"' },
    { name: "gpt-tokenizer", module: 'export { countTokens } from "gpt-tokenizer/encoding/o200k_base"' },
    {
      name: "ai-tokenizer",
      module: 'export { Tokenizer } from "ai-tokenizer"; export * from "ai-tokenizer/encoding/o200k_base"',
    },
    {
      name: "js-tiktoken",
      module: 'export { Tiktoken } from "js-tiktoken/lite"; export { default } from "js-tiktoken/ranks/o200k_base"',
    },
    {
      name: "tiktoken, lite and its ranks",
      files: ["lite/tiktoken_bg.wasm", "lite/tiktoken_bg.js", "encoders/o200k_base.json"].map(inTiktoken),
    },
    ...(existsSync(bpeOpenAI)
      ? [
          {
            name: "bpe-openai",
            files: ["bpe-openai.js", "bpe-openai_bg.wasm"].map((file) => join(bpeOpenAI, file)),
          },
        ]
      : []),
    { name: "LangChain trimMessages", module: 'export { trimMessages } from "@langchain/core/messages"' },
    { name: "AI SDK pruneMessages", module: 'export { pruneMessages } from "ai"' },
  ];
}

export async function measure({ quick, progress }) {
  const rows = [];
  for (const { name, module, files = [] } of loads()) {
    progress(name);
    const all = [...(module === undefined ? [] : await bundled(module)), ...files.map((file) => readFileSync(file))];
    const total = (size) => all.reduce((bytes, file) => bytes + size(file), 0);
    const quality = all.some(({ length }) => length > (quick ? LARGE.quick : LARGE.full)) ? 5 : 11;
    const brotli = (file) => brotliCompressSync(file, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }).length;
    rows.push({
      name,
      bytes: total(({ length }) => length),
      gzip: total((file) => gzipSync(file, { level: quick ? 6 : 9 }).length),
      brotli: total(brotli),
      quality,
    });
  }
  return { rows };
}

/** The files of a module's minified bundle that its code can load. */
async function bundled(contents) {
  const { metafile, outputFiles } = await build({
    stdin: { contents, resolveDir: here },
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    conditions: ["browser"],
    loader: { ".wasm": "file" },
    external: ["node:*"],
    outdir: "unwritten",
    metafile: true,
    write: false,
    logLevel: "error",
  });
  // esbuild also writes files for imports of code that it has left out; no code loads these files.
  const code = outputFiles.filter(({ path }) => path.endsWith(".js"));
  const texts = new Map(code.map(({ path, text }) => [basename(path), text]));
  const [entry] = Object.keys(metafile.outputs).filter((path) => metafile.outputs[path].entryPoint === "<stdin>");
  const reached = new Set([basename(entry)]);
  for (const name of reached) {
    [...texts.keys()].filter((other) => texts.get(name).includes(other)).forEach((other) => reached.add(other));
  }
  return outputFiles
    .filter(({ path }) => !path.endsWith(".js") || reached.has(basename(path)))
    .map((file) => file.contents);
}
