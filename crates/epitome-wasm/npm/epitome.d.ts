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
  append(messages: M | readonly M[], marks?: Marks): string[];
  /** Gives a message another wording, and changes the marks that are given. Takes back compactions whose
   * summaries tell of the old one. */
  edit(id: string, message: M, marks?: Marks): void;
  /** Notes the open tasks: they go to the summarizer, and stand behind every summary word for word. */
  setTodo(text: string): void;
  /** How full the window is. Costs next to nothing. */
  status(): Status;
  /** How full the window would be under another policy, counted as now: before a change of the model, this tells whether
   * to compact first, with the model that still holds everything. */
  statusUnder(policy: PolicySpec): Status;
  /** What a compaction would do. Changes nothing. */
  plan(options?: {
    reason?: Reason;
  }): Plan;
  /**
   * Why a compaction is due at this moment, for `compact`; undefined where it is not. A `warning` that the
   * policy asks for is told on the way.
   *
   * After a compaction, another one is due only once an assistant message or a usage has come. `requestStart`
   * begins a request, in which reactive compactions are counted.
   */
  check(moment: Moment): Reason | undefined;
  /** What `check` would answer, for a display: without a warning, and without beginning a request. */
  due(moment: Moment): Reason | undefined;
  /** Compacts where that is due at this moment. Resolves to what it did; undefined where it is not due. */
  maintain(moment: Moment, options?: Omit<CompactOptions, "reason">): Promise<Report | undefined>;
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

/**
 * What an app knows about messages that their format has no place for. What is absent is as it was.
 */
export interface Marks {
  /**
   * Whether they survive every compaction, word for word.
   */
  pinned?: boolean;
  /**
   * The kind of machine-made message they are, such as a reminder: the reducer `trim` leaves out those
   * that a later one repeats.
   */
  synthetic?: string;
  /**
   * Who speaks, where there are several of one role.
   */
  author?: string;
  /**
   * When it was said, as `Date.now()` counts.
   */
  time?: number;
  /**
   * The agents that may see them, by name; all where absent.
   */
  audience?: string[];
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
   * The same in percent, for an indicator.
   */
  budgetUsedPct: number;
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
   * True where `tokens` was counted by the provider or by the model's own encoding, and not estimated.
   * By an encoding, what a provider adds around messages, and pictures and files, are the usual figures.
   */
  exact: boolean;
  /**
   * Half-width of the relative error of `tokens`: 0.1 means ±10 %. It narrows as the provider's counts
   * agree with what was expected.
   */
  errorBand: number;
  /**
   * Tokens that no compaction can remove: system prompt, tool schemas, pinned messages and the last
   * user request.
   */
  floor: number;
  /**
   * What fills it, by the engine's own count, bent by what the provider has counted so far.
   */
  breakdown: Breakdown;
  /**
   * What the provider's counts add up to.
   */
  statistics: Statistics;
}

/**
 * What to do about the fill: nothing, whatever needs no model, or compact.
 */
export type Level = "ok" | "warn" | "compact";

/**
 * What fills the window, in tokens, by the engine's own count, bent by what the provider has counted so far.
 */
