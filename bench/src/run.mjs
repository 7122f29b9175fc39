// The whole bench: every part in a process of its own, one after another, then the report.
//
// `cargo xtask bench` builds what this needs and sets the variables BENCH_TEXTS, BENCH_BPE_OPENAI and EPITOME_BROWSER.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mustHold, report } from "./report.mjs";
import { targets } from "./targets.mjs";

/** The parts, in the order in which they are measured. */
const PARTS = [
  "sizes",
  "start",
  "accuracy",
  "agreement",
  "estimating",
  "counting",
  "worst-cases",
  "history",
  "chromium",
];
const PEERS = ["gpt-tokenizer", "ai-tokenizer", "js-tiktoken", "tiktoken", "tokenx", "@langchain/core", "ai"];

const at = (file) => fileURLToPath(new URL(file, import.meta.url));
const [RESULTS, PAGE] = [at("../results.json"), at("../RESULTS.md")];

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    "full-peers": { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
    date: { type: "string" },
  },
});

const wanted = options.only?.split(",") ?? PARTS;
const unknown = wanted.filter((name) => !PARTS.includes(name));
if (unknown.length > 0) {
  throw new Error(`there is no part ${unknown.join(", ")}; there are ${PARTS.join(", ")}`);
}

// Parts that are not measured now keep their results of the run before.
const before = options.only !== undefined && existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, "utf8")) : {};
const result = {
  date: options.date,
  machine: machine(),
  versions: versions(),
  measuredBy: { ...before.measuredBy },
  parts: { ...before.parts },
};

const folder = mkdtempSync(join(tmpdir(), "epitome-bench-"));
const broken = [];
try {
  for (const name of wanted) {
    const started = performance.now();
    process.stderr.write(`==> ${name}\n`);
    try {
      result.parts[name] = await measured(name);
      result.measuredBy[name] = options.quick ? "quick" : "full";
    } catch (error) {
      broken.push(`${name}: ${error.message}`);
    }
    process.stderr.write(`    ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

const all = targets(result.parts);
// No clock here is more precise than six digits.
const rounded = (_, value) => (typeof value === "number" ? Number(value.toPrecision(6)) : value);
writeFileSync(RESULTS, `${JSON.stringify({ ...result, targets: all }, rounded, 1)}\n`);
writeFileSync(PAGE, report(result));
// The last lines stay visible in a terminal, so the targets come last.
console.log(`${report(result)}\n${mustHold(result.parts)}`);
if (broken.length > 0) {
  throw new Error(`broken: ${broken.join("; ")}`);
}
if (options.strict && all.some(({ met }) => met !== true)) {
  throw new Error(`${all.filter(({ met }) => met !== true).length} of ${all.length} targets are not met`);
}

/** The result of one part. */
async function measured(name) {
  const file = join(folder, `${name}.json`);
  const given = JSON.stringify({ quick: options.quick, fullPeers: options["full-peers"] });
  const child = spawn(process.execPath, ["--expose-gc", at("part.mjs"), name, file, given], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const code = await new Promise((resolve, reject) => child.on("exit", resolve).on("error", reject));
  if (code !== 0) {
    throw new Error(`its process ended with ${code}`);
  }
  return JSON.parse(readFileSync(file, "utf8"));
}

/** The machine in a few words. */
function machine() {
  const [{ model }] = cpus();
  const processors = `${cpus().length} × ${model.trim()} (${arch()})`;
  return `${processors}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()}, Node ${process.versions.node}`;
}

function versions() {
  const version = (name) => JSON.parse(readFileSync(at(`../node_modules/${name}/package.json`), "utf8")).version;
  const [, bpeOpenAI] = readFileSync(at("../bpe-openai-wasm/Cargo.toml"), "utf8").match(/^bpe-openai = "=(.*)"$/m);
  return {
    ...Object.fromEntries(["epitome", ...PEERS].map((name) => [name, version(name)])),
    "bpe-openai": bpeOpenAI,
  };
}
