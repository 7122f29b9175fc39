// Which database of the page a store is, so that another thread can open it by itself.

import type { Store } from "./store.js";

/** Registered, since each entry of the package may come with a copy of this file. */
const DATABASE = Symbol.for("epitome.database");

interface Mark {
  readonly name: string;
  readonly methods: Store;
}

/** Marks a store as a database in IndexedDB of this name. A copy of the store, as by `{ ...store }`, is not marked. */
export function ofDatabase(store: Store, name: string): Store {
  const mark: Mark = { name, methods: { ...store } };
  return Object.defineProperty(store, DATABASE, { value: mark });
}

/** The name of the database that a store is; undefined if it is another one, or if the app has put methods of its own in it. */
export function databaseOf(store: Store): string | undefined {
  const mark = Reflect.get(store, DATABASE) as Mark | undefined;
  const isSame = Object.entries(mark?.methods ?? {}).every(([name, method]) => Reflect.get(store, name) === method);
  return isSame ? mark?.name : undefined;
}
