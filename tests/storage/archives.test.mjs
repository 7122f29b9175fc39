// Archives in JSON Lines: the raw history comes back byte for byte, from any store to any other.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { restoreCompactor } from "epitome";
import { sqliteStore } from "epitome/node";
import { exportConversation, importConversation, memoryStore, openConversation } from "epitome/storage";
import { fixtures } from "../node/fixtures.mjs";
import { chatOf, said } from "../node/harness.mjs";
import { conversations, files, skip } from "../node/recordings.mjs";
import { noBrowser, startBrowser } from "./browser.mjs";

const Database = createRequire(import.meta.url)("better-sqlite3");

async function exported(store, id) {
  let text = "";
  for await (const piece of exportConversation(store, id)) {
    text += piece;
  }
  return text;
}

const json = (messages) => messages.map((message) => JSON.stringify(message));

/** Keeps messages with five compactions, two undos and a branch in a store. Returns the conversation, and how many compactions
 * were applied. It is also run in a browser, and therefore uses nothing outside of its arguments. */
async function lived(openConversation, store, id, format, messages, policy) {
  const conversation = await openConversation({ store, id, format, policy });
  const { compactor } = conversation;
  const size = Math.ceil(messages.length / 5);
  let applied = 0;
  for (let part = 0; part < 5; part += 1) {
    const last = compactor.append(messages.slice(part * size, (part + 1) * size)).at(-1);
    await compactor.commit();
    const { outcome } = await compactor.compact();
    applied += Number(outcome === "applied");
    if ((part === 1 || part === 3) && outcome === "applied") {
      compactor.undo();
    }
    if (part === 2 && last !== undefined) {
      compactor.append(structuredClone(messages[0]));
      compactor.truncate(last);
    }
    await compactor.commit();
  }
  return { conversation, applied };
}

test("h3: a branch that the app has left comes back with its messages", async () => {
  const store = memoryStore();
  const { compactor } = await openConversation({ store, id: "1", format: "openai-chat" });
  const [question] = compactor.append(said("user", "Which rose?"));
  const [first] = compactor.append({ ...said("assistant", "A red one."), unknown: { kept: true } });
  await compactor.commit();
  compactor.truncate(question);
  const [second] = compactor.append(said("assistant", "A white one."));
  await compactor.commit();
  const restored = (await openConversation({ store, id: "1", format: "openai-chat" })).compactor;
  assert.deepEqual(restored.branches(second), [first, second]);
  restored.switchTo(first);
  assert.deepEqual(restored.history().at(-1), { ...said("assistant", "A red one."), unknown: { kept: true } });
});

