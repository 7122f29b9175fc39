// Whatever an app passes to the package, or throws into it: nothing but errors of the package leaves it, every promise
// settles, and the conversation is as it was.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as epitome from "epitome";
import { chatOf, compactorWith, said, toolRound } from "./harness.mjs";

const { createCompactor, isEpitomeError } = epitome;
const FORMAT = { format: "openai-chat" };

/** Values that throw in one way or another when they are read. */
const HOSTILE = {
  "an object without a prototype": () => Object.create(null),
  "a revoked proxy": () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  "an error whose message throws": () => Object.defineProperty(new Error(), "message", { get: () => { throw new Error("no message"); } }),
  "an object that throws at each property": () => new Proxy({}, { get: () => { throw new TypeError("no property"); } }),
  "a symbol": () => Symbol("s"),
  "null": () => null,
  "undefined": () => undefined,
};

const unhandled = [];
const collect = (reason) => unhandled.push(reason);
process.on("unhandledRejection", collect);
after(() => {
  process.off("unhandledRejection", collect);
  assert.deepEqual(unhandled, []);
});

/** The error that `action` throws or rejects with: one of the package. */
async function errorOf(action) {
  try {
    await action();
  } catch (error) {
    assert.ok(isEpitomeError(error), `not an error of the package: ${action} ${error?.stack}`);
    return error;
  }
  return undefined;
}

/** Fails unless the compactor compacts as if nothing had happened. */
async function isUsable(compactor) {
  const before = compactor.history();
  const report = await compactor.compact({ reason: "manual" });
  assert.equal(report.outcome, "applied", report.message);
  compactor.undo();
  assert.deepEqual(compactor.messages(), before);
  compactor.dispose();
}

const POLICY = { keep: { messages: 2 }, target: 0.1 };
const CHAT = chatOf(20);

test("j1: a signal of another type is refused before anything starts", async () => {
  for (const signal of [new AbortController(), {}, null, 1, "abort", ...Object.values(HOSTILE).map((make) => make()).filter(Boolean)]) {
    const compactor = await compactorWith(POLICY, CHAT);
    const error = await errorOf(() => compactor.compact({ signal }));
    assert.equal(error.code, "invalid-option");
    assert.match(error.message, /^signal/);
    assert.equal((await errorOf(() => compactor.compactIfNeeded({ phase: "requestStart", signal })))?.code ?? "not due", "not due");
    await isUsable(compactor);
  }
});