export interface Breakdown {
  /**
   * System messages.
   */
  system: number;
  /**
   * What goes along with every request: tool schemas, and what else the provider counts beside the
   * messages.
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

/**
 * Usage of the latest call and of all calls, as `usage` was told.
 */
export interface Statistics {
  /**
   * Prompt tokens of the latest call.
   */
  lastPromptTokens: number;
  /**
   * Completion tokens of the latest call.
   */
  lastCompletionTokens: number;
  /**
   * Prompt tokens of all calls.
   */
  sessionPromptTokens: number;
  /**
   * Completion tokens of all calls.
   */
  sessionCompletionTokens: number;
  /**
   * Prompt and completion tokens of the latest call: what the window holds after it.
   */
  contextTokens: number;
  /**
   * Completion tokens a second in the latest call that told how long it took; 0 before one did.
   */
  tokensPerSecond: number;
}

/**
 * A preset's name and whatever is to differ from it, for all agents or for one. Everything is optional.
 */
export interface PolicySpec extends PolicyFields {
  /**
   * `recommended` where absent; see `presets`.
   */
  preset?: string;
  /**
   * Size of the context window in tokens, whatever the model.
   */
  window?: number;
  /**
   * What the provider says the model's window is. Counts where no `window` is given; 200,000 where
   * neither is.
   */
  modelWindow?: number;
  /**
   * What differs for an agent of this name.
   */
  agents?: Record<string, Omit<PolicySpec, "agents">>;
}

/**
 * Fields of a policy; of `summary` and `retry`, only what differs.
 */
export type PolicyFields = Partial<Omit<Policy, "summary" | "retry">> & { summary?: Partial<SummarySettings>; retry?: Partial<Retry> };

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
   * Share of the threshold at which to warn, once until the next compaction, 0 to 1; null: never.
   */
  warning: number | null;
  /**
   * Share of the window to come down to, 0 to 1.
   */
  target: number;
  /**
   * The tail that stays word for word.
   */
  keep: Keep;
  /**
   * The latest user messages of this many tokens stay word for word, wherever they stand.
   */
  keepRequestsTokens: number;
  /**
   * What saves tokens without a model, in the order in which it is done.
   */
  reducers: Reduction[];
  /**
   * How the prefix is summarized.
   */
  summary: SummarySettings;
  /**
   * Where the summary stands afterwards.
   */
  rebuild: Rebuild;
  /**
   * A result has to save at least this share of the tokens, 0 to 1, unless it makes the conversation
   * fit the window at all.
   */
  minSaving: number;
  /**
   * How often a summarizer that fails is asked again.
   */
  retry: Retry;
  /**
   * Tokens of what goes along with every request and is no message: tool schemas, mostly.
   */
  toolSchemaTokens: number;
  /**
   * What counts tokens.
   */
  counting: Counting;
  /**
   * The model's name, where an estimate is to be for its family, and what is learned of how its provider
   * counts is to be kept apart from that of other models.
   */
  model: string | null;
}

/**
 * One condition: on tokens (`budget`, `fill`, `tokens`), on `messages` that no summary stands for, on a
 * long history when a request begins (`requestBoundary`), on what the previous prompt really took
 * (`reactive`); `at` one moment only; `all` or `any` of several; `always`, or `manual`: never by itself.
 */
export type Trigger = { budget: Budget } | { fill: Fill } | { tokens: number } | { messages: number } | { requestBoundary: RequestBoundary } | { reactive: Reactive } | { at: { moment: Moment; trigger: Trigger } } | { all: Trigger[] } | { any: Trigger[] } | "always" | "manual";

/**
 * Above the smaller of a fraction of the window and the window without its reserves.
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
 * At a fraction of the window, unless a number of tokens is given.
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
 * A long history when a request begins.
 */
export interface RequestBoundary {
  /**
   * The history has to exceed this many tokens; 80,000 where absent.
   */
  triggerTokens?: number;
  /**
   * And to have at least this many messages; 20 where absent.
   */
  minMessages?: number;
}

/**
 * What the previous prompt of the tool loop took, by the provider's count.
 */
export interface Reactive {
  /**
   * Share of the window at which the oldest rounds are summarized, 0 to 1; 0.85 where absent.
   */
  microFraction?: number;
  /**
   * Share of the window at which all that may be is summarized, 0 to 1; 0.92 where absent.
   */
  fullFraction?: number;
  /**
   * How many of the oldest rounds a small step takes; 2 where absent.
   */
  microBatchRounds?: number;
  /**
   * How many of the latest rounds stay; 2 where absent.
   */
  keepRounds?: number;
  /**
   * How many such compactions one request may take; 3 where absent.
   */
  maxPerRequest?: number;
}

/**
 * A moment in an app's work at which a compaction may be due: a request of the person's has come in, the
 * model is about to be called, its tools have answered and it is about to be called again, the turn is
 * over, or the provider has refused a request as too long.
 */
export type Moment = "requestStart" | "turnStart" | "loop" | "turnEnd" | "overflow";

/**
 * The tail that a compaction leaves alone, where there is room for it. Calls stay with their results.
 */
export type Keep = { messages: number } | { rounds: number } | { tokens: number } | { fraction: number };

/**
 * A reducer, when it works, and when it is not worth it. One that has a condition of its own works as soon
 * as that holds, compaction or not.
 */
export interface Reduction {
  /**
   * What is done.
   */
  reducer: Reducer;
  /**
   * When it is done on its own; null or absent: only as part of a compaction.
   */
  when?: Trigger | null;
  /**
   * Where it would save fewer tokens than this, nothing is done: a change in the middle of a
   * conversation costs the provider's cache of everything behind it.
   */
  minSavingTokens?: number;
}

