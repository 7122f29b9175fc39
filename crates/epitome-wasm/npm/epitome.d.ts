// Written by scripts/declarations.mjs. The types of options and results come from Rust.

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
  plan(options?: {
    reason?: Reason;
  }): Plan;
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

/**
 * How full the window is at this moment.
 */
export interface Status {
  /**
   * Tokens in the window.
   */
  tokens: number;
  /**
   * Size of the window.
   */
  window: number;
  /**
   * `tokens` as a share of `window`; above 1 where it does not fit.
   */
  fill: number;
  /**
   * What to do about it.
   */
  level: Level;
  /**
   * Tokens at which a compaction is called for; absent where nothing calls for one.
   */
  threshold?: number;
  /**
   * Tokens that a compaction comes down to.
   */
  target: number;
  /**
   * True where `tokens` is what the provider counted, and not an estimate.
   */
  exact: boolean;
  /**
   * Half-width of the relative error of `tokens`: 0.1 means ±10 %.
   */
  errorBand: number;
  /**
   * Tokens that no compaction can remove: system prompt, tool schemas, pinned messages and the last
   * user request.
   */
  floor: number;
  /**
   * What fills it, by the engine's own count.
   */
  breakdown: Breakdown;
}

/**
 * What to do about the fill: nothing, whatever needs no model, or compact.
 */
export type Level = "ok" | "warn" | "compact";

/**
 * What fills the window, in tokens, by the engine's own count.
 */
export interface Breakdown {
  /**
   * System messages.
   */
  system: number;
  /**
   * Tool schemas.
   */
  tools: number;
  /**
   * The summary of earlier messages.
   */
  summary: number;
  /**
   * User messages.
   */
  user: number;
  /**
   * Assistant messages and their tool calls.
   */
  assistant: number;
  /**
   * Tool results.
   */
  results: number;
}

/** What a compaction of these messages would do. */
export declare function plan<M extends object>(messages: readonly M[], options: PlanOptions): Promise<Plan>;

/** How a plan is made without a compactor. */
export interface PlanOptions extends CompactorOptions {
  /** `manual` where absent. */
  reason?: Reason;
}

/** How a compactor is made. */
export interface CompactorOptions {
  /** The format of the messages. */
  format: Format;
  /** When to compact and how far; the preset `recommended` where absent. */
  policy?: PolicySpec;
  /** Writes the summaries; `extractive` where absent, which needs no model. */
  summarize?: Summarize;
}

/**
 * A format that messages are read from and written to.
 */
export type Format = "openai-chat";

/**
 * A preset's name and whatever is to differ from it. Everything is optional.
 */
export interface PolicySpec {
  /**
   * `recommended` where absent; see `presets`.
   */
  preset?: string;
  /**
   * Size of the model's context window in tokens; 200,000 where absent.
   */
  window?: number;
  /**
   * What calls for a compaction: any of these.
   */
  triggers?: Trigger[];
  /**
   * Where the level turns from ok to warn.
   */
  trim?: Trigger;
  /**
   * Share of the window to come down to, 0 to 1.
   */
  target?: number;
  /**
   * The tail that stays word for word.
   */
  keep?: Keep;
  /**
   * How the prefix is summarized.
   */
  summary?: SummarySettings;
  /**
   * How often a summarizer that fails is asked again.
   */
  retry?: Retry;
  /**
   * Tokens of what goes along with every request and is no message: tool schemas, mostly.
   */
  toolSchemaTokens?: number;
}

/**
 * One condition on the tokens in the window.
 */
export type Trigger = { budget: Budget } | { fill: Fill } | { tokens: number };

/**
 * The smaller of a fraction of the window and the window without its reserves.
 */
export interface Budget {
  /**
   * Share of the window, 0 to 1; 0.7 where absent.
   */
  fraction?: number;
  /**
   * Tokens kept free for the answer; 32,000 where absent.
   */
  outputReserve?: number;
  /**
   * Tokens kept free for what the count may be wrong by; 8,000 where absent.
   */
  safetyMargin?: number;
}

/**
 * A fraction of the window, unless a number of tokens is given.
 */
export interface Fill {
  /**
   * Share of the window, 0 to 1; 0.8 where absent.
   */
  fraction?: number;
  /**
   * Above 0, this many tokens count instead of the fraction.
   */
  maxTokens?: number;
}

/**
 * The tail that a compaction leaves alone, where there is room for it. Calls stay with their results.
 */
export type Keep = { messages: number } | { rounds: number } | { tokens: number } | { fraction: number };

