// Stored conversations whose engine and storage are in a worker: where the store is called, and what happens when the worker ends.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { isEpitomeError, restoreCompactor } from "epitome";
import { memoryStore } from "epitome/storage";
import { createWorkerCompactor, openWorkerConversation } from "epitome/worker";
import { deferred } from "../node/fixtures.mjs";
import { chatOf, said } from "../node/harness.mjs";
import { both } from "../node/places.mjs";
import { noBrowser, startBrowser } from "./browser.mjs";

const POLICY = { window: 2_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0 };
const OPTIONS = { id: "chat", format: "openai-chat", policy: POLICY, summarize: () => "They worked." };
const serving = () => new Worker(new URL("../node/serving-worker.mjs", import.meta.url));

/** A store with a conversation of this many commits. */
async function storeWith(commits) {
  const store = memoryStore();
  const { compactor, close } = await openWorkerConversation({ ...OPTIONS, store });
  for (const message of chatOf(commits)) {
    await compactor.append(message);
    await compactor.commit();
  }
  await close();
  return store;
}

/** What a promise rejects with, as an error of the package. */
async function refused(promise) {
  const error = await promise.then(() => assert.fail("it resolved"), (thrown) => thrown);
  assert.ok(isEpitomeError(error), String(error));
  return error;
}