/**
 * A way to save tokens without a model: `trim` leaves out health checks and machine-made messages that a
 * later one repeats, `age` truncates tool results by their age, `prune` shortens the arguments of old
 * tool calls, `offload` puts large tool results aside, and `drop`, where nothing is summarized, leaves
 * out the oldest exchanges.
 */
export type Reducer = "trim" | { age: Age } | { prune: Prune } | { offload: Offload } | "drop";

/**
 * Truncation of tool results by their age.
 */
export interface Age {
  /**
   * What results of each age may take: 2,000 tokens from 11 messages ago, 1,000 from 21 and 500 from 41
   * where absent.
   */
  steps?: AgeStep[];
}

/**
 * What a tool result of some age may take.
 */
export interface AgeStep {
  /**
   * How many messages ago it begins; the newest message is 1 message ago.
   */
  fromMessages: number;
  /**
   * Longest result from there on, in tokens.
   */
  maxTokens: number;
}

/**
 * Shortening of the arguments of old tool calls.
 */
export interface Prune {
  /**
   * The newest messages that fill this share of the window are left alone, 0 to 1; 0.3 where absent.
   */
  protectFraction?: number;
  /**
   * Arguments of at most this many tokens are left alone; 200 where absent.
   */
  argThresholdTokens?: number;
}

/**
 * Putting large tool results aside.
 */
export interface Offload {
  /**
   * The newest messages that fill this share of the window are left alone, 0 to 1; 0.3 where absent.
   * The latest exchange always is.
   */
  protectFraction?: number;
  /**
   * Results of at most this many tokens are left alone; 2,000 where absent.
   */
  maxTokens?: number;
  /**
   * How much of a result stays, in tokens; 200 where absent.
   */
  keepTokens?: number;
}

/**
 * How the prefix is summarized.
 */
export interface SummarySettings {
  /**
   * Name of one of `prompts`: the model of the conversation itself is then asked to summarize, in these
   * words. Goes before `agent`.
   */
  prompt: string | null;
  /**
   * Name of the agent that is asked to summarize. Goes before `defaultAgent`.
   */
  agent: string | null;
  /**
   * Name of the agent that is asked where nothing else is said. With null here and above, nothing is
   * summarized, and only reducers work.
   */
  defaultAgent: string | null;
  /**
   * Prompts of the app's own, by name.
   */
  prompts: Record<string, string>;
  /**
   * The sections of a summary, where no `prompt` says otherwise.
   */
  shape: Shape;
  /**
   * Where an answer has none of the headings that `shape` asks for, ask once more with a reminder. Of
   * use with models; the extractive summarizer only quotes.
   */
  checkHeadings: boolean;
  /**
   * Longest summary, in tokens.
   */
  maxTokens: number;
  /**
   * Longest ledger of facts that the summary lost, in tokens, out of `maxTokens`; at most a quarter
   * of what a summary may take.
   */
  ledgerTokens: number;
  /**
   * A summary above this many tokens is itself summarized; 0: never.
   */
  rollupTokens: number;
  /**
   * Longest transcript to put before the summarizer at once, in characters; a longer one is folded
   * chunk by chunk, each on the summary so far.
   */
  chunkCharacters: number;
  /**
   * Number of chunks to fold a transcript in, where above 1.
   */
  chunks: number;
  /**
   * The summarizer's own window, in tokens. Null: that of the conversation where `prompt` has its model
   * summarize, and unknown otherwise.
   */
  windowTokens: number | null;
  /**
   * Which tools the summarizer reads about.
   */
  tools: ToolFilter;
  /**
   * Longest tool call or result in the transcript, in characters.
   */
  toolResultMaxCharacters: number;
  /**
   * Where the result is too large, shorter limits for tool results to try one after the other, in
   * characters; and after them, shorter tails. Empty: the first result counts.
   */
  ladder: number[];
  /**
   * What becomes of the last user request.
   */
  lastRequest: LastRequest;
}

/**
 * The sections that a summary is to have: key facts, course of the conversation and open points; or seven,
 * from the goals to the very next step.
 */
export type Shape = "threeSections" | "sevenSections";

/**
 * Which tool calls and results go into a transcript: all, or those of tools named here; an entry that ends
 * in `*` takes every name that begins so.
 */
export type ToolFilter = "all" | { only: string[] };

/**
 * What becomes of the last user request: it stays as the message it is, or is appended to the summary word
 * for word.
 */
export type LastRequest = "keep" | "append";

