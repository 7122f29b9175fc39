// Every store, each empty, for the tests that all of them have to pass.

import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { postgresStore, sqliteStore } from "epitome/node";
import { memoryStore } from "epitome/storage";
import { damageIn, noBrowser, startBrowser, storeOf } from "./browser.mjs";
import { noPostgres, startPostgres } from "./servers.mjs";

const require = createRequire(import.meta.url);

/** The store in a SQLite database of this class: another one on the same file is another process. */
async function sqlite(open) {
  const folder = mkdtempSync(join(tmpdir(), "epitome-sqlite-"));
  const databases = [];
  const another = async () => {
    const database = open(join(folder, "conversations.db"));
    databases.push(database);
    return sqliteStore(database);
  };
  const store = await another();
  return {
    store,
    another,
    damage: async (id, sequence, text) => {
      databases[0].prepare("UPDATE epitome_commits SET text = ? WHERE conversation = ? AND sequence = ?").run(text, id, sequence);
    },
    close: async () => {
      databases.forEach((database) => database.close());
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function postgres() {
  const server = await startPostgres();
  const pools = [];
  const another = async () => {
    const pool = new pg.Pool({ ...server.connection, max: 8 });
    pool.on("error", () => {});
    pools.push(pool);
    return postgresStore(pool);
  };
  const store = await another();
  return {
    store,
    another,
    damage: async (id, sequence, text) => {
      await pools[0].query("UPDATE epitome_commits SET text = $1 WHERE conversation = $2 AND sequence = $3", [text, id, sequence]);
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await server.stop();
    },
  };
}

async function indexedDb() {
  const browser = await startBrowser();
  const tabs = [];
  const another = async () => {
    tabs.push(await browser.tab());
    return storeOf(tabs.at(-1));
  };
  const store = await another();
  const damage = (id, sequence, text) => damageIn(tabs[0], id, sequence, text);
  return { store, another, damage, close: () => browser.close() };
}

async function memory() {
  const store = memoryStore();
  const changed = new Map();
  const load = store.load.bind(store);
  store.load = async function* (id, after) {
    for await (const commit of load(id, after)) {
      yield { ...commit, text: changed.get(commit) ?? commit.text };
    }
  };
  const damage = async (id, sequence, text) => {
    for await (const commit of load(id, sequence - 1)) {
      changed.set(commit, text);
      return;
    }
  };
  return { store, another: async () => store, damage, close: async () => {} };
}

/** What `load` throws, if it throws. */
function problem(load) {
  try {
    load();
    return false;
  } catch (error) {
    return error.message.split("\n")[0];
  }
}

/** The stores, each with `skip` as for `test`, and `open`. */
export const STORES = [
  { name: "memory", skip: false, open: memory },
  {
    name: "better-sqlite3",
    skip: problem(() => require("better-sqlite3")),
    open: () => sqlite((file) => new (require("better-sqlite3"))(file)),
  },
  {
    name: "node:sqlite",
    skip: problem(() => require("node:sqlite")) && "this Node has no node:sqlite",
    open: () => sqlite((file) => new (require("node:sqlite").DatabaseSync)(file)),
  },
  { name: "IndexedDB", skip: noBrowser, open: indexedDb },
  { name: "PostgreSQL", skip: noPostgres, open: postgres },
];
