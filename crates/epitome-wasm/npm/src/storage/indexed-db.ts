// A store in the page's IndexedDB. A commit is one transaction, whose requests are all made at once.

import { epitomeError, property } from "../error.js";
import { type Head, jobsAfter, type NewCommit, type Store, type StoredCommit, type StoredConversation } from "./store.js";

const VERSION = 1;
const [CONVERSATIONS, COMMITS] = ["conversations", "commits"] as const;

/** How many commits are in memory together while a conversation is loaded. */
const PAGE = 256;

type Stored = Head & { readonly id: string };

/** Options of a store in IndexedDB. */
export interface IndexedDbOptions {
  /** The name of the database. Default: `epitome`. */
  name?: string;
}

/**
 * A store in the database of this name, which is made if it is missing. A commit is on the disk before it is confirmed, and all
 * tabs of an origin see the same conversations. A connection that the browser has closed is opened again once for each call; what
 * fails after that rejects, and the compactor has it in memory and commits it the next time.
 */
export function indexedDbStore({ name = "epitome" }: IndexedDbOptions = {}): Store {
  let opened: Promise<IDBDatabase> | undefined;
  const forget = (): void => {
    opened = undefined;
  };
  const database = (): Promise<IDBDatabase> => {
    opened ??= open(name, forget).catch((error: unknown) => {
      forget();
      throw error;
    });
    return opened;
  };

  /** Does work in one transaction, which makes all of its requests from its callbacks. Resolves once that is on the disk. */
  async function whole<T>(mode: IDBTransactionMode, work: (transaction: IDBTransaction, done: (result: T) => void) => void): Promise<T> {
    let begun: IDBTransaction;
    try {
      begun = (await database()).transaction([CONVERSATIONS, COMMITS], mode, { durability: "strict" });
    } catch (error) {
      if (property(error, "name") !== "InvalidStateError") {
        throw error;
      }
      // The browser has closed the connection: after a deletion of its data, or because its server has ended.
      forget();
      begun = (await database()).transaction([CONVERSATIONS, COMMITS], mode, { durability: "strict" });
    }
    const transaction = begun;
    return new Promise<T>((resolve, reject) => {
      let result: { value: T } | undefined;
      const fail = (): void => reject(transaction.error ?? epitomeError("aborted", "the browser has given up the transaction"));
      transaction.oncomplete = () => (result === undefined ? fail() : resolve(result.value));
      transaction.onabort = fail;
      work(transaction, (value) => {
        result = { value };
      });
    });
  }

  const head = (transaction: IDBTransaction, id: string, found: (head: Head | undefined) => void): void => {
    const request: IDBRequest<Stored | undefined> = transaction.objectStore(CONVERSATIONS).get(id);
    request.onsuccess = () => {
      const { id: _, ...rest } = request.result ?? { id };
      found(request.result === undefined ? undefined : (rest as Head));
    };
  };
  const put = (transaction: IDBTransaction, id: string, next: Head): void => {
    transaction.objectStore(CONVERSATIONS).put({ id, ...next });
  };

  return {
    scope: name,
    head(id) {
      return whole("readonly", (transaction, done: (head: Head | undefined) => void) => head(transaction, id, done));
    },
    claim(id) {
      return whole("readwrite", (transaction, done) =>
        head(transaction, id, (known = { sequence: 0, hash: "", epoch: 0, state: "", jobs: [] }) => {
          const next = { ...known, epoch: known.epoch + 1 };
          put(transaction, id, next);
          done(next);
        }),
      );
    },
    commit(id, commit: NewCommit) {
      const { sequence, hash, text, state, previous, epoch } = commit;
      return whole("readwrite", (transaction, done) =>
        head(transaction, id, (found) => {
          const known = found ?? { sequence: 0, hash: "", epoch: 0, state: "", jobs: [] };
          const isNext = known.sequence + 1 === sequence && known.hash === previous;
          const isWriter = epoch === undefined || (found !== undefined && epoch === known.epoch);
          if (isNext && isWriter) {
            transaction.objectStore(COMMITS).put({ conversation: id, sequence, hash, text });
            put(transaction, id, { sequence, hash, epoch: known.epoch, state, jobs: jobsAfter(known.jobs, commit) });
          }
          done(isNext && isWriter);
        }),
      );
    },
    async *load(id, after = 0) {
      for (let last = after; ; ) {
        // A transaction would end while the reader waits for something else: each page has its own.
        const page = await whole<StoredCommit[]>("readonly", (transaction, done) => {
          const request = transaction.objectStore(COMMITS).getAll(IDBKeyRange.bound([id, last], [id, []], true), PAGE);
          request.onsuccess = () => done(request.result as StoredCommit[]);
        });
        yield* page.map(({ sequence, hash, text }) => ({ sequence, hash, text }));
        if (page.length < PAGE) {
          return;
        }
        last = page.at(-1)?.sequence ?? last;
      }
    },
    cut(id, after, epoch) {
      return whole("readwrite", (transaction, done) =>
        head(transaction, id, (known) => {
          if (known?.epoch === epoch) {
            const { sequence, hash } = after ?? { sequence: 0, hash: "" };
            transaction.objectStore(COMMITS).delete(IDBKeyRange.bound([id, sequence], [id, []], true));
            put(transaction, id, { ...known, sequence, hash, state: "" });
          }
          done(known?.epoch === epoch);
        }),
      );
    },
    async *list() {
      for (let range: IDBKeyRange | null = null; ; ) {
        const page: StoredConversation[] = await whole("readonly", (transaction, done) => {
          const request = transaction.objectStore(CONVERSATIONS).getAll(range, PAGE);
          request.onsuccess = () => done((request.result as Stored[]).map(({ id, sequence }) => ({ id, sequence })));
        });
        yield* page;
        if (page.length < PAGE) {
          return;
        }
        range = IDBKeyRange.lowerBound(page.at(-1)?.id, true);
      }
    },
    delete(id) {
      return whole<void>("readwrite", (transaction, done) => {
        transaction.objectStore(CONVERSATIONS).delete(id);
        transaction.objectStore(COMMITS).delete(IDBKeyRange.bound([id, 0], [id, []]));
        done();
      });
    },
  };
}

/** Opens the database. `forget` is called once the connection cannot be used any more. */
function open(name: string, forget: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, VERSION);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(CONVERSATIONS, { keyPath: "id" });
      request.result.createObjectStore(COMMITS, { keyPath: ["conversation", "sequence"] });
    };
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(epitomeError("busy", "another tab has an older version of this database open; close it"));
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = forget;
      // Another tab wants to change or delete the database, and would wait for this connection.
      database.onversionchange = () => {
        forget();
        database.close();
      };
      resolve(database);
    };
  });
}
