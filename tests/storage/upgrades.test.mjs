// Databases of each earlier version, made as that version made them, stay readable; one of a newer version is not touched.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { postgresStore, sqliteStore } from "epitome/node";
import { memoryStore, openConversation, readTail } from "epitome/storage";
import { chatOf, said } from "../node/harness.mjs";
import { noBrowser, startBrowser, storeOf } from "./browser.mjs";
import { noPostgres, startPostgres } from "./servers.mjs";

const POLICY = { window: 2_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0 };
const opened = (store) => openConversation({ store, id: "kept", format: "openai-chat", policy: POLICY, summarize: () => "They worked." });

/** A conversation with a compaction: its head and its commits, as every store has them. */
async function kept() {
  const store = memoryStore();
  const { compactor } = await opened(store);
  compactor.append(chatOf(40));
  await compactor.commit();
  await compactor.compact();
  const commits = [];
  for await (const commit of store.load("kept")) {
    commits.push(commit);
  }
  return { head: await store.head("kept"), commits, view: compactor.messages(), history: compactor.history() };
}

/** What must hold of a store on a database of an earlier version. */
async function goesOn(store, { view, history }) {
  assert.equal(await readTail({ store, id: "kept" }), undefined, "nothing was kept of its end");
  const { compactor, damage, close } = await opened(store);
  assert.deepEqual([damage, compactor.messages(), compactor.history()], [undefined, view, history]);
  compactor.append(said("user", "And now?"));
  await compactor.commit();
  assert.deepEqual((await readTail({ store, id: "kept" })).messages, [...view, said("user", "And now?")]);
  close();
  const again = await opened(store);
  assert.equal(again.compactor.history().length, history.length + 1);
  again.close();
}

/** Makes a database in a tab, of this version and with these object stores, and puts the conversation into it. */
const make = (page, name, version, conversation) =>
  page.evaluate(
    ([database, number, { head, commits }]) =>
      new Promise((resolve, reject) => {
        const request = indexedDB.open(database, number);
        request.onupgradeneeded = () => {
          request.result.createObjectStore("conversations", { keyPath: "id" });
          request.result.createObjectStore("commits", { keyPath: ["conversation", "sequence"] });
          if (number === 2) {
            request.result.createObjectStore("derived", { keyPath: ["conversation", "name"] });
          }
        };
        request.onerror = () => reject(request.error);
        request.onsuccess = () => {
          const transaction = request.result.transaction(["conversations", "commits"], "readwrite");
          transaction.objectStore("conversations").put({ id: "kept", ...head });
          commits.forEach((commit) => transaction.objectStore("commits").put({ conversation: "kept", ...commit }));
          transaction.oncomplete = () => resolve(request.result.close());
        };
      }),
    [name, version, conversation],
  );

describe("a database in a browser", { skip: noBrowser }, () => {
  let browser;
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser?.close());

  const storeIn = (page, name) =>
    page.evaluate((database) => {
      globalThis.store = globalThis.storage.indexedDbStore({ name: database });
    }, name);

  for (const version of [1, 2]) {
    test(`h3: IndexedDB: a database of version ${version} is upgraded, and its conversations go on`, async () => {
      const page = await browser.tab();
      const conversation = await kept();
      await make(page, `of version ${version}`, version, conversation);
      await storeIn(page, `of version ${version}`);
      await goesOn(storeOf(page), conversation);
    });
  }

  test("h3: IndexedDB: a database of a newer version is refused with both versions, and stays as it is", async () => {
    const page = await browser.tab();
    const conversation = await kept();
    await make(page, "newer", 99, conversation);
    await storeIn(page, "newer");
    const refused = await page.evaluate(() => globalThis.store.claim("kept").then(() => "claimed", ({ name, message }) => [name, message]));
    assert.equal(refused[0], "VersionError");
    assert.match(refused[1], /\(3\).*\(99\)/);
    const found = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const request = indexedDB.open("newer");
          request.onsuccess = () => {
            const all = request.result.transaction("commits").objectStore("commits").getAll();
            all.onsuccess = () => resolve([request.result.version, all.result.length]);
          };
        }),
    );
    assert.deepEqual(found, [99, conversation.commits.length]);
  });
});