/** A store of an app, whose methods need `this`. */
class OwnStore {
  #inner = memoryStore();
  scope = "own";
  head(id) { return this.#inner.head(id); }
  claim(id) { return this.#inner.claim(id); }
  commit(id, commit) { return this.#inner.commit(id, commit); }
  load(id, after) { return this.#inner.load(id, after); }
  cut(id, after, epoch) { return this.#inner.cut(id, after, epoch); }
  derived(id, name) { return this.#inner.derived(id, name); }
  setDerived(id, name, derived) { return this.#inner.setDerived(id, name, derived); }
  list() { return this.#inner.list(); }
  delete(id) { return this.#inner.delete(id); }
}

/** A cipher of an app, which turns texts around. */
class OwnCipher {
  #turned = (text) => [...text].reverse().join("");
  encrypt(text, conversation) { return `${conversation} ${this.#turned(text)}`; }
  async decrypt(text, conversation) { return this.#turned(text.slice(conversation.length + 1)); }
}

test("m6: a store and a cipher of an app's own classes are called in its thread, and messages are the app's until it is opened again", async () => {
  const [store, cipher] = [new OwnStore(), new OwnCipher()];
  const first = await openWorkerConversation({ ...OPTIONS, store, cipher });
  assert.deepEqual([first.damage, await first.sequence(), await first.role()], [undefined, 0, "writer"]);
  const messages = chatOf(40);
  await first.compactor.append(messages);
  await first.compactor.commit();
  assert.ok((await first.compactor.history()).every((message, at) => message === messages[at]));
  assert.equal((await first.compactor.compact()).outcome, "applied");
  const [view, archive] = [await first.compactor.messages(), await first.archive()];
  assert.equal(await first.sequence(), 2);
  await first.close();
  for await (const { text } of store.load("chat")) {
    assert.ok(text.startsWith("chat ") && !text.includes('"record"'));
  }
  const again = await openWorkerConversation({ ...OPTIONS, store, cipher });
  const history = await again.compactor.history();
  assert.deepEqual([await again.compactor.messages(), history], [view, messages]);
  assert.ok(history.every((message) => !messages.includes(message)));
  const { appended, changed, removed } = await again.compactor.sync(history);
  assert.deepEqual([appended, changed, removed], [[], [], []]);
  await again.close();
  const archived = await restoreCompactor(archive, OPTIONS);
  assert.deepEqual(archived.messages(), view);
});

test("m6: a conversation of many commits comes page by page, and its stream is ended where the reader leaves it", async () => {
  const inner = await storeWith(150);
  const head = await inner.head("chat");
  let [given, ended] = [0, 0];
  const load = async function* (...where) {
    try {
      for await (const commit of inner.load(...where)) {
        given += 1;
        yield commit;
      }
      // What a job has stored since the head was read.
      for (let sequence = head.sequence + 1; ; sequence += 1) {
        given += 1;
        yield { sequence, hash: `hash ${sequence}`, text: "later" };
      }
    } finally {
      ended += 1;
    }
  };
  const { compactor, damage, close } = await openWorkerConversation({ ...OPTIONS, store: { ...inner, load } });
  assert.deepEqual([await compactor.history(), damage, ended], [chatOf(150), undefined, 1]);
  assert.ok(given < 300, `${given} were read`);
  await close();
});

test("m6: a store that fails in the middle of its commits fails the opening with its own error", async () => {
  const inner = await storeWith(100);
  const failing = async function* (...where) {
    for await (const commit of inner.load(...where)) {
      if (commit.sequence === 90) {
        throw Object.assign(new Error("no connection"), { name: "DatabaseError", code: "08006" });
      }
      yield commit;
    }
  };
  const error = await openWorkerConversation({ ...OPTIONS, store: { ...inner, load: failing } }).catch((thrown) => thrown);
  assert.deepEqual([error.name, error.message, error.code], ["DatabaseError", "no connection", "08006"]);
});

test("m6: an option that cannot be taken to a worker is named", async () => {
  const store = memoryStore();
  const cases = [
    [{ store: undefined }, /^store: /],
    [{ store: { ...store, load: undefined } }, /^store\.load: /],
    [{ store: { ...store, scope: 7 } }, /^store\.scope: /],
    [{ store, cipher: { encrypt: (text) => text } }, /^cipher\.decrypt: /],
    [{ store, tabs: { onChange: "no" } }, /^tabs\.onChange: /],
    [{ store, compactors: {} }, /^compactors: /],
    [{ store, signal: "no" }, /^signal: /],
  ];
  for (const [options, says] of cases) {
    const { code, message } = await refused(openWorkerConversation({ ...OPTIONS, ...options }));
    assert.equal(code, "invalid-option");
    assert.match(message, says);
  }
});

test("m6: closing a conversation waits for what is still being kept beside its commits", async () => {
  const done = [];
  const store = memoryStore();
  const worker = serving();
  const other = await createWorkerCompactor({ format: "openai-chat", worker });
  // Longer than the worker takes to answer.
  const later = async () => {
    for (let turn = 0; turn < 5; turn += 1) await other.status();
  };
  const setDerived = async (id, name, derived) => {
    await later();
    await store.setDerived(id, name, derived);
    done.push(name);
  };
  const cipher = { encrypt: (text) => later().then(() => text), decrypt: (text) => text };
  const { compactor, close } = await openWorkerConversation({ ...OPTIONS, worker, store: { ...store, setDerived }, cipher });
  await compactor.append(chatOf(40));
  await compactor.commit();
  await compactor.compact();
  assert.deepEqual(done, []);
  await Promise.all([close(), close()]);
  assert.deepEqual(done, ["tail"]);
  await worker.terminate();
});

both("a listener of a stored conversation that fails changes nothing", async ({ openConversation }) => {
  const { error: logged } = console;
  const onEvent = () => Promise.reject(new Error("the listener is broken"));
  // Each place writes to its own console what a listener has thrown.
  console.error = () => {};
  try {
    const { compactor, close } = await openConversation({ ...OPTIONS, store: memoryStore(), onEvent });
    await compactor.append(chatOf(40));
    assert.equal((await compactor.compact()).outcome, "applied");
    await new Promise(setImmediate);
    assert.equal((await compactor.history()).length, 40);
    await close();
  } finally {
    console.error = logged;
  }
});

/** Each way in which a worker is gone, and the codes of what waits for it: while the conversation is opened, and later. */
const ENDS = [
  { fault: "is terminated by the app", end: ({ worker }) => void worker.terminate(), codes: ["broken", "broken"] },
  { fault: "crashes", end: ({ worker }) => worker.postMessage("crash"), codes: ["broken", "broken"] },
  { fault: "is given up", end: ({ controller, open }) => (open === undefined ? controller.abort() : open.compactor.terminate()), codes: ["aborted", "disposed"] },
];

for (const { fault, end, codes } of ENDS) {
  for (const method of ["claim", "load"]) {
    test(`m6: the opening of a conversation whose worker ${fault} (in ${method} of its store) is over, and it can be opened again`, async () => {
      const store = await storeWith(3);
      const [worker, controller, reached] = [serving(), new AbortController(), deferred()];
      const never = () => (reached.resolve(), new Promise(() => {}));
      const waiting = method === "claim" ? never : async function* () { yield await never(); };
      const opening = openWorkerConversation({ ...OPTIONS, worker, signal: controller.signal, store: { ...store, [method]: waiting } });
      await reached.promise;
      end({ worker, controller });
      assert.equal((await refused(opening)).code, codes[0]);
      await worker.terminate();
      const { compactor, close } = await openWorkerConversation({ ...OPTIONS, store });
      assert.deepEqual(await compactor.history(), chatOf(3));
      await close();
    });
  }

  test(`m6: a stored conversation whose worker ${fault} while a commit is stored leaves nobody waiting, and what was committed is opened again`, async () => {
    const store = await storeWith(3);
    const [worker, reached] = [serving(), deferred()];
    const commit = () => (reached.resolve(), new Promise(() => {}));
    const open = await openWorkerConversation({ ...OPTIONS, worker, store: { ...store, commit } });
    await open.compactor.append(said("user", "Is it stored?"));
    const committing = open.compactor.commit();
    await reached.promise;
    // The calls that the worker has not taken when it ends.
    const calls = () => [open.sequence(), open.role(), open.takeOver(), open.archive(), open.compactor.history()];
    const waiting = [committing, ...(codes[1] === "disposed" ? calls() : [])];
    end({ worker, open });
    for (const promise of waiting) {
      assert.equal((await refused(promise)).code, codes[1]);
    }
    for (const promise of calls()) {
      assert.equal((await refused(promise)).code, codes[1]);
    }
    await open.close();
    await worker.terminate();
    const again = await openWorkerConversation({ ...OPTIONS, store });
    assert.deepEqual([again.damage, await again.compactor.history()], [undefined, chatOf(3)]);
    await again.close();
  });
}

describe("a conversation in the database of a page, in a worker", { skip: noBrowser }, () => {
  test("m6: a database is opened in the worker, and a store that the app has changed is called in the page", async () => {
    const browser = await startBrowser();
    try {
      const page = await browser.tab();
      const seen = await page.evaluate(async () => {
        const { store, worker } = globalThis;
        const opened = (given) => worker.openWorkerConversation({ store: given, id: "chat", format: "openai-chat" });
        const { open } = IDBFactory.prototype;
        IDBFactory.prototype.open = () => {
          throw new Error("a database in the page");
        };
        const inPage = [{ ...store }, Object.assign(globalThis.storage.indexedDbStore(), { commit: () => Promise.resolve(false) })];
        const refused = [];
        for (const given of inPage) {
          refused.push(await opened(given).then(() => "opened", ({ message }) => message));
        }
        const first = await opened(store);
        await first.compactor.append({ role: "user", content: "one" });
        await first.compactor.commit();
        await first.close();
        IDBFactory.prototype.open = open;
        const again = await globalThis.storage.openConversation({ store, id: "chat", format: "openai-chat" });
        return { refused, texts: again.compactor.history().map(({ content }) => content) };
      });
      assert.deepEqual(seen, { refused: Array(2).fill("a database in the page"), texts: ["one"] });
    } finally {
      await browser.close();
    }
  });
});
