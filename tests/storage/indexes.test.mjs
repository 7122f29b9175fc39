// The index of a conversation's search is kept beside its commits, and used only while it is right.

import assert from "node:assert/strict";
import { memoryStore } from "epitome/storage";
import { chatOf, said } from "../node/harness.mjs";
import { both } from "../node/places.mjs";

// What a summary has lost is not appended to it here, so that it leaves the view.
const POLICY = { window: 2_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0, summary: { ledgerTokens: 0 } };
const opened = ({ openConversation }, store, id = "a") => openConversation({ store, id, format: "openai-chat", policy: POLICY, summarize: () => "They worked." });
const textsOf = ({ passages }) => passages.flatMap(({ quotes }) => quotes.map(({ text }) => text)).join("\n");

/** A stored conversation that began with this message and is compacted. */
async function compacted(place, store, first, id) {
  const { compactor, close } = await opened(place, store, id);
  await compactor.append([said("user", first), ...chatOf(40)]);
  await compactor.commit();
  await compactor.compact();
  assert.ok(textsOf(await compactor.recall(first)).includes(first));
  await close();
}

const [KEY, FERRY] = ["The pump key is behind the blue door.", "The ferry to Norderney leaves from pier three."];

both("l5: an opened conversation is searched by the index that was kept", async (place) => {
  const store = memoryStore();
  await compacted(place, store, KEY, "a");
  await compacted(place, store, FERRY, "b");
  const { text } = await store.derived("b", "index");
  await store.setDerived("a", "index", { ...(await store.derived("a", "index")), text });
  const { compactor } = await opened(place, store);
  // By the index of the other conversation, this one has a ferry: it was not made again.
  const { passages } = await compactor.recall("Norderney");
  assert.equal(passages[0]?.quotes[0]?.text, KEY);
  assert.deepEqual((await compactor.recall("pump")).passages, []);
});

both("l5: what came after the index was kept is found, and what has changed since then is not found any more", async (place) => {
  const store = memoryStore();
  await compacted(place, store, KEY);
  const first = await opened(place, store);
  await first.compactor.append([said("user", FERRY), ...chatOf(30)]);
  await first.compactor.commit();
  await first.compactor.compact();
  await first.close();
  const second = await opened(place, store);
  assert.ok(textsOf(await second.compactor.recall("ferry")).includes(FERRY));
  await second.compactor.edit("m0", said("user", "The pump key is with Dora."));
  await second.compactor.commit();
  await second.compactor.compact();
  await second.close();
  const third = await opened(place, store);
  const found = textsOf(await third.compactor.recall("pump key"));
  assert.deepEqual([/Dora/.test(found), /door/.test(found)], [true, false]);
});

both("l5: a change before the first search of an opened conversation is seen", async (place) => {
  const store = memoryStore();
  await compacted(place, store, KEY);
  const { compactor } = await opened(place, store);
  await compactor.edit("m0", said("user", "The pump key is with Dora."));
  await compactor.compact();
  const found = textsOf(await compactor.recall("pump key"));
  assert.deepEqual([/Dora/.test(found), /door/.test(found)], [true, false]);
});

both("l5: an index that is damaged, of another history or of another version is made again", async (place) => {
  const store = memoryStore();
  await compacted(place, store, KEY);
  const kept = await store.derived("a", "index");
  const version = Buffer.from(kept.text, "base64");
  version[3] = 99;
  for (const wrong of [{ text: "no base64 %" }, { text: kept.text.slice(0, 40) }, { text: version.toString("base64") }, { hash: "another" }, { sequence: 77 }]) {
    await store.setDerived("a", "index", { ...kept, ...wrong });
    const { compactor, close } = await opened(place, store);
    assert.ok(textsOf(await compactor.recall("pump key")).includes(KEY), JSON.stringify(wrong).slice(0, 40));
    await close();
  }
});

both("l5: an index is kept for what is stored, and a store that cannot keep it is searched all the same", async (place) => {
  const store = memoryStore();
  const { compactor } = await opened(place, store);
  await compactor.append([said("user", KEY), ...chatOf(40)]);
  await compactor.compact();
  await compactor.append(said("user", "This is not stored."));
  await compactor.recall("pump key");
  assert.equal(await store.derived("a", "index"), undefined);
  await compactor.commit();
  store.setDerived = () => Promise.reject(new Error("the disk is full"));
  assert.ok(textsOf(await compactor.recall("pump key")).includes(KEY));
});

both("l5: the index of a conversation that was searched grows with its commits, without another search", async (place) => {
  const store = memoryStore();
  await compacted(place, store, KEY);
  const { text, sequence } = await store.derived("a", "index");
  const { setDerived } = store;
  let kept;
  store.setDerived = async (id, name, derived) => {
    await setDerived.call(store, id, name, derived);
    kept = name === "index" ? derived : kept;
  };
  /** The next index that is kept. Nothing is waited for meanwhile, so that a worker would not keep the process running. */
  const nextKept = async () => {
    while (kept === undefined) await new Promise(setImmediate);
    const next = kept;
    kept = undefined;
    return next;
  };
  // The first round reads the index that was kept, and the second has it in memory.
  const { compactor, close, sequence: last } = await opened(place, store);
  let before = { text, sequence };
  for (const round of [1, 2]) {
    await compactor.append([said("user", FERRY), ...chatOf(40)]);
    await compactor.commit();
    const grown = await nextKept();
    assert.equal(grown.sequence, await last(), `round ${round}`);
    assert.ok(grown.sequence > before.sequence && grown.text.length > before.text.length, `round ${round}`);
    before = grown;
  }
  await compactor.compact();
  await close();
  const again = await opened(place, store);
  assert.ok(textsOf(await again.compactor.recall("ferry")).includes(FERRY));
});

both("l5: a conversation that nobody has searched gets no index by its commits", async (place) => {
  const store = memoryStore();
  const asked = [];
  const { derived } = store;
  store.derived = (id, name) => {
    asked.push(name);
    return derived.call(store, id, name);
  };
  const { compactor } = await opened(place, store);
  for (const message of chatOf(5)) {
    await compactor.append(message);
    await compactor.commit();
  }
  assert.deepEqual(asked, ["index"]);
  assert.equal(await derived.call(store, "a", "index"), undefined);
});