for (const [name, make] of Object.entries(HOSTILE)) {
  test(`j2: a callback may throw ${name}: the compaction fails, and the next one works`, async () => {
    for (const callback of ["summarize", "beforeCompaction", "save"]) {
      for (const fail of [() => { throw make(); }, () => Promise.reject(make())]) {
        let isHostile = true;
        const good = callback === "summarize" ? () => "They worked." : () => undefined;
        const compactor = await compactorWith(POLICY, CHAT, { [callback]: () => (isHostile ? fail() : good()) });
        const report = await compactor.compact();
        assert.equal(report.outcome, "failed", callback);
        assert.equal(typeof report.message, "string");
        assert.deepEqual(compactor.messages(), CHAT);
        isHostile = false;
        await isUsable(compactor);
      }
    }
  });

  test(`j2: a callback may return ${name}: the compaction ends, and the next one works`, async () => {
    for (const callback of ["summarize", "beforeCompaction"]) {
      let isHostile = true;
      const good = callback === "summarize" ? () => "They worked." : () => undefined;
      const compactor = await compactorWith(POLICY, CHAT, { [callback]: () => (isHostile ? make() : good()) });
      const report = await compactor.compact();
      assert.ok(["failed", "applied", "skipped"].includes(report.outcome), callback);
      isHostile = false;
      if (report.outcome === "applied") {
        compactor.undo();
      }
      await isUsable(compactor);
    }
  });

  test(`j2: a listener may throw ${name}`, async (context) => {
    context.mock.method(console, "error", () => {});
    const fail = () => { throw make(); };
    const compactor = await compactorWith(POLICY, CHAT, { onEvent: fail, afterCompaction: fail });
    const report = await compactor.compact({ onEvent: fail });
    assert.equal(report.outcome, "applied");
    compactor.undo();
    await isUsable(compactor);
  });

  test(`j11: if countTokens throws ${name}, the compaction is applied all the same`, async () => {
    for (const countTokens of [() => { throw make(); }, () => Promise.reject(make()), make]) {
      const events = [];
      const compactor = await compactorWith(POLICY, CHAT, { countTokens, onEvent: (event) => events.push(event.type) });
      const report = await compactor.compact();
      assert.equal(report.outcome, "applied");
      assert.ok(events.includes("countFailed"));
      compactor.undo();
      await isUsable(compactor);
    }
  });

  test(`j17: functions refuse ${name} with an error of the package`, async () => {
    const compactor = await compactorWith(POLICY, CHAT);
    const { openAICompatible, anthropicCounter } = epitome;
    const calls = {
      append: (value) => compactor.append(value),
      "append of a list": (value) => compactor.append([said("user", "x"), value]),
      sync: (value) => compactor.sync(value),
      "sync of a list": (value) => compactor.sync([...compactor.history(), value]),
      insert: (value) => compactor.insert(said("user", "x"), value),
      remove: (value) => compactor.remove(value),
      truncate: (value) => compactor.truncate(value ?? null),
      branches: (value) => compactor.branches(value),
      switchTo: (value) => compactor.switchTo(value),
      compactMessages: (value) => epitome.compactMessages(value, FORMAT),
      edit: (value) => compactor.edit(value, said("user", "x")),
      "edit of a message": (value) => compactor.edit("m0", value),
      setTodo: (value) => compactor.setTodo(value),
      offloaded: (value) => compactor.offloaded(value),
      metadata: (value) => compactor.metadata(value),
      message: (value) => compactor.message(value),
      check: (value) => compactor.check(value),
      due: (value) => compactor.due(value),
      setPolicy: (value) => compactor.setPolicy({ preset: value }),
      usage: (value) => compactor.reportUsage(value),
      compactIfNeeded: (value) => compactor.compactIfNeeded({ phase: value }),
      "compact of instructions": (value) => compactor.compact({ instructions: value, reason: "reduce" }),
      createCompactor: (value) => createCompactor(value),
      "createCompactor with a format": (value) => createCompactor({ format: value }),
      restoreCompactor: (value) => epitome.restoreCompactor(value, { ...FORMAT, originals: [] }),
      "restoreCompactor with originals": (value) => epitome.restoreCompactor("{}", { ...FORMAT, originals: value }),
      plan: (value) => epitome.plan(value, FORMAT),
      validate: (value) => epitome.validate(value, "openai-chat"),
      repair: (value) => epitome.repair(value, "openai-chat"),
      convert: (value) => epitome.convert([], "openai-chat", value),
      detectFormat: (value) => epitome.detectFormat(value),
      recentWithin: (value) => epitome.recentWithin(value, { tokens: 10 }),
      countTokens: (value) => epitome.countTokens(value),
      estimateTokens: (value) => epitome.estimateTokens(value),
      extractive: (value) => epitome.extractive(value),
      "extractive of an input": (value) => epitome.extractive({ input: value, targetTokens: 10 }),
      loadTokenizer: (value) => epitome.loadTokenizer("x", value),
      "loadTokenizer by name": (value) => epitome.loadTokenizer(value, {}),
      loadEncoding: (value) => epitome.loadEncoding(value),
      openAICompatible: (value) => openAICompatible(value)({ system: "", input: "", maxTokens: 1 }),
      anthropicCounter: (value) => anthropicCounter(value)([]),
    };
    for (const [call, run] of Object.entries(calls)) {
      const value = make();
      const error = await errorOf(() => run(value));
      const isOptional = value === undefined && (call === "compact of instructions" || call === "compactIfNeeded");
      const isMessage = (call.startsWith("append") || call === "sync of a list") && typeof value === "object" && value !== null;
      assert.ok(error !== undefined || isOptional || isMessage || call === "edit of a message" || call === "usage" || call === "setPolicy", call);
      assert.notEqual(error?.code, "internal", call);
      assert.notEqual(error?.code, "broken", call);
    }
    const mine = compactor.history().length;
    assert.deepEqual(compactor.history().slice(1, 20), CHAT.slice(1), "nothing of the conversation is lost");
    assert.equal(compactor.append(said("user", "And now?"))[0], `m${mine}`);
    compactor.dispose();
  });
}

