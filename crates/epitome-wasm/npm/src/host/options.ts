// What an app gives to a compactor: who summarizes, who counts, and who is called when something happens.

import type { CountTokens } from "../counting/count.js";
import type { TokenizerSources } from "../counting/tokenizer.js";
import { kindOf, optionalFunction } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { BeforeCompaction, EngineEvent, Format, PolicySpec, Save } from "../glue/epitome.js";
import type { CompactionEvent, OfAgent } from "./events.js";
import { quotes } from "./extractive.js";
import type { FormatOf } from "./format-messages.js";
import type { RankRecall } from "../recall/rank.js";
import type { RecallIndexKeeper } from "../recall/recall.js";
import type { Summarize } from "./summarize.js";

/** What an app gives to a compactor. */
export interface HostOptions<M extends object = object> {
  /** The agent that this conversation belongs to: one of `policy.agents`. */
  agent?: string;
  /** Writes the summaries. Default: `extractive`, which needs no model. */
  summarize?: Summarize<M>;
  /**
   * How long one call of `summarize` may take, in milliseconds. Default: 12 minutes. After that its signal aborts, and the
   * compaction fails with a message that says so. `Infinity` waits for ever.
   */
  summarizeTimeoutMs?: number;
  /**
   * Whether `messages()` returns what the provider accepts also before the first compaction. With `false`, it returns the
   * messages as they were appended until then, and `findings()` only lists what is wrong. Default: true.
   */
  repair?: boolean;
  /**
   * Called before every compaction that needs a summary; `false` or `{ skip: true }` cancels it. If it throws or rejects,
   * the compaction fails with its message. Not called if only reducers work.
   */
  beforeCompaction?: (context: BeforeCompaction & OfAgent) => BeforeAnswer | Promise<BeforeAnswer>;
  /**
   * Saves the conversation: called after `beforeCompaction` has agreed and before the summarizer is asked, and again when
   * the compaction has ended, whether it succeeded or not, before `compact` resolves. Store `snapshot()` of the compactor,
   * or the app's own log. If it throws or rejects before the compaction, that fails with its message and changes nothing;
   * afterwards, a `saveFailed` event says why. Not called if only reducers work.
   */
  save?: (occasion: Save & OfAgent) => void | Promise<void>;
  /**
   * Stores what is new since the last commit, in one step and behind what was stored before: called by `commit()`, and before
   * a compaction is applied. If it throws or rejects, the compaction fails with its message and changes nothing, and the same
   * changes come again with the next commit. With an error by which a browser says that it can store nothing, such as
   * `QuotaExceededError`, the compaction is applied in memory. `openConversation` of `epitome/storage` sets it.
   */
  commit?: CommitChanges;
  /**
   * Ranks what `recall` quotes, such as by embeddings or by a model that reranks. If it fails, the package's own ranking is used,
   * and the console says why.
   */
  rankRecall?: RankRecall;
  /** Keeps the index of `recall`, which is made again otherwise. `openConversation` of `epitome/storage` sets it. */
  recallIndex?: RecallIndexKeeper;
  /** Called after every compaction that needed a summary. What it throws is logged to the console. */
  afterCompaction?: (context: AfterCompaction) => void | Promise<void>;
  /**
   * Counts the messages to send, after every compaction that was applied. The provider's count takes precedence over the
   * engine's estimate. If it fails, the estimate stays, and a `countFailed` event says why.
   */
  countTokens?: CountTokens<M>;
  /**
   * The tokenizers that policies count by, under the names that `counting: { tokenizer }` uses. A tokenizer is read when a
   * policy first names it, once for all compactors, as by `loadTokenizer`.
   */
  tokenizers?: TokenizerSources;
  /** Called for every event, of compactions and others. What it throws is logged to the console. */
  onEvent?: (event: CompactionEvent) => void;
}

/** What is new in a conversation since the last commit. */
export interface Changes {
  /** JSON Lines: the engine's records and the app's messages. */
  lines: string;
  /** The compactor's own state, as one line, in place of the one before. */
  state: string;
}

