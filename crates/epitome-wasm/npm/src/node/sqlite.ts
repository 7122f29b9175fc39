// A store in a SQLite database, over `node:sqlite` or `better-sqlite3`.

import { type Derived, type Head, jobsAfter, type NewCommit, type Store, type StoredCommit } from "../storage/store.js";
import { refuseNewer, VERSION } from "./schema.js";

/** What the store needs of a database: `DatabaseSync` of `node:sqlite` and `Database` of `better-sqlite3` have it. */
export interface SqliteDatabase {
  /** Runs statements without values. */
  exec(sql: string): unknown;
  /** Compiles one statement. */
  prepare(sql: string): SqliteStatement;
}

/** A prepared statement. */
export interface SqliteStatement {
  /** Runs it, and says how many rows it changed. */
  run(...values: (string | number | null)[]): { changes: number | bigint };
  /** The first row. */
  get(...values: (string | number | null)[]): unknown;
  /** All rows. */
  all(...values: (string | number | null)[]): unknown[];
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS epitome_schema (version INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS epitome_conversations (
    id TEXT PRIMARY KEY, sequence INTEGER NOT NULL, hash TEXT NOT NULL, epoch INTEGER NOT NULL, state TEXT NOT NULL, jobs TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS epitome_commits (
    conversation TEXT NOT NULL REFERENCES epitome_conversations ON DELETE CASCADE,
    sequence INTEGER NOT NULL, hash TEXT NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (conversation, sequence)
  );
  CREATE TABLE IF NOT EXISTS epitome_derived (
    conversation TEXT NOT NULL REFERENCES epitome_conversations ON DELETE CASCADE,
    name TEXT NOT NULL, sequence INTEGER NOT NULL, hash TEXT NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (conversation, name)
  );
  DELETE FROM epitome_schema;
  INSERT INTO epitome_schema VALUES (${VERSION})`;

/** How many commits are in memory together while a conversation is loaded. */
const PAGE = 256;

/** A row of a conversation. */
type Row = Omit<Head, "jobs"> & { readonly jobs: string };

/**
 * A store in this database, whose tables are made if they are missing, and upgraded if an earlier version has made them. Throws a
 * `VersionError` if a newer one has, and leaves them as they are. The database is in WAL mode from then on, so that readers
 * do not wait for writers, and every commit is on the disk before it is confirmed. The app closes the database.
 */
export function sqliteStore(database: SqliteDatabase): Store {
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON");
  if (versionOf(database) !== VERSION) {
    whole(database, () => {
      // Another process may have made them meanwhile.
      refuseNewer(versionOf(database));
      database.exec(SCHEMA);
    });
  }
  const row = database.prepare("SELECT sequence, hash, epoch, state, jobs FROM epitome_conversations WHERE id = ?");
  const make = database.prepare("INSERT OR IGNORE INTO epitome_conversations VALUES (?, 0, '', 0, '', '[]')");
  const claim = database.prepare("UPDATE epitome_conversations SET epoch = epoch + 1 WHERE id = ?");
  const move = database.prepare("UPDATE epitome_conversations SET sequence = ?, hash = ?, state = ?, jobs = ? WHERE id = ?");
  const add = database.prepare("INSERT INTO epitome_commits VALUES (?, ?, ?, ?)");
  const page = database.prepare(
    "SELECT sequence, hash, text FROM epitome_commits WHERE conversation = ? AND sequence > ? ORDER BY sequence LIMIT ?",
  );
  const cut = database.prepare("DELETE FROM epitome_commits WHERE conversation = ? AND sequence > ?");
  const derived = database.prepare("SELECT sequence, hash, text FROM epitome_derived WHERE conversation = ? AND name = ?");
  const derive = database.prepare("INSERT OR REPLACE INTO epitome_derived SELECT id, ?, ?, ?, ? FROM epitome_conversations WHERE id = ?");
  const names = database.prepare("SELECT id, sequence FROM epitome_conversations WHERE id > ? ORDER BY id LIMIT ?");
  const drop = database.prepare("DELETE FROM epitome_conversations WHERE id = ?");

  const headOf = (id: string): Head | undefined => {
    const found = row.get(id) as Row | undefined;
    return found === undefined ? undefined : { ...found, jobs: JSON.parse(found.jobs) as string[] };
  };
  return {
    async head(id) {
      return headOf(id);
    },
    async claim(id) {
      return whole(database, () => {
        make.run(id);
        claim.run(id);
        return headOf(id) as Head;
      });
    },
    async commit(id, commit: NewCommit) {
      const { sequence, hash, text, state, previous, epoch } = commit;
      return whole(database, () => {
        if (epoch === undefined && sequence === 1) {
          make.run(id);
        }
        const head = headOf(id);
        const isNext = head !== undefined && head.sequence + 1 === sequence && head.hash === previous;
        if (!isNext || (epoch !== undefined && epoch !== head.epoch)) {
          return false;
        }
        add.run(id, sequence, hash, text);
        move.run(sequence, hash, state, JSON.stringify(jobsAfter(head.jobs, commit)), id);
        return true;
      });
    },
    async *load(id, after = 0) {
      for (let last = after; ; ) {
        const commits = page.all(id, last, PAGE).map(plain<StoredCommit>);
        yield* commits;
        if (commits.length < PAGE) {
          return;
        }
        last = commits.at(-1)?.sequence ?? last;
      }
    },
    async cut(id, after, epoch) {
      return whole(database, () => {
        const head = headOf(id);
        if (head?.epoch !== epoch) {
          return false;
        }
        cut.run(id, after?.sequence ?? 0);
        move.run(after?.sequence ?? 0, after?.hash ?? "", "", JSON.stringify(head.jobs), id);
        return true;
      });
    },
    async derived(id, name) {
      const found = derived.get(id, name);
      return found === undefined ? undefined : plain<Derived>(found);
    },
    async setDerived(id, name, { sequence, hash, text }) {
      derive.run(name, sequence, hash, text, id);
    },
    async *list() {
      for (let last = ""; ; ) {
        const found = names.all(last, PAGE).map(plain<{ id: string; sequence: number }>);
        yield* found;
        if (found.length < PAGE) {
          return;
        }
        last = found.at(-1)?.id ?? last;
      }
    },
    async delete(id) {
      whole(database, () => {
        cut.run(id, 0);
        drop.run(id);
      });
    },
  };
}

/** The version of the tables; 0 if they do not say it, or if there are none. */
function versionOf(database: SqliteDatabase): number {
  const isKnown = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'epitome_schema'").get() !== undefined;
  const row = isKnown ? (database.prepare("SELECT version FROM epitome_schema").get() as { version: number } | undefined) : undefined;
  return row?.version ?? 0;
}

/** A row as a plain object: those of `node:sqlite` have no prototype. */
function plain<T>(row: unknown): T {
  return { ...(row as T) };
}

/** Does work in a transaction. */
function whole<T>(database: SqliteDatabase, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}