/**
 * How the prefix is summarized.
 */
export interface SummarySettings {
  /**
   * Longest summary, in tokens.
   */
  maxTokens?: number;
  /**
   * Longest ledger of facts that the summary lost, in tokens, out of `maxTokens`; at most a quarter
   * of what a summary may take.
   */
  ledgerTokens?: number;
  /**
   * Longest transcript to put before the summarizer at once, in characters; a longer one is folded
   * chunk by chunk, each on the summary so far.
   */
  chunkCharacters?: number;
  /**
   * Number of chunks to fold a transcript in, where above 1.
   */
  chunks?: number;
  /**
   * Which tools the summarizer reads about.
   */
  tools?: ToolFilter;
  /**
   * Longest tool call or result in the transcript, in characters.
   */
  toolResultMaxCharacters?: number;
}

/**
 * Which tool calls and results go into a transcript.
 */
export type ToolFilter = "all" | { only: string[] };

/**
 * How often a summarizer that fails is asked again, and how long between.
 */
export interface Retry {
  /**
   * Attempts in all, the first included.
   */
  attempts?: number;
  /**
   * Wait before the second attempt in milliseconds; doubled for each one after it.
   */
  baseMs?: number;
  /**
   * Longest wait between attempts in milliseconds.
   */
  capMs?: number;
}

/** Writes a summary. Whatever it throws leaves the conversation as it is. */
export type Summarize = (request: SummaryRequest, context: SummarizeContext) => Promise<Summary | string> | Summary | string;

/**
 * One question to a summarizer.
 */
export interface SummaryRequest {
  /**
   * Its number.
   */
  id: number;
  /**
   * Why a summary is needed.
   */
  reason: Reason;
  /**
   * Instructions, for the system role.
   */
  system: string;
  /**
   * The material, for the user role.
   */
  input: string;
  /**
   * Longest answer that is of use, in tokens.
   */
  targetTokens: number;
  /**
   * Where to cut a model off, in tokens: half again as much, for none keeps to its target exactly.
   */
  maxTokens: number;
  /**
   * What the person asked to pay attention to.
   */
  instructions?: string;
  /**
   * Which chunk this is, from 0.
   */
  chunkIndex: number;
  /**
   * How many chunks there are.
   */
  chunkCount: number;
}

/**
 * Why a compaction is made: a trigger fired, or somebody asked for it.
 */
export type Reason = "threshold" | "manual";

/** What a summarizer may make use of. */
export interface SummarizeContext {
  /** Aborts when the summary is no longer wanted. */
  readonly signal: AbortSignal;
  /** To be told each piece of the summary as it comes; shown, and otherwise of no effect. */
  readonly onDelta: (text: string) => void;
}

/** A summary, and what is known about how it came about. */
export interface Summary {
  text: string;
  /** Tokens that writing it took. */
  usage?: unknown;
  /** Why the model stopped. A summary that ends with `length` lacks its end and is not used. */
  finishReason?: string;
}

/**
 * A compaction, thought through but not done.
 */
export interface Plan {
  /**
   * Why it would be made.
   */
  reason: Reason;
  /**
   * The fate of every message, in order.
   */
  fates: MessageFate[];
  /**
   * Tokens of the view now, tool schemas included.
   */
  tokensBefore: number;
  /**
   * Tokens of the view afterwards, with a summary of `summaryTokens`.
   */
  tokensAfter: number;
  /**
   * How many tokens the summary may take.
   */
  summaryTokens: number;
  /**
   * How often the summarizer would be asked.
   */
  requests: number;
  /**
   * Why there is nothing to do, where that is so.
   */
  idle?: string;
  /**
   * Why the threshold cannot be met, where that is so: what cannot be removed, item by item.
   */
  floor?: string;
}

/**
 * One message and what becomes of it.
 */
export interface MessageFate {
  /**
   * The message's id, as `append` gave it.
   */
  id: string;
  /**
   * What becomes of it.
   */
  fate: Fate;
  /**
   * Its tokens in the view now; 0 where a summary already stands for it.
   */
  tokensBefore: number;
  /**
   * Its tokens afterwards; 0 where a summary stands for it.
   */
  tokensAfter: number;
}

/**
 * What becomes of a message: it stays word for word, a summary is to stand for it, or one already does.
 */
export type Fate = "keep" | "summarize" | "summarized";

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

/**
 * Something worth showing while a compaction runs.
 */