test("h3: SQLite: a database of version 1 gets what it lacks, and its conversations go on", { skip: noSqlite() }, async () => {
  const database = new (createRequire(import.meta.url)("better-sqlite3"))(":memory:");
  const conversation = await kept();
  database.exec(`
    CREATE TABLE epitome_conversations (
      id TEXT PRIMARY KEY, sequence INTEGER NOT NULL, hash TEXT NOT NULL, epoch INTEGER NOT NULL, state TEXT NOT NULL, jobs TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE epitome_commits (
      conversation TEXT NOT NULL REFERENCES epitome_conversations ON DELETE CASCADE,
      sequence INTEGER NOT NULL, hash TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (conversation, sequence)
    )`);
  const { sequence, hash, epoch, state } = conversation.head;
  database.prepare("INSERT INTO epitome_conversations VALUES ('kept', ?, ?, ?, ?, '[]')").run(sequence, hash, epoch, state);
  for (const commit of conversation.commits) {
    database.prepare("INSERT INTO epitome_commits VALUES ('kept', ?, ?, ?)").run(commit.sequence, commit.hash, commit.text);
  }
  // The app may have a version of its own.
  database.exec("PRAGMA user_version = 7");
  await goesOn(sqliteStore(database), conversation);
  assert.deepEqual(database.prepare("SELECT version FROM epitome_schema").all(), [{ version: 2 }]);
  assert.equal(database.pragma("user_version", { simple: true }), 7);
  database.close();
});

test("h3: SQLite: a database of a newer version is refused with both versions, and stays as it is", { skip: noSqlite() }, async () => {
  const database = new (createRequire(import.meta.url)("better-sqlite3"))(":memory:");
  const store = sqliteStore(database);
  const { compactor, close } = await opened(store);
  compactor.append(chatOf(4));
  await compactor.commit();
  close();
  database.exec("UPDATE epitome_schema SET version = 99; ALTER TABLE epitome_commits RENAME COLUMN text TO body; DROP TABLE epitome_derived");
  const content = () => JSON.stringify(["sqlite_master", "epitome_schema", "epitome_conversations", "epitome_commits"].map((table) => database.prepare(`SELECT * FROM ${table}`).all()));
  const before = content();
  assert.throws(() => sqliteStore(database), { name: "VersionError", message: /\b99\b.*\b2\b/ });
  assert.equal(content(), before);
  assert.equal(database.inTransaction, false);
  database.close();
});

test("h3: PostgreSQL: a database of version 1 gets what it lacks, and its conversations go on", { skip: noPostgres }, async () => {
  const server = await startPostgres();
  const pool = new pg.Pool(server.connection);
  pool.on("error", () => {});
  try {
    const conversation = await kept();
    await pool.query(`
      CREATE TABLE epitome_conversations (
        id text COLLATE "C" PRIMARY KEY, sequence integer NOT NULL, hash text NOT NULL, epoch integer NOT NULL, state text NOT NULL, jobs text[] NOT NULL
      );
      CREATE TABLE epitome_commits (
        conversation text COLLATE "C" NOT NULL REFERENCES epitome_conversations ON DELETE CASCADE,
        sequence integer NOT NULL, hash text NOT NULL, text text NOT NULL, PRIMARY KEY (conversation, sequence)
      )`);
    const { sequence, hash, epoch, state } = conversation.head;
    await pool.query("INSERT INTO epitome_conversations VALUES ('kept', $1, $2, $3, $4, '{}')", [sequence, hash, epoch, state]);
    for (const commit of conversation.commits) {
      await pool.query("INSERT INTO epitome_commits VALUES ('kept', $1, $2, $3)", [commit.sequence, commit.hash, commit.text]);
    }
    await goesOn(await postgresStore(pool), conversation);
    assert.deepEqual((await pool.query("SELECT version FROM epitome_schema")).rows, [{ version: 2 }]);
  } finally {
    await pool.end();
    await server.stop();
  }
});

test("h3: PostgreSQL: a database of a newer version is refused with both versions, and stays as it is", { skip: noPostgres }, async () => {
  const server = await startPostgres();
  const pool = new pg.Pool(server.connection);
  pool.on("error", () => {});
  try {
    // Many processes may begin at the same time.
    const [store] = await Promise.all(Array.from({ length: 8 }, () => postgresStore(pool)));
    assert.deepEqual((await pool.query("SELECT version FROM epitome_schema")).rows, [{ version: 2 }]);
    const { compactor, close } = await opened(store);
    compactor.append(chatOf(4));
    await compactor.commit();
    close();
    await pool.query("UPDATE epitome_schema SET version = 99; ALTER TABLE epitome_commits RENAME COLUMN text TO body; DROP TABLE epitome_derived");
    const content = async () => {
      const queries = ["SELECT tablename FROM pg_tables WHERE tablename LIKE 'epitome%' ORDER BY 1", "SELECT * FROM epitome_schema", "SELECT * FROM epitome_commits"];
      const found = await Promise.all(queries.map((query) => pool.query(query)));
      return found.map(({ rows }) => rows);
    };
    const before = await content();
    await assert.rejects(postgresStore(pool), { name: "VersionError", message: /\b99\b.*\b2\b/ });
    assert.deepEqual(await content(), before);
  } finally {
    await pool.end();
    await server.stop();
  }
});

/** Why SQLite cannot be tested here; false if it can. */
function noSqlite() {
  try {
    createRequire(import.meta.url)("better-sqlite3");
    return false;
  } catch (error) {
    return error.message.split("\n")[0];
  }
}
