// The end of a conversation that is kept beside it: only ever what the conversation itself shows.

import assert from "node:assert/strict";
import { memoryStore, readTail } from "epitome/storage";
import { chatOf, said } from "../node/harness.mjs";
import { both } from "../node/places.mjs";

const POLICY = { window: 2_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0 };

/** A stored conversation that is compacted. */
async function compacted({ openConversation }, store, more) {
  const open = await openConversation({ store, id: "a", format: "openai-chat", policy: POLICY, summarize: () => "They worked.", ...more });
  await open.compactor.append(chatOf(40));
  await open.compactor.commit();
  await open.compactor.compact();
  await open.compactor.append([said("user", "And now?"), said("assistant", "Now we go on.")]);
  await open.compactor.commit();
  return open;
}

const CHANGES = {
  "an undo": (compactor) => compactor.undo(),
  "an edit of an earlier message": (compactor) => compactor.edit("m40", said("user", "And later?")),
  "a removal": (compactor) => compactor.remove("m40"),
  "an insertion": (compactor) => compactor.insert(said("user", "Before that."), "m40"),
  "another branch": (compactor) => compactor.truncate("m40"),
  "another compaction": async (compactor) => (await compactor.append(chatOf(30))) && compactor.compact(),
};

for (const [what, change] of Object.entries(CHANGES)) {
  both(`h2: after ${what}, the end of a conversation is what all of it shows, or is not read`, async (place) => {
    const store = memoryStore();
    const { compactor } = await compacted(place, store);
    await change(compactor);
    await compactor.commit();
    const tail = await readTail({ store, id: "a" });
    assert.ok(tail === undefined || JSON.stringify(tail.messages) === JSON.stringify(await compactor.messages()));
    await compactor.append(said("user", "Is that all?"));
    await compactor.commit();
    const isCompacted = (await compactor.compacted()).length > 0;
    assert.deepEqual((await readTail({ store, id: "a" }))?.messages, isCompacted ? await compactor.messages() : undefined);
  });
}

both("h2: the end of a conversation is not read from a store that has lost something of it", async (place) => {
  const store = memoryStore();
  const { compactor } = await compacted(place, store);
  await compactor.append(said("user", "Really?"));
  await compactor.commit();
  const { load, head } = store;
  assert.notEqual(await readTail({ store, id: "a" }), undefined);
  store.load = async function* (...where) {
    for await (const commit of load(...where)) {
      yield { ...commit, text: commit.text.replace("Really", "Rarely") };
    }
  };
  assert.equal(await readTail({ store, id: "a" }), undefined, "a commit is not the one that was stored");
  Object.assign(store, { load, head: async (id) => ({ ...(await head(id)), hash: "another" }) });
  assert.equal(await readTail({ store, id: "a" }), undefined, "the store has another history");
  assert.equal(await readTail({ store: memoryStore(), id: "a" }), undefined, "the store has nothing");
});

both("h2: a store that cannot keep the end of a conversation stores the conversation all the same", async (place) => {
  const store = memoryStore();
  store.setDerived = () => Promise.reject(new Error("the disk is full"));
  const { compactor } = await compacted(place, store);
  assert.equal(await compactor.saveState(), "saved");
  assert.equal(await readTail({ store, id: "a" }), undefined);
});

both("h2: what reading the end of a conversation costs is what came since its last compaction", async (place) => {
  const store = memoryStore();
  const { compactor } = await compacted(place, store);
  for (let turn = 0; turn < 30; turn += 1) {
    await compactor.append(said("user", `Question ${turn}`));
    await compactor.commit();
  }
  const load = store.load.bind(store);
  let read = 0;
  store.load = async function* (...where) {
    for await (const commit of load(...where)) {
      read += 1;
      yield commit;
    }
  };
  const { messages } = await readTail({ store, id: "a" });
  // One commit with the first messages, one with the compaction, and those behind them.
  assert.deepEqual([messages, read], [await compactor.messages(), 31]);
});