export type EngineEvent = { type: "start"; tokens: number; threshold?: number; chunks: number } | { type: "progress"; done: number; chunks: number } | { type: "retry"; attempt: number; at: number; message: string } | { type: "stale"; request: number } | { type: "end"; report: Report };

/**
 * What one compaction did.
 */
export interface Report {
  /**
   * Why it was made.
   */
  reason: Reason;
  /**
   * How it ended.
   */
  outcome: Outcome;
  /**
   * Why it was skipped or failed, and what to do, for a person.
   */
  message?: string;
  /**
   * Its number, where it was applied.
   */
  checkpoint?: number;
  /**
   * Tokens of the view before.
   */
  tokensBefore: number;
  /**
   * Tokens of the view after; the same as before unless it was applied.
   */
  tokensAfter: number;
  /**
   * Messages of the view before.
   */
  messagesBefore: number;
  /**
   * Messages of the view after.
   */
  messagesAfter: number;
  /**
   * The summary that is in force now, where it was applied.
   */
  summary?: string;
  /**
   * What became of the facts in what was summarized; empty unless it was applied.
   */
  receipt: Receipt;
  /**
   * How often the summarizer was asked.
   */
  requests: number;
  /**
   * What had to be repaired in the view.
   */
  findings: Finding[];
  /**
   * Why the view is not below the threshold, where it is not: what cannot be removed, item by item.
   */
  floor?: string;
}

/**
 * How a compaction ended. In all cases but the first the messages are as they were.
 */
export type Outcome = "applied" | "skipped" | "failed" | "cancelled";

/**
 * Where each fact of the summarized messages is now.
 */
export interface Receipt {
  /**
   * In the summary, or in a message that stays.
   */
  kept: Fact[];
  /**
   * Appended to the summary, word for word.
   */
  appended: Fact[];
  /**
   * In none of them: there was no room. Still in the history.
   */
  givenUp: Fact[];
  /**
   * Names of the summary that no summarized message has.
   */
  unsupported: string[];
}

/**
 * A thing found in the messages that a summary stands for.
 */
export interface Fact {
  /**
   * What sort of thing it is.
   */
  kind: FactKind;
  /**
   * Its wording, as it was found.
   */
  text: string;
  /**
   * Who said it first; `earlier` where only an earlier summary has it.
   */
  speaker: string;
  /**
   * The messages that have it, by id.
   */
  sources: string[];
}

/**
 * What sort of thing a fact is.
 */
export type FactKind = "checklist" | "decision" | "negation" | "url" | "path" | "package" | "identifier" | "quote" | "number";

/**
 * Something about a history that a provider may refuse.
 */
export interface Finding {
  /**
   * The message it is about.
   */
  id: string;
  /**
   * What is wrong.
   */
  defect: Defect;
}

/**
 * What can be wrong with a message.
 */
export type Defect = "missing-result" | "orphan-result" | "repeated-result" | "misplaced-result" | "blank" | "broken-arguments" | "shared-call-id" | "missing-call-id";

/** A piece of a summary that is being written. */
export interface SummaryDelta {
  type: "delta";
  /** The id of the summarizer's request. */
  request: number;
  text: string;
}

/**
 * Tokens of one call as the provider counted them, in our names or in those of Chat Completions. Cached
 * tokens count among those of the prompt, and reasoning among those of the completion.
 */
export type Usage = { promptTokens: number; completionTokens: number } | { prompt_tokens: number; completion_tokens: number };

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

/** A summarizer that asks an endpoint. It can also be called by hand, without a context. */
export type EndpointSummarize = (request: Pick<SummaryRequest, "system" | "input" | "maxTokens">, context?: Partial<SummarizeContext>) => Promise<Completion>;

/**
 * A complete answer of an endpoint.
 */
export interface Completion {
  /**
   * The text.
   */
  text: string;
  /**
   * What the server counted, where it says so.
   */
  usage?: CompletionUsage;
  /**
   * Why the model stopped, in the server's words: mostly `stop`.
   */
  finishReason?: string;
}

/**
 * Tokens of a summary as the server counted them.
 */
export interface CompletionUsage {
  /**
   * Tokens of the question.
   */
  promptTokens: number;
  /**
   * Tokens of the answer, thinking included.
   */
  completionTokens: number;
}

/**
 * What a list of messages looks like.
 */
export type Detection = { kind: "known"; format: Format } | { kind: "foreign"; name: string } | { kind: "unclear" };

/**
 * An endpoint: where a summarizer answers, which model, which key, and how long it may take.
 */
