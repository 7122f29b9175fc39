// A store in the page's IndexedDB. A commit is one transaction, and all of its requests are made at once, unless its text is long.

import { epitomeError, property } from "../error.js";
import { ofDatabase } from "./database.js";
import { allParts, PARTS, PARTS_KEY, partsAfter, partsOf, putLong, readLong } from "./long-rows.js";
import { type Derived, type Head, jobsAfter, type NewCommit, type Store, type StoredCommit, type StoredConversation } from "./store.js";

/** Version 1 had no derived texts, and version 2 no parts of long ones. */
const VERSION = 3;
const [CONVERSATIONS, COMMITS, DERIVED] = ["conversations", "commits", "derived"] as const;

/** How many commits are in memory together while a conversation is loaded. */
const PAGE = 256;

/** Errors of a connection that is dead: the browser has closed it, or its database has failed. */
const DEAD: readonly unknown[] = ["InvalidStateError", "UnknownError"];

/** What is done in a transaction; `done` takes its result. `isAgain` is true if this was tried before and it is not known whether
 * it was stored. */
type Work<T> = (transaction: IDBTransaction, done: (result: T) => void, isAgain: boolean) => void;

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
 *
 * `openWorkerConversation` of `epitome/worker` opens the database in the worker, unless the app has put methods of its own in the store.
 */
export function indexedDbStore({ name = "epitome" }: IndexedDbOptions = {}): Store {
  let opened: Promise<IDBDatabase> | undefined;
  /** Functions that end the running transactions if the browser closes their connection, because it may not report them
   * otherwise. */
  const running = new Set<(error: Error) => void>();
  const forget = (): void => {
    opened = undefined;
  };
  const lost = (): void => {
    forget();
    const error = new DOMException("the browser has closed the connection to the database", "InvalidStateError");
    running.forEach((end) => end(error));
  };
  const database = (): Promise<IDBDatabase> => {
    const listeners = { forget, lost };
    opened ??= open(name, listeners)
      // The browser was still closing the connection before: its data is being deleted.
      .catch((error: unknown) => (property(error, "name") === "AbortError" ? open(name, listeners) : Promise.reject(error)))
      .catch((error: unknown) => {
        forget();
        throw error;
      });
    return opened;
  };

  /** Does work in one transaction, which makes all of its requests from its callbacks. Resolves once that is on the disk. If the
   * connection is dead, the work is done once more on another one, with `isAgain`: it may be done already. */
  async function whole<T>(mode: IDBTransactionMode, work: Work<T>): Promise<T> {
    try {
      return await once(mode, work, false);
    } catch (error) {
      if (!DEAD.includes(property(error, "name"))) {
        throw error;
      }
      forget();
      return once(mode, work, true);
    }
  }

  async function once<T>(mode: IDBTransactionMode, work: Work<T>, isAgain: boolean): Promise<T> {
    const transaction = (await database()).transaction([CONVERSATIONS, COMMITS, DERIVED, PARTS], mode, { durability: "strict" });
    return new Promise<T>((resolve, reject) => {
      let result: { value: T } | undefined;
      const fail = (error: unknown): void => {
        running.delete(fail);
        reject(error ?? epitomeError("aborted", "the browser has given up the transaction"));
      };
      running.add(fail);
      transaction.oncomplete = () => {
        running.delete(fail);
        return result === undefined ? fail(undefined) : resolve(result.value);
      };
      transaction.onabort = () => fail(transaction.error);
      const done = (value: T): void => {
        result = { value };
      };
      work(transaction, done, isAgain);
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

  const store: Store = {
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
      return whole<boolean>("readwrite", (transaction, done, isAgain) =>
        head(transaction, id, (found) => {
          const known = found ?? { sequence: 0, hash: "", epoch: 0, state: "", jobs: [] };
          if (isAgain && known.sequence === sequence && known.hash === hash) {
            return done(true);
          }
          const isNext = known.sequence + 1 === sequence && known.hash === previous;
          const isWriter = epoch === undefined || (found !== undefined && epoch === known.epoch);
          if (isNext && isWriter) {
            putLong(transaction.objectStore(COMMITS), { conversation: id, sequence, hash, text }, [id, sequence]);
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
          request.onsuccess = () => readLong(transaction, request.result as StoredCommit[], ({ sequence }) => [id, sequence], done);
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
            transaction.objectStore(PARTS).delete(partsAfter(id, sequence));
            put(transaction, id, { ...known, sequence, hash, state: "" });
          }
          done(known?.epoch === epoch);
        }),
      );
    },
    derived(id, name) {
      return whole<Derived | undefined>("readonly", (transaction, done) => {
        const request = transaction.objectStore(DERIVED).get([id, name]);
        request.onsuccess = () => {
          const found = request.result as Derived | undefined;
          readLong(transaction, found === undefined ? [] : [found], () => [id, name], ([row]) => {
            done(row && { sequence: row.sequence, hash: row.hash, text: row.text });
          });
        };
      });
    },
    setDerived(id, name, derived) {
      return whole<void>("readwrite", (transaction, done) =>
        head(transaction, id, (known) => {
          if (known !== undefined) {
            transaction.objectStore(PARTS).delete(partsOf([id, name]));
            putLong(transaction.objectStore(DERIVED), { conversation: id, name, ...derived }, [id, name]);
          }
          done();
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
        transaction.objectStore(DERIVED).delete(IDBKeyRange.bound([id, ""], [id, []]));
        transaction.objectStore(PARTS).delete(allParts(id));
        done();
      });
    },
  };
  return ofDatabase(store, name);
}

/** Opens the database. `forget` is called once the connection takes no more transactions, and `lost` once those that run are lost
 * as well. */
function open(name: string, { forget, lost }: { forget(): void; lost(): void }): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, VERSION);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion < 1) {
        request.result.createObjectStore(CONVERSATIONS, { keyPath: "id" });
        request.result.createObjectStore(COMMITS, { keyPath: ["conversation", "sequence"] });
      }
      if (oldVersion < 2) {
        request.result.createObjectStore(DERIVED, { keyPath: ["conversation", "name"] });
      }
      request.result.createObjectStore(PARTS, { keyPath: PARTS_KEY });
    };
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(epitomeError("busy", "another tab has an older version of this database open; close it"));
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = lost;
      // Another tab wants to change or delete the database, and would wait for this connection.
      database.onversionchange = () => {
        forget();
        database.close();
      };
      resolve(database);
    };
  });
}
