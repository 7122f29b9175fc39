// Two devices that have gone on with the same conversation, and import each other's archives.

import assert from "node:assert/strict";
import { test } from "node:test";
import { exportConversation, importConversation, memoryStore, openConversation } from "epitome/storage";
import { chatOf, said } from "../node/harness.mjs";
import { generator } from "../node/random.mjs";

const POLICY = { window: 2_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0 };
const opened = (store, id = "chat") => openConversation({ store, id, format: "openai-chat", policy: POLICY, summarize: () => "They worked." });

async function archive(store) {
  let text = "";
  for await (const piece of exportConversation(store, "chat")) {
    text += piece;
  }
  return text;
}

/** Two stores with the same conversation of these messages. */
async function devices(messages) {
  const [one, two] = [memoryStore(), memoryStore()];
  const { compactor } = await opened(one);
  compactor.append(messages);
  await compactor.commit();
  await importConversation(two, "chat", await archive(one));
  return [one, two];
}

async function changed(store, change) {
  const { compactor, close } = await opened(store);
  await change(compactor);
  await compactor.commit();
  close();
}

/** The histories of all branches, and that of the conversation. */
async function histories(store) {
  const { compactor, close } = await opened(store);
  const json = () => JSON.stringify(compactor.history());
  const now = json();
  const count = 1 + Math.max(-1, ...Array.from((await archive(store)).matchAll(/"id":"m(\d+)/g), ([, number]) => Number(number)));
  const all = new Set();
  for (let number = 0; number < count; number += 1) {
    try {
      compactor.switchTo(`m${number}`);
      all.add(json());
    } catch (error) {
      assert.equal(error.code, "unknown-id");
    }
  }
  close();
  return { now, all };
}

const said2 = (text) => [said("user", `${text}?`), said("assistant", `${text}.`)];

test("h3: messages that another device has added come as a branch, and the conversation stays where it is, compacted as it was", async () => {
  const [one, two] = await devices(chatOf(6));
  await changed(one, async (compactor) => {
    compactor.append(said2("a rose"));
    assert.equal((await compactor.compact()).outcome, "applied");
    compactor.append(said2("a lily"));
  });
  await changed(two, (compactor) => {
    compactor.append([...said2("an oak"), { ...said("user", "and an elm?"), id: "own", unknown: [1] }]);
  });
  const before = await opened(one);
  const view = JSON.stringify(before.compactor.messages());
  const history = JSON.stringify(before.compactor.history());
  assert.deepEqual(await importConversation(one, "chat", await archive(two)), { added: 1, branched: 3, damage: undefined });
  const { compactor, damage } = await opened(one);
  assert.equal(damage, undefined);
  assert.equal(JSON.stringify(compactor.history()), history);
  assert.equal(JSON.stringify(compactor.messages()), view);
  const [ours, theirs, ...more] = compactor.branches("m6");
  assert.deepEqual([ours, more], ["m6", []]);
  compactor.switchTo(theirs);
  assert.deepEqual(compactor.history(), [...chatOf(6), ...said2("an oak"), { ...said("user", "and an elm?"), id: "own", unknown: [1] }]);
});

test("h3: an import that is repeated, or that comes from both sides, doubles nothing", async () => {
  const [one, two] = await devices(chatOf(4));
  await changed(one, (compactor) => compactor.append(said2("a rose")));
  await changed(two, (compactor) => compactor.append(said2("an oak")));
  assert.equal((await importConversation(one, "chat", await archive(two))).branched, 2);
  assert.equal((await importConversation(two, "chat", await archive(one))).branched, 2);
  const sizes = [(await archive(one)).length, (await archive(two)).length];
  for (const [to, from] of [[one, two], [two, one], [one, two]]) {
    assert.deepEqual(await importConversation(to, "chat", await archive(from)), { added: 0, branched: 0, damage: undefined });
  }
  assert.deepEqual([(await archive(one)).length, (await archive(two)).length], sizes);
  const all = (await histories(one)).all;
  assert.deepEqual(Array.from(all).sort(), Array.from((await histories(two)).all).sort());
  assert.equal(all.size, 2);
});

test("h3: what a stale writer has in memory is imported as a branch", async () => {
  const store = memoryStore();
  const stale = await opened(store);
  stale.compactor.append(chatOf(2));
  await stale.compactor.commit();
  const other = await opened(store);
  other.compactor.append(said2("a rose"));
  await other.compactor.commit();
  stale.compactor.append(said2("an oak"));
  await assert.rejects(stale.compactor.commit(), { code: "conflict" });
  assert.deepEqual([stale.role(), other.role()], ["stale", "writer"]);
  assert.equal((await importConversation(store, "chat", await stale.archive())).branched, 2);
  const { all, now } = await histories(store);
  assert.deepEqual(Array.from(all, (history) => JSON.parse(history)), [
    [...chatOf(2), ...said2("a rose")],
    [...chatOf(2), ...said2("an oak")],
  ]);
  assert.deepEqual(JSON.parse(now), [...chatOf(2), ...said2("a rose")]);
});

test("h3: after any changes on both sides, each has all branches of both, and where it was", async () => {
  const { below } = generator(18);
  for (let round = 0; round < 60; round += 1) {
    const [one, two] = await devices(chatOf(1 + below(6)));
    for (const [device, store] of [one, two].entries()) {
      await changed(store, async (compactor) => {
        const ids = compactor.history().map((_, index) => `m${index}`);
        const any = () => {
          const id = ids[below(ids.length)];
          compactor.switchTo(id);
          return id;
        };
        for (let step = 0; step < 6; step += 1) {
          const text = `${device} ${below(4)}`;
          switch (below(7)) {
            case 0:
              compactor.truncate(any());
              break;
            case 1:
              ids.push(compactor.insert(said("user", text), any()));
              break;
            case 2: {
              const removed = any();
              if (ids.length > 1) {
                compactor.remove(removed);
                ids.splice(ids.indexOf(removed), 1);
              }
              break;
            }
            case 3:
              any();
              break;
            case 4:
              compactor.edit(any(), said("user", `edited ${text}`));
              break;
            default:
              ids.push(...compactor.append(said2(text)));
          }
        }
      });
    }
    const [first, second] = [await histories(one), await histories(two)];
    const outcome = await importConversation(one, "chat", await archive(two)).catch(({ code }) => code);
    const merged = await histories(one);
    const hasCommon = outcome !== "conflict";
    assert.equal(merged.now, first.now, `${round}`);
    for (const history of [...first.all, ...(hasCommon ? second.all : [])]) {
      const contents = JSON.stringify(JSON.parse(history)).slice(0, -1);
      assert.ok([...merged.all].some((other) => other.startsWith(contents)), `${round}: ${history}`);
    }
    for (const history of merged.all) {
      assert.ok(first.all.has(history) || second.all.has(history), `${round}: made up ${history}`);
    }
    if (hasCommon) {
      assert.deepEqual(await importConversation(one, "chat", await archive(two)), { added: 0, branched: 0, damage: undefined });
    }
  }
});