test("j15: a getter of a message may call the compactor: what reads the message ends as usual, and nothing is lost", async () => {
  for (const call of [
    (compactor) => compactor.append(said("user", "from the getter")),
    (compactor) => compactor.edit("m0", said("user", "changed")),
    (compactor) => compactor.undo(),
    (compactor) => compactor.messages(),
    (compactor) => compactor.status(),
    (compactor) => compactor.snapshot(),
    (compactor) => compactor.setPolicy({ window: 5_000 }),
    (compactor) => void compactor.compact().catch(() => {}),
  ]) {
    const compactor = await compactorWith(POLICY, CHAT);
    const odd = { role: "user", when: new Date(0), get content() { try { call(compactor); } catch (error) { assert.ok(isEpitomeError(error), String(error)); } return "odd"; } };
    const [id] = compactor.append(odd);
    const history = compactor.history();
    assert.equal(history[Number(id.slice(1))], odd);
    assert.equal(new Set(history).size, history.length);
    compactor.append(said("assistant", "Fine."));
    compactor.edit(id, odd);
    assert.equal(compactor.messages().length > 0, true);
    await compactor.compact({ reason: "manual" }).catch((error) => assert.equal(error.code, "busy"));
    assert.ok(compactor.messages().length > 0);
    compactor.dispose();
  }
});

test("j15: a getter may dispose of the compactor that reads it", async () => {
  const compactor = await compactorWith(POLICY, CHAT);
  const odd = { role: "user", when: new Date(0), get content() { compactor.dispose(); return "odd"; } };
  assert.equal((await errorOf(() => compactor.append(odd)))?.code, "disposed");
  assert.equal((await errorOf(() => compactor.status())).code, "disposed");
});

test("j15: a listener may compact at the end of each compaction, without end", async () => {
  let compactions = 0;
  let done;
  const enough = new Promise((resolve) => { done = resolve; });
  const compactor = await compactorWith(POLICY, CHAT, {
    onEvent: ({ type }) => {
      if (type !== "end") return;
      compactions += 1;
      if (compactions >= 3_000) done();
      else void compactor.compact({ reason: "reduce" });
    },
  });
  let painted = 0;
  const paint = setInterval(() => { painted += 1; });
  await compactor.compact({ reason: "reduce" });
  await enough;
  clearInterval(paint);
  assert.ok(painted > 10, "timers run in between");
  await isUsable(compactor);
});

/** Calls `action` with nearly no stack left. */
function atTheEndOfTheStack(action) {
  let isDone = false;
  const descend = () => {
    try {
      descend();
    } catch (error) {
      if (!isDone) {
        isDone = true;
        action(error);
      }
    }
  };
  descend();
}

test("j7: at the end of the stack a call fails with an error of the package; then the compactor works or says how to go on", async () => {
  for (const call of ["status", "messages", "snapshot", "plan", "append"]) {
    const other = await compactorWith(POLICY, CHAT);
    const compactor = await compactorWith(POLICY, CHAT);
    for (const depth of [0, 1, 2, 4, 8, 16, 32]) {
      const thrown = [];
      const deeper = (left) => (left === 0 ? compactor[call](said("user", "deep")) : deeper(left - 1));
      atTheEndOfTheStack(() => {
        try { deeper(depth); } catch (error) { thrown.push(error); }
      });
      for (const error of thrown) {
        assert.ok(isEpitomeError(error) || error instanceof RangeError, String(error));
      }
    }
    const error = await errorOf(() => compactor.status());
    if (error !== undefined) {
      assert.equal(error.code, "broken");
      assert.match(error.message, /snapshot/);
      assert.ok(compactor.history().length >= CHAT.length);
    }
    compactor.dispose();
    await isUsable(other);
  }
});

test("j9: what is too large is refused, and the error names the message and the limit", async () => {
  const compactor = await compactorWith(POLICY, CHAT);
  let shared = { a: 1 };
  for (let depth = 0; depth < 24; depth += 1) {
    shared = { left: shared, right: shared };
  }
  const tooLarge = {
    "a sparse array": { role: "user", content: Object.assign([], { length: 2 ** 32 - 1 }) },
    "many values": { role: "user", content: Array.from({ length: 1_000_001 }, () => 1) },
    "a value that is shared again and again": { role: "user", content: [shared] },
    "the same with a value that is not JSON": { role: "user", when: new Date(0), content: [shared] },
    "a list that toJSON makes": { role: "user", content: [{ toJSON: () => Object.assign([], { length: 1_000_001 }) }] },
    "a long text": { role: "user", content: "x".repeat((1 << 26) + 1) },
  };
  for (const [name, message] of Object.entries(tooLarge)) {
    const calls = [
      () => compactor.append([said("user", "fine"), message]),
      () => compactor.edit("m0", message),
      () => epitome.validate([said("user", "fine"), message], "openai-chat"),
      () => epitome.repair([said("user", "fine"), message], "openai-chat"),
      // What it cannot read tells nothing of the format, and is not an error.
      ...(name === "a list that toJSON makes" ? [] : [() => epitome.detectFormat([said("user", "fine"), message])]),
      () => createCompactor(FORMAT).then((other) => other.append(message)),
    ];
    for (const call of calls) {
      const error = await errorOf(call);
      assert.equal(error?.code, "too-large", name);
      assert.match(error.message, /^(message|messages\[[01]\]) has more than \d+ (values|characters)/);
    }
  }
  assert.equal((await errorOf(() => compactor.append(Object.assign([], { length: 2 ** 32 - 1 })))).code, "too-large");
  assert.deepEqual(compactor.history(), CHAT);
  await isUsable(compactor);
});

