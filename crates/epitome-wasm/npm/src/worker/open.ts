// Opens conversations of a store in workers: engine and storage are there.

import { fieldsOf, optionalFunction } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { Format } from "../glue/epitome.js";
import type { FormatOf, MessageOf } from "../host/format-messages.js";
import type { OpenConversation, OpenOptions, TabsOptions } from "../storage/conversation.js";
import type { Damage } from "../storage/verified.js";
import type { Promised, WorkerCompactor } from "./compactor.js";
import { begin, type WorkerOptions } from "./create.js";
import { errorFrom } from "./failure.js";
import { boundOf, storeToSend } from "./sent-store.js";
import type { SentTabs } from "./stored.js";

/** How a conversation is opened in a worker. Functions in the options, and those of the store and the cipher, are called in the thread
 * that has given them; a store of `indexedDbStore()` is opened in the worker. */
export interface WorkerOpenOptions<M extends object = object, F extends Format = FormatOf<M>>
  extends Omit<OpenOptions<M, F>, "compactors">,
    WorkerOptions {}

/** A conversation of a store, opened in a worker: see `OpenConversation`. Every promise settles, whatever happens to the worker. */
export interface WorkerConversation<M extends object = object>
  extends Promised<Pick<OpenConversation<M>, "sequence" | "role" | "takeOver" | "archive">> {
  /** Its compactor. `commit()` stores what is new; a compaction is stored before it is applied. Messages that the
   * app has given come back as the same objects; those that were read from the store are new objects in each result. */
  readonly compactor: WorkerCompactor<M>;
  /** What could not be read, if the store has lost something. The conversation goes on from the last whole commit. */
  readonly damage: Damage | undefined;
  /** Disposes of the compactor, whose `dispose()` does the same, and resolves once what runs has been stored or given up. What was
   * not committed is lost. */
  close(): Promise<void>;
}

/**
 * Opens a conversation as `openConversation` of `epitome/storage` does, with the engine and the storage in a worker: reading, hashes and
 * IndexedDB are off this thread.
 *
 * Rejects as `openConversation` does, and with `not-loaded` if the worker cannot be started. If the worker ends later, everything rejects
 * with `broken`; what was committed is in the store, and the conversation can be opened again.
 */
export function openWorkerConversation<F extends Format, M extends object = MessageOf<F>>(
  options: WorkerOpenOptions<NoInfer<M>, F & FormatOf<M>>,
): Promise<WorkerConversation<M>>;
/** The same for the app's own type of message, `M`. */
export function openWorkerConversation<M extends object>(options: WorkerOpenOptions<M>): Promise<WorkerConversation<M>>;
export async function openWorkerConversation<M extends object>(options: WorkerOpenOptions<M, Format>): Promise<WorkerConversation<M>> {
  const { worker, store, cipher, tabs, ...others } = fieldsOf(options, "options");
  if (Reflect.get(others, "compactors") !== undefined) {
    throw epitomeError("invalid-option", "compactors: the worker has its own; leave them out");
  }
  let damage: Damage | undefined;
  const sent = {
    ...others,
    store: storeToSend(store),
    ...(cipher && { cipher: boundOf(cipher, ["encrypt", "decrypt"], "cipher") }),
    ...(tabs && { tabs: tabsToSend(tabs, (latest) => (damage = latest)) }),
  };
  const { thread, answer } = await begin("open", [sent], { worker, signal: others.signal });
  damage = answer as Damage | undefined;
  const ask = <T>(method: string) => (): Promise<T> => thread.call(method, undefined, []) as Promise<T>;
  return {
    compactor: thread.compactor<M>(others.format),
    get damage() {
      return damage;
    },
    sequence: ask("sequence"),
    role: ask("role"),
    takeOver: ask("takeOver"),
    archive: ask("archive"),
    close: () => thread.dispose(),
  };
}

function tabsToSend(tabs: TabsOptions, damaged: (latest: Damage | undefined) => void): SentTabs {
  const onChange = optionalFunction(tabs.onChange, "tabs.onChange");
  const onError = optionalFunction(tabs.onError, "tabs.onError");
  return {
    onChange: (latest) => {
      damaged(latest);
      return onChange?.();
    },
    ...(onError && { onError: (failure) => onError(errorFrom(failure)) }),
  };
}
