// The package against the engine without wasm: the same random calls return the same. `EPITOME_DIFFERENTIAL` sets how many
// conversations (default 60), and `EPITOME_RANDOM_SEED` the first one.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { createCompactor, presets, resolvePolicy, restoreCompactor } from "epitome";
import { examples } from "../out/conformance/examples/index.js";
import { damaged } from "./damaged.mjs";
import { generator } from "./random.mjs";

const COUNT = Number(process.env.EPITOME_DIFFERENTIAL ?? 60);
const FIRST_SEED = Number(process.env.EPITOME_RANDOM_SEED ?? 1);
const ROOT = new URL("../..", import.meta.url);
const PHASES = ["requestStart", "turnStart", "loop", "turnEnd", "overflow"];
const REASONS = ["manual", "reduce", "threshold", "session-compaction", "request-boundary", "reactive-full"];
/** Only a format sees these, so that the engine by itself does not list them. */
const OF_FORMATS = ["merged", "malformed"];

/** Random calls on a conversation in a random format. Bytes and halves of characters are left to other tests: they are not JSON. */
async function script(seed, names) {
  const random = generator(seed);
  const format = random.one(Object.keys(examples));
  const policy = () =>
    resolvePolicy({ preset: random.one(names), window: 300 + random.below(3_000), counting: { charactersPerToken: random.one([1, 3]) }, retry: { attempts: 1 } });
  const whole = (_, value) => (typeof value === "string" ? value.toWellFormed() : value);
  const json = (messages) => JSON.parse(JSON.stringify(messages), whole).filter((message) => typeof message === "object" && message !== null && !Array.isArray(message));
  const batch = () => json(random.chance(70) ? examples[format].valid(1 + random.below(4)) : damaged(format, random));
  const one = () => batch()[0] ?? json(examples[format].valid(1))[0];
  const [first, calls] = [await policy(), [{ call: "append", with: json(examples[format].valid(6)) }]];
  let length = calls[0].with.length;
  for (let step = 0; step < 25; step += 1) {
    const kind = random.below(16);
    if (kind < 3) {
      const messages = batch();
      calls.push({ call: "append", with: messages });
      length += messages.length;
    } else if (kind === 3) {
      calls.push(random.chance(50) ? { call: "appendPinned", with: one() } : { call: "appendAt", with: [one(), 1_800_000_000_000 + step] });
      length += 1;
    } else if (kind === 4) calls.push({ call: "edit", with: [random.below(length), one()] });
    else if (kind === 5) calls.push({ call: "setTodo", with: `- step ${step}` });
    else if (kind === 6) calls.push({ call: "usage", with: { prompt_tokens: 1 + random.below(6_000), completion_tokens: random.below(300) } });
    else if (kind === 7) calls.push({ call: random.one(["check", "due"]), with: random.one(PHASES) });
    else if (kind < 11) calls.push({ call: "compact", with: random.one(REASONS) });
    else if (kind === 11) calls.push({ call: "undo" });
    else if (kind === 12) calls.push({ call: "plan", with: random.one(REASONS) });
    else if (kind === 13) calls.push({ call: "restore" });
    else if (kind === 14) calls.push({ call: "snapshot" });
    else calls.push({ call: "findings" });
    calls.push({ call: "status" }, { call: "messages" });
  }
  return { format, policy: first, calls: [...calls, { call: "plan", with: "manual" }, { call: "snapshot" }] };
}

/** What the package returns for the calls of a script. */
async function made({ format, policy, calls }) {
  let seen = [];
  let asked = 0;
  const summarize = ({ format: _, messages, prompt, ...request }) => {
    seen.push({ request, messages: messages === undefined ? null : [...messages, prompt] });
    asked += 1;
    if (asked % 5 === 0) throw new Error("no");
    return `They planned step ${asked} of the way to Görlitz.`;
  };
  const options = { format, summarize, onEvent: (event) => seen.push({ event: withoutTime(event) }) };
  let compactor = await createCompactor({ ...options, policy });
  const make = async ({ call, with: given }) => {
    switch (call) {
      case "appendPinned":
        return compactor.append([given], { pinned: true });
      case "appendAt":
        return compactor.append([given[0]], { time: given[1] });
      case "edit":
        return compactor.edit(`m${given[0]}`, given[1]);
      case "usage":
        // The usage is of the view that was sent last.
        compactor.messages();
        return compactor.reportUsage(given);
      case "compact":
        await compactor.compact({ reason: given });
        return null;
      case "plan":
        return compactor.plan({ reason: given });
      case "findings":
        return compactor.findings().filter(({ defect }) => !OF_FORMATS.includes(defect));
      case "restore": {
        const restored = await restoreCompactor(compactor.snapshot(), { ...options, originals: compactor.history() });
        compactor.dispose();
        compactor = restored;
        return null;
      }
      default:
        return compactor[call](given);
    }
  };
  const results = [];
  for (const call of calls) {
    seen = [];
    const result = await make(call).then((value) => ({ value: value ?? null }), ({ message }) => ({ error: message }));
    results.push({ result, seen });
  }
  compactor.dispose();
  return JSON.parse(JSON.stringify(results));
}

/** The event without the milliseconds that a user has waited: the other side has no clock. */
function withoutTime(event) {
  const { waitedMs, ...report } = event.report ?? {};
  return waitedMs === undefined ? event : { ...event, report };
}

/** What the engine returns for them, compiled for this machine. */
function replayed(scripts) {
  const args = ["run", "--quiet", "--locked", "--package", "epitome-tests", "--example", "replay"];
  const input = scripts.map((one) => `${JSON.stringify(one)}\n`).join("");
  const output = execFileSync("cargo", args, { cwd: ROOT, input, maxBuffer: 2 ** 30, stdio: ["pipe", "pipe", "inherit"] });
  return String(output).trimEnd().split("\n").map((line) => JSON.parse(line));
}

test("the package returns what the engine returns without wasm: views, plans, reports, requests, snapshots", async (context) => {
  const names = (await presets()).map(({ name }) => name);
  const seeds = Array.from({ length: COUNT }, (_, index) => FIRST_SEED + index);
  const scripts = await Promise.all(seeds.map((seed) => script(seed, names)));
  const native = replayed(scripts);
  let calls = 0;
  let applied = 0;
  for (const [index, one] of scripts.entries()) {
    const results = await made(one);
    for (const [at, call] of one.calls.entries()) {
      assert.deepEqual(results[at], native[index][at], `seed ${seeds[index]}, ${one.format}, call ${at}: ${JSON.stringify(call).slice(0, 200)}`);
      calls += 1;
      applied += results[at].seen.filter(({ event }) => event?.report?.outcome === "applied").length;
    }
  }
  assert.ok(applied > COUNT / 4, `only ${applied} compactions`);
  context.diagnostic(`${calls} calls, ${applied} compactions`);
});
