// A conversation that several tabs of a real browser have open: one writes, and the others follow. The engines and the storage are in the
// pages, or in workers of theirs.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { both } from "../node/places.mjs";
import { damageIn, noBrowser, startBrowser } from "./browser.mjs";

describe("a conversation in several tabs", { skip: noBrowser }, () => {
  let browser;
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser?.close());

  /** A tab that has the conversation open as `open`. `changed` resolves with the next change, `until` when something holds. */
  const opened = async ({ name }, id) => {
    const page = await browser.tab();
    await page.evaluate(async ([where, conversation]) => {
      const waiting = new Set();
      globalThis.until = (holds) =>
        new Promise((resolve) => {
          const check = async () => (await holds()) && (waiting.delete(check), resolve());
          waiting.add(check);
          void check();
        });
      const open = where === "here" ? globalThis.storage.openConversation : globalThis.worker.openWorkerConversation;
      const opening = new AbortController();
      globalThis.open = await open({
        store: globalThis.store,
        id: conversation,
        format: "openai-chat",
        policy: { window: 2_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0 },
        summarize: () => globalThis.answer ?? "They worked.",
        tabs: { onChange: () => waiting.forEach((check) => void check()) },
        ...(where === "here" ? {} : { signal: opening.signal }),
      });
      // What aborts later is not about what the tab follows and writes.
      opening.abort();
      globalThis.texts = async () => (await globalThis.open.compactor.history()).map(({ content }) => content);
      globalThis.say = async (...contents) => {
        await globalThis.open.compactor.append(contents.map((content) => ({ role: "user", content })));
        return globalThis.open.compactor.commit();
      };
    }, [name, `${id} ${name}`]);
    return page;
  };
  const role = (page) => page.evaluate(() => globalThis.open.role());
  const texts = (page) => page.evaluate(() => globalThis.texts());
  const until = (page, wanted) => page.evaluate((last) => globalThis.until(async () => (await globalThis.texts()).at(-1) === last), wanted);
  const writes = (page) => page.evaluate(() => globalThis.until(async () => (await globalThis.open.role()) === "writer"));

  both("h2: one tab writes; the others show what it commits as it comes, and may change nothing", async (place) => {
    const writer = await opened(place, "followed");
    const [second, third] = [await opened(place, "followed"), await opened(place, "followed")];
    assert.deepEqual(await Promise.all([writer, second, third].map(role)), ["writer", "follower", "follower"]);
    const { compactor: same } = await second.evaluate(() => {
      globalThis.first = globalThis.open.compactor;
      return { compactor: globalThis.first === globalThis.open.compactor };
    });
    assert.ok(same);
    for (const text of ["one", "two", "three"]) {
      await writer.evaluate((content) => globalThis.say(content), text);
      await Promise.all([second, third].map((page) => until(page, text)));
    }
    assert.deepEqual(await texts(third), ["one", "two", "three"]);
    const refused = await second.evaluate(async () => {
      const { compactor } = globalThis.open;
      const codes = [];
      for (const change of [() => compactor.append({ role: "user", content: "no" }), () => compactor.undo(), () => compactor.commit(), () => compactor.compact()]) {
        codes.push(await Promise.resolve().then(change).then(() => "done", ({ code }) => code));
      }
      return { codes, texts: (await globalThis.first.history()).length, saved: await compactor.saveState() };
    });
    assert.deepEqual(refused, { codes: Array(4).fill("conflict"), texts: 3, saved: "saved" });
  });

  both("h2: an agent in a tab that follows shows what it has read, and may change nothing", async (place) => {
    const writer = await opened(place, "agents");
    const follower = await opened(place, "agents");
    await writer.evaluate(async () => {
      const note = { role: "assistant", content: "a note to the critic" };
      await globalThis.open.compactor.append(note, { author: "planner", audience: ["critic"] });
      const long = (text) => `${text} ${"and so on ".repeat(30)}`;
      return globalThis.say(long("one"), long("two"), "three");
    });
    await until(follower, "three");
    const seen = await follower.evaluate(async () => {
      const critic = await globalThis.open.compactor.agent("critic");
      globalThis.critic = critic;
      const codes = [];
      const changes = [() => critic.compact(), () => critic.compactIfNeeded(), () => critic.undo(), () => critic.setPolicy({ window: 500 }), () => critic.setTodo("no"), () => critic.append({ role: "user", content: "no" })];
      for (const change of changes) {
        codes.push(await Promise.resolve().then(change).then(() => "done", ({ code }) => code));
      }
      return { codes, texts: (await critic.history()).map(({ content }) => content.split(" ")[0]), same: critic === (await globalThis.open.compactor.agent("critic")) };
    });
    assert.deepEqual(seen, { codes: Array(6).fill("conflict"), texts: ["a", "one", "two", "three"], same: place.name === "here" });
    await writer.evaluate(async () => {
      await (await globalThis.open.compactor.agent("critic")).compact();
      await globalThis.open.compactor.commit();
    });
    await follower.evaluate(() => globalThis.until(async () => (await globalThis.critic.compacted()).length > 0));
    await writer.close();
    await writes(follower);
    assert.equal(await follower.evaluate(async () => (await globalThis.critic.undo(), (await globalThis.critic.compacted()).length)), 0, "the same object may, once its tab writes");
  });

  both("h2: followers see a compaction and its undo", async (place) => {
    const writer = await opened(place, "compacted");
    const follower = await opened(place, "compacted");
    const words = "word ".repeat(100);
    await writer.evaluate(async (text) => {
      await globalThis.say(...Array.from({ length: 6 }, (_, index) => `${index} ${text}`));
      await globalThis.open.compactor.compact();
    }, words);
    await follower.evaluate(() => globalThis.until(async () => (await globalThis.open.compactor.compacted()).length > 0));
    const view = (page) => page.evaluate(async () => JSON.stringify(await globalThis.open.compactor.messages()));
    assert.equal(await view(follower), await view(writer));
    await writer.evaluate(async () => {
      await globalThis.open.compactor.undo();
      await globalThis.open.compactor.commit();
    });
    await follower.evaluate(() => globalThis.until(async () => (await globalThis.open.compactor.compacted()).length === 0));
    assert.equal((await texts(follower)).length, 6);
  });

  both("h2: when the writer is closed, the tab that has waited longest writes, with all that was committed", async (place) => {
    const [writer, second, third] = [await opened(place, "closed"), await opened(place, "closed"), await opened(place, "closed")];
    await writer.evaluate(() => globalThis.say("one"));
    await writer.close();
    await writes(second);
    await second.evaluate(() => globalThis.say("two"));
    await until(third, "two");
    assert.deepEqual(await Promise.all([second, third].map(role)), ["writer", "follower"]);
    await second.evaluate(() => globalThis.open.close());
    await writes(third);
    assert.deepEqual(await texts(third), ["one", "two"]);
  });

  both("h2: a tab that dies in the middle of a compaction frees the conversation, and another one goes on and compacts it", async (place) => {
    const writer = await opened(place, "died");
    const other = await opened(place, "died");
    await writer.evaluate(async () => {
      await globalThis.say(...Array.from({ length: 6 }, (_, index) => `${index} ${"word ".repeat(100)}`));
      await new Promise((asked) => {
        globalThis.answer = { get then() { return () => asked(); } };
        void globalThis.open.compactor.compact();
      });
    });
    const devtools = await writer.context().newCDPSession(writer);
    const crashed = new Promise((resolve) => writer.once("crash", resolve));
    devtools.send("Page.crash").catch(() => {});
    await crashed;
    await writes(other);
    const done = await other.evaluate(async () => {
      const before = (await globalThis.open.compactor.compacted()).length;
      const { outcome } = await globalThis.open.compactor.compact();
      return { before, outcome, texts: (await globalThis.texts()).length };
    });
    assert.deepEqual(done, { before: 0, outcome: "applied", texts: 6 });
  });

  both("h2: a tab that takes over becomes the writer; the other follows, or is stale if it had something that was not stored", async (place) => {
    const [first, second] = [await opened(place, "taken"), await opened(place, "taken")];
    await first.evaluate(() => globalThis.say("one"));
    await second.evaluate(() => globalThis.open.takeOver());
    await first.evaluate(() => globalThis.until(async () => (await globalThis.open.role()) === "follower"));
    await second.evaluate(() => globalThis.say("two"));
    await until(first, "two");
    await second.evaluate(async () => void (await globalThis.open.compactor.append({ role: "user", content: "not stored" })));
    await first.evaluate(() => globalThis.open.takeOver());
    await first.evaluate(() => globalThis.say("three"));
    await second.evaluate(() => globalThis.until(async () => (await globalThis.open.role()) === "stale"));
    const stale = await second.evaluate(async () => ({
      commit: await globalThis.open.compactor.commit().then(() => "done", ({ code, message }) => [code, message]),
      takeOver: await globalThis.open.takeOver().then(() => "done", ({ code }) => code),
      saved: await globalThis.open.compactor.saveState(),
      texts: await globalThis.texts(),
      archive: (await globalThis.open.archive()).includes("not stored"),
    }));
    const message = `the conversation "taken ${place.name}" has another writer, or has been continued since; open it again`;
    assert.deepEqual(stale, { commit: ["conflict", message], takeOver: "conflict", saved: "unsaved", texts: ["one", "two", "not stored"], archive: true });
    assert.deepEqual(await texts(first), ["one", "two", "three"]);
  });

  both("h2: a tab that is opened while the writer writes misses nothing", async (place) => {
    const writer = await opened(place, "joined");
    const writing = writer.evaluate(async () => {
      for (let number = 0; number < 60; number += 1) {
        await globalThis.say(`${number}`);
      }
    });
    const followers = await Promise.all(Array.from({ length: 3 }, () => opened(place, "joined")));
    await writing;
    await Promise.all(followers.map((page) => until(page, "59")));
    for (const page of followers) {
      assert.deepEqual(await texts(page), Array.from({ length: 60 }, (_, number) => `${number}`));
    }
  });

  both("h3: a tab that becomes the writer says what the store has lost since it was opened", async (place) => {
    const [writer, follower] = [await opened(place, "lost"), await opened(place, "lost")];
    for (const text of ["one", "two", "three"]) {
      await writer.evaluate((content) => globalThis.say(content), text);
    }
    await until(follower, "three");
    assert.equal(await follower.evaluate(() => globalThis.open.damage), undefined);
    await damageIn(writer, `lost ${place.name}`, 2, "spoilt");
    await writer.close();
    await writes(follower);
    const seen = await follower.evaluate(async () => ({ whole: globalThis.open.damage?.whole, texts: await globalThis.texts() }));
    assert.deepEqual(seen, { whole: 1, texts: ["one"] });
  });

  both("h2: what keeps a tab from following is said to the app, with its name and code, and the tab shows what it has", async (place) => {
    const writer = await opened(place, "failing");
    const follower = await browser.tab();
    await follower.evaluate(async ([where, id]) => {
      const { storage, store, worker } = globalThis;
      const open = where === "here" ? storage.openConversation : worker.openWorkerConversation;
      const lost = () => Promise.reject(Object.assign(new Error("the disk is gone"), { name: "DiskError", code: 5 }));
      const failed = new Promise((resolve) => (globalThis.onError = resolve));
      const failing = { ...store, head: (...given) => (globalThis.isLost ? lost() : store.head(...given)) };
      globalThis.open = await open({ store: failing, id, format: "openai-chat", tabs: { onError: globalThis.onError } });
      globalThis.isLost = true;
      globalThis.said = failed.then(({ name, message, code }) => ({ name, message, code }));
    }, [place.name, `failing ${place.name}`]);
    await writer.evaluate(() => globalThis.say("one"));
    assert.deepEqual(await follower.evaluate(() => globalThis.said), { name: "DiskError", message: "the disk is gone", code: 5 });
    assert.deepEqual(await follower.evaluate(async () => [await globalThis.open.role(), await globalThis.open.compactor.history()]), ["follower", []]);
  });
});
