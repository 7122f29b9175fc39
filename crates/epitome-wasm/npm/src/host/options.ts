// What an app brings along: who summarizes, who counts, who is asked and who is told.

import type { CompactionEvent } from "./compactor.js";
import type { CountTokens } from "./count.js";
import type { BeforeCompaction, EngineEvent, Format, PolicySpec } from "./glue/epitome.js";
import type { Summarize } from "./summarize.js";
import type { TokenizerSources } from "./tokenizer.js";

/** What an app brings along. */
export interface HostOptions<M extends object = object> {
  /** Whose conversation this is: one of `policy.agents`. */
  agent?: string;
  /** Writes the summaries; `extractive` where absent, which needs no model. */
  summarize?: Summarize;
  /**
   * Asked before every compaction that needs a summary; `false` or `{ skip: true }` leaves everything as it
   * is. Where it throws or rejects, the compaction fails with its message. Not asked where only reducers
   * work.
   */
  beforeCompaction?: (context: BeforeCompaction) => BeforeAnswer | Promise<BeforeAnswer>;
  /** Told after every compaction that asked for a summary. What it throws goes to the console. */
  afterCompaction?: (context: AfterCompaction) => void | Promise<void>;
  /** Counts what is to be sent, after every compaction that was applied: the provider's count goes before
   * the engine's estimate. Where it fails, the estimate stands, and a `countFailed` event tells why. */
  countTokens?: CountTokens<M>;
  /**
   * The tokenizers that a policy counts by, under the names that `counting: { tokenizer }` has for them. One is read
   * when a policy first names it, once for all compactors, as `loadTokenizer` does; one that was read is not read
   * again.
   */
  tokenizers?: TokenizerSources;
  /** Told of everything that happens, in compactions and besides. What it throws goes to the console. */
  onEvent?: (event: CompactionEvent) => void;
}

/** Whether a compaction may begin. */
export type BeforeAnswer = boolean | void | { skip: boolean };

/** What became of a compaction that asked for a summary. */
export type AfterCompaction = Extract<EngineEvent, { type: "after" }>;

/** How a compactor is made. */
export interface CompactorOptions<M extends object = object> extends HostOptions<M> {
  /** The format of the messages. */
  format: Format;
  /** When to compact and how far; the preset `recommended` where absent. */
  policy?: PolicySpec;
}

/** How a compactor goes on from a snapshot, whose policy stays in force. */
export interface RestoreOptions<M extends object = object> extends HostOptions<M> {
  /** The format of the messages. */
  format: Format;
  /** All messages that were appended, in order, as they are now. Those that the snapshot does not know
   * are appended. */
  originals: readonly M[];
}

/** What an app brings along, complete. */
export interface Host<M extends object> extends HostOptions<M> {
  summarize: Summarize;
}

/** True where the app does not want a compaction to begin. */
export function declines(answer: unknown): boolean {
  return answer === false || (typeof answer === "object" && answer !== null && Reflect.get(answer, "skip") === true);
}

/** Calls a function of the app's that has no say in what happens: its mistakes go to the console. */
export async function tell<T>(listener: ((news: T) => unknown) | undefined, news: T): Promise<void> {
  try {
    await listener?.(news);
  } catch (error) {
    console.error(error);
  }
}