/**
 * Where the summary stands in what the model sees: behind the system prompts, as a user message in front
 * of those that stay or in one with them, or as another system prompt; or in the place of what it stands
 * for.
 */
export type Rebuild = "systemSummaryTail" | "oneMessage" | "leadingSystem" | "inPlace";

/**
 * How often a summarizer that fails is asked again, and how long between.
 */
export interface Retry {
  /**
   * Attempts in all, the first included.
   */
  attempts: number;
  /**
   * Wait before the second attempt in milliseconds; doubled for each one after it.
   */
  baseMs: number;
  /**
   * Longest wait between attempts in milliseconds.
   */
  capMs: number;
}

/**
 * What counts tokens. A provider's own count, where one is told, goes before all of them.
 */
export type Counting = "estimate" | { estimate: Family } | { charactersPerToken: number } | { encoding: Encoding } | { tokenizer: string };

/**
 * Models whose tokens are estimated alike: OpenAI's, as those since GPT-4o count, and whatever is not known;
 * OpenAI's GPT-4, GPT-3.5 and embeddings; Anthropic's; Google's.
 */
export type Family = "o200k_base" | "cl100k_base" | "claude" | "gemini";

/**
 * A byte-pair encoding that models read text in: `o200k_base` is that of GPT-4o and the OpenAI models
 * after it, `cl100k_base` that of GPT-4 and GPT-3.5.
 */
export type Encoding = "o200k_base" | "cl100k_base";

/** What a compaction of these messages would do. */
export declare function plan<M extends object>(messages: readonly M[], options: PlanOptions): Promise<Plan>;

/** How a plan is made without a compactor. */
export interface PlanOptions extends Pick<CompactorOptions, "format" | "policy" | "agent" | "tokenizers"> {
  /** `manual` where absent. */
  reason?: Reason;
}

/** How a compactor is made. */
export interface CompactorOptions<M extends object = object> extends HostOptions<M> {
  /** The format of the messages. */
  format: Format;
  /** When to compact and how far; the preset `recommended` where absent. */
  policy?: PolicySpec;
}

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

/** Writes a summary. Whatever it throws leaves the conversation as it is. `request.summarizer` says who is
 * to write it: the app's agent of a name, or the conversation's own model. */
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
   * Who is to answer.
   */
  summarizer: Summarizer;
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
 * Why a compaction is made: a trigger fired, or somebody asked for it; a request begins with a long
 * history; in the tool loop the last prompt was large, or very large or refused; or a reducer's own
 * condition holds, and nothing is summarized.
 */
export type Reason = "threshold" | "manual" | "request-boundary" | "reactive-micro" | "reactive-full" | "trim";

/**
 * Who is asked for a summary: the model of the conversation itself, with the app's prompt of a name; or
 * the app's agent of a name.
 */
export type Summarizer = { kind: "own"; prompt: string } | { kind: "agent"; name: string };

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
 * A compaction that is about to ask for a summary.
 */
export interface BeforeCompaction {
  /**
   * Why it is made.
   */
  reason: Reason;
  /**
   * True where somebody asked for it by hand.
   */
  forced: boolean;
  /**
   * Tokens in the window.
   */
  tokensUsed: number;
  /**
   * The same in percent of the window.
   */
  contextPercent: number;
  /**
   * Messages of the view.
   */
  messageCount: number;
  /**
   * How many of them stay word for word.
   */
  keepLast: number;
}

/** Whether a compaction may begin. */
export type BeforeAnswer = boolean | void | {
  skip: boolean;
};

/** What became of a compaction that asked for a summary. */
export type AfterCompaction = Extract<EngineEvent, {
  type: "after";
}>;

/**
 * Something worth showing: mostly while a compaction runs; a `warning` comes from `check`.
 */
