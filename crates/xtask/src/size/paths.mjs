// Bundles a few small apps, runs them, and prints how many bytes each of them has fetched of the package. Fails if one of them
// has fetched more than its limit.
//
//   node paths.mjs FOLDER        FOLDER has the bundler and the package in its node_modules

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";

const MESSAGES = `const said = (turn) => ({ role: turn % 2 ? "assistant" : "user", content: "All about bed " + turn + ". ".repeat(40) });
  const messages = Array.from({ length: 40 }, (_, turn) => said(turn));`;
const STATUS = `${MESSAGES}
  const compactor = await createCompactor({ format: "openai-chat", policy: { window: 300 } });
  compactor.append(messages);
  if (!(compactor.status().tokens > 300)) throw new Error("no status");`;
const STATUS_PATH = "import to status()";

/** What apps do, and the most kilobytes that they may fetch for it in brotli. With `beyond`, what that path has fetched already is
 * not counted. */
const PATHS = [
  { name: STATUS_PATH, uses: "createCompactor", code: STATUS, limit: 500 },
  {
    name: "first compaction, extractive",
    beyond: STATUS_PATH,
    uses: "createCompactor",
    code: `${STATUS} if ((await compactor.compact()).outcome !== "applied") throw new Error("not compacted");`,
    limit: 164,
  },
  {
    name: "epitome/worker, on the main thread",
    from: "epitome/worker",
    uses: "createWorkerCompactor",
    code: `const signal = AbortSignal.abort();
      await createWorkerCompactor({ format: "openai-chat", signal }).catch(({ code }) => { if (code !== "aborted") throw new Error(code); });`,
    limit: 5,
  },
  { name: "estimateTokens()", uses: "estimateTokens", code: 'await estimateTokens("Hello there");', limit: 31 },
  { name: "countTokens(), but its vocabulary", uses: "countTokens", code: 'await countTokens("Hello there");', limit: 37 },
  {
    name: "validate() and repair()",
    uses: "repair, validate",
    code: `${MESSAGES} await validate(messages, "openai-chat"); await repair(messages, "openai-chat");`,
    limit: 185,
  },
  {
    name: "openAICompatible()",
    uses: "openAICompatible",
    code: `const ask = openAICompatible({ baseURL: "http://127.0.0.1:9/v1", model: "m" });
      await ask({ system: "", input: "x", maxTokens: 9 }).catch(({ code }) => { if (code !== "unreachable") throw new Error(code); });`,
    limit: 192,
  },
];

const folder = resolve(process.argv[2] ?? ".");
const { build } = await import(pathToFileURL(createRequire(join(folder, "package.json")).resolve("vite")).href);
const place = mkdtempSync(join(tmpdir(), "epitome-size-"));
const brotli = new Map();
let failures = 0;
try {
  writeFileSync(join(place, "record.mjs"), 'import { register } from "node:module"; register("./hooks.mjs", import.meta.url);\n');
  writeFileSync(
    join(place, "hooks.mjs"),
    `import { appendFileSync } from "node:fs";
    export async function load(url, context, next) {
      if (url.startsWith("file:")) appendFileSync(new URL("./loaded", import.meta.url), url + "\\n");
      return next(url, context);
    }\n`,
  );
  const fetched = new Map();
  for (const path of PATHS) {
    fetched.set(path.name, await filesOf(path));
    report(path, fetched);
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

/** The files that an app loads, by their names without the hash of the content. */
async function filesOf({ from = "epitome", uses, code }) {
  const main = "virtual:main.js";
  const app = {
    name: "app",
    resolveId: (id) => (id === main ? id : undefined),
    load: (id) => (id === main ? `import { ${uses} } from "${from}"; ${code}` : undefined),
  };
  const out = join(place, "out");
  await build({
    root: folder,
    base: "./",
    configFile: false,
    logLevel: "error",
    plugins: [app],
    build: {
      outDir: out,
      emptyOutDir: true,
      target: "es2022",
      modulePreload: false,
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      chunkSizeWarningLimit: Infinity,
      rollupOptions: { input: main, external: /^node:/, output: { entryFileNames: "main.js" } },
    },
  });
  rmSync(join(place, "loaded"), { force: true });
  const run = ["--import", pathToFileURL(join(place, "record.mjs")).href, join(out, "main.js")];
  execFileSync(process.execPath, run, { stdio: "inherit" });
  const loaded = readFileSync(join(place, "loaded"), "utf8").trim().split("\n").map((url) => fileURLToPath(url));
  return new Map(loaded.filter((file) => file.startsWith(out)).map((file) => [nameOf(file), sizeOf(file)]));
}

function nameOf(file) {
  return basename(file).replace(/-[\w-]{8}\.js$/, ".js");
}

function sizeOf(file) {
  const content = readFileSync(file, "latin1");
  if (!brotli.has(content)) {
    brotli.set(content, { bytes: statSync(file).size, brotli: brotliCompressSync(readFileSync(file)).length });
  }
  return brotli.get(content);
}

function report({ name, beyond, limit }, fetched) {
  const before = fetched.get(beyond) ?? new Map();
  const files = [...fetched.get(name)].filter(([file]) => !before.has(file));
  const total = files.reduce((sum, [, { brotli: size }]) => sum + size, 0);
  const isTooMuch = total > limit * 1000;
  failures += isTooMuch ? 1 : 0;
  const verdict = isTooMuch ? `  more than its limit of ${limit} kB` : `  (at most ${limit})`;
  console.log(`${(total / 1000).toFixed(1).padStart(8)} kB  ${name}${beyond === undefined ? "" : `, more than ${beyond}`}${verdict}`);
  for (const [file, size] of files) {
    console.log(`${(size.brotli / 1000).toFixed(1).padStart(16)}  ${file} (${(size.bytes / 1000).toFixed(0)} kB unpacked)`);
  }
}
