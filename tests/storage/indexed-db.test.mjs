// The store in IndexedDB when the browser, the disk or another tab gets in its way.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { both } from "../node/places.mjs";
import { generator } from "../node/random.mjs";
import { noBrowser, startBrowser, storeOf } from "./browser.mjs";

describe("the store in IndexedDB", { skip: noBrowser }, () => {
  let browser;
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser?.close());

  /** A tab in which `conversation` opens one, with engine and storage in the page or in a worker. */
  const tabOf = async ({ name }) => {
    const page = await browser.tab();
    await page.evaluate((where) => {
      const open = where === "here" ? globalThis.storage.openConversation : globalThis.worker.openWorkerConversation;
      globalThis.conversation = (id) => open({ store: globalThis.store, id, format: "openai-chat" });
    }, name);
    return page;
  };

  /** Makes a tab store commits one after the other, and calls back with the number of each that was confirmed. */
  const writing = async (page, id, confirmed) => {
    await page.exposeFunction("confirmed", confirmed);
    return page.evaluate(async (conversation) => {
      const { compactor } = await globalThis.conversation(conversation);
      void (async () => {
        for (let number = 1; ; number += 1) {
          await compactor.append([{ role: "user", content: `question ${number}` }, { role: "assistant", content: `answer ${number}` }]);
          await compactor.commit();
          globalThis.confirmed(number);
        }
      })();
    }, id);
  };

  /** Waits until more than this many of these commits are confirmed. The tab goes on. Returns a function that counts them. */
  const writingUntil = async (page, id, most) => {
    let last = 0;
    let reached;
    const isReached = new Promise((resolve) => {
      reached = resolve;
    });
    await writing(page, id, (number) => {
      last = number;
      if (number > most) {
        reached();
      }
    });
    await isReached;
    return () => last;
  };

  /** What another tab reads: how many messages, and what is damaged. */
  const read = (page, id) =>
    page.evaluate(async (conversation) => {
      const { compactor, damage, close } = await globalThis.conversation(conversation);
      const texts = (await compactor.history()).map(({ content }) => content);
      await close();
      return { texts, damage };
    }, id);

  both("h2: a tab that is closed at any time has lost nothing that was confirmed, and nothing is there by half or twice", async (place) => {
    const { below } = generator(7);
    const reader = await tabOf(place);
    for (let round = 0; round < (place.name === "here" ? 20 : 6); round += 1) {
      const page = await tabOf(place);
      const id = `closed ${round} ${place.name}`;
      const confirmed = await writingUntil(page, id, below(12));
      await page.close();
      const { texts, damage } = await read(reader, id);
      assert.deepEqual([damage, texts.length % 2], [undefined, 0]);
      assert.ok(texts.length / 2 >= confirmed(), `${texts.length / 2} stored, ${confirmed()} confirmed`);
      assert.deepEqual(texts, Array.from({ length: texts.length / 2 }, (_, index) => [`question ${index + 1}`, `answer ${index + 1}`]).flat());
    }
  });

  both("h2: a browser that is killed while a tab writes has all that was confirmed on the disk, and nothing is there by half or twice", async (place) => {
    const { below } = generator(11);
    for (let round = 0; round < (place.name === "here" ? 5 : 2); round += 1) {
      const page = await tabOf(place);
      const id = `killed ${round} ${place.name}`;
      const confirmed = await writingUntil(page, id, below(12));
      assert.ok(browser.databases().includes(id), "the database is in files");
      await browser.restart();
      const { texts, damage } = await read(await tabOf(place), id);
      assert.deepEqual([damage, texts.length % 2], [undefined, 0]);
      assert.ok(texts.length / 2 >= confirmed(), `${texts.length / 2} stored, ${confirmed()} confirmed`);
      assert.deepEqual(texts, Array.from({ length: texts.length / 2 }, (_, index) => [`question ${index + 1}`, `answer ${index + 1}`]).flat());
    }
  });

  test("h2: two tabs that write to one conversation never make two histories of it", async () => {
    const tabs = await Promise.all([browser.tab(), browser.tab()]);
    const done = await Promise.all(
      tabs.map((page, tab) =>
        page.evaluate(async (own) => {
          let confirmed = 0;
          for (let tries = 0; tries < 500; tries += 1) {
            const head = await globalThis.store.head("raced");
            const [sequence, previous] = [(head?.sequence ?? 0) + 1, head?.hash ?? ""];
            confirmed += Number(await globalThis.store.commit("raced", { sequence, previous, hash: `${own} ${sequence}`, text: "", state: "" }));
          }
          return confirmed;
        }, tab),
      ),
    );
    const stored = [];
    for await (const { sequence } of storeOf(tabs[0]).load("raced")) {
      stored.push(sequence);
    }
    assert.deepEqual(stored, Array.from({ length: done[0] + done[1] }, (_, index) => index + 1));
  });

  both("h2: data that is deleted under an open connection is noticed: the next commit is refused, and the conversation is in memory", async (place) => {
    const page = await tabOf(place);
    const devtools = await page.context().newCDPSession(page);
    await page.evaluate(async () => {
      globalThis.open = await globalThis.conversation("deleted");
      await globalThis.open.compactor.append({ role: "user", content: "one" });
      await globalThis.open.compactor.commit();
    });
    await devtools.send("Storage.clearDataForOrigin", { origin: browser.origin, storageTypes: "indexeddb" });
    const seen = await page.evaluate(async () => {
      const { compactor } = globalThis.open;
      await compactor.append({ role: "user", content: "two" });
      const refused = await compactor.commit().then(() => "stored", ({ code }) => code);
      return { refused, texts: (await compactor.history()).map(({ content }) => content) };
    });
    assert.deepEqual(seen, { refused: "conflict", texts: ["one", "two"] });
    assert.equal(await storeOf(page).head("deleted"), undefined, "and the store can be used again");
  });

  test("h2: a disk that is full refuses the commit, and has it once there is space", async () => {
    const page = await browser.tab();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Storage.overrideQuotaForOrigin", { origin: browser.origin, quotaSize: 1_000 });
    const full = await page.evaluate(async () => {
      globalThis.open = await globalThis.storage.openConversation({ store: globalThis.storage.memoryStore(), id: "full", format: "openai-chat" });
      const { compactor } = globalThis.open;
      compactor.append({ role: "user", content: "x".repeat(2_000_000) });
      globalThis.big = { sequence: 1, previous: "", hash: "h", text: compactor.history()[0].content, state: "" };
      return globalThis.store.commit("full", globalThis.big).then(() => "stored", ({ name }) => name);
    });
    assert.equal(full, "QuotaExceededError");
    await devtools.send("Storage.overrideQuotaForOrigin", { origin: browser.origin });
    assert.deepEqual(await page.evaluate(async () => [await globalThis.store.head("full"), await globalThis.store.commit("full", globalThis.big)]), [undefined, true]);
  });

  test("h3: IndexedDB: nothing is left of long texts once their conversation, their commits or their index are gone", async () => {
    const page = await browser.tab();
    const rows = () =>
      page.evaluate(
        () =>
          new Promise((resolve) => {
            const request = indexedDB.open("epitome");
            request.onsuccess = () => {
              const counted = request.result.transaction("parts").objectStore("parts").count();
              counted.onsuccess = () => resolve((request.result.close(), counted.result));
            };
          }),
      );
    const store = storeOf(page);
    const before = await rows();
    const text = "tulips ".repeat(200_000);
    const { epoch } = await store.claim("long");
    const commit = (sequence, previous) => ({ sequence, previous, hash: `hash ${sequence}`, text, state: "", epoch });
    await store.commit("long", commit(1, ""));
    const ofOne = (await rows()) - before;
    assert.ok(ofOne > 0);
    await store.commit("long", commit(2, "hash 1"));
    await store.setDerived("long", "index", { sequence: 2, hash: "hash 2", text });
    assert.equal(await rows(), before + 3 * ofOne);
    await store.cut("long", { sequence: 1, hash: "hash 1", text: "" }, epoch);
    assert.equal(await rows(), before + 2 * ofOne);
    await store.setDerived("long", "index", { sequence: 1, hash: "hash 1", text: "short" });
    assert.equal(await rows(), before + ofOne);
    await store.delete("long");
    assert.equal(await rows(), before);
  });

  test("h2: another tab that deletes the database does not hang, and the store makes it again", async () => {
    const [page, other] = await Promise.all([browser.tab(), browser.tab()]);
    await storeOf(page).claim("before");
    const gone = await other.evaluate(
      () =>
        new Promise((resolve) => {
          const request = indexedDB.deleteDatabase("epitome");
          request.onsuccess = () => resolve("deleted");
          request.onblocked = () => resolve("blocked");
        }),
    );
    assert.equal(gone, "deleted");
    assert.equal(await storeOf(page).head("before"), undefined);
    assert.equal((await storeOf(page).claim("after")).epoch, 1);
  });
});