export type EngineEvent = { type: "start"; tokens: number; threshold?: number; budgetUsedPct: number; chunks: number } | { type: "reacting"; tokens: number; budgetUsedPct: number; chunks: number } | { type: "progress"; done: number; chunks: number } | { type: "retry"; attempt: number; at: number; message: string } | { type: "stale"; request: number } | { type: "warning"; tokens: number; threshold: number; budgetUsedPct: number } | { type: "shorter"; toolResultMaxCharacters: number; keep: Keep } | { type: "tooLarge"; message: string } | { type: "offloaded"; path: string } | { type: "after"; success: boolean; messagesBefore: number; messagesAfter: number; summaryCharacters: number } | { type: "end"; report: Report } | { type: "reacted"; messagesBefore: number; messagesAfter: number; report: Report };

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
   * Messages that are seen otherwise than before, or left out, without being summarized.
   */
  reduced: number;
  /**
   * The summary that this has put in force, where it made one.
   */
  summary?: string;
  /**
   * Its length in characters; 0 where there is none.
   */
  summaryCharacters: number;
  /**
   * What became of the facts in what was summarized; empty unless it was applied.
   */
  receipt: Receipt;
  /**
   * How often the summarizer was asked.
   */
  requests: number;
  /**
   * Tokens of the view after, in percent of the window.
   */
  budgetUsedPct: number;
  /**
   * The session that goes on from here, from 1: every summary that comes into force begins another.
   */
  session: number;
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
export type Defect = "missing-result" | "orphan-result" | "repeated-result" | "misplaced-result" | "late-result" | "not-user-first" | "reasoning-alone" | "blank" | "broken-arguments" | "shared-call-id" | "missing-call-id";

/** Counts the tokens of a text as a model does, exactly; `o200k_base` where no encoding is named. Loads its
 * vocabulary first, as far as the text needs it and it is not loaded yet. The text of special tokens is plain text. */
export declare function countTokens(text: string, options?: CountOptions): Promise<number>;

/** What a text is counted by. */
export interface CountOptions {
  /** `o200k_base` where absent. */
  encoding?: Encoding;
  /** Instead of that, a tokenizer that `loadTokenizer` was given this name for. */
  tokenizer?: string;
}

/** Counts the tokens of messages, mostly by asking the provider. */
export type CountTokens<M extends object> = (messages: M[], context: {
  readonly signal: AbortSignal;
}) => Promise<number> | number;

/** Where tokenizers come from, by the names that policies have for them: see `loadTokenizer`. */
export type TokenizerSources = Readonly<Record<string, EncodingSource | object>>;

/** Where the vocabulary of an encoding comes from: an address, the answer of a server, or its bytes. */
export type EncodingSource = string | URL | Response | BufferSource;

/** Something worth showing, mostly while a compaction runs. */
export type CompactionEvent = EngineEvent | SummaryDelta | Counted;

/** A piece of a summary that is being written. */
export interface SummaryDelta {
  type: "delta";
  /** The id of the summarizer's request. */
  request: number;
  text: string;
}

/** The view was counted after a compaction, or could not be: then the engine's estimate stands. */
export type Counted = {
  type: "counted";
  tokens: number;
} | {
  type: "countFailed";
  message: string;
};

/**
 * A format that messages are read from and written to.
 */
export type Format = "openai-chat" | "openai-responses" | "anthropic" | "ai-sdk-ui" | "ai-sdk-model" | "gemini" | "langchain" | "bedrock";

/** A compaction, thought through but not done. */
export interface Plan extends PlanFigures {
  /**
   * The fate of every message, in order. Where nothing is said otherwise than in the compactor's plan before, it is the
   * very same object; the array is another one with every plan.
   */
  readonly fates: readonly MessageFate[];
}

/**
 * A compaction, thought through but not done, without what becomes of each message.
 */
