// Faults that a real browser is made to have by its own debugging protocol: tabs that die, disks that are full, data that is
// deleted and databases that are changed while a conversation is open. `EPITOME_FAULTS=full` tries many more of them.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { generator } from "../node/random.mjs";
import { noBrowser, startBrowser } from "./browser.mjs";

const isFull = process.env.EPITOME_FAULTS === "full";

describe("a conversation in a browser in which things go wrong", { skip: noBrowser }, () => {
  let browser;
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser?.close());

  /** A tab with what the tests need, which opens nothing yet. */
  const started = async (origin) => {
    const page = await browser.tab(origin);
    await page.evaluate(() => {
      const waiting = new Set();
      globalThis.events = [];
      globalThis.words = 150;
      globalThis.until = (holds) =>
        new Promise((resolve) => {
          const check = () => holds() && (waiting.delete(check), resolve());
          waiting.add(check);
          check();
        });
      globalThis.conversation = async (id, more) =>
        (globalThis.open = await globalThis.storage.openConversation({
          store: globalThis.store,
          id,
          format: "openai-chat",
          policy: { window: 4_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0 },
          summarize: () => "They worked.",
          onEvent: ({ type }) => globalThis.events.push(type),
          tabs: { onChange: () => waiting.forEach((check) => check()) },
          ...more,
        }));
      globalThis.texts = () => globalThis.open.compactor.history().map(({ content }) => content);
      // Words that hardly repeat: Chromium compresses what it writes to the disk, and counts what is left of it as used.
      const words = (count) => {
        let state = 1;
        return Array.from({ length: count }, () => {
          state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
          return (state >>> 8).toString(36).slice(-4).padStart(4, "0");
        }).join(" ");
      };
      globalThis.append = (text) => globalThis.open.compactor.append({ role: "user", content: `${text} ${words(globalThis.words)}` });
      globalThis.say = (text) => (globalThis.append(text), globalThis.open.compactor.commit());
    });
    return page;
  };

  const crash = async (page) => {
    const devtools = await page.context().newCDPSession(page);
    const crashed = new Promise((resolve) => page.once("crash", resolve));
    devtools.send("Page.crash").catch(() => {});
    await crashed;
    await page.close();
  };

  /** The numbers that the texts of a history begin with. */
  const numbers = (texts) => texts.map((text) => Number(text.split(" ", 1)[0]));
  const upTo = (count) => Array.from({ length: count }, (_, index) => index);

  const kills = isFull ? 100 : 12;

  test(`h2: tabs that die before, during and after a commit, at ${kills} points: what was shown as saved is there, once, and another tab goes on`, async (context) => {
    const { below, one } = generator(181);
    const heir = await started();
    const seen = {};
    for (let round = 0; round < kills; round += 1) {
      const point = one(["before", "between", "committing", "after"]);
      const at = 1 + below(6);
      const isCompaction = below(3) === 0;
      const page = await started();
      let saved = 0;
      const killed = new Promise((resolve) => {
        void page.exposeFunction("saved", (count) => {
          saved = count;
        });
        void page.exposeFunction("kill", resolve);
      });
      const id = `killed ${round}`;
      await page.evaluate(
        async ([conversation, where, commits, compacts]) => {
          await globalThis.conversation(conversation);
          const never = new Promise(() => {});
          let isArmed = false;
          const { put } = IDBObjectStore.prototype;
          let puts = 0;
          IDBObjectStore.prototype.put = function (...given) {
            const request = Reflect.apply(put, this, given);
            puts += Number(isArmed);
            if (where === "between" && puts === 1) {
              // The transaction stays open: each request makes another one.
              const again = () => (this.get("").onsuccess = again);
              again();
              globalThis.kill();
            } else if (where === "committing" && puts === 2) {
              globalThis.kill();
            }
            return request;
          };
          void (async () => {
            for (let number = 0; number < commits; number += 1) {
              await globalThis.say(`${number}`);
              await globalThis.saved(number + 1);
            }
            isArmed = true;
            if (where === "before") {
              globalThis.append(`${commits}`);
              await globalThis.kill();
              await never;
            }
            await (compacts ? globalThis.open.compactor.compact() : globalThis.say(`${commits}`));
            await globalThis.saved(commits + Number(!compacts));
            await globalThis.kill();
          })();
        },
        [id, point, at, isCompaction && at > 2 && point !== "before"],
      );
      await killed;
      await crash(page);
      const found = await heir.evaluate(async (conversation) => {
        const { damage, role } = await globalThis.conversation(conversation);
        await globalThis.until(() => globalThis.open.role() === "writer");
        const before = globalThis.texts();
        await globalThis.say(`${before.length}`);
        const after = globalThis.texts();
        globalThis.open.close();
        return { damage, role: role.length, before, after, compacted: globalThis.open.sequence() };
      }, id);
      assert.equal(found.damage, undefined, `${round} ${point}`);
      assert.ok(found.before.length >= saved, `${round} ${point}: ${found.before.length} stored, ${saved} shown as saved`);
      assert.ok(found.before.length <= at + 1);
      if (point === "before" || point === "between") {
        assert.equal(found.before.length, at, `${round} ${point}: nothing by half`);
      }
      assert.deepEqual(numbers(found.after), upTo(found.before.length + 1));
      seen[point] = (seen[point] ?? 0) + 1;
    }
    context.diagnostic(JSON.stringify(seen));
    assert.equal(Object.keys(seen).length, 4, "every kind of point was tried");
  });

  const operations = isFull ? 10_000 : 400;

  test(`h2: two tabs that race for one conversation, ${operations} operations: one history with each confirmed message once, and none that was refused`, async (context) => {
    const tabs = await Promise.all([started(), started()]);
    const done = await Promise.all(
      tabs.map((page, tab) =>
        page.evaluate(
          async ([own, count]) => {
            let state = own + 12_345;
            const below = (most) => {
              state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
              return (state >>> 8) % most;
            };
            const [confirmed, refused] = [[], []];
            const counts = { commits: 0, takeOvers: 0, opened: 1, compactions: 0, refused: 0 };
            globalThis.words = 10;
            await globalThis.conversation("raced");
            for (let number = 0; number < count; number += 1) {
              const choice = below(100);
              if (globalThis.open.role() === "stale" || choice < 2) {
                globalThis.open.close();
                await globalThis.conversation("raced");
                counts.opened += 1;
              } else if (choice < 5) {
                await globalThis.open.takeOver().then(() => (counts.takeOvers += 1), () => (counts.refused += 1));
              } else if (choice < 7) {
                await globalThis.open.compactor.compact().then(({ outcome }) => (counts.compactions += Number(outcome === "applied")), () => (counts.refused += 1));
              } else {
                const text = `${own}:${number}`;
                try {
                  await globalThis.say(text);
                  confirmed.push(text);
                  counts.commits += 1;
                } catch ({ code }) {
                  if (code !== "conflict" && code !== "disposed") {
                    throw new Error(`${code}`);
                  }
                  refused.push(text);
                  counts.refused += 1;
                  // The other tab gets some time in front of this one, as it would have if users typed.
                  await new Promise((resolve) => setTimeout(resolve));
                }
              }
            }
            if (globalThis.open.role() === "writer") {
              await globalThis.open.compactor.commit().then(() => undefined, () => undefined);
            }
            globalThis.open.close();
            return { confirmed, refused, counts };
          },
          [tab, operations / 2],
        ),
      ),
    );
    const { texts, damage, sequence } = await tabs[0].evaluate(async () => {
      const { damage } = await globalThis.conversation("raced");
      await globalThis.until(() => globalThis.open.role() === "writer");
      return { texts: globalThis.texts(), damage, sequence: globalThis.open.sequence() };
    });
    const stored = texts.map((text) => text.split(" ", 1)[0]);
    const confirmed = done.flatMap((tab) => tab.confirmed);
    context.diagnostic(`${sequence} commits, ${stored.length} messages; ${JSON.stringify(done.map(({ counts }) => counts))}`);
    assert.equal(damage, undefined);
    assert.equal(new Set(stored).size, stored.length, "nothing twice");
    const known = new Set(stored);
    assert.deepEqual(confirmed.filter((text) => !known.has(text)), [], "nothing lost that was confirmed");
    assert.deepEqual([...stored].sort(), [...confirmed].sort(), "and nothing else");
    for (const tab of [0, 1]) {
      const own = stored.filter((text) => text.startsWith(`${tab}:`)).map((text) => Number(text.slice(2)));
      assert.deepEqual(own, [...own].sort((one, other) => one - other), "in order");
    }
    assert.ok(done.every(({ counts }) => counts.commits > 0 && counts.refused > 0 && counts.takeOvers > 0));
  });

  test("h2: a disk that is full at any write: the chat goes on in memory, says so, and stores everything once there is space", async (context) => {
    /** Opens a conversation and writes to it. At the write of this number the disk is full. Returns what was seen. */
    const lived = async (full) => {
      // Chromium asks for the quota again only once a write is larger than the space that it had found before. So each
      // conversation has its own origin with 1 MB, and is larger than that at the write in question.
      const origin = browser.origin.replace("127.0.0.1", `full-${full}.localhost`);
      const page = await started(origin);
      const devtools = await page.context().newCDPSession(page);
      const quota = (quotaSize) => devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize });
      await page.exposeFunction("quota", quota);
      await quota(1_000_000);
      const seen = await page.evaluate(async (at) => {
        const id = "full";
        let writes = 0;
        const refused = [];
        const really = globalThis.store;
        const limited = (method) => async (...given) => {
          writes += 1;
          if (writes !== at) {
            return really[method](...given);
          }
          await globalThis.quota(1);
          try {
            return await really[method](...given);
          } catch (error) {
            refused.push(error.name);
            throw error;
          } finally {
            await globalThis.quota(1_000_000_000);
          }
        };
        const store = { ...really, claim: limited("claim"), commit: limited("commit") };
        const failures = [];
        const attempt = (work) => Promise.resolve().then(work).catch(({ name }) => failures.push(name));
        globalThis.events.length = 0;
        await attempt(() => globalThis.conversation(id, { store, tabs: undefined }));
        if (failures.length > 0) {
          await globalThis.conversation(id, { store, tabs: undefined });
        }
        const { compactor } = globalThis.open;
        const named = [];
        for (let number = 0; number < 6; number += 1) {
          globalThis.words = writes + 1 === at ? 300_000 : 150;
          const before = failures.length + globalThis.events.filter((type) => type === "saveFailed").length;
          const [last] = globalThis.append(`${number}`);
          if (number === 4) {
            // A compaction stores what is new as well.
            const { outcome } = await compactor.compact();
            named.push(outcome);
          } else {
            await attempt(() => compactor.commit());
          }
          const failed = failures.length + globalThis.events.filter((type) => type === "saveFailed").length - before;
          named.push(`${compactor.saveState(last)} ${failed}`);
        }
        const archive = await globalThis.open.archive();
        const [texts, view] = [globalThis.texts(), JSON.stringify(compactor.messages())];
        await compactor.commit();
        const state = compactor.saveState();
        globalThis.open.close();
        await globalThis.conversation(id, { tabs: undefined });
        const isSame = globalThis.texts().join() === texts.join() && JSON.stringify(globalThis.open.compactor.messages()) === view;
        const { damage } = globalThis.open;
        globalThis.open.close();
        const copy = globalThis.storage.memoryStore();
        await globalThis.storage.importConversation(copy, id, archive);
        await globalThis.conversation(id, { store: copy, tabs: undefined });
        const isArchived = globalThis.texts().join() === texts.join();
        return { writes, refused, named, state, texts: texts.map((text) => text.slice(0, 8)), isSame, isArchived, damage, isCompacted: view.includes("They worked.") };
      }, full);
      await page.close();
      return seen;
    };
    const { writes, named } = await lived(0);
    context.diagnostic(`${writes} writes`);
    assert.deepEqual(named, ["saved 0", "saved 0", "saved 0", "saved 0", "applied", "saved 0", "saved 0"]);
    for (let write = 1; write <= writes; write += 1) {
      const seen = await lived(write);
      assert.deepEqual(seen.refused, ["QuotaExceededError"], `${write}`);
      assert.deepEqual([numbers(seen.texts), seen.state, seen.isSame, seen.isArchived, seen.damage, seen.isCompacted], [upTo(6), "saved", true, true, undefined, true], `${write}`);
      assert.equal(seen.named.filter((name) => name === "unsaved 1").length, Number(write > 1), `${write}: ${seen.named}`);
    }
  });

  test("h2: on a disk that stays full, messages are named as not saved, and what takes space is listed with what its deletion frees", async () => {
    const origin = browser.origin.replace("127.0.0.1", "stays-full.localhost");
    const page = await started(origin);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1_000_000 });
    await page.evaluate(async () => {
      await globalThis.conversation("large", { tabs: undefined });
      globalThis.open.compactor.append({ role: "user", content: "ä".repeat(10_000) });
      await globalThis.open.compactor.commit();
      globalThis.open.close();
      await globalThis.conversation("stays full", { tabs: undefined });
      await globalThis.say("0");
    });
    const full = await page.evaluate(async () => {
      const { compactor } = globalThis.open;
      globalThis.words = 300_000;
      const [id] = globalThis.append("1");
      const refused = [];
      for (let tries = 0; tries < 3; tries += 1) {
        refused.push(await compactor.commit().then(() => "stored", ({ name }) => name));
      }
      const use = await globalThis.storage.storageUse(globalThis.store);
      return {
        refused,
        states: [compactor.saveState("m0"), compactor.saveState(id), compactor.saveState(), globalThis.open.role()],
        conversations: use.conversations.map(({ id: name, bytes }) => [name, Math.round(bytes / 10_000)]),
        isMeasured: use.usedBytes > 0 && use.quotaBytes > use.usedBytes,
        isPersisted: [use.isPersisted, await globalThis.storage.persistStorage()].every((is) => typeof is === "boolean"),
        isArchived: (await globalThis.open.archive()).includes('"content":"1 '),
      };
    });
    assert.deepEqual(full, {
      refused: Array(3).fill("QuotaExceededError"),
      states: ["saved", "unsaved", "unsaved", "writer"],
      // Two bytes for each letter, in the record and in the app's message.
      conversations: [["large", 4], ["stays full", 0]],
      isMeasured: true,
      isPersisted: true,
      isArchived: true,
    });
    await devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1_000_000_000 });
    const freed = await page.evaluate(async () => {
      await globalThis.store.delete("large");
      await globalThis.open.compactor.commit();
      const { conversations } = await globalThis.storage.storageUse(globalThis.store);
      return { ids: conversations.map(({ id }) => id), state: globalThis.open.compactor.saveState() };
    });
    assert.deepEqual(freed, { ids: ["stays full"], state: "saved" });
  });

  const clearings = isFull ? 20 : 3;

  test(`h2: data that is deleted under open tabs, at ${clearings} points: the next commit is refused, and the archive of the writer brings everything back`, async () => {
    const { below } = generator(7);
    for (let round = 0; round < clearings; round += 1) {
      const [writer, follower] = [await started(), await started()];
      const id = `cleared ${round}`;
      const devtools = await writer.context().newCDPSession(writer);
      await writer.evaluate(async (conversation) => void (await globalThis.conversation(conversation)), id);
      const before = 1 + below(5);
      await writer.evaluate(async (count) => {
        for (let number = 0; number < count; number += 1) {
          await globalThis.say(`${number}`);
        }
      }, before);
      await follower.evaluate(async (conversation) => void (await globalThis.conversation(conversation)), id);
      const running = writer.evaluate(async (count) => {
        for (let number = count; number < count + 8; number += 1) {
          await globalThis.say(`${number}`).catch(() => undefined);
        }
      }, before);
      await devtools.send("Storage.clearDataForOrigin", { origin: browser.origin, storageTypes: "indexeddb" });
      await running;
      const seen = await writer.evaluate(async () => {
        const refused = await globalThis.say("last").then(() => "stored", ({ code }) => code);
        return { refused, role: globalThis.open.role(), state: globalThis.open.compactor.saveState(), archive: await globalThis.open.archive(), texts: globalThis.texts() };
      });
      assert.deepEqual([seen.refused, seen.role, seen.state], ["conflict", "stale", "unsaved"]);
      assert.equal(seen.texts.length, before + 9, "the conversation goes on in memory");
      assert.ok((await follower.evaluate(() => globalThis.texts().length)) >= before, "and a follower shows what it had");
      // Otherwise it would become the writer of what is left once the other is closed.
      await follower.close();
      const back = await writer.evaluate(
        async ([conversation, archive]) => {
          globalThis.open.close();
          await globalThis.storage.importConversation(globalThis.store, conversation, archive);
          await globalThis.conversation(conversation, { tabs: undefined });
          const texts = globalThis.texts();
          await globalThis.say("more");
          globalThis.open.close();
          return texts;
        },
        [id, seen.archive],
      );
      assert.deepEqual(back, seen.texts);
      await writer.close();
    }
  });

  test("h2: a newer version of the page changes the database under an open tab: its commits are refused, nothing hangs, and it goes on in memory", async () => {
    const [page, newer] = [await started(), await started()];
    const opened = (name) =>
      page.evaluate(async (database) => {
        globalThis.store = globalThis.storage.indexedDbStore({ name: database });
        await globalThis.conversation("changed");
        for (let number = 0; number < 4; number += 1) {
          await globalThis.say(`${number}`);
        }
      }, name);
    await opened("versioned");
    const version = await newer.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const request = indexedDB.open("versioned", 4);
          request.onsuccess = () => {
            globalThis.held = request.result;
            resolve(request.result.version);
          };
          request.onerror = () => reject(request.error);
        }),
    );
    assert.equal(version, 4);
    const seen = await page.evaluate(async () => {
      const refused = await globalThis.say("4").then(() => "stored", ({ name }) => name);
      Array.from({ length: 40 }, (_, number) => globalThis.append(`${number + 5}`));
      const { outcome } = await globalThis.open.compactor.compact();
      return { refused, outcome, events: globalThis.events.includes("saveFailed"), state: globalThis.open.compactor.saveState(), archive: await globalThis.open.archive() };
    });
    assert.deepEqual([seen.refused, seen.outcome, seen.events, seen.state], ["VersionError", "applied", true, "unsaved"]);
    const back = await newer.evaluate(async (archive) => {
      const store = globalThis.storage.memoryStore();
      await globalThis.storage.importConversation(store, "changed", archive);
      await globalThis.conversation("changed", { store, tabs: undefined });
      return { texts: globalThis.texts(), view: globalThis.open.compactor.messages().length };
    }, seen.archive);
    assert.deepEqual(numbers(back.texts), upTo(45));
    assert.ok(back.view < 45, "compacted");
  });
});
