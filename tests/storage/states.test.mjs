// The compactor's own state beside the commits, when it is damaged in a store or in an archive.

import assert from "node:assert/strict";
import { createCipheriv, createDecipheriv } from "node:crypto";
import { exportConversation, importConversation, memoryStore, readDamage } from "epitome/storage";
import { chatOf, said } from "../node/harness.mjs";
import { both } from "../node/places.mjs";

const POLICY = { window: 2_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0 };
const opened = ({ openConversation }, store, more) => openConversation({ store, id: "kept", format: "openai-chat", policy: POLICY, summarize: () => "They worked.", ...more });

/** A store with a conversation of three commits, one of them a compaction, and the state after each. */
async function conversation(place, more) {
  const store = memoryStore();
  const states = [];
  const { compactor, close } = await opened(place, { ...store, commit: (id, commit) => (states.push(commit.state), store.commit(id, commit)) }, more);
  await compactor.append(chatOf(40));
  await compactor.commit();
  await compactor.compact();
  await compactor.append(said("user", "And now?"));
  await compactor.commit();
  const seen = { history: await compactor.history(), view: await compactor.messages(), state: (await compactor.contents()).state };
  await close();
  return { store, states, seen };
}

/** The same conversation in another store, with this state. */
async function withState(from, state) {
  const store = memoryStore();
  let previous = "";
  for await (const commit of from.load("kept")) {
    await store.commit("kept", { ...commit, previous, state });
    previous = commit.hash;
  }
  return store;
}

async function exported(store) {
  let lines = "";
  for await (const piece of exportConversation(store, "kept")) {
    lines += piece;
  }
  return lines;
}

const seenIn = async ({ compactor }) => ({ history: await compactor.history(), view: await compactor.messages() });

/** A text with another character at a place. */
const spoilt = (text, at) => `${text.slice(0, at)}${text[at] === "0" ? "1" : "0"}${text.slice(at + 1)}`;

both("h3: a state that is damaged at any place is named and kept, and the conversation opens without it", async (place) => {
  const { store, states, seen } = await conversation(place);
  const whole = states.at(-1);
  const damaged = [
    ...Array.from({ length: whole.length }, (_, at) => at).filter((at) => at % 17 === 0 || at > whole.indexOf("\n") - 2).map((at) => spoilt(whole, at)),
    ...[1, 40, whole.indexOf("\n"), whole.indexOf("\n") + 20, whole.length - 1].map((end) => whole.slice(0, end)),
    // A whole state, but that of an earlier commit.
    states.at(-2),
  ];
  for (const state of damaged) {
    const other = await withState(store, state);
    await assert.rejects(exported(other), { code: "damaged-log" });
    const again = await opened(place, other);
    const expected = { whole: 3, lost: 0, texts: [], state };
    assert.deepEqual([again.damage, await readDamage(other, "kept")], [expected, [expected]], state);
    assert.deepEqual(await seenIn(again), { history: seen.history, view: seen.view });
    await again.compactor.append(said("assistant", "Now."));
    await again.compactor.commit();
    await again.close();
    const last = await opened(place, other);
    assert.deepEqual([last.damage, (await last.compactor.history()).length], [undefined, 42]);
    await last.close();
  }
});

both("h3: an encrypted state that was changed is named and kept, and the conversation opens without it", async (place) => {
  const [key, iv] = [Buffer.alloc(32, 1), Buffer.alloc(12, 2)];
  const cipher = {
    encrypt: (text) => {
      const aes = createCipheriv("aes-256-gcm", key, iv);
      return Buffer.concat([aes.update(text, "utf8"), aes.final(), aes.getAuthTag()]).toString("base64");
    },
    decrypt: (text) => {
      const bytes = Buffer.from(text, "base64");
      const aes = createDecipheriv("aes-256-gcm", key, iv).setAuthTag(bytes.subarray(-16));
      return Buffer.concat([aes.update(bytes.subarray(0, -16)), aes.final()]).toString("utf8");
    },
  };
  const { store, states, seen } = await conversation(place, { cipher });
  const state = spoilt(states.at(-1), 100);
  const again = await opened(place, await withState(store, state), { cipher });
  assert.deepEqual(again.damage, { whole: 3, lost: 0, texts: [], state });
  assert.deepEqual(await seenIn(again), { history: seen.history, view: seen.view });
  await again.close();
});

