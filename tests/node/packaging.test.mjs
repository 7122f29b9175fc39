// The package as users install it: packed, unpacked in an empty folder, and used from there.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompressSync } from "node:zlib";
import { build } from "vite";

const run = promisify(execFile);
const source = fileURLToPath(new URL("../../crates/epitome-wasm/npm", import.meta.url));
const npm = (words, cwd) => run("npm", [...words, "--no-audit", "--no-fund"], { cwd, shell: process.platform === "win32" });
let app;
let packed;

before(async () => {
  app = await mkdtemp(join(tmpdir(), "epitome-app-"));
  const { stdout } = await npm(["pack", "--json", "--ignore-scripts", "--pack-destination", app], source);
  [packed] = JSON.parse(stdout);
  await writeFile(join(app, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await npm(["install", "--offline", `./${packed.filename}`], app);
});

after(() => rm(app, { recursive: true, force: true }));

/** Runs a script in the app, and returns what it prints. */
async function node(script, name = "app.mjs") {
  await writeFile(join(app, name), script);
  const { stdout } = await run(process.execPath, [name], { cwd: app });
  return stdout.trim();
}

const USE = `
  const compactor = await createCompactor({ format: "openai-chat", policy: { window: 300 } });
  const said = (turn) => ({ role: turn % 2 ? "assistant" : "user", content: "All about bed " + turn + ". ".repeat(40) });
  compactor.append(Array.from({ length: 40 }, (_, turn) => said(turn)));
  const { outcome } = await compactor.compact();
  compactor.dispose();`;

/** The modules of wasm: those that work alone, and the parts of the first. */
const ALONE = ["epitome", "endpoint", "validation", "count", "estimate", "recall", "tokenizer"];
const PARTS = ["summaries", "extractive", "snapshots", "anthropic", "openai-responses", "ai-sdk", "gemini", "langchain", "bedrock"];
const MODULES = [...ALONE, ...PARTS];

test("it contains what it exports, and nothing else", () => {
  const names = packed.files.map(({ path }) => path);
  const named = ["slim", "tokens", "storage", "node", "bullmq", "models", "ai", "langchain", "openai", "openai-agents", "anthropic", "worker"];
  const entries = ["index", ...named].map((name) => `entrypoints/${name}.js`);
  const types = [...named, "wasm"].map((name) => `${name}.d.ts`);
  for (const name of [...entries, ...types, "page/epitome.js", "workerd/entrypoints/index.js", "edge/entrypoints/index.js", "glue/epitome_bg.wasm", "glue/count_bg.wasm", "glue/estimate_bg.wasm", "glue/recall_bg.wasm"]) {
    assert.ok(names.includes(`dist/${name}`), name);
  }
  assert.deepEqual(names.filter((name) => name.startsWith("dist/docs/")), []);
  assert.ok(names.includes("LICENSE-MIT") && names.includes("LICENSE-APACHE"));
  const rest = names.filter((name) => !new RegExp(String.raw`^dist\/(.*\.js|(slim|tokens|storage|node|bullmq|models|ai|langchain|openai|openai-agents|anthropic|worker|wasm)\.d\.ts|glue\/(${MODULES.join("|")})_bg\.wasm)$`).test(name));
  assert.deepEqual(rest.sort(), [
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "encodings/NOTICE.txt",
    "encodings/cl100k_base.vocab",
    "encodings/o200k_base.ascii.vocab",
    "encodings/o200k_base.rest.vocab",
    "encodings/o200k_base.vocab",
    "epitome.d.ts",
    "package.json",
    "policy.schema.json",
    "sbom.cdx.json",
  ]);
});

test("its bill of materials lists every crate whose code is in a module", async () => {
  const read = (name) => readFile(join(app, "node_modules/epitome", name));
  const { components } = JSON.parse(await read("sbom.cdx.json"));
  const listed = new Set(components.map(({ name, version }) => `${name}-${version}`));
  assert.equal(listed.size, components.length, "each once");
  for (const { name, version, licenses, purl, hashes } of components) {
    assert.ok(licenses[0].expression, `${name} has a licence`);
    assert.equal(purl !== undefined, hashes !== undefined, `${name} ${version}: what has an address has a checksum`);
  }
  // Where a check in a crate may fail, the module has the path of its source file, and in it the crate's name and version.
  const named = new Set();
  for (const module of ["epitome", "count", "recall", "tokenizer"]) {
    const text = (await read(`dist/glue/${module}_bg.wasm`)).toString("latin1");
    for (const [, crate] of text.matchAll(/registry\/([a-z][a-z0-9_-]*-\d+\.\d+\.\d+)\/src\//g)) {
      named.add(crate);
    }
    assert.doesNotMatch(text, /\/(root|home|Users)\//, `${module}: no path of the machine that built it`);
  }
  assert.notEqual(named.size, 0, "the modules name some crates");
  assert.deepEqual([...named].filter((crate) => !listed.has(crate)), []);
});

test("it works in Node, and its files can be resolved", async () => {
  const script = `import { createCompactor } from "epitome"; ${USE}
    const found = ["epitome/wasm", "epitome/package.json", "epitome/slim", "epitome/tokens", "epitome/storage", "epitome/node", "epitome/bullmq"].map((name) => import.meta.resolve(name));
    console.log(outcome, found.every(Boolean));`;
  assert.equal(await node(script), "applied true");
});

for (const entry of ["epitome", "epitome/slim"]) {
  test(`b1: ${entry} counts exactly, with the vocabulary in the package`, async () => {
    const script = `import { readFile } from "node:fs/promises";
      import { countTokens, createCompactor, loadEncoding } from "${entry}";
      ${entry.endsWith("slim") ? `import { init } from "epitome/slim";
        await init(await readFile(new URL(import.meta.resolve("epitome/wasm"))));` : ""}
      const counted = await Promise.all(["<|endoftext|>", "Hello there"].map((text) => countTokens(text)));
      const policy = { counting: { encoding: "cl100k_base" } };
      const { exact } = (await createCompactor({ format: "openai-chat", policy })).status();
      await loadEncoding("cl100k_base");
      console.log(...counted, exact);`;
    assert.equal(await node(script), "7 2 true");
  });
}

for (const entry of ["epitome", "epitome/tokens"]) {
  test(`an app that only counts with ${entry} compiles only the small modules`, async () => {
    const script = `const sizes = [];
      const compile = WebAssembly.compile;
      WebAssembly.compile = (bytes) => { sizes.push(bytes.byteLength); return compile(bytes); };
      const { countTokens, estimateTokens, tokenCounter } = await import("${entry}");
      const counts = [await estimateTokens("Hello there"), await countTokens("Hello there"), (await tokenCounter()).count("Hello")];
      console.log(...counts, sizes.length, sizes.every((size) => size < 100_000));`;
    assert.equal(await node(script), "2 2 1 2 true");
  });
}

test("the modules that only count are small on the wire, as a file and in the code", async () => {
  const folder = join(app, "node_modules/epitome/dist");
  const shared = ["wasm/buffer.js", "api/modules.js", "wasm/numeric.js"];
  for (const [module, own] of [["count", "counting/counter.js"], ["estimate", "counting/estimator.js"]]) {
    const code = (await Promise.all([own, ...shared].map((name) => readFile(join(folder, name), "utf8")))).join("");
    for (const file of [`glue/${module}_bg.wasm`, `glue/${module}-inlined.js`]) {
      const bytes = brotliCompressSync(await readFile(join(folder, file))).length + brotliCompressSync(code).length;
      assert.ok(bytes < 45_000, `${file}: ${bytes} bytes`);
    }
  }
});

test("conversations are kept without any other package, and the compactor alone has no code for it", async () => {
  const script = `import { memoryStore, openConversation } from "epitome/storage";
    import { sqliteStore } from "epitome/node";
    const open = () => openConversation({ store, id: "1", format: "openai-chat" });
    const store = memoryStore();
    const { compactor } = await open();
    compactor.append({ role: "user", content: "Which rose?" });
    await compactor.commit();
    console.log(typeof sqliteStore, (await open()).compactor.history().length);`;
  assert.equal(await node(script), "function 1");
  const main = await readFile(join(app, "node_modules/epitome/dist/api/api.js"), "utf8");
  assert.doesNotMatch(main, /\/(storage|queue|node|bullmq)\//);
});

test("m6: it works with its engine in a worker, in Node", async () => {
  const script = `import { createWorkerCompactor as createCompactor } from "epitome/worker";
    ${USE.replace("compactor.append", "await compactor.append")}
    console.log(outcome);`;
  assert.equal(await node(script), "applied");
});

test("it works in a worker thread", async () => {
  const script = `import { isMainThread, parentPort, Worker } from "node:worker_threads";
    import { createCompactor } from "epitome";
    if (isMainThread) {
      new Worker(new URL(import.meta.url)).on("message", (message) => console.log(message));
    } else { ${USE} parentPort.postMessage(outcome); }`;
  assert.equal(await node(script), "applied");
});

test("the slim entry takes the bytes of the module, and can be tried again after a failure", async () => {
  const script = `import { readFile } from "node:fs/promises";
    import { createCompactor, init, isEpitomeError } from "epitome/slim";
    const wrong = await init(new Uint8Array(8)).catch((error) => isEpitomeError(error) && error.code);
    await init(await readFile(new URL(import.meta.resolve("epitome/wasm")))); ${USE}
    console.log(wrong, outcome);`;
  assert.equal(await node(script), "not-loaded applied");
});

test("importing it has no side effects", async () => {
  const script = `const touched = [];
    const names = ["fetch", "WebAssembly", "setTimeout", "queueMicrotask", "crypto", "performance", "atob",
      "window", "document", "localStorage", "navigator", "indexedDB", "Worker", "Blob", "DecompressionStream"];
    for (const name of names) {
      const value = globalThis[name];
      const get = () => { if (new Error().stack.includes("node_modules")) touched.push(name); return value; };
      Object.defineProperty(globalThis, name, { configurable: true, get });
    }
    await import("epitome");
    await import("epitome/slim");
    await import("epitome/tokens");
    console.log(JSON.stringify(touched));`;
  assert.equal(await node(script), "[]");
});

for (const [entry, modules] of [["epitome", 0], ["epitome/slim", MODULES.length]]) {
  test(`Vite bundles ${entry}, with ${modules} files of wasm`, async () => {
    const load = entry.endsWith("slim")
      ? `import { readFileSync } from "node:fs";
         import address from "epitome/wasm?url";
         import extractive from "epitome/wasm/extractive?url";
         import summaries from "epitome/wasm/summaries?url";
         const bytes = (address) => readFileSync(new URL("." + address, import.meta.url));
         await init(bytes(address), { extractive: bytes(extractive), summaries: bytes(summaries) });`
      : "";
    const main = join(app, "main.js");
    const names = `createCompactor${load && ", init"}`;
    await writeFile(main, `import { ${names} } from "${entry}"; ${load} ${USE} console.log(outcome);`);
    const out = join(app, `out-${modules}`);
    await build({
      root: app,
      configFile: false,
      logLevel: "error",
      build: {
        outDir: out,
        target: "es2022",
        assetsInlineLimit: 0,
        rollupOptions: { input: main, external: /^node:/, output: { entryFileNames: "main.js" } },
      },
    });
    const files = await readdir(out, { recursive: true });
    assert.equal(files.filter((name) => name.endsWith(".wasm")).length, modules, files.join());
    const { stdout } = await run(process.execPath, [join(out, "main.js")], { cwd: app });
    assert.equal(stdout.trim(), "applied");
  });
}

test("b1: Vite emits a vocabulary as a file of its own if an app counts exactly", async () => {
  const main = join(app, "counting.js");
  await writeFile(main, 'import { countTokens } from "epitome"; console.log(await countTokens("<|endoftext|>"));');
  const out = join(app, "out-counting");
  await build({
    root: app,
    base: "./",
    configFile: false,
    logLevel: "error",
    build: {
      outDir: out,
      target: "es2022",
      rollupOptions: { input: main, external: /^node:/, output: { entryFileNames: "main.js" } },
    },
  });
  const files = await readdir(out, { recursive: true });
  assert.equal(files.filter((name) => name.endsWith(".vocab")).length, 4, files.join());
  for (const name of files.filter((name) => name.endsWith(".js"))) {
    assert.ok((await readFile(join(out, name))).length < 1_000_000, name);
  }
  const { stdout } = await run(process.execPath, [join(out, "main.js")], { cwd: app });
  assert.equal(stdout.trim(), "7");
});

test("a bundle that does not use the package contains nothing of it", async () => {
  const main = join(app, "unused.js");
  await writeFile(main, 'import { createCompactor } from "epitome"; console.log("hi");');
  const { output } = await build({
    root: app,
    configFile: false,
    logLevel: "error",
    build: { write: false, target: "es2022", modulePreload: false, rollupOptions: { input: main } },
  });
  // A vocabulary that is never loaded may be emitted next to the code.
  const chunks = output.filter(({ type }) => type === "chunk");
  assert.equal(chunks.length, 1);
  assert.match(chunks[0].code, /^console\.log\(.hi.\);\s*$/);
});

test("its declarations satisfy a strict compiler, for an app's own type of message", async () => {
  const text = `
    import {
      createCompactor, type CompactionEvent, isEpitomeError, openAICompatible, type Policy, type PolicySpec,
      countTokens, type Counting, type Encoding, estimateTokens, loadEncoding, loadTokenizer, presets, type TokenFamily, type Reason, recentWithin, resolvePolicy, type Summarize,
    } from "epitome";
    import { createCompactor as slim, init } from "epitome/slim";
    import { estimateTokens as estimate, type TokenCounter, tokenCounter } from "epitome/tokens";
    const spec: PolicySpec = {
      preset: "fill",
      modelWindow: 64_000,
      warning: null,
      triggers: [{ at: { phase: "turnEnd", trigger: { any: [{ budget: {} }, { all: [{ tokens: 9 }, "always"] }] } } }],
      reducers: [{ reducer: { truncateToolResults: { steps: [{ fromMessages: 3, maxTokens: 9 }] } }, when: "always" }, { reducer: "deduplicate" }],
      summary: { prompts: { mine: "Condense." }, defaultAgent: null, tools: { only: ["linear*"] } },
      retry: { attempts: 2 },
      agents: { coder: { window: 9_000, summary: { prompt: "mine" } } },
    };
    const counting: Counting[] = ["estimate", { charactersPerToken: 4 }, { encoding: "o200k_base" }];
    export const count = async (text: string, encoding: Encoding): Promise<number> => {
      await loadEncoding(encoding, new URL("http://localhost/o200k_base.vocab"));
      return countTokens(text, { encoding });
    };
    export const counted = async (text: string, family: TokenFamily): Promise<number> => {
      await loadTokenizer("llama", new URL("http://localhost/tokenizer.json"));
      const counter: TokenCounter = await tokenCounter();
      await loadEncoding("o200k_base", { scripts: "ascii" });
      return counter.count(text) + counter.estimate(text, { family }) + await estimate(text) + await estimateTokens(text) +
        await countTokens(text, { tokenizer: "llama" });
    };
    // @ts-expect-error There is no such family.
    void estimateTokens("", { family: "llama" });
    // @ts-expect-error There is no such encoding.
    void countTokens("", { encoding: "p50k_base" });
    // @ts-expect-error Agents have no agents.
    const nested: PolicySpec = { counting: counting[0]!, agents: { coder: { agents: {} } } };
    type Mine = { role: "user" | "assistant"; content: string; id?: string };
    const own: Summarize = async (request, { signal, onDelta }) => {
      onDelta(request.input.slice(0, signal.aborted ? 0 : 9));
      return { text: "short", finishReason: "stop" };
    };
    export async function use(messages: Mine[]): Promise<Mine[]> {
      await init();
      const endpoint = openAICompatible({ baseURL: "http://localhost/v1", model: "m" });
      const compactor = await createCompactor<Mine>({
        format: "openai-chat",
        policy: { preset: "recommended", window: 128_000, keep: { rounds: 3 }, triggers: [{ fill: { fraction: 0.7 } }] },
        summarize: messages.length > 3 ? endpoint : own,
        agent: "coder",
        beforeCompaction: async ({ forced, contextPercent }) => (forced || contextPercent > 50 ? undefined : { skip: true }),
        afterCompaction: ({ success }) => console.log(success),
        countTokens: async (seen, { signal }) => (signal.aborted ? 0 : seen.map(({ content }) => content).join("").length),
      });
      compactor.append(await recentWithin(messages, { tokens: 9_000 }), { pinned: true });
      const policy: Policy = await resolvePolicy(spec, "coder");
      compactor.setPolicy(policy);
      compactor.setPolicy((await presets())[0]?.policy ?? nested);
      const reason: Reason | undefined = compactor.check("turnEnd");
      console.log(reason, (await compactor.compactIfNeeded({ phase: "loop" }))?.session, compactor.status().statistics.tokensPerSecond);
      const onEvent = (event: CompactionEvent): void => {
        if (event.type === "end") console.log(event.report.outcome);
        if (event.type === "delta") console.log(event.text);
        if (event.type === "shorter") console.log(event.keep, event.toolResultMaxCharacters);
      };
      const report = await compactor.compact({ reason: "threshold", onEvent }).catch((error: unknown) => {
        if (isEpitomeError(error) && error.code === "busy") return undefined;
        throw error;
      });
      const level: "ok" | "warn" | "compact" = compactor.status().level;
      console.log(report?.tokensAfter, level, (await slim<Mine>({ format: "openai-chat" })).messages());
      return compactor.messages();
    }
    // @ts-expect-error There is no such format.
    void createCompactor({ format: "html" });`;
  await writeFile(join(app, "use.ts"), text);
  const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  const lib = ["--lib", "ES2022,DOM,ESNext.Disposable"];
  for (const module of ["nodenext", "preserve"]) {
    const words = [join(typescript, "bin/tsc"), "use.ts", "--noEmit", "--strict", "--exactOptionalPropertyTypes"];
    const compiled = run(process.execPath, [...words, "--module", module, ...lib], { cwd: app });
    const problems = await compiled.then(() => "", ({ stdout }) => stdout);
    assert.equal(problems, "", module);
  }
});

test("k5: its declarations need no SDK and nothing newer than ES2022, checked like the app's own code", async () => {
  const text = `
    import { compactMessages, createCompactor, type MessageOf } from "epitome";
    export async function use(messages: MessageOf<"anthropic">[]): Promise<MessageOf<"anthropic">[]> {
      const compactor = await createCompactor({ format: "openai-chat" });
      compactor.append({ role: "user", content: "hi" });
      // @ts-expect-error No message of this format has this role.
      compactor.append({ role: "model", content: "hi" });
      compactor[Symbol.dispose]();
      return (await compactMessages(messages, { format: "anthropic" })).messages;
    }`;
  await writeFile(join(app, "plain.ts"), text);
  const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  const options = { noEmit: true, strict: true, module: "nodenext", target: "es2022", skipLibCheck: false, types: [] };
  // Addresses, signals and responses are types of the platform: of a page, a worker, or Node.
  const platforms = [
    { lib: ["es2022", "dom"] },
    { lib: ["es2022", "dom", "esnext.disposable"] },
    { lib: ["es2022", "webworker"] },
    { lib: ["es2022"], types: ["node"], typeRoots: [join(typescript, "../@types")] },
  ];
  for (const platform of platforms) {
    const config = { compilerOptions: { ...options, ...platform }, files: ["plain.ts"] };
    await writeFile(join(app, "tsconfig.json"), JSON.stringify(config));
    const compiled = run(process.execPath, [join(typescript, "bin/tsc"), "--project", "."], { cwd: app });
    assert.equal(await compiled.then(() => "", ({ stdout }) => stdout), "", JSON.stringify(platform));
  }
});

test("the committed declarations are those of the build", async () => {
  const [committed, fresh] = await Promise.all(
    ["epitome.d.ts", "dist/epitome.d.ts"].map((name) => readFile(join(source, name), "utf8")),
  );
  assert.equal(committed, fresh, "`npm run update:types` brings them together");
});