test("h3: an archive that is cut off anywhere is read up to its last whole commit", async () => {
  const store = memoryStore();
  const { compactor } = await openConversation({ store, id: "1", format: "openai-chat" });
  for (const message of chatOf(6)) {
    compactor.append(message);
    await compactor.commit();
  }
  const whole = await exported(store, "1");
  const ends = Array.from(whole.matchAll(/^\{"record":"commit".*\n/gm), ({ 0: { length }, index }) => index + length);
  assert.deepEqual([ends.length, ends.at(-1)], [6, whole.length]);
  const cuts = Array.from({ length: Math.ceil(whole.length / 7) }, (_, index) => index * 7);
  for (const end of new Set([...cuts, ...ends.flatMap((at) => [at - 1, at])])) {
    const id = `cut ${end}`;
    const commits = ends.filter((at) => at <= end).length;
    const { added, damage } = await importConversation(store, id, whole.slice(0, end));
    assert.deepEqual([added, damage?.whole], [commits, end === (ends[commits - 1] ?? 0) ? undefined : commits], id);
    const again = await importConversation(store, id, [whole.slice(0, 100), whole.slice(100)]);
    assert.deepEqual(again, { added: 6 - commits, branched: 0, damage: undefined }, "the rest can be added");
    assert.equal(await exported(store, id), whole);
  }
});

test("h3: an archive of another conversation changes nothing", async () => {
  const store = memoryStore();
  for (const id of ["1", "2"]) {
    const { compactor } = await openConversation({ store, id, format: "openai-chat" });
    compactor.append(said("user", id));
    await compactor.commit();
  }
  const before = await exported(store, "1");
  await assert.rejects(importConversation(store, "1", await exported(store, "2")), { code: "conflict" });
  assert.equal(await exported(store, "1"), before);
});

for (const { id, format, messages } of fixtures()) {
  test(`h3: ${id}: five compactions, two undos and a branch later, the history is byte for byte what the app gave`, async () => {
    await checkArchive(format, messages, { window: 2_000 });
  });
}

test("h3: the same for recorded conversations, from one store to another and back", { skip }, async (context) => {
  let [count, compactions] = [0, 0];
  for (const file of files()) {
    for (const { messages } of conversations(file)) {
      compactions += await checkArchive("openai-chat", messages, { window: 8_000 });
      count += 1;
    }
  }
  context.diagnostic(`${count} conversations, ${compactions} compactions`);
  assert.ok(count > 0 && compactions > count);
});

const isFull = process.env.EPITOME_FAULTS === "full";
const share = isFull ? 1 : 25;

test(`h3: one of ${share} recorded conversations, from a browser to a server and back into another page`, { skip: skip || noBrowser }, async (context) => {
  const browser = await startBrowser();
  try {
    let [count, compactions] = [0, 0];
    const all = files().flatMap((file) => conversations(file).map(({ messages }) => messages));
    const [page, other] = [await browser.tab(), await browser.tab()];
    await Promise.all([page, other].map((tab) => tab.evaluate(`globalThis.lived = ${lived}`)));
    // Another database, as another device has.
    await other.evaluate(() => {
      globalThis.store = globalThis.storage.indexedDbStore({ name: "other" });
    });
    const database = new Database(":memory:");
    const server = sqliteStore(database);
    for (const [index, messages] of all.entries()) {
      if (index % share !== 0) {
        continue;
      }
      const id = `chat ${index}`;
      const first = await page.evaluate(
        async ([name, given]) => {
          const { storage, store, lived } = globalThis;
          const { conversation, applied } = await lived(storage.openConversation, store, name, "openai-chat", given, { window: 8_000 });
          const { compactor } = conversation;
          const [history, view] = [compactor.history(), compactor.messages()].map((list) => list.map((message) => JSON.stringify(message)));
          conversation.close();
          let archive = "";
          for await (const piece of storage.exportConversation(store, name)) {
            archive += piece;
          }
          return { applied, history, view, archive };
        },
        [id, messages],
      );
      const expected = json(messages);
      assert.deepEqual(first.history, expected, id);
      assert.deepEqual(await importConversation(server, id, first.archive), { added: first.archive.split('\n{"record":"commit"').length - 1, branched: 0, damage: undefined });
      const back = await other.evaluate(
        async ([name, lines]) => {
          const { storage, store } = globalThis;
          await storage.importConversation(store, name, lines);
          let archive = "";
          for await (const piece of storage.exportConversation(store, name)) {
            archive += piece;
          }
          const { compactor, close } = await storage.openConversation({ store, id: name, format: "openai-chat" });
          const [history, view] = [compactor.history(), compactor.messages()].map((list) => list.map((message) => JSON.stringify(message)));
          close();
          return { archive, history, view };
        },
        [id, await exported(server, id)],
      );
      assert.equal(back.archive, first.archive, `${id}: byte for byte`);
      assert.deepEqual([back.history, back.view], [expected, first.view], id);
      compactions += first.applied;
      count += 1;
    }
    database.close();
    context.diagnostic(`${count} conversations, ${compactions} compactions`);
    assert.ok(count > 0 && compactions > count);
  } finally {
    await browser.close();
  }
});

/** Returns how many compactions were applied. */
async function checkArchive(format, messages, policy) {
  const page = memoryStore();
  const { conversation, applied } = await lived(openConversation, page, "chat", format, messages, policy);
  const { compactor } = conversation;
  const expected = json(messages);
  assert.deepEqual(json(compactor.history()), expected);
  const first = await exported(page, "chat");
  const database = new Database(":memory:");
  const server = sqliteStore(database);
  await importConversation(server, "chat", first);
  const back = memoryStore();
  await importConversation(back, "chat", await exported(server, "chat"));
  assert.equal(await exported(back, "chat"), first, "byte for byte");
  const restored = await restoreCompactor(first, { format });
  assert.deepEqual(json(restored.history()), expected);
  assert.deepEqual(json(restored.messages()), json(compactor.messages()));
  restored.dispose();
  conversation.close();
  database.close();
  return applied;
}
