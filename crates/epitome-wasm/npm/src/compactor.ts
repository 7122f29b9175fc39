// What an app holds: a conversation that is kept below its threshold.

import type {
  EngineEvent,
  Format,
  Plan,
  PolicySpec,
  Reason,
  Report,
  Status,
  Usage,
} from "./glue/epitome.js";
import type { Summarize } from "./summarize.js";

/** How a compactor is made. */
export interface CompactorOptions {
  /** The format of the messages. */
  format: Format;
  /** When to compact and how far; the preset `recommended` where absent. */
  policy?: PolicySpec;
  /** Writes the summaries; `extractive` where absent, which needs no model. */
  summarize?: Summarize;
}

/** How a compactor goes on from a snapshot, whose policy stays in force. */
export interface RestoreOptions<M extends object> {
  /** The format of the messages. */
  format: Format;
  /** All messages that were appended, in order, as they are now. Those that the snapshot does not know
   * are appended. */
  originals: readonly M[];
  /** Writes the summaries; `extractive` where absent. */
  summarize?: Summarize;
}

/** How a compaction is made. */
export interface CompactOptions {
  /** `manual` where absent. */
  reason?: Reason;
  /** What the summary is to pay attention to. */
  instructions?: string;
  /** Calls the compaction off, at any moment. */
  signal?: AbortSignal;
  /** Told what happens meanwhile. What it throws goes to the console. */
  onEvent?: (event: CompactionEvent) => void;
}

/** Something worth showing while a compaction runs. */
export type CompactionEvent = EngineEvent | SummaryDelta;

/** A piece of a summary that is being written. */
export interface SummaryDelta {
  type: "delta";
  /** The id of the summarizer's request. */
  request: number;
  text: string;
}

/**
 * Keeps one conversation below its threshold. `M` is the app's own type of message.
 *
 * Once disposed of, it throws an error of the code `disposed`.
 */
export interface Compactor<M extends object = object> {
  /**
   * Adds messages at the end, and returns their ids. Safe while a compaction runs.
   *
   * The messages stay the app's: nothing in them is changed, and those that are kept come back as the
   * very same objects. Where one of several is no object, an error names it and none of them is added.
   */
  append(messages: M | readonly M[]): string[];
  /** Gives a message another wording. Takes back compactions whose summaries tell of the old one. */
  edit(id: string, message: M): void;
  /** How full the window is. Costs next to nothing. */
  status(): Status;
  /** What a compaction would do. Changes nothing. */
  plan(options?: { reason?: Reason }): Plan;
  /**
   * Compacts. Resolves in all cases in which the conversation is in order: where there was nothing to do,
   * where it failed and where it was called off, the messages are as they were.
   *
   * Rejects with the code `busy` while another compaction runs, and with `exhausted` where the last one
   * failed, nothing has been said since and the reason is `threshold`.
   */
  compact(options?: CompactOptions): Promise<Report>;
  /** What to send to the model, in the app's own format. */
  messages(): M[];
  /** Every message that was appended, in its latest wording. */
  history(): M[];
  /** Takes the latest compaction back. */
  undo(): void;
  /** Takes what the provider counted for the latest request; it goes before the engine's estimate. */
  usage(usage: Usage): void;
  /** Puts another policy in force. */
  setPolicy(policy: PolicySpec): void;
  /** Everything, as text to store. It has the text of the messages in it, but not the app's objects:
   * `restoreCompactor` takes those too. */
  snapshot(): string;
  /** Frees the memory. A compaction that runs is called off. */
  dispose(): void;
  [Symbol.dispose](): void;
}