/** Stores what is new. */
export type CommitChanges = (changes: Changes) => void | Promise<void>;

/** Whether a compaction may start. */
export type BeforeAnswer = boolean | void | { skip: boolean };

/** The result of a compaction that needed a summary. */
export type AfterCompaction = OfAgent & Extract<EngineEvent, { type: "after" }>;

/** Options of a new compactor. */
export interface CompactorOptions<M extends object = object, F extends Format = FormatOf<M>> extends HostOptions<M> {
  /** The format of the messages. */
  format: F;
  /** When to compact and how far. Default: the preset `recommended`. */
  policy?: PolicySpec;
  /** What `notes()` returned when the app stored `messages()`. Only for messages among which is a summary. */
  notes?: string | undefined;
}

/** Options of an agent. The default of each is that of its team; the functions of the team then get the name of this agent as
 * `agent`. */
export interface AgentOptions<M extends object = object> extends Omit<HostOptions<M>, "agent" | "repair" | "commit" | "recallIndex" | "tokenizers"> {
  /** Default: the policy of the team, with what its `agents` say of this agent. After a restore: the one that it had. */
  policy?: PolicySpec;
}

/** Options of an agent that is asked in another format than its team. Of the team's functions, it does not use `countTokens`, which
 * counts messages of the team's format; the team's `summarize` gets messages in that format. */
export interface AgentFormatOptions<M extends object = object, F extends Format = FormatOf<M>> extends AgentOptions<M> {
  /** The format of its `messages()`. It is stored, so that the agent has it after a restore too. */
  format: F;
}

/** Options of a compactor that continues from a snapshot. It keeps the snapshot's policy. */
export interface RestoreOptions<M extends object = object, F extends Format = FormatOf<M>> extends HostOptions<M> {
  /** The format of the messages. */
  format: F;
  /** All messages that were appended, in order, in their latest version. Those that the snapshot does not contain are
   * appended. Default: the messages that the commits in the text have. */
  originals?: readonly M[];
  /** Ends the work between two steps of it, of which a long conversation is restored in several. */
  signal?: AbortSignal;
}

/** The options with all defaults. */
export interface Host<M extends object> extends HostOptions<M> {
  format: Format;
  policy?: PolicySpec;
  summarize: Summarize<M>;
  /** The summarizer without a model, which a policy may name in `summary.fallbackSummarizers`. */
  extractive: Summarize<M>;
  summarizeTimeoutMs: number;
  repair: boolean;
  /** True if a summary costs requests to a model. */
  asksModel: boolean;
}

const DEFAULT_SUMMARIZE_TIMEOUT_MS = 12 * 60_000;

/** The options of an app without types may be anything: each is checked before a compactor is made. */
export function hostOf<M extends object>(options: HostOptions<M> & { format: Format }, extractive: Summarize<M>): Host<M> {
  for (const name of ["summarize", "beforeCompaction", "save", "commit", "rankRecall", "afterCompaction", "countTokens", "onEvent"] as const) {
    optionalFunction(options[name], name);
  }
  const summarizeTimeoutMs = timeoutOf(options.summarizeTimeoutMs);
  const repair = options.repair !== false;
  const summarize = options.summarize ?? extractive;
  return { ...options, summarize, extractive, summarizeTimeoutMs, repair, asksModel: !quotes(summarize) };
}

function timeoutOf(timeoutMs: number | undefined): number {
  if (timeoutMs === undefined) {
    return DEFAULT_SUMMARIZE_TIMEOUT_MS;
  }
  if (typeof timeoutMs !== "number" || !(timeoutMs > 0)) {
    const given = typeof timeoutMs === "number" ? String(timeoutMs) : kindOf(timeoutMs);
    throw epitomeError("invalid-option", `summarizeTimeoutMs: expected milliseconds above 0, not ${given}`);
  }
  return timeoutMs;
}

/** True if the answer of `beforeCompaction` cancels the compaction. */
export function declines(answer: unknown): boolean {
  return answer === false || (typeof answer === "object" && answer !== null && Reflect.get(answer, "skip") === true);
}
