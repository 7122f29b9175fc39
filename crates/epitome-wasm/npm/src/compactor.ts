// What an app holds: a conversation that is kept below its threshold.

import type { Counted } from "./count.js";
import type {
  EngineEvent,
  MessageMetadata,
  Phase,
  PolicySpec,
  Reason,
  Report,
  Status,
  Usage,
} from "./glue/epitome.js";
import type { Plan } from "./plan.js";

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

/** Something worth showing, mostly while a compaction runs. */
export type CompactionEvent = EngineEvent | SummaryDelta | Counted;

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
  append(messages: M | readonly M[], metadata?: MessageMetadata): string[];
  /** Gives a message another wording, and changes the metadata that are given. Takes back compactions whose
   * summaries tell of the old one. */
  edit(id: string, message: M, metadata?: MessageMetadata): void;
  /** Notes the open tasks: they go to the summarizer, and stand behind every summary word for word. */
  setTodo(text: string): void;
  /** How full the window is. Costs next to nothing. */
  status(): Status;
  /** How full the window would be under another policy, counted as now: before a change of the model, this tells whether
   * to compact first, with the model that still holds everything. */
  statusUnder(policy: PolicySpec): Status;
  /** What a compaction would do. Changes nothing. */
  plan(options?: { reason?: Reason }): Plan;
  /**
   * Why a compaction is due at this phase, for `compact`; undefined where it is not. A `warning` that the
   * policy asks for is told on the way.
   *
   * After a compaction, another one is due only once an assistant message or a usage has come. `requestStart`
   * begins a request, in which reactive compactions are counted.
   */
  check(phase: Phase): Reason | undefined;
  /** What `check` would answer, for a display: without a warning, and without beginning a request. */
  due(phase: Phase): Reason | undefined;
  /** Compacts where that is due at this moment. Resolves to what it did; undefined where it is not due. */
  maintain(phase: Phase, options?: Omit<CompactOptions, "reason">): Promise<Report | undefined>;
  /**
   * Compacts. Resolves in all cases in which the conversation is in order: where there was nothing to do,
   * where it failed and where it was called off, the messages are as they were.
   *
   * Rejects with the code `busy` while another compaction runs, and with `exhausted` where the last one
   * failed, nothing has been said since and the reason is not `manual`.
   */
  compact(options?: CompactOptions): Promise<Report>;
  /**
   * What to send to the model, in the app's own format. Kept messages are the app's own objects; one that a
   * reducer has changed is a copy with everything else that was in it.
   */
  messages(): M[];
  /** Every message that was appended, in its latest wording. */
  history(): M[];
  /** The whole of a tool result that was put aside under this name, such as `tool-results/call_1.txt`. */
  offloaded(path: string): string | undefined;
  /** Takes the latest compaction back. */
  undo(): void;
  /**
   * Takes what the provider counted for the latest request, once its answer was appended: the usage object of any
   * provider, or of the AI SDK or LangChain. It goes before the engine's estimate. It counts for the view that `messages()` last gave: where a compaction has ended since,
   * it only adds to the statistics.
   */
  usage(usage: Usage | object): void;
  /** Puts another policy in force. Where that counts by an encoding or a tokenizer that is not loaded, it throws
   * `encoding-not-loaded`: await `loadEncoding` or `loadTokenizer` first. */
  setPolicy(policy: PolicySpec): void;
  /** Everything, as text to store. It has the text of the messages in it, but not the app's objects:
   * `restoreCompactor` takes those too. */
  snapshot(): string;
  /** Frees the memory. A compaction that runs is called off. */
  dispose(): void;
  [Symbol.dispose](): void;
}
