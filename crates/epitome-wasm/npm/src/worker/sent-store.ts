// A store on its way to a worker: as the name of a database that the worker opens itself, or as functions of the thread that has it.

import { fieldsOf, functionOf, optionalText } from "../arguments.js";
import { databaseOf } from "../storage/database.js";
import type { Store } from "../storage/store.js";
import type { Callable } from "./crossing.js";

type StoreMethod = Exclude<keyof Store, "scope">;

/** Every method of a store, and whether it returns a stream. A new one that is left out here does not compile. */
export const STORE_METHODS: Record<StoreMethod, "promise" | "stream"> = {
  head: "promise",
  claim: "promise",
  commit: "promise",
  load: "stream",
  cut: "promise",
  derived: "promise",
  setDerived: "promise",
  list: "stream",
  delete: "promise",
};

/** A store as it is sent. */
export type SentStore = { readonly database: string } | (Record<StoreMethod, Callable> & { readonly scope: string | undefined });

/** What is sent of a store. */
export function storeToSend(store: Store): SentStore {
  const methods = boundOf(store, Object.keys(STORE_METHODS) as StoreMethod[], "store");
  const database = databaseOf(store);
  return database === undefined ? { ...methods, scope: optionalText(store.scope, "store.scope") } : { database };
}

/** Methods of an object of the app, which may be an instance of a class: only functions cross. */
export function boundOf<N extends string>(object: Record<N, unknown>, names: readonly N[], option: string): Record<N, Callable> {
  fieldsOf(object, option);
  const bound = (name: N): Callable => {
    functionOf(object[name], `${option}.${name}`);
    return (...given) => Reflect.apply(object[name] as Callable, object, given);
  };
  return Object.fromEntries(names.map((name) => [name, bound(name)])) as Record<N, Callable>;
}
