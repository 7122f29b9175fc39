// A store in a PostgreSQL database, over a pool of `pg`.

import { type Derived, type Head, MOST_JOBS, type NewCommit, type Store, type StoredCommit } from "../storage/store.js";
import { refuseNewer, VERSION } from "./schema.js";

/** What the store needs of a pool: `Pool` of `pg` has it. Each query is one statement, which PostgreSQL carries out whole. */
export interface PostgresPool {
  /** Runs one statement with these values. */
  query(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Two processes that make the tables at the same time would fail: the second one waits for this lock. */
const SCHEMA_LOCK = 0x65706974;

/** One message of several statements is one transaction. With `BEGIN`, a connection on which one of them fails would go back to the
 * pool in the middle of it. */
const SCHEMA = `
  SELECT pg_advisory_xact_lock(${SCHEMA_LOCK});
  CREATE TABLE IF NOT EXISTS epitome_schema (version integer NOT NULL);
  CREATE TABLE IF NOT EXISTS epitome_conversations (
    id text COLLATE "C" PRIMARY KEY, sequence integer NOT NULL, hash text NOT NULL, epoch integer NOT NULL, state text NOT NULL, jobs text[] NOT NULL
  );
  CREATE TABLE IF NOT EXISTS epitome_commits (
    conversation text COLLATE "C" NOT NULL REFERENCES epitome_conversations ON DELETE CASCADE,
    sequence integer NOT NULL, hash text NOT NULL, text text NOT NULL,
    PRIMARY KEY (conversation, sequence)
  );
  CREATE TABLE IF NOT EXISTS epitome_derived (
    conversation text COLLATE "C" NOT NULL REFERENCES epitome_conversations ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL, sequence integer NOT NULL, hash text NOT NULL, text text NOT NULL,
    PRIMARY KEY (conversation, name)
  );
  INSERT INTO epitome_schema SELECT ${VERSION} WHERE NOT EXISTS (SELECT FROM epitome_schema);
  UPDATE epitome_schema SET version = ${VERSION} WHERE version < ${VERSION}`;

/** How many commits are in memory together while a conversation is loaded. */
const PAGE = 256;

const HEAD = "SELECT sequence, hash, epoch, state, jobs FROM epitome_conversations WHERE id = $1";

const CLAIM = `
  INSERT INTO epitome_conversations AS known VALUES ($1, 0, '', 1, '', '{}')
  ON CONFLICT (id) DO UPDATE SET epoch = known.epoch + 1
  RETURNING sequence, hash, epoch, state, jobs`;

const MAKE = "INSERT INTO epitome_conversations VALUES ($1, 0, '', 0, '', '{}') ON CONFLICT (id) DO NOTHING";

const COMMIT = `
  WITH moved AS (
    UPDATE epitome_conversations
    SET sequence = $2, hash = $3, state = $5,
      jobs = CASE WHEN $8::text IS NULL THEN jobs ELSE (jobs || $8::text)[greatest(1, cardinality(jobs) + 2 - $9):] END
    WHERE id = $1 AND sequence = $2 - 1 AND hash = $6 AND ($7::integer IS NULL OR epoch = $7)
    RETURNING id
  )
  INSERT INTO epitome_commits SELECT id, $2, $3, $4 FROM moved RETURNING sequence`;

const CUT = `
  WITH moved AS (
    UPDATE epitome_conversations SET sequence = $2, hash = $3, state = '' WHERE id = $1 AND epoch = $4 RETURNING id
  ), removed AS (
    DELETE FROM epitome_commits USING moved WHERE conversation = moved.id AND epitome_commits.sequence > $2
  )
  SELECT id FROM moved`;

const LOAD = "SELECT sequence, hash, text FROM epitome_commits WHERE conversation = $1 AND sequence > $2 ORDER BY sequence LIMIT $3";
const DERIVED = "SELECT sequence, hash, text FROM epitome_derived WHERE conversation = $1 AND name = $2";

const DERIVE = `
  INSERT INTO epitome_derived SELECT id, $2, $3, $4, $5 FROM epitome_conversations WHERE id = $1
  ON CONFLICT (conversation, name) DO UPDATE SET sequence = $3, hash = $4, text = $5`;

const LIST = "SELECT id, sequence FROM epitome_conversations WHERE id > $1 ORDER BY id LIMIT $2";

/**
 * A store in the database of this pool, whose tables are made if they are missing, and upgraded if an earlier version has made them.
 * Rejects with a `VersionError` if a newer one has, and leaves them as they are. A commit is one statement, so that it is whole
 * also behind a pooler. The app ends the pool.
 */
export async function postgresStore(pool: PostgresPool): Promise<Store> {
  if ((await checkedVersion(pool)) !== VERSION) {
    await pool.query(SCHEMA);
    // Another process may have made newer ones meanwhile.
    await checkedVersion(pool);
  }
  return {
    async head(id) {
      const { rows } = await pool.query(HEAD, [id]);
      return rows[0] as Head | undefined;
    },
    async claim(id) {
      const { rows } = await pool.query(CLAIM, [id]);
      return rows[0] as Head;
    },
    async commit(id, { sequence, hash, text, state, previous, epoch, job }: NewCommit) {
      if (epoch === undefined && sequence === 1) {
        await pool.query(MAKE, [id]);
      }
      const values = [id, sequence, hash, text, state, previous, epoch ?? null, job ?? null, MOST_JOBS];
      const { rows } = await pool.query(COMMIT, values);
      return rows.length > 0;
    },
    async *load(id, after = 0) {
      for (let last = after; ; ) {
        const { rows } = await pool.query(LOAD, [id, last, PAGE]);
        yield* rows as StoredCommit[];
        if (rows.length < PAGE) {
          return;
        }
        last = (rows.at(-1) as StoredCommit).sequence;
      }
    },
    async cut(id, after, epoch) {
      const { rows } = await pool.query(CUT, [id, after?.sequence ?? 0, after?.hash ?? "", epoch]);
      return rows.length > 0;
    },
    async derived(id, name) {
      const { rows } = await pool.query(DERIVED, [id, name]);
      return rows[0] as Derived | undefined;
    },
    async setDerived(id, name, { sequence, hash, text }) {
      await pool.query(DERIVE, [id, name, sequence, hash, text]);
    },
    async *list() {
      for (let last = ""; ; ) {
        const { rows } = await pool.query(LIST, [last, PAGE]);
        yield* rows as { id: string; sequence: number }[];
        if (rows.length < PAGE) {
          return;
        }
        last = (rows.at(-1) as { id: string }).id;
      }
    },
    async delete(id) {
      await pool.query("DELETE FROM epitome_conversations WHERE id = $1", [id]);
    },
  };
}

/** The version of the tables; 0 if they do not say it, or if there are none. Rejects if it is a newer one. */
async function checkedVersion(pool: PostgresPool): Promise<number> {
  const found = await pool.query("SELECT to_regclass('epitome_schema') IS NOT NULL AS is_known");
  const [known] = found.rows as { is_known: boolean }[];
  const { rows } = known?.is_known === true ? await pool.query("SELECT version FROM epitome_schema") : { rows: [] };
  const [row] = rows as { version: number }[];
  const version = row?.version ?? 0;
  refuseNewer(version);
  return version;
}
