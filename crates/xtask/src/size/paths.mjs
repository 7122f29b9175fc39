// Bundles a few small apps, runs them, and prints how many bytes each of them has fetched of the package. Fails if one of them
// has fetched more than its limit.
//
//   node paths.mjs FOLDER        FOLDER has the bundler and the package in its node_modules

import { resolve } from "node:path";
import { AppLoader } from "./app-loader.mjs";

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
  { name: STATUS_PATH, uses: "createCompactor", code: STATUS, limit: 426 },
  {
    name: "first compaction, extractive",
    beyond: STATUS_PATH,
    uses: "createCompactor",
    code: `${STATUS} if ((await compactor.compact()).outcome !== "applied") throw new Error("not compacted");`,
    limit: 83,
  },
  {
    name: "epitome/worker, on the main thread",
    from: "epitome/worker",
    uses: "createWorkerCompactor",
    code: `const signal = AbortSignal.abort();
      await createWorkerCompactor({ format: "openai-chat", signal }).catch(({ code }) => { if (code !== "aborted") throw new Error(code); });`,
    limit: 5,
  },
  {
    name: "openWorkerConversation(), on the main thread",
    from: "epitome/worker",
    uses: "openWorkerConversation",
    code: `const methods = ["head", "claim", "commit", "load", "cut", "derived", "setDerived", "list", "delete"];
      const store = Object.fromEntries(methods.map((method) => [method, () => {}]));
      const options = { store, id: "1", format: "openai-chat", signal: AbortSignal.abort() };
      await openWorkerConversation(options).catch(({ code }) => { if (code !== "aborted") throw new Error(code); });`,
    limit: 5,
  },
  { name: "estimateTokens()", uses: "estimateTokens", code: 'await estimateTokens("Hello there");', limit: 31 },
  { name: "countTokens(), but its vocabulary", uses: "countTokens", code: 'await countTokens("Hello there");', limit: 37 },
  {
    name: "validate() and repair()",
    uses: "repair, validate",
    code: `${MESSAGES} await validate(messages, "openai-chat"); await repair(messages, "openai-chat");`,
    limit: 177,
  },
  {
    name: "openAICompatible()",
    uses: "openAICompatible",
    code: `const ask = openAICompatible({ baseURL: "http://127.0.0.1:9/v1", model: "m" });
      await ask({ system: "", input: "x", maxTokens: 9 }).catch(({ code }) => { if (code !== "unreachable") throw new Error(code); });`,
    limit: 145,
  },
];

const folder = resolve(process.argv[2] ?? ".");
const app = await AppLoader.of(folder);
let failures = 0;
try {
  const fetched = new Map();
  for (const path of PATHS) {
    fetched.set(path.name, await app.filesOf(path));
    report(path, fetched);
  }
} finally {
  app.remove();
}
process.exitCode = failures === 0 ? 0 : 1;

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
