// A conversation that several tabs of a real browser have open: one writes, and the others follow.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { noBrowser, startBrowser } from "./browser.mjs";

describe("a conversation in several tabs", { skip: noBrowser }, () => {
  let browser;
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser?.close());

  /** A tab that has the conversation open as `open`. `changed` resolves with the next change, `until` when something holds. */
  const opened = async (id) => {
    const page = await browser.tab();
    await page.evaluate(async (conversation) => {
      const waiting = new Set();
      globalThis.until = (holds) =>
        new Promise((resolve) => {
          const check = () => holds() && (waiting.delete(check), resolve());
          waiting.add(check);
          check();
        });
      globalThis.open = await globalThis.storage.openConversation({
        store: globalThis.store,
        id: conversation,
        format: "openai-chat",
        policy: { window: 2_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0 },
        summarize: () => globalThis.answer ?? "They worked.",
        tabs: { onChange: () => waiting.forEach((check) => check()) },
      });
      globalThis.texts = () => globalThis.open.compactor.history().map(({ content }) => content);
      globalThis.say = (...contents) => {
        globalThis.open.compactor.append(contents.map((content) => ({ role: "user", content })));
        return globalThis.open.compactor.commit();
      };
    }, id);
    return page;
  };
  const role = (page) => page.evaluate(() => globalThis.open.role());
  const texts = (page) => page.evaluate(() => globalThis.texts());
  const until = (page, wanted) => page.evaluate((last) => globalThis.until(() => globalThis.texts().at(-1) === last), wanted);
  const writes = (page) => page.evaluate(() => globalThis.until(() => globalThis.open.role() === "writer"));

  test("h2: one tab writes; the others show what it commits as it comes, and may change nothing", async () => {
    const writer = await opened("followed");
    const [second, third] = [await opened("followed"), await opened("followed")];
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
      return { codes, texts: globalThis.first.history().length, saved: compactor.saveState() };
    });
    assert.deepEqual(refused, { codes: Array(4).fill("conflict"), texts: 3, saved: "saved" });
  });

  test("h2: an agent in a tab that follows shows what it has read, and may change nothing", async () => {
    const writer = await opened("agents");
    const follower = await opened("agents");
    await writer.evaluate(() => {
      const note = { role: "assistant", content: "a note to the critic" };
      globalThis.open.compactor.append(note, { author: "planner", audience: ["critic"] });
      const long = (text) => `${text} ${"and so on ".repeat(30)}`;
      return globalThis.say(long("one"), long("two"), "three");
    });
    await until(follower, "three");
    const seen = await follower.evaluate(async () => {
      const critic = globalThis.open.compactor.agent("critic");
      globalThis.critic = critic;
      const codes = [];
      const changes = [() => critic.compact(), () => critic.compactIfNeeded(), () => critic.undo(), () => critic.setPolicy({ window: 500 }), () => critic.setTodo("no"), () => critic.append({ role: "user", content: "no" })];
      for (const change of changes) {
        codes.push(await Promise.resolve().then(change).then(() => "done", ({ code }) => code));
      }
      return { codes, texts: critic.history().map(({ content }) => content.split(" ")[0]), same: critic === globalThis.open.compactor.agent("critic") };
    });
    assert.deepEqual(seen, { codes: Array(6).fill("conflict"), texts: ["a", "one", "two", "three"], same: true });
    await writer.evaluate(() => globalThis.open.compactor.agent("critic").compact().then(() => globalThis.open.compactor.commit()));
    await follower.evaluate(() => globalThis.until(() => globalThis.critic.compacted().length > 0));
    await writer.close();
    await writes(follower);
    assert.equal(await follower.evaluate(() => (globalThis.critic.undo(), globalThis.critic.compacted().length)), 0, "the same object may, once its tab writes");
  });

  test("h2: followers see a compaction and its undo", async () => {
    const writer = await opened("compacted");
    const follower = await opened("compacted");
    const words = "word ".repeat(100);
    await writer.evaluate(async (text) => {
      await globalThis.say(...Array.from({ length: 6 }, (_, index) => `${index} ${text}`));
      await globalThis.open.compactor.compact();
    }, words);
    await follower.evaluate(() => globalThis.until(() => globalThis.open.compactor.compacted().length > 0));
    const view = (page) => page.evaluate(() => JSON.stringify(globalThis.open.compactor.messages()));
    assert.equal(await view(follower), await view(writer));
    await writer.evaluate(async () => {
      globalThis.open.compactor.undo();
      await globalThis.open.compactor.commit();
    });
    await follower.evaluate(() => globalThis.until(() => globalThis.open.compactor.compacted().length === 0));
    assert.equal((await texts(follower)).length, 6);
  });

  test("h2: when the writer is closed, the tab that has waited longest writes, with all that was committed", async () => {
    const [writer, second, third] = [await opened("closed"), await opened("closed"), await opened("closed")];
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

  test("h2: a tab that dies in the middle of a compaction frees the conversation, and another one goes on and compacts it", async () => {
    const writer = await opened("died");
    const other = await opened("died");
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
      const before = globalThis.open.compactor.compacted().length;
      const { outcome } = await globalThis.open.compactor.compact();
      return { before, outcome, texts: globalThis.texts().length };
    });
    assert.deepEqual(done, { before: 0, outcome: "applied", texts: 6 });
  });

  test("h2: a tab that takes over becomes the writer; the other follows, or is stale if it had something that was not stored", async () => {
    const [first, second] = [await opened("taken"), await opened("taken")];
    await first.evaluate(() => globalThis.say("one"));
    await second.evaluate(() => globalThis.open.takeOver());
    await first.evaluate(() => globalThis.until(() => globalThis.open.role() === "follower"));
    await second.evaluate(() => globalThis.say("two"));
    await until(first, "two");
    await second.evaluate(() => globalThis.open.compactor.append({ role: "user", content: "not stored" }) && undefined);
    await first.evaluate(() => globalThis.open.takeOver());
    await first.evaluate(() => globalThis.say("three"));
    await second.evaluate(() => globalThis.until(() => globalThis.open.role() === "stale"));
    const stale = await second.evaluate(async () => ({
      commit: await globalThis.open.compactor.commit().then(() => "done", ({ code, message }) => [code, message]),
      takeOver: await globalThis.open.takeOver().then(() => "done", ({ code }) => code),
      saved: globalThis.open.compactor.saveState(),
      texts: globalThis.texts(),
      archive: (await globalThis.open.archive()).includes("not stored"),
    }));
    const message = 'the conversation "taken" has another writer, or has been continued since; open it again';
    assert.deepEqual(stale, { commit: ["conflict", message], takeOver: "conflict", saved: "unsaved", texts: ["one", "two", "not stored"], archive: true });
    assert.deepEqual(await texts(first), ["one", "two", "three"]);
  });

  test("h2: a tab that is opened while the writer writes misses nothing", async () => {
    const writer = await opened("joined");
    const writing = writer.evaluate(async () => {
      for (let number = 0; number < 60; number += 1) {
        await globalThis.say(`${number}`);
      }
    });
    const followers = await Promise.all(Array.from({ length: 3 }, () => opened("joined")));
    await writing;
    await Promise.all(followers.map((page) => until(page, "59")));
    for (const page of followers) {
      assert.deepEqual(await texts(page), Array.from({ length: 60 }, (_, number) => `${number}`));
    }
  });
});