export interface PlanFigures {
  /**
   * Why it would be made.
   */
  reason: Reason;
  /**
   * True where a summary is to be written; otherwise reducers alone work.
   */
  summarizes: boolean;
  /**
   * How many messages the summary would stand for.
   */
  summarized: number;
  /**
   * How many messages would be seen otherwise, or left out, without being summarized.
   */
  reduced: number;
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
   * How many of those are for the facts that the summary lost.
   */
  ledgerTokens: number;
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

/** One message and what becomes of it. */
export interface MessageFate {
  /** The message's id, as `append` gave it. One of several steps has its number behind it, `m7#1`. */
  readonly id: string;
  /** What becomes of it. */
  readonly fate: Fate;
  /** Its tokens in the view now; 0 where it is not in it any more. */
  readonly tokensBefore: number;
  /** Its tokens afterwards; 0 where it is not in the view. */
  readonly tokensAfter: number;
}

/**
 * What becomes of a message. `keep`: it stays as it is seen now. `trim`: it adds nothing and is left out.
 * `truncate`: its tool results are cut by their age. `prune`: the arguments of its calls are shortened. `offload`:
 * its tool results are put aside. `strip`: its sealed thoughts are left out. `drop`: it is left out to make room.
 * `summarize`: the summary is to stand for it. `summarized`: it is not in the view any more, since a summary stands
 * for it or it was left out.
 */
export type Fate = "keep" | "trim" | "truncate" | "prune" | "offload" | "strip" | "drop" | "summarize" | "summarized";

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

/**
 * Tokens of one call as the provider counted them, and how long it took.
 */
export interface Usage {
  /**
   * Everything that was sent, cached or not.
   */
  promptTokens: number;
  /**
   * Everything that came back, reasoning included.
   */
  completionTokens: number;
  /**
   * Those of the prompt that came out of the provider's cache, where it tells.
   */
  cachedTokens?: number;
  /**
   * Those of the prompt that went into the provider's cache, where it tells.
   */
  cacheWriteTokens?: number;
  /**
   * Those of the completion that are thoughts, where the provider tells.
   */
  reasoningTokens?: number;
  /**
   * How long it took, in milliseconds, where it was measured.
   */
  durationMs?: number;
}

/** What a text is estimated by. */
export interface EstimateOptions {
  /** Whose tokens are estimated; `o200k_base` where absent. */
  family?: TokenFamily;
  /** Instead of that, how many characters are taken for a token. */
  charactersPerToken?: number;
}

/**
 * Models whose tokenizers count alike: OpenAI's since GPT-4o; OpenAI's GPT-4, GPT-3.5 and embeddings; Anthropic's since
 * Claude 4; Google's since Gemini 2.
 */
export type TokenFamily = "o200k_base" | "cl100k_base" | "claude" | "gemini";

/** Counts tokens at once, without waiting. */
export interface TokenCounter {
  /** Estimates the tokens of a text. */
  estimate(text: string, options?: EstimateOptions): number;
  /**
   * Counts the tokens of a text exactly. Where the vocabulary that takes is not loaded, it throws
   * `encoding-not-loaded`: await `loadEncoding` first. With the shard for ASCII alone, so it does for other text.
   */
  count(text: string, options?: {
    encoding?: Encoding;
  }): number;
}

/** What is loaded of an encoding, and from where. */
export interface EncodingOptions {
  /**
   * `"ascii"` loads what text in ASCII needs, which is 60 % of `o200k_base`, and is exact for it. The rest follows
   * when `countTokens` meets other text, or a policy counts by the encoding.
   */
  scripts?: "ascii" | "all";
  /** Where the vocabulary comes from, or with `"ascii"` its shard; the package's own files where absent. */
  source?: EncodingSource;
  /** With `"ascii"`: where the rest comes from. */
  rest?: EncodingSource;
}

/** A summarizer that asks an endpoint. It can also be called by hand, without a context. */
export type EndpointSummarize = (request: Pick<SummaryRequest, "system" | "input" | "maxTokens">, context?: Partial<SummarizeContext>) => Promise<Completion>;

/**
 * A complete answer.
 */
export interface Completion {
  /**
   * The text, without white space before it and without a `<think>…</think>` at its start; never empty. If it was
   * streamed, it is the deltas joined.
   */
  text: string;
  /**
   * Tokens, if the server reports them.
   */
  usage?: CompletionUsage;
  /**
   * Why the model stopped, in the server's words: mostly `stop`.
   */
  finishReason?: string;
}

/**
 * Tokens of a completion as the server reports them.
 */
export interface CompletionUsage {
  /**
   * Tokens of the prompt. Far fewer than estimated mean that the server truncated it silently.
   */
  promptTokens: number;
  /**
   * Tokens of the answer, including reasoning.
   */
  completionTokens: number;
}

/** Messages in another format. */
export interface Converted<M extends object = object> {
  messages: M[];
  /** What the target could not hold, and where it was. */
  lost: Issue[];
}

/**
 * Something about messages that a provider, or some server of its kind, refuses.
 */
export interface Issue {
  /**
   * Where: `messages[3].content[1]`.
   */
  path: string;
  /**
   * What.
   */
  code: IssueCode;
  /**
   * How bad that is.
   */
  severity: Severity;
  /**
   * What, for a person.
   */
  message: string;
}

/**
 * What can be wrong with messages.
 */
export type IssueCode = "not-a-message" | "unknown-part" | "foreign-part" | "unknown-role" | "missing-content" | "not-text" | "missing-arguments" | "broken-arguments" | "missing-result" | "orphan-result" | "repeated-result" | "misplaced-result" | "split-results" | "shared-call-id" | "reused-call-id" | "refused-call-id" | "missing-call-id" | "repeated-id" | "missing-id" | "refused-id" | "blank-message" | "blank-text" | "nothing-said" | "system-inside" | "not-user-first" | "assistant-last" | "same-role-twice" | "unsealed-reasoning" | "reasoning-alone" | "empty-compaction" | "misplaced-compaction" | "lone-surrogate" | "lost";

/**
 * How bad an issue is.
 */
export type Severity = "odd" | "depends" | "refused";

/**
 * What a list of messages looks like.
 */
export type Detection = { kind: "known"; format: Format } | { kind: "unclear" };

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
   * What it stands for, in a window of 200,000 tokens.
   */
  policy: Policy;
}