test("j8: what exceeds the memory of the module is refused before it is read; other compactors go on", async () => {
  const whole = "x".repeat(60_000_000);
  const large = await compactorWith({ ...POLICY, counting: { charactersPerToken: 4 } });
  const other = await compactorWith(POLICY, CHAT);
  let error;
  while (error === undefined) {
    error = await errorOf(() => large.append(said("user", whole)));
  }
  assert.equal(error.code, "too-large");
  assert.match(error.message, /dispose of compactors/);
  assert.equal(large.history().length, 8);
  assert.equal(large.messages().length, 8);
  assert.equal((await errorOf(() => other.edit("m1", said("assistant", whole)))).code, "too-large");
  assert.deepEqual(other.history(), CHAT);
  other.append(said("user", "A short one."));
  large.dispose();
  assert.equal(other.append(said("user", whole)).length, 1);
  other.dispose();
  await isUsable(await compactorWith(POLICY, CHAT));
});

test("j16: a wait beyond 2³¹ ms is waited for", async () => {
  let calls = 0;
  const summarize = () => {
    calls += 1;
    throw Object.assign(new Error("busy"), { retryable: true });
  };
  const compactor = await compactorWith({ ...POLICY, retry: { attempts: 3, baseMs: 3e9, capMs: 3e9 } }, CHAT, { summarize });
  let retry;
  const waits = new Promise((resolve) => { retry = resolve; });
  const controller = new AbortController();
  const compaction = compactor.compact({ signal: controller.signal, onEvent: ({ type }) => type === "retry" && retry() });
  await waits;
  await new Promise((resolve) => setTimeout(resolve));
  await new Promise((resolve) => setTimeout(resolve, 2));
  assert.equal(calls, 1);
  controller.abort();
  assert.equal((await compaction).outcome, "cancelled");
  compactor.dispose();
});

test("j20: an empty file is not a vocabulary, and counting works afterwards", async () => {
  for (const source of [new Uint8Array(0), new ArrayBuffer(0), new Response("")]) {
    const error = await errorOf(() => epitome.loadEncoding("cl100k_base", source));
    assert.equal(error.code, "invalid-vocabulary");
  }
  for (const source of [new Uint8Array(0), new Response("")]) {
    assert.equal((await errorOf(() => epitome.loadTokenizer("empty", source))).code, "invalid-vocabulary");
  }
  assert.equal(await epitome.countTokens("hello world", { encoding: "cl100k_base" }), 2);
});

test("j17: options of a wrong type are refused by their name", async () => {
  const compactor = await compactorWith(POLICY, [...CHAT, ...toolRound("call_1", "found")]);
  for (const [call, words] of [
    [() => compactor.compact(5), "options"],
    [() => compactor.compact({ instructions: 5 }), "instructions"],
    [() => compactor.compact({ onEvent: 5 }), "onEvent"],
    [() => compactor.plan(5), "options"],
    [() => createCompactor({ ...FORMAT, summarize: "extractive" }), "summarize"],
    [() => createCompactor({ ...FORMAT, onEvent: {} }), "onEvent"],
    [() => createCompactor({ ...FORMAT, agent: 5 }), "agent"],
    [() => epitome.extractive({ input: "x", targetTokens: -1 }), "targetTokens"],
    [() => epitome.validate([], "openai-chat", 5), "options"],
    [() => epitome.estimateTokens("x", 5), "options"],
  ]) {
    const error = await errorOf(call);
    assert.equal(error?.code, "invalid-option", words);
    assert.ok(error.message.startsWith(`${words}:`), error.message);
  }
  await isUsable(compactor);
});
