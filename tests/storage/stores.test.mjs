// What every store has to do, and conversations that are kept in each of them.

import assert from "node:assert/strict";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { exportConversation, forgetDamage, importConversation, readDamage, readTail, storageUse } from "epitome/storage";
import { chatOf, said } from "../node/harness.mjs";
import { both } from "../node/places.mjs";
import { STORES } from "./stores.mjs";

const all = async (stream) => {
  const items = [];
  for await (const item of stream) {
    items.push(item);
  }
  return items;
};

const commit = (sequence, previous, more) => ({ sequence, previous, hash: `hash ${sequence}`, text: `text ${sequence}\n`, state: `state ${sequence}`, ...more });

const POLICY = { window: 2_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0 };

const opened = ({ openConversation }, store, id, more) =>
  openConversation({ store, id, format: "openai-chat", policy: POLICY, summarize: () => "They worked.", ...more });

const json = (messages) => messages.map((message) => JSON.stringify(message));

for (const { name, skip, open } of STORES) {
  describe(`the store ${name}`, { skip }, () => {
    let stage;
    before(async () => {
      stage = await open();
    });
    after(() => stage?.close());

    test(`h2: ${name}: a commit is stored only behind the one that the writer knows`, async () => {
      const { store } = stage;
      assert.equal(await store.head("a"), undefined);
      const { epoch, ...head } = await store.claim("a");
      assert.deepEqual(head, { sequence: 0, hash: "", state: "", jobs: [] });
      assert.equal(await store.commit("a", commit(1, "", { epoch })), true);
      for (const wrong of [commit(1, "", { epoch }), commit(2, "another", { epoch }), commit(3, "hash 1", { epoch })]) {
        assert.equal(await store.commit("a", wrong), false, JSON.stringify(wrong));
      }
      assert.equal(await store.commit("a", commit(2, "hash 1", { epoch })), true);
      assert.deepEqual(await store.head("a"), { sequence: 2, hash: "hash 2", epoch, state: "state 2", jobs: [] });
      assert.deepEqual(await all(store.load("a")), [1, 2].map((sequence) => ({ sequence, hash: `hash ${sequence}`, text: `text ${sequence}\n` })));
      assert.deepEqual((await all(store.load("a", 1))).map(({ sequence }) => sequence), [2]);
    });

    test(`h2: ${name}: a writer that takes over has a later epoch, and earlier writers are refused`, async () => {
      const { store } = stage;
      const other = await stage.another();
      const first = await store.claim("b");
      assert.equal(await store.commit("b", commit(1, "", { epoch: first.epoch })), true);
      const second = await other.claim("b");
      assert.deepEqual([second.epoch, second.sequence], [first.epoch + 1, 1]);
      assert.equal(await store.commit("b", commit(2, "hash 1", { epoch: first.epoch })), false);
      assert.equal(await store.cut("b", undefined, first.epoch), false);
      assert.equal(await store.commit("b", commit(2, "hash 1")), true, "a writer without an epoch, such as a job");
      assert.equal(await other.commit("b", commit(3, "hash 2", { epoch: second.epoch })), true);
    });

    test(`h2: ${name}: of many writers at the same time one succeeds, and its commit is whole`, async () => {
      const writers = await Promise.all(Array.from({ length: 4 }, () => stage.another()));
      for (let sequence = 1; sequence <= 25; sequence += 1) {
        const tries = writers.map((store, writer) =>
          store.commit("c", commit(sequence, sequence === 1 ? "" : `hash ${sequence - 1}`, { text: `${writer} `, state: `${writer} `, job: `job ${writer}` })),
        );
        const stored = (await Promise.all(tries)).flatMap((isStored, writer) => (isStored ? [writer] : []));
        assert.equal(stored.length, 1);
        const [{ text }] = await all(writers[0].load("c", sequence - 1));
        const head = await writers[0].head("c");
        assert.deepEqual([text, head.state, head.jobs.at(-1), head.sequence], [`${stored} `, `${stored} `, `job ${stored}`, sequence]);
        assert.equal(head.jobs.length, Math.min(sequence, 16));
      }
    });

    test(`h3: ${name}: any text comes back as it was, and 1,000 commits in order`, async () => {
      const { store } = stage;
      const texts = [JSON.stringify("\0 \u2028 \ud800 ' \" \\ $1 %s"), "ä 漢字 🌹\n".repeat(50_000), ""];
      let previous = "";
      for (let sequence = 1; sequence <= 1_000; sequence += 1) {
        const text = texts[sequence - 1] ?? `text ${sequence}`;
        assert.equal(await store.commit("d '\"", commit(sequence, previous, { text })), true);
        previous = `hash ${sequence}`;
      }
      const found = await all(store.load("d '\""));
      assert.deepEqual(found.slice(0, 3).map(({ text }) => text), texts);
      assert.deepEqual(found.map(({ sequence }) => sequence), Array.from({ length: 1_000 }, (_, index) => index + 1));
    });

    test(`h3: ${name}: texts of megabytes come back whole, also in place of others`, async () => {
      const { store } = stage;
      // Surrogate pairs at even and at odd places, so that one of them is wherever a text may be divided.
      const long = (letter, length) => `${letter}${"🌹".repeat(length / 4)}${letter}${"🌹".repeat(length / 4)}`;
      const { epoch } = await store.claim("f");
      const texts = [long("a", 1_200_000), long("b", 3_000_000), long("c", 600_000)];
      for (const [index, text] of texts.entries()) {
        assert.equal(await store.commit("f", commit(index + 1, index === 0 ? "" : `hash ${index}`, { epoch, text })), true);
      }
      const read = async () => (await all(store.load("f"))).map(({ text }) => text);
      assert.deepEqual(await read(), texts);
      const [first] = await all(store.load("f"));
      assert.equal(await store.cut("f", first, epoch), true);
      assert.deepEqual(await read(), texts.slice(0, 1));
      assert.equal(await store.commit("f", commit(2, "hash 1", { epoch, text: long("d", 700_000) })), true);
      assert.deepEqual(await read(), [texts[0], long("d", 700_000)]);
      for (const text of [long("e", 2_000_000), long("f", 800_000), "short"]) {
        const derived = { sequence: 2, hash: "hash 2", text };
        await store.setDerived("f", "index", derived);
        assert.deepEqual(await store.derived("f", "index"), derived);
        assert.deepEqual(await read(), [texts[0], long("d", 700_000)]);
      }
      await store.delete("f");
      assert.deepEqual(await read(), []);
    });

    test(`h3: ${name}: conversations are listed by their ids, and deleted with their commits`, async () => {
      const { store } = stage;
      for (const id of ["z:2", "z:1", "Z"]) {
        await store.commit(id, commit(1, ""));
      }
      const listed = (await all(store.list())).filter(({ id }) => /^z/i.test(id));
      assert.deepEqual(listed, ["Z", "z:1", "z:2"].map((id) => ({ id, sequence: 1 })));
      await store.delete("z:1");
      await store.delete("no such conversation");
      assert.equal(await store.head("z:1"), undefined);
      assert.deepEqual(await all(store.load("z:1")), []);
      assert.equal((await store.claim("z:1")).sequence, 0, "it can begin again");
    });

    test(`h2: ${name}: what was derived from a conversation is kept under its name until that is deleted`, async () => {
      const { store } = stage;
      const derived = (sequence, text) => ({ sequence, hash: `hash ${sequence}`, text });
      await store.setDerived("y", "index", derived(1, "of nothing"));
      assert.deepEqual([await store.derived("y", "index"), await store.head("y")], [undefined, undefined], "there is no conversation");
      await store.commit("y", commit(1, ""));
      await store.setDerived("y", "index", derived(1, "old"));
      await store.setDerived("y", "index", derived(1, "ä 漢字 🌹\n"));
      await store.setDerived("y", "tail", derived(0, ""));
      assert.deepEqual(await store.derived("y", "index"), derived(1, "ä 漢字 🌹\n"));
      assert.deepEqual(await store.derived("y", "tail"), derived(0, ""));
      await store.delete("y");
      await store.commit("y", commit(1, ""));
      assert.deepEqual([await store.derived("y", "index"), await store.derived("y", "tail")], [undefined, undefined]);
    });

    both(`h2: ${name}: the end of a conversation is read by itself, and is what all of it shows`, async (place) => {
      const { store } = stage;
      const tail = () => readTail({ store, id: `${place.name}:6` });
      // A compaction does not wait until its end is kept.
      let kept;
      const keeping = new Promise((resolve) => (kept = resolve));
      const setDerived = (...given) => store.setDerived(...given).then(kept);
      const { compactor, close } = await opened(place, { ...store, setDerived }, `${place.name}:6`);
      await compactor.append([said("system", "Be brief."), ...chatOf(40)]);
      await compactor.commit();
      assert.equal(await tail(), undefined, "nothing was compacted");
      await compactor.compact();
      await keeping;
      assert.deepEqual((await tail())?.messages, await compactor.messages());
      await compactor.append([said("user", "And now?"), said("assistant", "Now")]);
      await compactor.commit();
      const [, last] = await compactor.append([said("user", "Well?"), said("assistant", "W")]);
      await compactor.edit(last, said("assistant", "Well."));
      await compactor.commit();
      const { messages, sequence } = await tail();
      assert.deepEqual([messages, sequence], [await compactor.messages(), 4]);
      assert.equal(messages.at(-1).content, "Well.");
      await close();
    });

    both(`h2: ${name}: a compaction is stored before it is applied, and comes back with its summary and its marks`, async (place) => {
      const { store } = stage;
      const { compactor, close, sequence } = await opened(place, store, `${place.name}:1`);
      await compactor.append(chatOf(40));
      await compactor.commit();
      const { outcome } = await compactor.compact();
      assert.deepEqual([outcome, await sequence()], ["applied", 2]);
      await compactor.append(said("user", "And now?"));
      await compactor.commit();
      await compactor.commit();
      assert.equal(await sequence(), 3, "nothing new, no commit");
      const expected = [await compactor.messages(), await compactor.history(), await compactor.compacted(), await compactor.status()];
      await close();
      const again = await opened(place, await stage.another(), `${place.name}:1`);
      const { compactor: restored } = again;
      assert.deepEqual([await restored.messages(), await restored.history(), await restored.compacted(), await restored.status()], expected);
      assert.equal(again.damage, undefined);
      await again.close();
    });

    both(`h2: ${name}: what a stale writer has is refused, and says so; nothing of it is stored`, async (place) => {
      const { store } = stage;
      const first = await opened(place, store, `${place.name}:2`);
      await first.compactor.append(chatOf(40));
      await first.compactor.commit();
      const second = await opened(place, await stage.another(), `${place.name}:2`);
      await first.compactor.append(said("user", "lost?"));
      await assert.rejects(first.compactor.commit(), { code: "conflict" });
      const report = await first.compactor.compact();
      assert.deepEqual([report.outcome, /another writer/.test(report.message)], ["failed", true]);
      assert.equal((await first.compactor.compacted()).length, 0, "it was not applied");
      await second.compactor.append(said("user", "kept"));
      await second.compactor.commit();
      const { compactor } = await opened(place, store, `${place.name}:2`);
      assert.deepEqual((await compactor.history()).slice(40), [said("user", "kept")]);
    });

    both(`h3: ${name}: what is damaged is cut off behind the last whole commit, and named`, async (place) => {
      const { store, damage } = stage;
      const { compactor, close } = await opened(place, store, `${place.name}:3`);
      for (const text of ["one", "two", "three", "four"]) {
        await compactor.append(said("user", text));
        await compactor.commit();
      }
      await close();
      const [, , third] = await all(store.load(`${place.name}:3`));
      await damage(`${place.name}:3`, 3, third.text.replace("three", "throw"));
      const again = await opened(place, store, `${place.name}:3`);
      assert.deepEqual(json(await again.compactor.history()), json([said("user", "one"), said("user", "two")]));
      assert.deepEqual([again.damage.whole, again.damage.lost, again.damage.texts.length], [2, 2, 2]);
      assert.match(again.damage.texts[1], /four/);
      await again.compactor.append(said("user", "five"));
      await again.compactor.commit();
      await again.close();
      const last = await opened(place, store, `${place.name}:3`);
      assert.deepEqual([last.damage, (await last.compactor.history()).length], [undefined, 3]);
    });

    both(`h3: ${name}: what is cut off because it is damaged stays in the store until the app deletes it`, async (place) => {
      const { store, damage } = stage;
      const { compactor, close } = await opened(place, store, `${place.name}:7`);
      const say = async (chat, text) => {
        await chat.append(said("user", text));
        await chat.commit();
      };
      for (const text of ["one", "two", "three", "four"]) {
        await say(compactor, text);
      }
      await close();
      assert.deepEqual(await readDamage(store, `${place.name}:7`), []);
      const { state } = await store.head(`${place.name}:7`);
      const commits = await all(store.load(`${place.name}:7`));
      const spoilt = (number, word) => commits[number - 1].text.replace(word, "spoilt");
      await damage(`${place.name}:7`, 3, spoilt(3, "three"));
      // A process that ends before it has cut the damage off leaves all of it to the next one.
      await assert.rejects(opened(place, { ...store, cut: () => Promise.reject(new Error("the process ends")) }, `${place.name}:7`), /the process ends/);
      const again = await opened(place, await stage.another(), `${place.name}:7`);
      const first = { whole: 2, lost: 2, texts: [spoilt(3, "three"), commits[3].text], state };
      assert.deepEqual([again.damage, await readDamage(store, `${place.name}:7`)], [first, [first]]);
      await say(again.compactor, "five");
      await again.close();
      const [, , third] = await all(store.load(`${place.name}:7`));
      await damage(`${place.name}:7`, 1, spoilt(1, "one"));
      const last = await opened(place, store, `${place.name}:7`);
      assert.deepEqual(await last.compactor.history(), []);
      assert.deepEqual((await readDamage(store, `${place.name}:7`)).map(({ whole, texts }) => [whole, texts]), [
        [2, first.texts],
        [0, [spoilt(1, "one"), commits[1].text, third.text]],
      ]);
      const use = async () => (await storageUse(store)).conversations.find(({ id }) => id === `${place.name}:7`);
      const [full, text] = [await use(), JSON.stringify(await readDamage(store, `${place.name}:7`))];
      await forgetDamage(store, `${place.name}:7`);
      assert.deepEqual(await readDamage(store, `${place.name}:7`), []);
      // An empty list is left.
      const freed = await use();
      assert.deepEqual([full.damagedBytes, freed.damagedBytes, full.bytes - freed.bytes], [text.length, 2, text.length - 2]);
      await last.close();
    });

    both(`h3: ${name}: a conversation is not cut off if what is damaged cannot be kept`, async (place) => {
      const { store, damage } = stage;
      const { compactor, close } = await opened(place, store, `${place.name}:8`);
      for (const text of ["one", "two"]) {
        await compactor.append(said("user", text));
        await compactor.commit();
      }
      await close();
      const commits = await all(store.load(`${place.name}:8`));
      await damage(`${place.name}:8`, 1, "spoilt");
      await assert.rejects(opened(place, { ...store, setDerived: () => Promise.reject(new Error("the disk is full")) }, `${place.name}:8`), /the disk is full/);
      assert.deepEqual((await all(store.load(`${place.name}:8`))).map(({ text }) => text), ["spoilt", commits[1].text]);
    });

    both(`h3: ${name}: what the app encrypts is nowhere in clear, and is exported in clear`, async (place) => {
      const { store } = stage;
      const key = randomBytes(32);
      const cipher = {
        encrypt: (text) => {
          const iv = randomBytes(12);
          const aes = createCipheriv("aes-256-gcm", key, iv);
          return Buffer.concat([iv, aes.update(text, "utf8"), aes.final(), aes.getAuthTag()]).toString("base64");
        },
        decrypt: (text) => {
          const bytes = Buffer.from(text, "base64");
          const aes = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(-16));
          return Buffer.concat([aes.update(bytes.subarray(12, -16)), aes.final()]).toString("utf8");
        },
      };
      const { compactor, close } = await opened(place, store, `${place.name}:4`, { cipher });
      await compactor.append([...chatOf(40), said("user", "a rose")]);
      await compactor.commit();
      await compactor.compact();
      const view = await compactor.messages();
      await close();
      const stored = JSON.stringify([await all(store.load(`${place.name}:4`)), await store.head(`${place.name}:4`), await store.derived(`${place.name}:4`, "tail")]);
      // Each with a character that Base64 does not have: four letters alone come up in it by chance.
      const clear = ["a rose", "They worked", '"record', '\\"record'];
      assert.deepEqual(clear.filter((text) => stored.includes(text)), []);
      const exported = (await all(exportConversation(store, `${place.name}:4`, { cipher }))).join("");
      assert.deepEqual(clear.slice(0, 3).filter((text) => !exported.includes(text)), []);
      await importConversation(store, `${place.name}:5`, exported);
      assert.deepEqual(await (await opened(place, store, `${place.name}:5`)).compactor.messages(), view);
      assert.deepEqual(await (await opened(place, store, `${place.name}:4`, { cipher })).compactor.messages(), view);
    });
  });
}
