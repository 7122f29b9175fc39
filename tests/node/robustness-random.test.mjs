// Random calls of the whole interface, with hostile objects among the arguments and the answers. `EPITOME_RANDOM_CALLS` sets
// how many (default 20,000), and `EPITOME_RANDOM_SEED` the first sequence.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, isEpitomeError, presets, restoreCompactor, validate } from "epitome";
import { said, toolRound } from "./harness.mjs";
import { generator } from "./random.mjs";

const CALLS = Number(process.env.EPITOME_RANDOM_CALLS ?? 20_000);
const FIRST_SEED = Number(process.env.EPITOME_RANDOM_SEED ?? 1);
const CALLS_PER_SEQUENCE = 40;

/** Values that are wrong in most places, and some that throw or call back when they are read. */
function hostile(random, callBack) {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const cycle = {};
  cycle.cycle = cycle;
  return random.one([
    null, undefined, NaN, -1, 1e20, 2 ** 32, "", "x", Symbol("s"), 10n, () => "called", [], [null], new Map(), new Date(NaN), cycle,
    Object.create(null), revoked.proxy, new Uint8Array(3), Object.assign([], { length: 2 ** 32 - 1 }), "\ud800",
    { get role() { throw new Error("no role"); } },
    { role: "user", get content() { callBack(); return "from a getter"; } },
    { role: "user", content: { toJSON() { callBack(); throw Object.create(null); } } },
    new Proxy({}, { get() { throw new TypeError("no property"); } }),
    new Proxy({ role: "user", content: "x" }, { ownKeys() { callBack(); return ["role", "content"]; }, getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }) }),
    JSON.parse('{"role":"user","content":"x","__proto__":{"isAdmin":true},"constructor":1}'),
  ]);
}

const WORDS = "the plan was changed in March because order 4711 of Mrs Miller had not arrived in Rotterdam".split(" ");
const text = (random, words = 60) => Array.from({ length: random.below(words) }, () => random.one(WORDS)).join(" ");

function message(random) {
  return said(random.one(["user", "assistant", "user", "system"]), text(random) || "hello");
}