/** Messages that were put right, and what was done. */
export interface Repaired<M extends object = object> {
  /** The messages: those that were right are the very objects that came. */
  messages: M[];
  /** What was wrong, and is not any more. */
  done: Issue[];
  /** What is still wrong: it could only be put right by guessing. */
  left: Issue[];
}

/** How a compactor goes on from a snapshot, whose policy stays in force. */
export interface RestoreOptions<M extends object = object> extends HostOptions<M> {
  /** The format of the messages. */
  format: Format;
  /** All messages that were appended, in order, as they are now. Those that the snapshot does not know
   * are appended. */
  originals: readonly M[];
}

/** How strict a provider is taken to be. */
export interface ValidateOptions {
  /** Also find what only some servers of this format refuse: roles that do not take turns, system messages
   * behind others, ids that are used again. */
  strict?: boolean;
}

/** Has a provider count. It can also be called by hand, without a context. */
export type ProviderCounter<M extends object = object> = (messages: M[], context?: Partial<Parameters<CountTokens<M>>[1]>) => Promise<number>;

/** Options of a counter for messages of any format. */
export interface ProviderCounterOptions extends CounterOptions {
  /** The format of the messages, where it is not the provider's own: they are converted before they are
   * counted. */
  format?: Format;
}

/**
 * An endpoint that counts tokens: where it is, for which model, which key, and what else is in a request.
 */
export interface CounterOptions {
  /**
   * The model's name, as the provider knows it.
   */
  model: string;
  /**
   * Where the API is, such as `https://host/v1`; the provider's own where absent, and for llama.cpp
   * `http://127.0.0.1:8080`.
   */
  baseURL?: string;
  /**
   * Sent in the header that the provider reads it from; an empty one is not sent.
   */
  apiKey?: string;
  /**
   * Further headers. In a browser each one needs the server's permission.
   */
  headers?: Record<string, string>;
  /**
   * What else every request to the model has, such as `system` and `tools`, in the provider's own words.
   */
  request?: object;
  /**
   * How long a count may take, in milliseconds; a minute where absent.
   */
  timeoutMs?: number;
}

/** How much of a history is taken. */
export interface RecentOptions {
  /** The format of the messages; found out where absent. */
  format?: Format;
  /** How many tokens they may take. */
  tokens: number;
  /** What counts tokens; the package's own estimate where absent. */
  counting?: Counting;
  /** Where the tokenizer comes from that `counting` may name; see `HostOptions.tokenizers`. */
  tokenizers?: TokenizerSources;
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
  /** Of an encoding that is not loaded: which one. */
  readonly encoding?: Encoding;
  /** Of a tokenizer that is not loaded: its name. */
  readonly tokenizer?: string;
}

/**
 * What went wrong, for code to branch on.
 */
export type ErrorCode = PackageErrorCode | EndpointErrorCode;

/**
 * What went wrong in a call of this package, for code to branch on.
 */
export type PackageErrorCode = "unknown-format" | "invalid-option" | "invalid-policy" | "invalid-message" | "unknown-id" | "duplicate-id" | "invalid-snapshot" | "invalid-originals" | "busy" | "exhausted" | "nothing-to-undo" | "unknown-encoding" | "encoding-not-loaded" | "encoding-unavailable" | "invalid-vocabulary" | "disposed" | "not-loaded" | "internal";

/**
 * What went wrong with a request to an endpoint, for code to branch on.
 */
export type EndpointErrorCode = "aborted" | "misconfigured" | "unreachable" | "first-byte-timeout" | "idle-timeout" | "total-timeout" | "unauthorized" | "model-unknown" | "too-long" | "rate-limited" | "overloaded" | "refused" | "bad-answer" | "cut-off" | "truncated" | "filtered" | "empty";

/** True for what this package throws and rejects with, from whichever copy of it. */
export declare function isEpitomeError(error: unknown): error is EpitomeError;

