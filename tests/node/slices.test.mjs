// Long work is done in slices: between two of them, other tasks run. They are counted, so that no time is measured.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  convert,
  countTokens,
  createCompactor,
  loadEncoding,
  repair,
  restoreCompactor,
  tokenCounter,
  validate,
} from "epitome";
import { said } from "./harness.mjs";

/** A chat of two million characters. */
const CHAT = Array.from({ length: 200 }, (_, turn) =>
  said(turn % 2 ? "assistant" : "user", `Turn ${turn} is about src/bed-${turn}.rs. `.padEnd(10_000, "Roses need water. ")),
);

/** Keeps a tenth of the chat, so that nearly all of it is summarized. */
const POLICY = { preset: "recommended", window: 400_000, keep: { tokens: 50_000 } };

/** Counts the tasks of the event loop, until it is stopped. */
function countTasks() {
  const counted = { tasks: 0, stop: () => clearImmediate(next) };
  const count = () => {
    counted.tasks += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  return counted;
}

async function compactorWith(options = {}) {
  const compactor = await createCompactor({
    format: "openai-chat",
    policy: POLICY,
    summarize: () => "They looked at src/bed-1.rs and src/bed-x.rs.",
    ...options,
  });
  compactor.append(CHAT);
  return compactor;
}

test("j24: a long compaction lets the page react before its summarizer is asked, and after it has answered", async () => {
  const asked = [];
  let counted;
  const compactor = await compactorWith({
    summarize: () => {
      asked.push(counted.tasks);
      return "They looked at src/bed-1.rs and src/bed-x.rs.";
    },
  });
  counted = countTasks();
  const report = await compactor.compact();
  counted.stop();
  assert.equal(report.outcome, "applied");
  assert.deepEqual(report.receipt.unsupported, ["src/bed-x.rs"]);
  // Two million characters in slices of a quarter of a million.
  assert.ok(asked[0] >= 5, `${asked[0]} tasks before the first request`);
  assert.ok(counted.tasks - asked.at(-1) >= 5, `${counted.tasks - asked.at(-1)} tasks after the last answer`);
  compactor.dispose();
});

test("j24: a compaction can be cancelled while it reads, and the summarizer is not asked", async () => {
  let asked = 0;
  const compactor = await compactorWith({ summarize: () => `${(asked += 1)}` });
  const before = compactor.messages();
  const controller = new AbortController();
  const compacting = compactor.compact({ signal: controller.signal });
  setImmediate(() => controller.abort());
  assert.equal((await compacting).outcome, "cancelled");
  assert.equal(asked, 0);
  assert.deepEqual(compactor.messages(), before);
  compactor.dispose();
});

test("j24: the conversation can be changed and disposed of while a compaction reads", async () => {
  const compactor = await compactorWith();
  let compacting = compactor.compact();
  const last = said("user", "And the garden?");
  compactor.append(last);
  assert.equal(compactor.messages().at(-1), last);
  await assert.rejects(compactor.compact(), { code: "busy" });
  assert.equal((await compacting).outcome, "applied");
  assert.equal(compactor.messages().at(-1), last);
  compactor.undo();
  compacting = compactor.compact();
  compactor.edit("m0", said("user", "Never mind."));
  assert.equal(compactor.messages()[0].content, "Never mind.");
  assert.equal((await compacting).outcome, "cancelled");
  compacting = compactor.compact();
  compactor.dispose();
  assert.equal((await compacting).outcome, "cancelled");
});

test("j24: messages that are appended in slices are those of one call, and the page can react", async () => {
  const whole = await compactorWith();
  const compactor = await createCompactor({ format: "openai-chat", policy: POLICY });
  const counted = countTasks();
  const ids = await compactor.appendInSlices(CHAT);
  counted.stop();
  assert.deepEqual(ids, CHAT.map((_, turn) => `m${turn}`));
  assert.deepEqual(compactor.history(), CHAT);
  assert.equal(compactor.messages()[3], CHAT[3]);
  assert.deepEqual(compactor.status(), whole.status());
  assert.ok(counted.tasks >= 10, `${counted.tasks} tasks`);
  assert.deepEqual(await compactor.appendInSlices([]), []);
  compactor.dispose();
  whole.dispose();
});

test("j24: an append in slices that is aborted or refused leaves what was appended before", async () => {
  const compactor = await createCompactor({ format: "openai-chat", policy: POLICY });
  const controller = new AbortController();
  const appending = compactor.appendInSlices(CHAT, { signal: controller.signal });
  controller.abort();
  await assert.rejects(appending, { name: "EpitomeError", code: "aborted" });
  const { length } = compactor.history();
  assert.ok(length > 0 && length < CHAT.length);
  assert.deepEqual(compactor.history(), CHAT.slice(0, length));
  const last = CHAT.length - length;
  const refused = { code: "invalid-message", message: new RegExp(`messages\\[${last}\\]`) };
  await assert.rejects(compactor.appendInSlices([...CHAT.slice(length), 5]), refused);
  await assert.rejects(compactor.appendInSlices("no list"), { code: "invalid-message" });
  await assert.rejects(compactor.appendInSlices([], { signal: {} }), { name: "EpitomeError" });
  compactor.dispose();
  await assert.rejects(compactor.appendInSlices(CHAT), { code: "disposed" });
});

test("j24: long lists are validated, repaired and converted in slices, with the paths and the messages of the whole list", async () => {
  const orphan = { role: "tool", tool_call_id: "none", content: "Nobody asked." };
  const broken = CHAT.toSpliced(150, 0, orphan);
  const during = async (work) => {
    const counted = countTasks();
    const result = await work();
    counted.stop();
    assert.ok(counted.tasks >= 5, `${counted.tasks} tasks`);
    return result;
  };
  // Loads the module, which takes tasks too.
  assert.deepEqual(await validate([said("user", "Hi.")], "openai-chat"), []);
  const issues = await during(() => validate(broken, "openai-chat"));
  assert.deepEqual(issues.map(({ code, path }) => [code, path]), [["orphan-result", "messages[150]"]]);
  const { messages, done, left } = await during(() => repair(broken, "openai-chat"));
  assert.ok(messages.length === CHAT.length && messages.every((message, index) => message === CHAT[index]), "the same objects");
  assert.deepEqual([done, left], [issues, []]);
  const converted = await during(() => convert(CHAT, "openai-chat", "ai-sdk-model"));
  assert.deepEqual([converted.messages.length, converted.lost, converted.left], [CHAT.length, [], []]);
  const refused = { code: "invalid-message", message: /messages\[150\]/ };
  const closed = {
    get content() {
      throw new Error("closed");
    },
  };
  for (const work of [(list) => validate(list, "openai-chat"), (list) => repair(list, "openai-chat"), (list) => convert(list, "openai-chat", "gemini")]) {
    await assert.rejects(work(broken.with(150, closed)), refused);
  }
});

test("j24: validating, repairing and converting can be aborted between two slices", async () => {
  for (const work of [
    (signal) => validate(CHAT, "openai-chat", { signal }),
    (signal) => repair(CHAT, "openai-chat", { signal }),
    (signal) => convert(CHAT, "openai-chat", "gemini", { signal }),
  ]) {
    const controller = new AbortController();
    const working = work(controller.signal);
    controller.abort("no longer needed");
    await assert.rejects(working, { name: "EpitomeError", code: "aborted", cause: "no longer needed" });
    await assert.rejects(work({}), { name: "EpitomeError", code: "invalid-option" });
  }
});

test("j24: what many messages are together is checked and repaired in slices too, and can be aborted then", async () => {
  const many = Array.from({ length: 20_000 }, (_, index) => said(index % 2 === 0 ? "user" : "assistant", `Bed ${index}.`));
  const orphan = { role: "tool", tool_call_id: "none", content: "Nobody asked." };
  const broken = many.toSpliced(15_000, 0, orphan);
  for (const [work, expected] of [
    [(signal) => validate(broken, "openai-chat", { signal }), (issues) => assert.deepEqual(issues.map(({ path }) => path), ["messages[15000]"])],
    [(signal) => repair(broken, "openai-chat", { signal }), ({ messages }) => assert.deepEqual(messages, many)],
    [(signal) => convert(many, "openai-chat", "anthropic", { signal }), ({ messages }) => assert.equal(messages.length, many.length)],
  ]) {
    const counted = countTasks();
    expected(await work());
    counted.stop();
    // They are read in fewer than ten.
    assert.ok(counted.tasks >= 60, `${counted.tasks} tasks`);
    const controller = new AbortController();
    const working = work(controller.signal);
    for (let task = 0; task < 30; task += 1) await new Promise(setImmediate);
    controller.abort("no longer needed");
    await assert.rejects(working, { name: "EpitomeError", code: "aborted", cause: "no longer needed" });
  }
});

test("j24: a commit is written in slices, and has what was there as it began; what comes meanwhile is in the next one", async () => {
  const commits = [];
  const compactor = await compactorWith({ commit: (changes) => void commits.push(changes) });
  const counted = countTasks();
  const first = compactor.commit();
  const meanwhile = [];
  setImmediate(() => meanwhile.push(commits.length, ...compactor.append(said("user", "And the tulips?")), compactor.saveState("m0"), compactor.saveState()));
  await first;
  counted.stop();
  assert.ok(counted.tasks >= 5, `${counted.tasks} tasks`);
  assert.deepEqual(meanwhile, [0, "m200", "saving", "unsaved"], "it came before the store was called");
  assert.deepEqual([compactor.saveState("m0"), compactor.saveState("m200")], ["saved", "unsaved"]);
  await compactor.commit();
  const records = (text, kind) => text.split("\n").filter((line) => line.startsWith(`{"record":"${kind}"`)).length;
  assert.deepEqual(commits.map(({ lines }) => [records(lines, "message"), records(lines, "original")]), [[200, 200], [1, 1]]);
  const restored = await restoreCompactor(commits.map(({ lines }) => lines).join("") + commits[1].state, { format: "openai-chat" });
  assert.deepEqual(restored.history(), [...CHAT, said("user", "And the tulips?")]);
  compactor.dispose();
  restored.dispose();
});

test("j24: a snapshot that is written in slices is that of the call, whatever comes meanwhile", async () => {
  const compactor = await compactorWith();
  const whole = compactor.snapshot();
  const counted = countTasks();
  const written = compactor.snapshotInSlices();
  setImmediate(() => compactor.append(said("user", "And the tulips?")));
  assert.equal(await written, whole);
  counted.stop();
  assert.ok(counted.tasks >= 5, `${counted.tasks} tasks`);
  assert.notEqual(compactor.snapshot(), whole);

  const disposed = compactor.snapshotInSlices();
  const now = compactor.snapshot();
  compactor.dispose();
  assert.equal(await disposed, now, "it was begun before");
  await assert.rejects(compactor.snapshotInSlices(), { code: "disposed" });
});

test("j24: writing a snapshot can be aborted between two slices", async () => {
  const compactor = await compactorWith();
  for (const tasks of [0, 1, 2]) {
    const controller = new AbortController();
    const rejected = assert.rejects(compactor.snapshotInSlices({ signal: controller.signal }), { name: "EpitomeError", code: "aborted" });
    for (let task = 0; task < tasks; task += 1) await new Promise(setImmediate);
    controller.abort();
    await rejected;
  }
  await assert.rejects(compactor.snapshotInSlices({ signal: AbortSignal.abort() }), { code: "aborted" });
  await assert.rejects(compactor.snapshotInSlices({ signal: {} }), { code: "invalid-option" });
  compactor.dispose();
});

test("j24: countTokens counts a long text in steps, with the tokens of one call, and the page can react", async () => {
  const counter = await tokenCounter();
  const texts = {
    prose: "The roses need water, and the garden isn't quiet. ".repeat(20_000),
    Chinese: "推荐您去这家酒店，地址是北京市。".repeat(40_000),
    emoji: "🌹 and 🌷 in 3 beds\n".repeat(40_000),
    "one piece": " ".repeat(600_000),
  };
  for (const [kind, text] of Object.entries(texts)) {
    for (const encoding of ["o200k_base", "cl100k_base"]) {
      await loadEncoding(encoding);
      const counted = countTasks();
      const tokens = await countTokens(text, { encoding });
      counted.stop();
      assert.equal(tokens, counter.count(text, { encoding }), `${kind}, ${encoding}`);
      assert.ok(counted.tasks >= 5, `${kind}: ${counted.tasks} tasks`);
    }
  }
});

/** A compactor that knows the first four messages of the chat and has summarized some of them, and the chat without the first one
 * and with another third one. */
async function changedChat() {
  const compactor = await createCompactor({
    format: "openai-chat",
    policy: { ...POLICY, keep: { tokens: 3_000 }, triggers: ["manual"] },
    summarize: () => "They looked.",
  });
  const chat = CHAT.map((message, turn) => ({ ...message, id: `own${turn}` }));
  compactor.append(chat.slice(0, 4));
  assert.equal((await compactor.compact()).outcome, "applied");
  return { compactor, changed: [chat[1], { ...chat[2], content: "Another one." }, ...chat.slice(3)] };
}

test("j24: a sync in slices is that of one call, and the page can react", async () => {
  const [whole, sliced] = [await changedChat(), await changedChat()];
  const report = whole.compactor.sync(whole.changed);
  assert.equal(report.appended.length, CHAT.length - 4);
  assert.equal(report.removed.length, 1);
  assert.equal(report.changed.length, 1);
  assert.equal(report.inactive.length, 1);
  const counted = countTasks();
  assert.deepEqual(await sliced.compactor.syncInSlices(sliced.changed), report);
  counted.stop();
  assert.ok(counted.tasks >= 8, `${counted.tasks} tasks`);
  assert.deepEqual(sliced.compactor.history(), sliced.changed);
  assert.deepEqual(sliced.compactor.status(), whole.compactor.status());
  const again = await sliced.compactor.syncInSlices(sliced.changed);
  assert.deepEqual(again, whole.compactor.sync(whole.changed));
  assert.deepEqual(again.appended, []);
  assert.deepEqual(await sliced.compactor.syncInSlices([]), whole.compactor.sync([]));
  sliced.compactor.dispose();
  whole.compactor.dispose();
});

test("j24: a sync in slices that is aborted or refused leaves what was appended before, and another goes on behind it", async () => {
  const compactor = await createCompactor({ format: "openai-chat", policy: POLICY });
  const controller = new AbortController();
  const syncing = compactor.syncInSlices(CHAT, { signal: controller.signal });
  controller.abort();
  await assert.rejects(syncing, { name: "EpitomeError", code: "aborted" });
  const { length } = compactor.history();
  assert.ok(length > 0 && length < CHAT.length);
  assert.deepEqual(compactor.history(), CHAT.slice(0, length));
  await assert.rejects(compactor.syncInSlices(CHAT, { signal: controller.signal }), { code: "aborted" });
  assert.equal(compactor.history().length, length);
  const refused = { code: "invalid-message", message: new RegExp(`messages\\[${CHAT.length}\\]`) };
  await assert.rejects(compactor.syncInSlices([...CHAT, 5]), refused);
  const { length: more } = compactor.history();
  assert.ok(more > length && more < CHAT.length);
  assert.equal((await compactor.syncInSlices(CHAT)).appended.length, CHAT.length - more);
  assert.deepEqual(compactor.history(), CHAT);
  await assert.rejects(compactor.syncInSlices(CHAT, { metadata: { audience: ["a"] } }), { code: "invalid-option" });
  compactor.dispose();
  await assert.rejects(compactor.syncInSlices(CHAT), { code: "disposed" });
});

test("j24: nothing of a long message is there if it is aborted between the steps in which it is appended", async () => {
  const compactor = await createCompactor({ format: "openai-chat" });
  const appendWithAbort = (message) => {
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    return compactor.appendInSlices([message], { signal: controller.signal });
  };
  assert.equal((await appendWithAbort(said("user", "roses "))).length, 1);
  const long = said("user", "roses ".repeat(100_000));
  await assert.rejects(appendWithAbort(long), { code: "aborted", message: /after 0 of 1 messages/ });
  assert.equal(compactor.messages().length, 1);
  await compactor.appendInSlices([long]);
  assert.equal(compactor.messages()[1], long);
  compactor.dispose();
});

test("j24: a long message that is read, counted and appended in steps is that of one call, whatever happens between them", async () => {
  const long = said("user", "Roses need water, 水, and some sun.\n".repeat(20_000));
  const other = said("user", "Another one.");
  const appended = async (during) => {
    const compactor = await createCompactor({ format: "openai-chat", policy: POLICY });
    const appending = compactor.appendInSlices([long], { metadata: { pinned: true } });
    await new Promise(setImmediate);
    during(compactor);
    assert.equal((await appending).length, 1);
    return compactor;
  };
  const whole = async (...messages) => {
    const compactor = await createCompactor({ format: "openai-chat", policy: POLICY });
    messages.forEach((message) => compactor.append(message, { pinned: message === long }));
    return compactor;
  };
  const pairs = [
    [await appended(() => {}), await whole(long)],
    [await appended((compactor) => compactor.append(other)), await whole(other, long)],
  ];
  for (const [sliced, one] of pairs) {
    assert.deepEqual(sliced.history(), one.history());
    assert.deepEqual(sliced.status(), one.status());
    assert.equal(sliced.snapshot(), one.snapshot());
  }
  const counting = { ...POLICY, counting: { charactersPerToken: 2 } };
  const changed = await appended((compactor) => compactor.setPolicy(counting));
  const [, one] = pairs[0];
  one.setPolicy(counting);
  assert.deepEqual(changed.status(), one.status());
  [changed, ...pairs.flat()].forEach((compactor) => compactor.dispose());
});

test("j24: a very long message is counted in parts with the tokens of one call, and the page can react between them", async () => {
  for (const counting of [{ estimate: "claude" }, { encoding: "o200k_base" }]) {
    const policy = { ...POLICY, counting };
    const compactors = await Promise.all([1, 2].map(() => createCompactor({ format: "openai-chat", policy })));
    const long = said("user", "Roses need water, 水, and some sun. 他们浇花，然后回家。\n".repeat(60_000));
    let [turns, counted] = [0, false];
    const turn = () => {
      turns += 1;
      if (!counted) setImmediate(turn);
    };
    setImmediate(turn);
    await compactors[0].appendInSlices([long]);
    counted = true;
    compactors[1].append(long);
    // Reading, counting each half megabyte of 4.3, and appending.
    assert.ok(turns >= 9, `${turns}`);
    assert.deepEqual(compactors[0].status(), compactors[1].status());
    compactors.forEach((compactor) => compactor.dispose());
  }
});

/** A chat with so many paths that their receipt crosses in slices, and a compactor with it that keeps its last message. */
const PATHS = Array.from({ length: 6_000 }, (_, index) => `src/bed-${index}.rs`);
const compactorWithPaths = () => {
  const chat = [0, 1, 2].map((part) => said("user", `They looked at ${PATHS.slice(2_000 * part, 2_000 * (part + 1)).join(" and ")}.`));
  return compactorWith({ policy: { ...POLICY, keep: { messages: 1 } } }).then((compactor) => {
    compactor.append([...chat, said("user", "Go on.")]);
    return compactor;
  });
};

const pathsOf = ({ kept, appended, givenUp }) => [...kept, ...appended, ...givenUp].filter(({ kind }) => kind === "path").map(({ text }) => text);

test("j24: a report with thousands of facts has all of them, also if it is cancelled or disposed of before they have crossed", async () => {
  const compactor = await compactorWithPaths();
  const counted = countTasks();
  const events = [];
  const report = await compactor.compact({ onEvent: ({ type }) => events.push([type, counted.tasks]) });
  counted.stop();
  assert.equal(report.outcome, "applied");
  assert.deepEqual(PATHS.filter((path) => !pathsOf(report.receipt).includes(path)), []);
  const [[, applied], [last, ended]] = events.slice(-2);
  assert.equal(last, "end");
  assert.ok(ended - applied >= 2, `${ended - applied} tasks`);
  compactor.dispose();
  for (const end of ["abort", "dispose"]) {
    const again = await compactorWithPaths();
    const before = again.messages().length;
    const controller = new AbortController();
    const compacting = again.compact({ signal: controller.signal });
    while (again.messages().length === before) await new Promise(setImmediate);
    const settled = countTasks();
    end === "abort" ? controller.abort() : again.dispose();
    const { outcome, receipt } = await compacting;
    settled.stop();
    assert.equal(outcome, "applied");
    assert.equal(settled.tasks, 0);
    assert.deepEqual(pathsOf(receipt), pathsOf(report.receipt));
    again.dispose();
  }
});

test("j24: a long conversation is restored in steps, with the result of one, and the page can react", async () => {
  const whole = await compactorWith();
  await whole.compact();
  const snapshot = whole.snapshot();
  const counted = countTasks();
  const restored = await restoreCompactor(snapshot, { format: "openai-chat", originals: CHAT });
  counted.stop();
  assert.ok(counted.tasks >= 3, `${counted.tasks} tasks`);
  assert.deepEqual(restored.messages(), whole.messages());
  assert.deepEqual(restored.status(), whole.status());
  assert.equal(restored.snapshot(), snapshot);
  const { lines, state } = whole.contents();
  const all = countTasks();
  const stored = await restoreCompactor(lines + state, { format: "openai-chat" });
  all.stop();
  assert.ok(all.tasks > counted.tasks, `${all.tasks} tasks with the app's messages, ${counted.tasks} without`);
  assert.deepEqual(stored.history(), CHAT);
  assert.equal(stored.snapshot(), snapshot);
  [whole, restored, stored].forEach((compactor) => compactor.dispose());
});

test("j24: restoring can be aborted between two steps, and the snapshot can be restored afterwards", async () => {
  const whole = await compactorWith();
  const snapshot = whole.snapshot();
  for (const tasks of [0, 1, 2]) {
    const controller = new AbortController();
    const options = { format: "openai-chat", originals: CHAT, signal: controller.signal };
    const restoring = restoreCompactor(snapshot, options);
    const rejected = assert.rejects(restoring, { name: "EpitomeError", code: "aborted" });
    for (let task = 0; task < tasks; task += 1) await new Promise(setImmediate);
    controller.abort();
    await rejected;
  }
  await assert.rejects(restoreCompactor(snapshot, { format: "openai-chat", originals: CHAT, signal: {} }), { code: "invalid-option" });
  const restored = await restoreCompactor(snapshot, { format: "openai-chat", originals: CHAT });
  assert.equal(restored.snapshot(), snapshot);
  restored.dispose();
  whole.dispose();
});
