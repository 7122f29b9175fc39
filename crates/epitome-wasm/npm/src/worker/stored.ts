// The side of the worker for conversations of a store. A worker loads it when the first one is opened.

import type { Format } from "../glue/epitome.js";
import { indexedDbStore } from "../storage/indexed-db.js";
import type { OpenConversation, OpenOptions } from "../storage/conversation.js";
import { openConversation } from "../storage/open.js";
import type { Store } from "../storage/store.js";
import type { Damage } from "../storage/verified.js";
import { failureOf, type Failure } from "./failure.js";
import { type SentStore, STORE_METHODS } from "./sent-store.js";

/** The options of a conversation as they are sent. */
export interface SentOptions extends Omit<OpenOptions<object, Format>, "store" | "tabs"> {
  readonly store: SentStore;
  readonly tabs?: SentTabs;
  /** Gives up the work on what was read, in a worker that does not end with it. It is dropped when the conversation is open. */
  readonly signal?: AbortSignal;
}

/** What is sent of the tabs: what the conversation has lost may be another thing whenever something has changed. */
export interface SentTabs {
  readonly onChange: (damage: Damage | undefined) => unknown;
  readonly onError?: (failure: Failure) => unknown;
}

/** Notes what is still being done when the conversation is closed, such as keeping the end of it behind a compaction. */
export type Note = (doing: Promise<unknown>) => void;

/** Opens a conversation in this worker. */
export async function openHere({ store, cipher, tabs, ...others }: SentOptions, note: Note): Promise<OpenConversation> {
  let opened: OpenConversation | undefined;
  const onError = tabs?.onError;
  const listeners = tabs && {
    onChange: () => tabs.onChange(opened?.damage),
    ...(onError && { onError: (error: unknown) => onError(failureOf(error)) }),
  };
  opened = await openConversation<object>({
    ...others,
    store: noted(storeFrom(store), note),
    ...(cipher && { cipher: noted(cipher, note) }),
    ...(listeners && { tabs: listeners }),
  });
  return opened;
}

function storeFrom(sent: SentStore): Store {
  if ("database" in sent) {
    return indexedDbStore({ name: sent.database });
  }
  const streams = Object.entries(STORE_METHODS).filter(([, returns]) => returns === "stream");
  const streaming = ([name]: [string, unknown]): [string, unknown] => [name, streamFrom(Reflect.get(sent, name))];
  return { ...sent, ...Object.fromEntries(streams.map(streaming)) } as Store;
}

/** A function of the other thread that returns a stream. Here, it returns a promise of one. */
function streamFrom(start: (...given: unknown[]) => Promise<AsyncIterable<unknown>>): (...given: unknown[]) => AsyncIterable<unknown> {
  return async function* (...given) {
    yield* await start(...given);
  };
}

/** The same methods, whose promises are noted. */
function noted<T extends object>(object: T, note: Note): T {
  const calling = (method: (...given: unknown[]) => unknown) => (...given: unknown[]): unknown => {
    const result = method(...given);
    if (result instanceof Promise) {
      note(result);
    }
    return result;
  };
  return Object.fromEntries(
    Object.entries(object).map(([name, field]) => [name, typeof field === "function" ? calling(field as () => unknown) : field]),
  ) as T;
}