/** One sequence of calls on one conversation. Returns the calls that it made. */
async function sequence(seed, names) {
  const random = generator(seed);
  const pending = [];
  const unsound = [];
  let calls = 0;
  let compactor;
  let mirror = [];
  let isSound = true;
  const sound = (error, where) => {
    if (!isEpitomeError(error)) unsound.push(`${where}: ${Object.prototype.toString.call(error)} ${error?.stack ?? ""}`);
    else if (error.code === "internal" || error.code === "broken") unsound.push(`${where}: ${error.stack}`);
  };
  const call = (where, action) => {
    calls += 1;
    try {
      const result = action();
      if (result instanceof Promise) pending.push(result.catch((error) => sound(error, where)));
      return result;
    } catch (error) {
      sound(error, where);
      return undefined;
    }
  };
  const callBack = () => call("callback", () => random.one([
    () => compactor?.status(),
    () => compactor?.messages(),
    () => compactor?.undo(),
    () => compactor?.compact(),
    () => compactor?.snapshot(),
  ])());
  const odd = () => hostile(random, callBack);
  const id = () => (random.chance(85) ? `m${random.below(mirror.length + 2)}` : odd());
  const append = (batch, metadata) => call("append", () => {
    const ids = compactor.append(batch, metadata);
    mirror.push(...(Array.isArray(batch) ? batch : [batch]));
    assert.deepEqual(ids.length, Array.isArray(batch) ? batch.length : 1);
  });
  const summarize = (_request, { signal }) => {
    if (random.chance(50)) return "They talked about order 4711.";
    if (random.chance(30)) throw odd();
    if (random.chance(30)) return odd();
    if (random.chance(50)) return Promise.reject(Object.assign(new Error("busy"), { retryable: true, retryAfterMs: 0 }));
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(odd()));
      setImmediate(() => (random.chance(70) ? resolve({ text: text(random), usage: odd() }) : reject(odd())));
    });
  };
  const callbacks = {
    summarize,
    beforeCompaction: () => { if (random.chance(5)) throw odd(); return random.chance(90) ? true : odd(); },
    save: () => { if (random.chance(5)) throw odd(); },
    onEvent: () => { if (random.chance(2)) callBack(); },
    countTokens: () => (random.chance(60) ? random.below(5_000) : odd()),
    repair: random.chance(80),
  };
  const policy = () => (random.chance(90)
    ? { preset: random.one(names), window: 500 + random.below(5_000), counting: { charactersPerToken: 1 + random.below(4) }, retry: { attempts: 1 + random.below(3), baseMs: 1 + random.below(3), capMs: 5 } }
    : odd());
  const options = { format: "openai-chat", ...callbacks };
  compactor = await createCompactor({ ...options, policy: undefined });
  for (let step = 0; step < CALLS_PER_SEQUENCE; step += 1) {
    const kind = random.below(24);
    if (kind < 6) append(message(random), random.chance(10) ? odd() : undefined);
    else if (kind === 6) append(Array.from({ length: random.below(6) }, () => message(random)));
    else if (kind === 7) append(toolRound(`call_${step}`, text(random, 400) || "nothing"));
    else if (kind === 8) {
      isSound = false;
      append(random.chance(50) ? odd() : [message(random), odd()]);
    } else if (kind === 9) {
      const [name, changed] = [id(), random.chance(80) ? message(random) : odd()];
      isSound = false;
      call("edit", () => {
        compactor.edit(name, changed, random.chance(10) ? odd() : undefined);
        mirror[Number(name.slice(1))] = changed;
      });
    } else if (kind === 10) call("check", () => compactor.check(random.chance(90) ? random.one(["requestStart", "turnStart", "loop", "turnEnd", "overflow"]) : odd()));
    else if (kind === 11) call("due", () => compactor.due(random.chance(80) ? "requestStart" : odd()));
    else if (kind === 12) call("compactIfNeeded", () => compactor.compactIfNeeded(random.chance(90) ? { phase: random.chance(50) ? "requestStart" : odd() } : odd()));
    else if (kind < 16) {
      const controller = new AbortController();
      if (random.chance(20)) setImmediate(() => controller.abort(odd()));
      call("compact", () => compactor.compact(random.chance(85) ? { reason: random.one(["manual", "reduce", "overflow", "session-compaction"]), signal: controller.signal } : { reason: "manual", signal: odd(), instructions: odd() }));
    } else if (kind === 16) call("undo", () => compactor.undo());
    else if (kind === 17) call("usage", () => compactor.reportUsage(random.chance(70) ? { prompt_tokens: random.below(9_000), completion_tokens: random.below(500) } : odd()));
    else if (kind === 18) call("setTodo", () => compactor.setTodo(random.chance(80) ? "- order 4711" : odd()));
    else if (kind === 19) call("setPolicy", () => compactor.setPolicy(policy()));
    else if (kind === 20) call("plan", () => compactor.plan(random.chance(80) ? { reason: "manual" } : odd()));
    else if (kind === 21) call("queries", () => [compactor.status(), compactor.messages(), compactor.findings(), compactor.compacted(), compactor.sources(id()), compactor.metadata(id()), compactor.offloaded(id())]);
    else if (kind === 22) call("statusUnder", () => compactor.statusUnder(policy()));
    else {
      await Promise.all(pending.splice(0));
      const snapshot = call("snapshot", () => compactor.snapshot());
      const restored = await call("restore", () => restoreCompactor(random.chance(80) ? snapshot : `${snapshot}x`, { ...options, originals: compactor.history() }))?.catch(() => undefined);
      if (restored !== undefined) {
        compactor.dispose();
        compactor = restored;
      }
    }
    if (random.chance(30)) await null;
  }
  await Promise.all(pending);
  const history = compactor.history();
  // What a getter of a message has appended in between is in the history too.
  const known = new Set(history);
  assert.ok(mirror.every((message) => known.has(message)), "a message is lost");
  if (isSound) {
    assert.deepEqual(history, mirror);
    const issues = await validate(compactor.messages(), "openai-chat");
    assert.deepEqual(issues.filter(({ severity }) => severity === "refused"), []);
  }
  for (let undone = 0; undone < 100; undone += 1) {
    try {
      compactor.undo();
    } catch (error) {
      assert.equal(error.code, "nothing-to-undo");
      break;
    }
  }
  assert.deepEqual(compactor.compacted(), []);
  compactor.dispose();
  assert.deepEqual(unsound, []);
  return calls;
}

test("j2, j15, j17: random calls with hostile objects: only errors of the package, every promise settles, no message is lost", async (context) => {
  context.mock.method(console, "error", () => {});
  const unhandled = [];
  const collect = (reason) => unhandled.push(reason);
  process.on("unhandledRejection", collect);
  const names = (await presets()).map(({ name }) => name);
  let calls = 0;
  for (let seed = FIRST_SEED; calls < CALLS; seed += 1) {
    try {
      calls += await sequence(seed, names);
    } catch (error) {
      throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
    }
  }
  await new Promise((resolve) => setTimeout(resolve));
  process.off("unhandledRejection", collect);
  assert.deepEqual(unhandled, []);
  context.diagnostic(`${calls} calls`);
});