export interface EndpointOptions {
  /**
   * `http://host/v1`, or the whole address ending in `/chat/completions`.
   */
  baseURL: string;
  /**
   * The model's name, as the server knows it.
   */
  model: string;
  /**
   * Sent as `authorization: Bearer …`; an empty one is not sent.
   */
  apiKey?: string;
  /**
   * Further headers. In a browser each one needs the server's permission.
   */
  headers?: Record<string, string>;
  /**
   * Whether the text is to come piece by piece; true where absent.
   */
  stream?: boolean;
  /**
   * How long each part of an answer may take.
   */
  timeouts?: EndpointTimeouts;
}

/**
 * How long each part of an answer may take, in milliseconds.
 */
export interface EndpointTimeouts {
  /**
   * From the request to the first byte of a streamed answer; 5 minutes where absent.
   */
  firstByteMs?: number;
  /**
   * Between two pieces of an answer; 2 minutes where absent.
   */
  idleMs?: number;
  /**
   * From the request to the last byte; 12 minutes where absent.
   */
  totalMs?: number;
}

/**
 * A policy that has a name.
 */
export interface Preset {
  /**
   * Its name, to give as `policy.preset`.
   */
  name: string;
  /**
   * What it stands for, in a window of the default size.
   */
  policy: Policy;
}

/**
 * Everything the engine decides by. Sizes are in tokens.
 */
export interface Policy {
  /**
   * Size of the model's context window.
   */
  window: number;
  /**
   * What calls for a compaction: any of these.
   */
  triggers: Trigger[];
  /**
   * Where the level turns from ok to warn.
   */
  trim: Trigger;
  /**
   * Share of the window to come down to, 0 to 1.
   */
  target: number;
  /**
   * The tail that stays word for word.
   */
  keep: Keep;
  /**
   * How the prefix is summarized.
   */
  summary: SummarySettings;
  /**
   * How often a summarizer that fails is asked again.
   */
  retry: Retry;
  /**
   * Tokens of what goes along with every request and is no message: tool schemas, mostly.
   */
  toolSchemaTokens: number;
}

/** What this package throws and rejects with. */
export interface EpitomeError extends Error {
  readonly name: "EpitomeError";
  /** What went wrong, for code to decide by. */
  readonly code: ErrorCode;
  /** Of an endpoint: whether the very same request may succeed later. */
  readonly retryable?: boolean;
  /** Of an endpoint: how long it asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Of an endpoint: the HTTP status, where there was an answer. */
  readonly status?: number;
}

/**
 * What went wrong, for code to decide by.
 */
export type ErrorCode = "unknown-format" | "invalid-option" | "invalid-policy" | "invalid-message" | "unknown-id" | "duplicate-id" | "invalid-snapshot" | "invalid-originals" | "busy" | "exhausted" | "nothing-to-undo" | "disposed" | "not-loaded" | "internal" | "aborted" | "misconfigured" | "unreachable" | "first-byte-timeout" | "idle-timeout" | "total-timeout" | "unauthorized" | "model-unknown" | "too-long" | "rate-limited" | "overloaded" | "refused" | "bad-answer" | "cut-off" | "truncated" | "filtered" | "empty";

/** True for what this package throws and rejects with, from whichever copy of it. */
export declare function isEpitomeError(error: unknown): error is EpitomeError;

/** Makes a compactor for a new conversation. `M` is the app's own type of message. */
export declare function createCompactor<M extends object = object>(options: CompactorOptions): Promise<Compactor<M>>;

/** Makes a compactor that goes on from a snapshot. */
export declare function restoreCompactor<M extends object = object>(snapshot: string, options: RestoreOptions<M>): Promise<Compactor<M>>;

/** Estimates the tokens of a text. */
export declare function estimateTokens(text: string): Promise<number>;

/** Tells the format of messages from what only that format has. */
export declare function detectFormat(messages: readonly unknown[]): Promise<Detection>;

/** The policies that have a name, the default first. */
export declare function presets(): Promise<Preset[]>;

/** A summarizer that needs no model: it quotes the sentences that say most. */
export declare function extractive(request: Pick<SummaryRequest, "input" | "targetTokens">, context?: Partial<SummarizeContext>): Promise<string>;

/**
 * A summarizer that asks a model behind a chat-completions endpoint. It rejects with an `EpitomeError`
 * that says whether asking again may help, and never retries by itself: the compactor does.
 */
export declare function openAICompatible(options: EndpointOptions): EndpointSummarize;