/** Makes a compactor for a new conversation. `M` is the app's own type of message. */
export declare function createCompactor<M extends object = object>(options: CompactorOptions<M>): Promise<Compactor<M>>;

/** Makes a compactor that goes on from a snapshot. */
export declare function restoreCompactor<M extends object = object>(snapshot: string, options: RestoreOptions<M>): Promise<Compactor<M>>;

/** Estimates the tokens of a text. */
export declare function estimateTokens(text: string, options?: EstimateOptions): Promise<number>;

/**
 * Loads the vocabulary of an encoding, from the package's own file or from what is given. It is loaded once,
 * for every compactor; a call meanwhile waits for the same one, and a failure is not remembered.
 *
 * Whatever is awaited loads what it needs by itself. `setPolicy` and a `TokenCounter` are not, and need this before.
 */
export declare function loadEncoding(encoding: Encoding, source?: EncodingSource | EncodingOptions): Promise<void>;

/** A counter for many texts, which counts without waiting: it is there once the module is. */
export declare function tokenCounter(): Promise<TokenCounter>;

/**
 * Loads the `tokenizer.json` of a model, as Hugging Face has them for Llama 3, Qwen, DeepSeek, Mistral and others, for
 * `countTokens(text, { tokenizer: name })` and for policies with `counting: { tokenizer: name }`. It comes from an
 * address, a response, bytes, or as the object that it is; reading it takes up to a second. One that cannot be counted
 * by exactly is refused with `invalid-vocabulary`. Where one of the name is loaded already, whatever counts by that goes
 * on with it.
 */
export declare function loadTokenizer(name: string, source: EncodingSource | object): Promise<void>;

/** The most recent messages that fit, with their system prompts; calls come with their results. */
export declare function recentWithin<M extends object>(messages: readonly M[], options: RecentOptions): Promise<M[]>;

/** Tells the format of messages from what only that format has. */
export declare function detectFormat(messages: readonly unknown[]): Promise<Detection>;

/** What the provider of this format would refuse in these messages, and where. */
export declare function validate(messages: readonly object[], format: Format, options?: ValidateOptions): Promise<Issue[]>;

/** The same messages as the provider takes them: those that were right are the very same objects. */
export declare function repair<M extends object>(messages: readonly M[], format: Format): Promise<Repaired<M>>;

/** Messages of one format in another. What the target cannot hold is listed. */
export declare function convert<M extends object = object>(messages: readonly object[], from: Format, to: Format): Promise<Converted<M>>;

/** What a request took, read from the usage object of any provider; undefined where it does not tell how large
 * the prompt was. */
export declare function readUsage(usage: object): Promise<Usage | undefined>;

/** The policies that have a name, the default first. */
export declare function presets(): Promise<Preset[]>;

/** What a policy comes to, for one of its agents or for all. Rejects where it cannot work, and names the
 * field. */
export declare function resolvePolicy(policy?: PolicySpec, agent?: string): Promise<Policy>;

/** A summarizer that needs no model: it quotes the sentences that say most. */
export declare function extractive(request: Pick<SummaryRequest, "input" | "targetTokens">, context?: Partial<SummarizeContext>): Promise<string>;

/**
 * A summarizer that asks a model behind a chat-completions endpoint. It rejects with an `EpitomeError`
 * that says whether asking again may help, and never retries by itself: the compactor does.
 */
export declare function openAICompatible(options: EndpointOptions): EndpointSummarize;

/**
 * Has Anthropic count the tokens of messages, for `countTokens`. Give `system` and `tools` in `request`. In a browser
 * Anthropic wants the header `anthropic-dangerous-direct-browser-access` besides.
 */
export declare function anthropicCounter<M extends object = object>(options: ProviderCounterOptions): ProviderCounter<M>;

/** Has OpenAI count the tokens of Responses items, for `countTokens`. Give `instructions` and `tools` in `request`. */
export declare function openAICounter<M extends object = object>(options: ProviderCounterOptions): ProviderCounter<M>;

/** Has Gemini count the tokens of contents, for `countTokens`. Give `systemInstruction` and `tools` in `request`. */
export declare function geminiCounter<M extends object = object>(options: ProviderCounterOptions): ProviderCounter<M>;

/** Has a server of llama.cpp count the tokens of chat messages, in its model's own template, for `countTokens`. */
export declare function llamaCppCounter<M extends object = object>(options: ProviderCounterOptions): ProviderCounter<M>;
