// Opens a conversation of a store: a compactor whose commits go there.

import { optionalFunction } from "../arguments.js";
import { guarded } from "../error.js";
import type { Format } from "../glue/epitome.js";
import type { Compactor } from "../host/compactor.js";
import type { CompactionEvent } from "../host/events.js";
import type { FormatOf, MessageOf } from "../host/format-messages.js";
import type { Changes, CompactorOptions, RestoreOptions } from "../host/options.js";
import { NO_CIPHER } from "./cipher.js";
import { claim, committed } from "./claim.js";
import type { Compactors, OpenConversation, OpenOptions } from "./conversation.js";
import { keptIndex } from "./kept-index.js";
import { inTabs } from "./tabs.js";
import { TailKeeper } from "./tail.js";
import { archiveOf } from "./transfer.js";
import type { WriterListener } from "./turns.js";
import type { Read } from "./verified.js";
import { conflict } from "./writer.js";

/**
 * Opens a conversation, or begins one, and becomes its writer: from now on, commits of an earlier writer are refused with the code
 * `conflict`. Its policy is the stored one; `policy` is that of a new conversation.
 *
 * Every commit is checked against the hashes before it. What is behind the last whole commit is returned as `damage`, kept
 * for `readDamage`, and then cut off; if it cannot be kept, it is not cut off. Linear in the conversation. If the store fails,
 * it rejects with the error of the store.
 */
export function openConversation<F extends Format, M extends object = MessageOf<F>>(
  options: OpenOptions<NoInfer<M>, F & FormatOf<M>>,
): Promise<OpenConversation<M>>;
/** The same for the app's own type of message, `M`. */
export function openConversation<M extends object>(options: OpenOptions<M>): Promise<OpenConversation<M>>;
export async function openConversation<M extends object>(options: OpenOptions<M, Format>): Promise<OpenConversation<M>> {
  const { tabs, ...alone } = options;
  return tabs === undefined ? openAlone<M>(alone) : inTabs<M>(alone, tabs, openAlone, followerOf);
}

/** Opens it as its writer. */
async function openAlone<M extends object>(
  options: OpenOptions<M, Format>,
  listener: Partial<WriterListener> = {},
): Promise<OpenConversation<M>> {
  const { store, id, cipher = NO_CIPHER } = options;
  optionalFunction(options.onEvent, "onEvent");
  const { read, writer } = await claim(store, id, cipher);
  let opened: Compactor<M> | undefined;
  let tail: TailKeeper<M> | undefined;
  const onEvent = (event: CompactionEvent): void => {
    if (event.type === "end") {
      void tail?.settle(writer.last);
    }
    // A promise of the listener may reject.
    return options.onEvent?.(event);
  };
  const recallIndex = keptIndex(options, () => (opened?.saveState() === "saved" ? writer.last : undefined));
  const compactor = await compactorOf<M>(read, { ...options, onEvent, recallIndex }, async (changes) => {
    const keep = tail?.begin(changes);
    await committed(writer, changes, listener);
    await keep?.(writer.last);
  });
  opened = compactor;
  tail = new TailKeeper(options, compactor);
  // The earlier writer may have stopped after a compaction, before it had stored the tail.
  void tail.settle(writer.last);
  return {
    compactor,
    damage: read.damage,
    sequence: () => writer.sequence,
    role: () => (writer.isStale ? "stale" : "writer"),
    takeOver: () => guarded(() => (writer.isStale ? Promise.reject(conflict(id)) : undefined)),
    archive: () => guarded(() => archiveOf(compactor.contents())),
    close: () => compactor.dispose(),
  };
}

/** A compactor that shows what was read, and stores nothing. */
function followerOf<M extends object>(read: Read, options: OpenOptions<M, Format>): Promise<Compactor<M>> {
  return compactorOf<M>(read, options, () => Promise.reject(conflict(options.id)));
}

/** A compactor for what was read. */
export async function compactorOf<M extends object>(
  read: Read,
  options: Omit<OpenOptions<M, Format>, "store" | "id"> & Pick<CompactorOptions<M, Format>, "recallIndex">,
  commit: (changes: Changes) => Promise<void>,
): Promise<Compactor<M>> {
  const { cipher: _, compactors = await defaults(), ...rest } = options;
  const host = { ...rest, commit } as unknown as CompactorOptions<M>;
  return read.text === ""
    ? compactors.createCompactor<M>(host)
    : compactors.restoreCompactor<M>(read.text + read.state, host as unknown as RestoreOptions<M>);
}

async function defaults(): Promise<Compactors> {
  return (await import("../api/api.js")) as unknown as Compactors;
}
