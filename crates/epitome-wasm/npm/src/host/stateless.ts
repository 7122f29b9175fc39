// Compacts messages without a compactor that lives on, for routes, agent middleware and sessions.

import { fieldsOf, messagesOf } from "../arguments.js";
import type { Format, Phase, Reason, Report, Status, Usage } from "../glue/epitome.js";
import type { Modules } from "../wasm/engine.js";
import type { CompactOptions } from "./compactor.js";
import { create } from "./create.js";
import type { FormatOf } from "./format-messages.js";
import type { CompactorOptions } from "./options.js";

/** Options of `compactMessages`. */
export interface CompactMessagesOptions<M extends object = object, F extends Format = FormatOf<M>>
  extends CompactorOptions<M, F>,
    Pick<CompactOptions, "instructions" | "signal"> {
  /** What the provider reported for the request that the last assistant message answers. */
  usage?: Usage | object | null | undefined;
  /** The point in the request loop. Default: as for `compactIfNeeded`. */
  phase?: Phase;
  /** Compacts for this reason, whether or not a compaction is due. */
  reason?: Reason;
}

/** What `compactMessages` returns. */
export interface CompactedMessages<M extends object = object> {
  /** What to send to the model, and to store in place of the messages. Kept messages are the same objects. */
  messages: M[];
  /** What the compaction did; undefined if none was due. */
  report: Report | undefined;
  /** How full the window is with these messages. */
  status: Status;
  /** To store with the messages, for the option `notes` of the next call: see `notes()` of a compactor. */
  notes: string;
}

/** Compacts messages if that is due. */
export async function compactMessagesBy<M extends object>(
  modules: Modules,
  messages: readonly M[],
  given: CompactMessagesOptions<M, Format>,
): Promise<CompactedMessages<M>> {
  const { usage, phase, reason, instructions, signal, ...options } = fieldsOf(given, "options");
  const all = messagesOf(messages, "messages");
  // A summary that is written in advance would be lost with this compactor.
  const policy = { ...options.policy, prepareAt: null };
  const compactor = await create<M>(modules, { ...options, policy });
  const how = { ...(instructions !== undefined && { instructions }), ...(signal !== undefined && { signal }) };
  try {
    await compactor.appendInSlices(all);
    compactor.reportUsage(usage);
    const report = await (reason === undefined
      ? compactor.compactIfNeeded({ ...how, ...(phase !== undefined && { phase }) })
      : compactor.compact({ ...how, reason }));
    return { messages: compactor.messages(), report, status: compactor.status(), notes: compactor.notes() };
  } finally {
    compactor.dispose();
  }
}