both("h3: a state that an earlier version has stored without a hash is read", async (place) => {
  const { store, states, seen } = await conversation(place);
  const other = await withState(store, states.at(-1).split("\n", 1)[0].concat("\n"));
  const { compactor, damage, close } = await opened(place, other);
  assert.deepEqual([damage, (await compactor.contents()).state], [undefined, seen.state]);
  await close();
});

both("h3: what another device has added is imported behind a damaged state, which is kept", async (place) => {
  const { store, states } = await conversation(place);
  const state = spoilt(states.at(-1), 100);
  const other = await withState(store, state);
  const { compactor, close } = await opened(place, store);
  await compactor.append(said("assistant", "Now."));
  await compactor.commit();
  await close();
  const { added, damage } = await importConversation(other, "kept", await exported(store));
  assert.deepEqual([added, damage], [1, undefined]);
  assert.deepEqual((await readDamage(other, "kept")).map((each) => each.state), [state]);
  const again = await opened(place, other);
  assert.deepEqual([again.damage, (await again.compactor.history()).at(-1)], [undefined, said("assistant", "Now.")]);
  await again.close();
});

both("h3: an import into a conversation whose commits are damaged says so, and changes nothing", async (place) => {
  const { store } = await conversation(place);
  const lines = await exported(store);
  const broken = { ...store, load: (id, after) => spoiling(store.load(id, after)) };
  await assert.rejects(importConversation(broken, "kept", lines), { code: "damaged-log" });
  assert.equal(await exported(store), lines);
});

async function* spoiling(commits) {
  for await (const commit of commits) {
    yield { ...commit, text: spoilt(commit.text, 50) };
  }
}

both("h3: an archive that is changed at any place says so, and what can be read of it is what was exported", async (place) => {
  const { store, seen } = await conversation(place);
  const lines = await exported(store);
  const state = lines.split("\n").at(-3).concat("\n");
  assert.match(state, /^\{"record":"state"/);
  const places = Array.from({ length: lines.length }, (_, at) => at).filter((at) => at % 61 === 0 || at > lines.length - 200);
  for (const at of places) {
    const copy = memoryStore();
    const { damage, added } = await importConversation(copy, "kept", spoilt(lines, at));
    assert.ok(damage !== undefined, `${at}`);
    assert.deepEqual([damage.whole, damage.lost > 0], [added, added < 3], `${at}`);
  }
  for (const [changed, found] of [[lines.replace('"paused":null', '"paused":   null'), state.replace('"paused":null', '"paused":   null')], [lines.replace(state, ""), ""]]) {
    const copy = memoryStore();
    const { damage } = await importConversation(copy, "kept", changed);
    assert.deepEqual(damage, { whole: 3, lost: 0, texts: [], state: found });
    const again = await opened(place, copy);
    assert.deepEqual([again.damage, await seenIn(again)], [undefined, { history: seen.history, view: seen.view }]);
    await again.close();
  }
});

both("h3: an archive that an earlier version has made, without a hash of the state, is read with its state", async (place) => {
  const { store, seen } = await conversation(place);
  const lines = await exported(store);
  const copy = memoryStore();
  const { damage } = await importConversation(copy, "kept", lines.replace(/,"state":"\w{64}"\}\n$/, "}\n"));
  const { compactor, close } = await opened(place, copy);
  assert.deepEqual([damage, (await compactor.contents()).state], [undefined, seen.state]);
  await close();
});
