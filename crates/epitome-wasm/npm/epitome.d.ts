// Written by scripts/declarations.mjs. The types of options and results come from Rust.

declare global {
  interface SymbolConstructor {
    /** As in TypeScript's library for `using`, which an app may not have. */
    readonly dispose: unique symbol;
  }
}

/**
 * One agent of a team. It gets the messages that are for all, those whose `audience` names it, and those whose `author` it is.
 * Its view, status, policy, compactions and undo are its own; the messages are those of the compactor, and none is copied.
 *
 * `M` is the team's type of message. `S` is that of the agent's requests, which is another one if the agent has a format of its
 * own: then `messages()` costs a conversion of the view whenever that has changed, and `history()` and `message()` still return what
 * the team has.
 */
export interface Agent<M extends object = object, S extends object = M> extends Pick<Compactor<S>, "format" | "session" | "phase" | "setRequestContext" | "notes" | "setTodo" | "memory" | "memoryText" | "remember" | "setMemory" | "structuredState" | "stateText" | "setStructuredState" | "layers" | "status" | "statusUnder" | "subscribe" | "getSnapshot" | "plan" | "check" | "due" | "compactIfNeeded" | "compact" | "messages" | "findings" | "compacted" | "sources" | "metadata" | "recall" | "recallReturning" | "messagesWithRecall" | "offloaded" | "undo" | "reportUsage" | "setPolicy">, Pick<Compactor<M>, "message" | "history" | "ids"> {
  readonly name: string;
  /**
   * Adds messages to the conversation of the team, as the compactor's own `append` does, with the agent as their `author`. They are for
   * all unless the metadata have an `audience`; the agent itself gets what it has written in any case.
   *
   * Messages of a format of its own are converted for the team, and the agent gets them back as it has given them, with what a
   * conversion cannot carry, such as signed reasoning. Results that come after their calls may change the message that the team has
   * of these. Returns the ids of the messages that the team has got or that have changed.
   */
  append(messages: S | readonly S[], metadata?: MessageMetadata): string[];
}

/**
 * Keeps one conversation below its threshold. `M` is the app's own type of message.
 *
 * After `dispose`, every method throws an error with the code `disposed`.
 */
export interface Compactor<M extends object = object> {
  /** The format of its messages. */
  readonly format: Format;
  /**
   * Adds messages at the end and returns their ids. Allowed during a compaction.
   *
   * The messages are not changed, and those that are kept come back as the same objects. If one of them is not an object,
   * the error names it and none is added.
   */
  append(messages: M | readonly M[], metadata?: MessageMetadata): string[];
  /**
   * The same for many messages, in slices between which the page can be drawn and react: `append` reads and counts all of them
   * before it returns, which takes a tenth of a second for ten megabytes. A long message is read, counted and appended in a slice
   * each, of about a third of that.
   *
   * Other messages that are appended meanwhile stand between these. An abort, and a message that is refused, leave those that
   * were appended before.
   */
  appendInSlices(messages: readonly M[], options?: AppendOptions): Promise<string[]>;
  /**
   * Makes the conversation the same as the app's array, whatever the app did to it: messages were appended, the last one was
   * streamed or generated again, one was edited, deleted or inserted, a question was sent again, or another branch is shown.
   * The array may also begin with what `messages()` has returned. Allowed during a compaction.
   *
   * Messages are recognised by object, then by their own `id`, then by content. Of an array whose objects are those of the
   * last call, only the last one is read again. Compactions stay active while all messages that they are about are there; a
   * compaction of messages that are gone or changed is not, and the report names it. `metadata` are those of new and changed
   * messages.
   *
   * An error changes nothing. Takes less than a millisecond for 2,000 messages of which the last one has changed.
   */
  sync(messages: readonly M[], metadata?: MessageMetadata): SyncReport;
  /**
   * The same with new messages at the end appended in slices, between which the page can be drawn and react: for an array of
   * which thousands of messages are new. What was changed, inserted, removed or left is followed in the first slice.
   *
   * An abort, and a message in a later slice that is refused, leave those that were appended before; another call goes on behind
   * them.
   */
  syncInSlices(messages: readonly M[], options?: AppendOptions): Promise<SyncReport>;
  /** Puts a message in front of another one and returns its id. Undoes the compactions that summarize both neighbours. */
  insert(message: M, before: string, metadata?: MessageMetadata): string;
  /** Removes a message for good, on all branches. Undoes the compactions that are about it. */
  remove(id: string): void;
  /**
   * Ends the conversation with this message; without one, it is empty. What came after it stays as a branch: the next
   * message begins another one.
   */
  truncate(last?: string): void;
  /** The ids of the messages that stand in the place of this one on all branches, oldest first: what a page shows as ‹ 2/3 ›. */
  branches(id: string): string[];
  /** Shows the branch with this message, with all messages that it had. `history()` returns them. */
  switchTo(id: string): void;
  /**
   * Replaces a message and changes the metadata that are given. Undoes the compactions whose summaries cover the old
   * message. Like all methods that take an id, it takes the one that `append` returned or the message's own `id`.
   */
  edit(id: string, message: M, metadata?: MessageMetadata): void;
  /**
   * The agent of this name: the same conversation as it sees it, compacted on its own. The options are those of the first call.
   *
   * Messages that are appended with an `audience` are only in the views of these agents and of their author. The compactor
   * itself has the messages that are for all.
   */
  agent(name: string, options?: AgentOptions<M>): Agent<M>;
  /**
   * The same for an agent that is asked in another format: its `messages()`, requests of turns and own answers are in it, and its
   * view is planned, repaired and verified by the rules of that provider. Needs `await loadConversion()` before, which restoring a
   * conversation with such an agent does itself. The format is stored; given for the first time to an agent of a stored conversation,
   * it replaces the one that the agent had.
   *
   * Throws `unknown-format` for a format that does not exist, and `invalid-option` for another one than the agent was asked for with.
   */
  agent<F extends Format>(name: string, options: AgentFormatOptions<MessageOf<F>, F>): Agent<M, MessageOf<F>>;
  /** The same for the app's own type of message, `S`. */
  agent<S extends object>(name: string, options: AgentFormatOptions<S>): Agent<M, S>;
  /** The names of the agents that were asked for, now or before the conversation was restored. */
  agents(): string[];
  /**
   * Says that a task of the workflow is complete: the conversation up to here was for it. From now on, `compactIfNeeded()` of each
   * agent, and of the compactor itself, has the messages of the task summarized, once; what follows belongs to the next task.
   *
   * With `tasks: { sharedBy }` in the policy, one summary is for all agents: the compactor's own `compactIfNeeded()` has it
   * written, by the settings of the agent named there, which is to be asked for by `agent(name)` before. The agents then take it
   * over without a request.
   */
  completeTask(name: string): void;
  /** Sets the open tasks. The summarizer gets them, and every summary is followed by them word for word. */
  setTodo(text: string): void;
  /** What is remembered: a summary, the entries since, and standing instructions. */
  memory(): Memory;
  /** What is remembered, as text for a model: `contextProviders({ memory: () => compactor.memoryText() })` puts it in front of each
   * request of a turn. */
  memoryText(): string;
  /**
   * Adds an entry to the memory. With 15 entries, by the policy's `memory`, the summarizer blends the 10 oldest into the memory's
   * summary in the background; an event says so. `standing` instructions stay word for word.
   */
  remember(text: string, options?: {
    standing?: boolean;
  }): void;
  /** Replaces the memory, as after an edit by the user. */
  setMemory(memory: Memory): void;
  /**
   * What holds in the conversation: decisions, constraints, tasks, open questions, risks, artifacts and contributions, the latest
   * first, each with the ids of the messages that it is from. With `summary.structuredState` in the policy, a summarizer returns
   * changes to it beside each summary.
   */
  structuredState(): StructuredState;
  /**
   * The structured state as text for a model, as long as `messages()` does not show it: before the first summary, and after
   * `setStructuredState`. Empty if the summary has it. `contextProviders({ memory: () => compactor.stateText() })` puts it in front
   * of each request of a turn.
   */
  stateText(): string;
  /** Sets the structured state, within the limits of its lists. `undo()` takes it back. A `stateChanged` event says whenever it is
   * another one, whatever the cause. */
  setStructuredState(state: StructuredState): void;
  /** How often each layer of compaction has worked: reducers alone, summaries, and summaries of completed tasks. Takes time in
   * proportion to the messages. */
  layers(): Layers;
  /** The number of the session, from 1: every summary begins another. */
  session(): number;
  /** The point in the app's request loop, by the last message: `loop` behind a tool result, and `requestStart` behind any
   * other. */
  phase(): Phase;
  /**
   * Counts what the next request has besides `messages()`, and what it leaves out of them, until it is called again. Status
   * and plans include it. Nothing of it is stored. `runTurn` does this for its providers and transforms.
   */
  setRequestContext(context: RequestContext<M>): void;
  /** How full the window is. Takes microseconds. */
  status(): Status;
  /**
   * How full the window would be under another policy, with the current tokenizer. Before a change to a smaller model, it
   * says whether to compact first, while the larger model still holds everything.
   */
  statusUnder(policy: PolicySpec): Status;
  /**
   * Calls a listener with the state, now and whenever it is another one, and returns what ends that. Together with
   * `getSnapshot`, it is what `useSyncExternalStore` of React takes, and alone it is a store of Svelte; both work without the
   * compactor in front. Changes in a row are one call, in a microtask.
   */
  subscribe(listener: (state: CompactorState<M>) => void): () => void;
  /** The state: the same object as before, as its `status` and its `messages` are, until something has changed. */
  getSnapshot(): CompactorState<M>;
  /** What a compaction would do. Changes nothing. If the policy names a model, `economics` says what it costs. */
  plan(options?: PlanningOptions): Plan;
  /**
   * Why a compaction is due at this phase, as the `reason` for `compact`; undefined if none is due. Emits the `warning`
   * event that the policy asks for.
   *
   * After a compaction, the next one is due only after an assistant message or a `reportUsage()`. `requestStart` starts a new
   * user request, for which reactive compactions are counted.
   */
  check(phase: Phase): Reason | undefined;
  /** The same as `check` for display: without a warning, and without starting a user request. */
  due(phase: Phase): Reason | undefined;
  /**
   * Compacts if a compaction is due, and resolves to its report; undefined if none is due. To be called before each request.
   *
   * Without a phase, it is `loop` if the last message is a tool result, and `requestStart` if it is any other.
   */
  compactIfNeeded(options?: CompactIfNeededOptions): Promise<(Report & OfAgent) | undefined>;
  /**
   * Compacts. Also resolves if there was nothing to do, if the compaction failed or if it was cancelled: the messages are
   * then unchanged, and the report says why.
   *
   * Rejects with the code `busy` while another compaction runs, and with `exhausted` if the last one failed, no message has
   * been added since, and the reason is neither `manual` nor `session-compaction`.
   */
  compact(options?: CompactOptions): Promise<Report & OfAgent>;
  /**
   * What to send to the model, in the app's own format, as its provider accepts it. Kept messages are the app's own objects;
   * one that is changed is a copy with all its other fields.
   *
   * Also before the first compaction, results are moved after their calls, missing results are added, and what no provider
   * accepts is left out; `findings()` lists all of it. With the option `repair: false`, the messages are as they were
   * appended until the first compaction. As long as the provider accepts all of them, only those that were appended since
   * the last call are checked.
   */
  messages(): M[];
  /** What is wrong with the messages that `messages()` returns, and what it does about it. Empty if nothing is. */
  findings(): Finding[];
  /**
   * The ids of the messages that the model does not get any more, in order: active compactions have summarized or removed
   * them. `history()` still has them.
   */
  compacted(): string[];
  /**
   * The ids of the messages that a line of the summary is from, in order: those whose numbers it names, as in `- [4, 9] …`, else
   * the latest one that says the same, else the latest one for each of its facts or of the things that it lists, at most four. Of
   * a text, the first line is read.
   *
   * Without numbers, the messages up to the last one that the model does not get any more are looked through, which takes time in
   * proportion to their texts. Empty if none says the line, as for a heading.
   */
  sources(line: string): string[];
  /** What is known of a message besides its content: what `append` and `edit` were given, and `isCompacted`. */
  metadata(id: string): StoredMetadata;
  /** The message of this id, as the app has given it last; undefined if only a snapshot of it is there. */
  message(id: string): M | undefined;
  /** The messages of the conversation, as the app has given them last. */
  history(): M[];
  /** The ids of the messages of `history()`, in the same order, such as for the page of an app that has opened a stored
   * conversation. */
  ids(): string[];
  /**
   * Searches the messages that the model does not get any more, or not whole. Summaries are not searched, and what the summary
   * in the view quotes is not quoted again. Answer the tool of `recallTool` with the result's `text`.
   *
   * In a conversation with an assistant, up to a quarter of the tokens are for what the user has said that holds for all turns, such as
   * `I'm vegetarian`: a question to which it applies seldom has its words.
   *
   * The first call fetches a wasm module and indexes the conversation, in slices; later ones add what is new.
   */
  recall(query: string, options?: RecallOptions): Promise<Recalled>;
  /**
   * Searches for names, identifiers and rare words of the latest turn (its user message and what the assistant has called
   * since then) that only messages out of the view have, and for instructions and preferences of the user that hold for all turns and
   * that neither the view nor its summary has. Undefined if there are none.
   */
  recallReturning(options?: RecallOptions): Promise<Returned | undefined>;
  /**
   * What to send to the model: `messages()`, and behind them a user message with what `recallReturning` finds, if it finds
   * anything and the provider accepts it there. If the provider's roles alternate, it stands at the end of a copy of the last
   * message. It is for one request only, and is not appended to the conversation.
   */
  messagesWithRecall(options?: RecallOptions): Promise<M[]>;
  /** The whole tool result that was offloaded under this name, such as `tool-results/call_1.txt`. */
  offloaded(path: string): string | undefined;
  /** Undoes the latest compaction, or takes back the structured state that was set since then, up to 32 of them in a row. */
  undo(): void;
  /**
   * Takes what the provider reported for the latest request: the usage object of any provider, of the AI SDK or of LangChain;
   * nothing for undefined. It takes precedence over the engine's estimate.
   *
   * It holds for all messages up to the last assistant message, which is the answer. What comes after it, such as tool
   * results, is added as an estimate, so that it does not matter whether those are appended before or after this call. It is
   * for the view that `messages()` last returned: if a compaction has ended since then, it only adds to the statistics.
   */
  reportUsage(usage: Usage | object | null | undefined): void;
  /**
   * Replaces the policy. If the new one counts by an encoding or a tokenizer that is not loaded, it throws
   * `encoding-not-loaded`: await `loadEncoding` or `loadTokenizer` first.
   */
  setPolicy(policy: PolicySpec): void;
  /** The whole state as text to store, in JSON Lines. It contains the text of the messages but not the app's objects, which
   * `restoreCompactor` takes as `originals`. */
  snapshot(): string;
  /** The same for a long conversation, written in slices: the page reacts in between. It is of the conversation as it was at the call. If
   * the signal is aborted, it rejects with `aborted`. */
  snapshotInSlices(options?: {
    signal?: AbortSignal;
  }): Promise<string>;
  /**
   * Stores what is new by the option `commit`, after the commits that were begun before. Costs what is new. If that rejects,
   * this rejects with the same error, such as the browser's `QuotaExceededError`, and the same changes come again with the next commit. Without the option, it does nothing.
   */
  commit(): Promise<void>;
  /** Whether a message is stored in its latest version; without an id, whether everything is. Without the option `commit`, nothing
   * is. Takes constant time. */
  saveState(id?: string): SaveState;
  /** The whole conversation as one commit, with the app's messages of all branches: what an empty store would get.
   * `restoreCompactor` reads its lines and its state, one behind the other, as a snapshot. */
  contents(): Changes;
  /**
   * What the summarizer noted for itself with the summary in the view, such as how important each quote is; empty if there is
   * none. An app that stores `messages()` instead of a snapshot stores it too and gives it to the next compactor as the option
   * `notes`. Then the next summary is that of a compactor that lives on.
   */
  notes(): string;
  /** What a newer version calls the records that it has stored and this one does not know. They stay in the log. */
  unknownRecords(): string[];
  /** Frees the memory. Cancels a compaction that runs. */
  dispose(): void;
  /** The same as `dispose()`, for `using`. */
  [Symbol.dispose](): void;
}

/**
 * A message format that this crate reads and writes.
 */
export type Format = "openai-chat" | "openai-responses" | "anthropic" | "ai-sdk-ui" | "ai-sdk-model" | "gemini" | "langchain" | "bedrock";

/**
 * What an app says about messages that their format has no field for. Absent fields leave a message as it is.
 */
export interface MessageMetadata {
  /**
   * Whether they survive every compaction word for word.
   */
  pinned?: boolean;
  /**
   * The kind of a message that the app generates, such as a reminder: the reducer `deduplicate` leaves out those that a
   * later message repeats.
   */
  synthetic?: string;
  /**
   * Who speaks, if there are several of one role.
   */
  author?: string;
  /**
   * When it was sent, as `Date.now()` counts. A summarizer reads it to the minute.
   */
  time?: number;
  /**
   * The names of the agents that may see them; absent: all.
   */
  audience?: string[];
}

/** Options of `appendInSlices` and `syncInSlices`. */
export interface AppendOptions {
  /** What is known of the messages besides their content. */
  metadata?: MessageMetadata;
  /** Ends the work between two slices. */
  signal?: AbortSignal;
}

/** What `sync` did, by the ids of messages and the numbers of compactions. */
export interface SyncReport {
  /** New messages at the end. */
  appended: string[];
  /** New messages in front of others. */
  inserted: string[];
  /** Messages with another content. */
  changed: string[];
  /** Messages that are gone for good. */
  removed: string[];
  /** Messages that are on another branch from now on. */
  left: string[];
  /** Compactions that are not active any more, since messages that they are about are gone or changed. */
  inactive: number[];
  /** Compactions that are active again, since their messages are there again. */
  reactivated: number[];
}

/** Options of an agent. The default of each is that of its team; the functions of the team then get the name of this agent as
 * `agent`. */
export interface AgentOptions<M extends object = object> extends Omit<HostOptions<M>, "agent" | "repair" | "commit" | "recallIndex" | "tokenizers"> {
  /** Default: the policy of the team, with what its `agents` say of this agent. After a restore: the one that it had. */
  policy?: PolicySpec;
}

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

/** Writes a summary. If it throws, the conversation stays as it is. `request.summarizer` says who should write it: an
 * agent of the app, or the conversation's own model. */
export type Summarize<M extends object = object> = (request: SummarizeRequest<M>, context: SummarizeContext) => Promise<Summary | string> | Summary | string;

/** A request for a summary. */
export interface SummarizeRequest<M extends object = object> extends SummaryRequest, OfAgent {
  /** The format of `messages` and `prompt`. */
  format: Format;
  /**
   * What to send in place of `system` and `input`, if `form` is not `transcript`: the messages to summarize, or the whole
   * conversation. They are the objects that `messages()` returns. A request with the whole conversation needs its system
   * prompt and its tools too, and should forbid tool calls.
   */
  messages?: M[];
  /** The user message that comes after `messages` and asks for the summary. */
  prompt?: M;
}

/**
 * A request to the summarizer.
 */
export interface SummaryRequest {
  /**
   * Identifies the request; to be passed back with the answer.
   */
  id: RequestId;
  /**
   * Why a summary is needed.
   */
  reason: Reason;
  /**
   * Which summarizer answers it.
   */
  summarizer: Summarizer;
  /**
   * The instructions for a transcript, as the system message.
   */
  system: string;
  /**
   * The transcript to summarize, as the user message; see `crate::transcript::Envelope`. Also if there are messages,
   * for a summarizer that takes none.
   */
  input: string;
  /**
   * What the summarizer noted for itself when it wrote the summary so far. No model reads it.
   */
  notes?: string;
  /**
   * What the summarizer gets.
   */
  form: SummaryInput;
  /**
   * The longest useful answer, in tokens.
   */
  targetTokens: number;
  /**
   * The limit for the model's output, in tokens: 1.5 × `targetTokens`, since no model keeps to its target
   * exactly.
   */
  maxTokens: number;
  /**
   * What the user asked the summarizer to pay attention to.
   */
  instructions?: string;
  /**
   * True if no compaction waits for the answer: the summary is written in advance.
   */
  isAhead: boolean;
  /**
   * True if changes to the structured state are to stand beside the summary, as the instructions say. A server that holds
   * answers to a schema or a grammar can be given `StructuredState::answer_schema` or
   * `StructuredState::answer_grammar`.
   */
  asksForState: boolean;
  /**
   * What a model knows of the state of the messages, for `Compactor::handle_summary_state`.
   */
  givenState: GivenState;
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
 * One request to the summarizer, numbered from 1 in the order of the requests.
 */
export type RequestId = number;

/**
 * Why a compaction runs.
 */
export type Reason = "session-compaction" | "threshold" | "manual" | "request-boundary" | "task-transition" | "reactive-micro" | "reactive-full" | "renew" | "reduce";

/**
 * Who writes a summary.
 */
export type Summarizer = { kind: "own"; prompt: string } | { kind: "agent"; name: string } | { kind: "extractive" };

/**
 * What the summarizer gets.
 */
export type SummaryInput = "transcript" | "messages" | "conversation";

/**
 * What a model knows of the state of the messages, if its summary is to begin with it.
 */
export type GivenState = "shown" | "hidden" | "none";

/** Whose it is: every event, context of a hook, report and request for a summary says so. */
export interface OfAgent {
  /** The agent of a team whose view it is about: it may have words that are only for this agent. Absent for the compactor itself,
   * whose view has nothing but what is for all. */
  agent?: string;
}

/** What a summarizer may use. */
export interface SummarizeContext {
  /** Aborts when the summary is no longer needed. */
  readonly signal: AbortSignal;
  /** Takes each part of the summary as it is written. It is emitted as a `delta` event and not used otherwise. */
  readonly onDelta: (text: string) => void;
  /**
   * Takes what the summarizer wants to find as `notes` in the request for the summary after this one: at most 100,000 bytes,
   * which are stored with the compaction and no model reads. `extractive` notes which of its quotes matter most; a
   * function that calls it should pass it the context.
   */
  readonly onNotes: (notes: string) => void;
}

/** A summary, and what is known about its request. */
export interface Summary {
  text: string;
  /**
   * What the summary begins with, before `text`: the state of the messages that the model was given. `withState` and the
   * package's endpoints set it. It is not checked for being a summary, as `text` is.
   */
  state?: string | undefined;
  /** Tokens of the request and the summary, as any provider reports them, for the report of the compaction. */
  usage?: unknown;
  /** Why the model stopped. A summary with the finish reason `length` lacks its end and is not used. */
  finishReason?: string;
  /**
   * True if a model was given `system` as its instructions, or the messages with `prompt`: then an answer without the
   * headings that these ask for is no summary. The package's endpoints set it.
   */
  instructed?: boolean;
}

/**
 * A compaction that is about to start.
 */
export interface BeforeCompaction {
  /**
   * Why it is due.
   */
  reason: Reason;
  /**
   * True if it was requested manually.
   */
  forced: boolean;
  /**
   * Tokens in the window.
   */
  tokensUsed: number;
  /**
   * `tokensUsed` in percent of the window.
   */
  contextPercent: number;
  /**
   * Messages of the view.
   */
  messageCount: number;
  /**
   * How many of them stay, not counting system messages.
   */
  keepLast: number;
}

/** Whether a compaction may start. */
export type BeforeAnswer = boolean | void | {
  skip: boolean;
};

/**
 * The occasion to save a conversation, and the session that it is in: the log of one session ends with the
 * compaction that begins the next.
 */
export type Save = { when: "before"; session: number } | { when: "after"; session: number; success: boolean };

/** Stores what is new. */
export type CommitChanges = (changes: Changes) => void | Promise<void>;

/** What is new in a conversation since the last commit. */
export interface Changes {
  /** JSON Lines: the engine's records and the app's messages. */
  lines: string;
  /** The compactor's own state, as one line, in place of the one before. */
  state: string;
}

/**
 * Ranks messages for a question. It gets those whose words fit best, at most 50, and returns the messages that are to be quoted:
 * any of them, and others that have left the view, such as what the app's own index of embeddings has found. Messages that are not for
 * the agent that searches are never quoted.
 */
export type RankRecall = (question: string, candidates: RecallCandidate[], of: OfAgent) => readonly RankedMessage[] | Promise<readonly RankedMessage[]>;

/** A message that may answer a question. */
export interface RecallCandidate {
  /** Its id, for `message` and `metadata`. */
  id: string;
  /** Its role, and behind it its author if that is known. */
  speaker: string;
  /** What is searched of it. */
  text: string;
  /** How well its words fit, from 0 to 1: the best one has 1. */
  score: number;
}

/** A message and how well it fits. */
export interface RankedMessage {
  id: string;
  /** Above 0. */
  score: number;
}

/** Keeps the index of a conversation, which is made again if it is lost. */
export interface RecallIndexKeeper {
  /** The index that was kept last, if it is of the first messages of the conversation as that was opened. */
  load(): Promise<Uint8Array | undefined>;
  /** Keeps the index of all messages. False if it cannot now, such as because some of them are not stored. */
  save(index: () => Uint8Array): boolean;
}

/** The result of a compaction that needed a summary. */
export type AfterCompaction = OfAgent & Extract<EngineEvent, {
  type: "after";
}>;

/**
 * Progress of a compaction, for display and logs.
 */
export type EngineEvent = { type: "start"; tokens: number; threshold?: number; budgetUsedPct: number; chunks: number } | { type: "reacting"; tokens: number; budgetUsedPct: number; chunks: number } | { type: "preparing"; tokens: number; chunks: number } | { type: "prepared" } | { type: "preparationDropped"; request?: RequestId; because: string } | { type: "stateChanged"; state: StructuredState } | { type: "memoryBlended"; entries: number } | { type: "memoryFailed"; message: string } | { type: "progress"; done: number; chunks: number } | { type: "retry"; attempt: number; at: Timestamp; message: string } | { type: "stale"; request: RequestId } | { type: "usageIgnored"; reported: number; used: number } | { type: "promptCut"; reported: number; estimated: number; message: string } | { type: "warning"; tokens: number; threshold: number; budgetUsedPct: number } | { type: "shorter"; toolResultMaxCharacters: number; keep: Keep } | { type: "tooLarge"; message: string } | { type: "offloaded"; path: string } | { type: "after"; success: boolean; messagesBefore: number; messagesAfter: number; summaryCharacters: number } | { type: "end"; report: Report } | { type: "reacted"; messagesBefore: number; messagesAfter: number; report: Report };

/**
 * What holds in a conversation. The latest entry of each list comes first.
 */
export interface StructuredState {
  /**
   * What was decided. At most 8.
   */
  decisions?: StateEntry[];
  /**
   * What has to be observed. At most 6.
   */
  constraints?: StateEntry[];
  /**
   * What is to be done, and what is done. At most 10; those that are done leave first.
   */
  tasks?: StateEntry[];
  /**
   * What nobody has answered. At most 5.
   */
  questions?: StateEntry[];
  /**
   * What may go wrong. At most 5.
   */
  risks?: StateEntry[];
  /**
   * Files, documents and other results. At most 10.
   */
  artifacts?: StateEntry[];
  /**
   * What each participant has contributed. At most 6.
   */
  contributions?: StateEntry[];
}

/**
 * One entry of a `StructuredState`.
 */
export interface StateEntry {
  /**
   * What it says, in one line.
   */
  text: string;
  /**
   * What held before, if this entry has replaced another one.
   */
  earlier?: string;
  /**
   * Who has said, found or done it.
   */
  by?: string;
  /**
   * True for a task that is done.
   */
  done?: boolean;
  /**
   * The ids of the messages that it is from: those that the summarizer names, or else the one that has most of its words.
   * Empty if there is none.
   */
  sources?: string[];
}

/**
 * Milliseconds on the app's clock. The origin is the app's choice, and the same for all calls.
 */
export type Timestamp = number;

/**
 * The tail of the conversation that a compaction does not change, as far as the target allows. A tool call is never
 * separated from its results: numbers of messages and rounds are rounded up to whole tool calls, tokens down.
 */
export type Keep = { messages: number } | { rounds: number } | { tokens: number } | { fraction: number };

/** What one compaction did. */
export type Report = ReportFields & ReportOutcome;

/**
 * What one compaction did.
 */
export interface ReportFields {
  /**
   * Why it was due.
   */
  reason: Reason;
  /**
   * Tokens of the next prompt before the compaction: in the provider's tokens, as the engine counts them.
   */
  tokensBefore: number;
  /**
   * Tokens of the next prompt after it; the same as before unless it was applied.
   */
  tokensAfter: number;
  /**
   * How many messages the view had before.
   */
  messagesBefore: number;
  /**
   * How many messages the view has after it.
   */
  messagesAfter: number;
  /**
   * How many messages reducers have rewritten or removed.
   */
  reduced: number;
  /**
   * The summary that the view has now; `None` if the compaction made none.
   */
  summary?: string;
  /**
   * Length of `summary` in characters; 0 without one.
   */
  summaryCharacters: number;
  /**
   * Which facts of the summarized messages are kept, appended or lost; empty unless it was applied.
   */
  receipt: Receipt;
  /**
   * How many requests the summarizer got.
   */
  requests: number;
  /**
   * How the summarizer was asked; `None` if it was not.
   */
  summarizer?: SummarizerReport;
  /**
   * How long the user has waited for it, in milliseconds: from its start, which follows the hook before it, to its end.
   * `None` if the host has not said what time it is.
   */
  waitedMs?: number;
  /**
   * What became of summaries that were written in advance; `None` if none was since the last report.
   */
  prepared?: PreparedReport;
  /**
   * `tokensAfter` in percent of the window.
   */
  budgetUsedPct: number;
  /**
   * The number of the session after it, from 1: every committed summary begins another.
   */
  session: number;
  /**
   * The last request if it was too long for the target, and only its beginning and its end are in the view; the history has
   * it whole.
   */
  excerpted?: MessageId;
  /**
   * What was repaired in the view, so that the provider accepts it.
   */
  findings: Finding[];
  /**
   * Why the view is still not below the threshold, item by item; `None` if it is.
   */
  floor?: string;
}

/**
 * Where each fact of the summarized messages is after a compaction. Facts are taken from all text of users and
 * models, and from tool calls and results as far as the summarizer reads them.
 */
export interface Receipt {
  /**
   * Facts in the summary or in a message that stays.
   */
  kept: Fact[];
  /**
   * Facts that were appended to the summary, word for word.
   */
  appended: Fact[];
  /**
   * Facts for which there was no space. They are still in the log. The summary says how many items of lists are
   * among them.
   */
  givenUp: Fact[];
  /**
   * How often further facts were mentioned that are in none of these lists: at most 20,000 facts of one kind are.
   */
  unlisted?: number;
  /**
   * Names, dates, amounts, seats and quotes in the summary, as it was written, that no summarized message contains. Of a
   * summary without a model only paths, codes and addresses.
   */
  unsupported: string[];
  /**
   * Lines of the summary that do not say who said or found what they say, in a conversation of several authors, and lines
   * that begin with the name of somebody else than who has written that.
   */
  unattributed?: string[];
  /**
   * Messages that stay word for word because they are pinned, or because they are system messages for this agent.
   */
  pinned?: MessageId[];
}

/**
 * A fact found in the messages that a summary stands for.
 */
export interface Fact {
  /**
   * Its kind.
   */
  kind: FactKind;
  /**
   * Its text, as found.
   */
  text: string;
  /**
   * What it is, if it is a number or a name: the key or the word before it.
   */
  label?: string;
  /**
   * The speaker of its first mention; `earlier` if only an earlier summary has it.
   */
  speaker: string;
  /**
   * The messages that contain it, each once.
   */
  sources: MessageId[];
}

/**
 * The kind of a fact.
 */
export type FactKind = "checklist" | "decision" | "negation" | "url" | "path" | "package" | "identifier" | "quote" | "name" | "number";

/**
 * The app's id of a message, unique in its conversation.
 */
export type MessageId = string;

/**
 * How the summarizer was asked in one compaction, and what that took.
 */
export interface SummarizerReport {
  /**
   * What its last request had.
   */
  input: SummaryInput;
  /**
   * Why it got a transcript although the policy asks for messages.
   */
  fallback?: string;
  /**
   * What was tried because it failed or wrote no summary, in order; empty if the first answer was good.
   */
  steps?: SummarizerStep[];
  /**
   * The prompt that its server seems to have cut the most; `None` if none was cut.
   */
  cut?: PromptCut;
  /**
   * Tokens of all its requests, as far as they were reported.
   */
  tokens?: SummarizerTokens;
  /**
   * What these tokens cost, if `summary.cost` is set.
   */
  cost?: number;
  /**
   * How much more they would have cost without the provider's cache, if `summary.cost` is set.
   */
  saved?: number;
}

/**
 * What was tried to get a summary after all. One flat shape, since it is stored: reading an enum with its tag inside takes 30 kB
 * of code.
 */
export interface SummarizerStep {
  /**
   * What it was.
   */
  step: SummarizerStepKind;
  /**
   * Why, as a sentence for the user.
   */
  because: string;
  /**
   * Of smaller chunks: the longest one from then on, in characters.
   */
  chunkCharacters?: number;
  /**
   * Of the next summarizer: its name in `summary.fallbackSummarizers`.
   */
  summarizer?: string;
}

/**
 * A way to get a summary after all.
 */
export type SummarizerStepKind = "askAgain" | "transcript" | "smallerChunks" | "nextSummarizer";

/**
 * A prompt of which a server has counted far fewer tokens than were sent: some servers, such as Ollama, drop the beginning of
 * what does not fit, and answer as if nothing had happened.
 */
export interface PromptCut {
  /**
   * Tokens of the prompt as the server reported them.
   */
  reported: number;
  /**
   * Tokens of what was sent, as the engine counts them.
   */
  estimated: number;
}

/**
 * Tokens of summarizer requests as the provider reported them.
 */
export interface SummarizerTokens {
  /**
   * Tokens of the prompts, cached or not.
   */
  prompt: number;
  /**
   * How many of them were read from the provider's cache.
   */
  cached: number;
  /**
   * Tokens of the answers, including reasoning.
   */
  completion: number;
}

/**
 * How a compaction used a summary that was written in advance.
 */
export interface PreparedReport {
  /**
   * How it was used; `None` if it was not.
   */
  used?: PreparedUse;
  /**
   * What was spent since the last report for summaries that were thrown away.
   */
  wasted: Waste;
}

/**
 * How a compaction used a summary that was prepared.
 */
export type PreparedUse = "asWritten" | "toppedUp";

/**
 * What prepared summaries have cost that no compaction used.
 */
export interface Waste {
  /**
   * Requests to the summarizer.
   */
  requests: number;
  /**
   * Their tokens and those of the answers, as the provider reported them; for a request without a report, as the engine
   * counts them.
   */
  tokens: number;
}

/**
 * A defect of a message for which a provider may reject the request.
 */
export interface Finding {
  /**
   * The message.
   */
  id: MessageId;
  /**
   * The defect, with what the engine does about it.
   */
  defect: Defect;
}

/**
 * A defect of a message, and what the engine does about it.
 */
export type Defect = "missing-result" | "orphan-result" | "repeated-result" | "misplaced-result" | "late-result" | "not-user-first" | "nothing-said" | "reasoning-alone" | "blank" | "blank-text" | "unsigned-reasoning" | "merged" | "malformed" | "broken-arguments" | "shared-call-id" | "missing-call-id";

/**
 * How a compaction ended.
 */
export type ReportOutcome = { outcome: "applied"; checkpoint: CheckpointId } | { outcome: "skipped"; message: string } | { outcome: "failed"; message: string } | { outcome: "cancelled" };

/**
 * One committed compaction, numbered from 1 in the order of the commits.
 */
export type CheckpointId = number;

/** Counts the tokens of messages, mostly by a request to the provider. */
export type CountTokens<M extends object> = (messages: M[], context: {
  readonly signal: AbortSignal;
} & OfAgent) => Promise<number> | number;

/** Where tokenizers come from, by the names that policies use for them: see `loadTokenizer`. */
export type TokenizerSources = Readonly<Record<string, EncodingSource | object>>;

/** Where a vocabulary comes from: an address, a response, or its bytes. */
export type EncodingSource = string | URL | Response | ArrayBuffer | ArrayBufferView;

/** Something worth showing, mostly during a compaction. */
export type CompactionEvent = OfAgent & (EngineEvent | SummaryDelta | Counted | SaveFailed | UnknownModel);

/** A part of a summary while it is written. */
export interface SummaryDelta {
  type: "delta";
  /** The id of the summarizer request. */
  request: number;
  text: string;
}

/** The messages were counted after a compaction, or could not be counted: then the engine's estimate stays. */
export type Counted = {
  type: "counted";
  tokens: number;
} | {
  type: "countFailed";
  message: string;
};

/** The app's `save` failed after a compaction, or the browser could not store the compaction, such as on a full disk: it is
 * applied in memory, and stored by the next commit that succeeds. */
export interface SaveFailed {
  type: "saveFailed";
  message: string;
}

/** A policy names a model and gives no window, and the model is not known. */
export interface UnknownModel {
  type: "unknownModel";
  model: string;
  /** The window that is used. */
  window: number;
}

/**
 * The name of a preset and the fields that differ from it. Every field is optional.
 */
export interface PolicySpec extends FieldOverrides {
  /**
   * The preset to start from, one of `PRESETS`. Default: `recommended`.
   */
  preset?: string;
  /**
   * Size of the context window in tokens, whatever the model's is. Default: `modelWindow`.
   */
  window?: number;
  /**
   * The model's context window in tokens, according to its provider. Used if `window` is not given. Default:
   * `DEFAULT_WINDOW`.
   */
  modelWindow?: number;
  /**
   * Tokens of the window that are kept free for the answer. Default: 0.
   */
  reserveOutput?: number;
  /**
   * When a compaction is due, in place of `triggers`: if one of these conditions holds, each with all of its parts.
   */
  trigger?: TriggerCondition | TriggerCondition[];
  /**
   * Clears old tool results: adds the reducer `clearToolResults` to `reducers`.
   */
  clearToolResults?: ClearToolResultsRule;
  /**
   * The fields that differ for an agent, by the agent's name. All fields but `agents` are allowed here.
   */
  agents?: Record<string, Omit<PolicySpec, "agents">>;
}

/** Fields of a policy that differ from its preset. */
export type FieldOverrides = Partial<PolicyFields>;

/**
 * Every setting of a compactor. Sizes are in tokens unless the name says otherwise, and shares are numbers from
 * 0 to 1.
 *
 * The defaults named below are those of the preset `recommended`; another preset may have others.
 */
export interface PolicyFields {
  /**
   * Size of the model's context window in tokens, above 0. Default: the model's window if the app gives it, or
   * 200,000.
   */
  window: number;
  /**
   * The conditions under which a compaction is due. One that holds is enough. Default: 75 % of the window, or a
   * large prompt in the tool loop (see `reactive`).
   */
  triggers: Trigger[];
  /**
   * Share of the lowest trigger threshold at which a `warning` event is sent, above 0 and at most 1. It is sent
   * once, and again only after the next compaction. Default: `null`, no warning.
   */
  warning?: number | null;
  /**
   * How full the window is when the summary of the next compaction begins to be written in the background, while the
   * chat goes on. A point below the threshold; the summary is used if what it covers has not changed until a compaction is
   * due. Default: `null`, none is written in advance.
   */
  prepareAt?: PrepareAt | null;
  /**
   * Share of the window that a compaction reduces the conversation to, above 0 and below 1. Default: 0.5.
   */
  target: number;
  /**
   * How much of the end of the conversation stays word for word. Default: `{ fraction: 0.4 }`.
   */
  keep: Keep;
  /**
   * The latest user messages stay word for word up to this many tokens in total, wherever they stand in the
   * conversation. 0: only those that `keep` holds. Default: a tenth of the window, at most 20,000.
   */
  keepRequestsTokens?: number;
  /**
   * Ways to save tokens without a model, applied in this order. Default: `deduplicate` from half of the window
   * on, and `offloadToolResults` and `excerptLastRequest` as part of a compaction.
   */
  reducers?: ReducerRule[];
  /**
   * How older messages are summarized.
   */
  summary: SummarySettings;
  /**
   * When entries of the memory are blended into its summary, and whether summaries show it.
   */
  memory?: MemorySettings;
  /**
   * What happens when a task of the workflow is complete. Default: each agent starts the next task from a summary of its own.
   */
  tasks?: TaskSettings;
  /**
   * Where the summary stands among the messages that are sent. Default: `systemSummaryTail`.
   */
  summaryPlacement?: SummaryPlacement;
  /**
   * Share of the tokens that a compaction has to save to be applied, from 0 to below 1. A smaller saving is
   * still applied if it makes the conversation fit the window. Default: 0.05.
   */
  minSaving?: number;
  /**
   * How often, and after how long, a failed summarizer request is repeated.
   */
  retry: Retry;
  /**
   * Tokens of each request that belong to no message, mostly the tool schemas; below `window`. Default: 0.
   */
  toolSchemaTokens: number;
  /**
   * How tokens are counted. The engine itself does not read this: the app, or the npm package, gives the compactor
   * a tokenizer for it. Default: `estimate`.
   */
  counting?: Counting;
  /**
   * Name of the model, such as `claude-sonnet-4-5`. It selects the estimate if `counting` names no family, and
   * keeps the calibration of this model apart from that of others. Claude Fable from 5.1 on accepts signed reasoning
   * only behind an unchanged history; see `lockedReasoning`. Default: `null`.
   */
  model?: string | null;
  /**
   * What happens to signed reasoning in messages that stay, if the model accepts it only behind an unchanged history.
   * Without effect for all other models. Default: `remove`.
   */
  lockedReasoning?: LockedReasoning;
  /**
   * What happens after a message that a summary covers was changed or removed, and the summary was undone because of it.
   * Default: `undo`.
   */
  staleSummary?: StaleSummary;
  /**
   * The exact answer of the assistant to a heartbeat, such as `HEARTBEAT_OK`; not blank. A heartbeat is a message
   * that the app sends by itself to check that the assistant responds. Such exchanges count as synthetic: the
   * reducer `deduplicate` removes them, and they are not taken for the last user request. Default: `null`, no
   * message is a heartbeat.
   */
  heartbeatAnswer?: string | null;
}

/**
 * A condition under which a compaction is due, or under which a reducer works.
 */
export type Trigger = { budget: Budget } | { fill: Fill } | { tokens: number } | { messages: number } | { requestBoundary: RequestBoundary } | { reactive: Reactive } | { at: { phase: Phase; trigger: Trigger } } | { all: Trigger[] } | { any: Trigger[] } | "always" | "manual";

/**
 * Settings of the trigger `budget`. By default it is met above 140,000 tokens of a window of 200,000.
 */
export interface Budget {
  /**
   * Share of the window, 0 to 1. Default: 0.7.
   */
  fraction?: number;
  /**
   * Tokens of the window that are reserved for the answer. Default: 32,000.
   */
  outputReserve?: number;
  /**
   * Tokens of the window that are reserved for errors of the count. Default: 8,000.
   */
  safetyMargin?: number;
}

/**
 * Settings of the trigger `fill`.
 */
export interface Fill {
  /**
   * Share of the window, 0 to 1. Default: 0.8.
   */
  fraction?: number;
  /**
   * Tokens to use instead of the share. Default: 0, use the share.
   */
  maxTokens?: number;
}

/**
 * Settings of the trigger `requestBoundary`. Both conditions have to hold.
 */
export interface RequestBoundary {
  /**
   * The window holds more tokens than this. Default: 80,000.
   */
  triggerTokens?: number;
  /**
   * There are at least this many messages, counted as by the trigger `messages`. Default: 20.
   */
  minMessages?: number;
}

/**
 * Settings of the trigger `reactive`. A round is an assistant message with the results of its tool calls.
 */
export interface Reactive {
  /**
   * From this share of the window on, only the oldest rounds are summarized, 0 to 1. Default: 0.85.
   */
  microFraction?: number;
  /**
   * From this share of the window on, everything that may be summarized is, 0 to 1. Default: 0.92.
   */
  fullFraction?: number;
  /**
   * How many of the oldest rounds are summarized at `microFraction`, at least 1. Default: 2.
   */
  microBatchRounds?: number;
  /**
   * How many of the latest rounds stay. Default: 2.
   */
  keepRounds?: number;
  /**
   * How many such compactions one user request may cause. Default: 3.
   */
  maxPerRequest?: number;
}

/**
 * A phase of the app's request loop at which a compaction may be due.
 */
export type Phase = "requestStart" | "turnStart" | "loop" | "turnEnd" | "overflow";

/**
 * How full the window is when the summary of the next compaction begins to be written, in the background.
 */
export type PrepareAt = { fraction: number } | { tokens: number };

/**
 * A reducer, the condition under which it works, and the least that it has to save.
 *
 * During a compaction, every reducer without a condition and every one whose condition holds, whatever its phase, is
 * applied. A reducer with a condition is also applied without a compaction, as soon as a check finds that the
 * condition holds.
 */
export interface ReducerRule {
  /**
   * The way to save tokens.
   */
  reducer: Reducer;
  /**
   * The condition under which it is applied. Default: `null`, only and always as part of a compaction.
   */
  when?: Trigger | null;
  /**
   * The reducer is not applied if it would save fewer tokens than this: a change in the middle of a conversation
   * invalidates the provider's prompt cache from there on. Default: 0.
   */
  clearAtLeast?: number;
}

/**
 * A way to save tokens without a model.
 */
export type Reducer = "deduplicate" | { truncateToolResults: TruncateToolResults } | { clearToolInputs: ClearToolInputs } | { clearToolResults: ClearToolResults } | { offloadToolResults: OffloadToolResults } | "excerptLastRequest" | "dropOldest";

/**
 * Settings of the reducer `truncateToolResults`. By default results are truncated to 2,000 tokens from 11 messages
 * ago on, to 1,000 from 21 on, and to 500 from 41 on.
 */
export interface TruncateToolResults {
  /**
   * The limit for each age, in any order. Of several steps that apply, the one with the highest age counts.
   */
  steps?: TruncationStep[];
}

/**
 * The longest tool result from some age on.
 */
export interface TruncationStep {
  /**
   * The step applies to results from this many messages ago on. The newest message is 1 message ago.
   */
  fromMessages: number;
  /**
   * The longest result from this age on, in tokens.
   */
  maxTokens: number;
}

/**
 * Settings of the reducer `clearToolInputs`.
 */
export interface ClearToolInputs {
  /**
   * The newest messages that fill this share of the window are not changed, 0 to 1. Above 0, neither is the last
   * message or the last tool call with its results. Default: 0.3.
   */
  protectFraction?: number;
  /**
   * Arguments of at most this many tokens are not changed. Default: 200.
   */
  argThresholdTokens?: number;
}

/**
 * Settings of the reducer `clearToolResults`.
 */
export interface ClearToolResults {
  /**
   * How many of the newest results are not changed. Default: 3.
   */
  keep?: number;
  /**
   * Tools whose results and inputs are not changed and are not counted by `keep`. An entry that ends in `*` stands for
   * every name that begins with the part before it. Default: none.
   */
  excludeTools?: string[];
  /**
   * Whether the inputs of the calls are shortened too: their names stay. Default: false.
   */
  clearToolInputs?: boolean;
  /**
   * What stands in place of a result; not blank. Default: `[cleared]`.
   */
  placeholder?: string;
}

/**
 * Settings of the reducer `offloadToolResults`.
 */
export interface OffloadToolResults {
  /**
   * The newest messages that fill this share of the window are not changed, 0 to 1. Above 0, neither is the last
   * message or the last tool call with its results; at 0, a result is offloaded before the model reads it for the
   * first time. Default: 0.3.
   */
  protectFraction?: number;
  /**
   * Results of at most this many tokens are not changed. Default: 2,000.
   */
  maxTokens?: number;
  /**
   * How much of a result stays, in tokens; at most `maxTokens`. Default: 200.
   */
  keepTokens?: number;
}

/**
 * How older messages are summarized.
 */
export interface SummarySettings {
  /**
   * Name of a prompt in `prompts`, or of a built-in one: `three-sections`, `seven-sections` or `conclusions`. If
   * set, the conversation's own model summarizes with this prompt, whatever `agent` is. Default: `null`.
   */
  prompt?: string | null;
  /**
   * Name of the agent that summarizes, in place of `defaultAgent`. Default: `null`.
   */
  agent?: string | null;
  /**
   * Name of the agent that summarizes if neither `prompt` nor `agent` is set. If all three are `null`, nothing is
   * summarized, and only reducers are applied. Default: `summarizer`.
   */
  defaultAgent?: string | null;
  /**
   * The app's own prompts, by name. Default: none.
   */
  prompts?: Record<string, string>;
  /**
   * The sections of a summary, unless `prompt` is set. Default: `threeSections`.
   */
  shape?: Shape;
  /**
   * Whether a summary must have one of the headings of `shape`: without any, the request is repeated once with a reminder.
   * `null`: only if the summarizer was given the instructions, as the package's endpoints are; what it answers without
   * headings is no summary, and `fallbackSummarizers` are asked. `true`: of every summarizer, and the second answer is
   * accepted. Default: `null`.
   */
  checkHeadings?: boolean | null;
  /**
   * Who is asked, one after the other, if a summarizer fails for good or writes no summary: names of agents of the app,
   * and `extractive`, which needs no model. Before that, a summarizer that wrote no summary is asked once more, and then for
   * smaller chunks. Empty: the compaction fails. Default: empty.
   */
  fallbackSummarizers?: string[];
  /**
   * What happens to names, dates, amounts and quotes in a summary that no message has. Default: `report`.
   */
  unsupported?: Unsupported;
  /**
   * The longest summary in tokens, above 0. `null`: as long as `target` leaves room for. Default: 8 % of the window,
   * but 8,000 at least and 20,000 at most.
   */
  maxTokens?: number | null;
  /**
   * The longest ledger in tokens: facts other than lists that the summary lost, appended to it. It is part of
   * `maxTokens`, and at most an eighth of what the summary may take, or a quarter
   * of a short one. 0: no ledger. Default: 1,000.
   */
  ledgerTokens?: number;
  /**
   * Checklists and acceptance criteria that the summary lost are appended to it whole up to this many tokens in
   * total, in addition to `maxTokens` and `ledgerTokens`; below the target the conversation has to have space for
   * them. Of what is beyond that, a note says how many items are left out. 0: no lists, and no note. Default: 4,000.
   */
  checklistTokens?: number;
  /**
   * Whether the summarizer is asked for changes to the structured state as well: what was decided, what is to be done, what
   * is open. The state stands behind the summary, and the next summarizer is given it. Default: false.
   */
  structuredState?: boolean;
  /**
   * A summary of more tokens than this is itself summarized. 0: never. Default: 0.
   */
  rollupTokens?: number;
  /**
   * What the summarizer gets. `tools`, `chunks` and every limit in characters are those of a transcript. Default:
   * `transcript`.
   */
  input?: SummaryInput;
  /**
   * What the summarizer's tokens cost, for the report of a compaction. Default: `null`, unknown.
   */
  cost?: TokenCost | null;
  /**
   * The longest transcript in one summarizer request, in characters, at least 1,000. A longer one is split into
   * chunks, and each request gets one chunk and the summary of those before. `null`: of any length, as far as
   * the summarizer's window is not known to be smaller. The package's summarizer without a model reads in slices and gets up to
   * 1,000,000 characters at once. Default: 120,000.
   */
  chunkCharacters?: number | null;
  /**
   * The least number of chunks to split a transcript into, as far as it has that many messages. 0 counts as 1.
   * Default: 1.
   */
  chunks?: number;
  /**
   * The summarizer's context window in tokens. Default: `null`, the policy's `window` if `prompt` is set or the
   * conversation is sent, and otherwise unknown.
   */
  windowTokens?: number | null;
  /**
   * The tools whose calls and results the summarizer reads. Default: `all`.
   */
  tools?: ToolFilter;
  /**
   * The longest tool result in the transcript, in characters; the rest is cut. `null`: results are whole. Default:
   * 2,000.
   */
  toolResultMaxCharacters?: number | null;
  /**
   * The longest arguments of a tool call in the transcript, in characters; the rest is cut. `null`: arguments are
   * whole. `fallbackLevels` do not change it. Default: 2,000.
   */
  toolInputMaxCharacters?: number | null;
  /**
   * Values for `toolResultMaxCharacters` to try one after the other if the result of the compaction is still too
   * large; after them, shorter tails are tried. Empty: the first result is used. Default: empty.
   */
  fallbackLevels?: number[];
  /**
   * What happens to the last user request. Default: `keep`.
   */
  lastRequest?: LastRequest;
  /**
   * One line that stands in front of the summary in the message that is sent to the model, such as `What happened
   * so far:`. The summarizer never reads it. Default: `null`, no label.
   */
  label?: string | null;
  /**
   * Text that ends the message with the summary, such as a request to go on without clarifying questions. It stands
   * behind the open tasks and the last request. Default: `null`, none.
   */
  closing?: string | null;
}

/**
 * The sections of a summary.
 */
export type Shape = "threeSections" | "sevenSections" | "conclusions";

/**
 * What happens to names, dates, amounts and quotes in a summary that no message has.
 */
export type Unsupported = "report" | "annotate" | "remove" | "askAgain";

/**
 * What the tokens of a model cost, each in any currency for a million tokens.
 */
export interface TokenCost {
  /**
   * Of the prompt, 0 or more.
   */
  input: number;
  /**
   * Of the part of the prompt that the provider reads from its cache, 0 or more.
   */
  cachedInput: number;
  /**
   * Of the answer, 0 or more.
   */
  output: number;
}

/**
 * The tools whose calls and results the summarizer reads.
 */
export type ToolFilter = "all" | { only: string[] };

/**
 * What happens to the last user request in a compaction.
 */
export type LastRequest = "keep" | "append";

/**
 * When entries of the memory are blended, and where the memory is shown.
 */
export interface MemorySettings {
  /**
   * With this many entries, the oldest are blended into the summary of the memory. Standing instructions do not count.
   * 0: never. Default: 15.
   */
  blendAt?: number;
  /**
   * How many entries are blended at a time, from 1 to `blendAt`. Default: 10.
   */
  blend?: number;
  /**
   * The longest summary of the memory, in tokens, above 0. Default: 1,000.
   */
  maxTokens?: number;
  /**
   * Whether every summary of the conversation is followed by the memory as it is then. An app that adds the memory to each
   * request by itself leaves it off. Default: false.
   */
  inSummary?: boolean;
}

/**
 * When the messages of a completed task are summarized, and who writes the summary.
 */
export interface TaskSettings {
  /**
   * The messages of a completed task are summarized if those that no summary covers have at least this many tokens as they
   * are sent. Default: 0, always.
   */
  minTokens?: number;
  /**
   * The agent that writes one summary of a completed task for all agents, by its own settings; it reads what is for
   * everyone. Default: `null`, each agent has a summary of its own view written.
   */
  sharedBy?: string | undefined;
}

/**
 * Where the summary stands among the messages that are sent.
 */
export type SummaryPlacement = "systemSummaryTail" | "oneMessage" | "leadingSystem" | "inPlace";

/**
 * How often a failed summarizer request is repeated, and how long to wait before. The defaults are those of the
 * providers' own clients. Only failures that may pass, such as a busy server, are repeated.
 */
export interface Retry {
  /**
   * Number of attempts, including the first; 0 counts as 1. Default: 3.
   */
  attempts?: number;
  /**
   * Milliseconds to wait before the second attempt; doubled for each one after it. Default: 500.
   */
  baseMs?: number;
  /**
   * The longest wait between two attempts in milliseconds. Default: 8,000. A wait that the server asks for may be
   * longer, up to 60,000.
   */
  capMs?: number;
}

/**
 * How tokens are counted. Tokens that a provider reports are used before any of these.
 */
export type Counting = "estimate" | { estimate: Family } | { charactersPerToken: number } | { encoding: Encoding } | { tokenizer: string };

/**
 * A family of models that share one estimate of tokens.
 */
export type Family = "o200k_base" | "cl100k_base" | "claude" | "gemini";

/**
 * A byte-pair encoding of OpenAI's models.
 */
export type Encoding = "o200k_base" | "cl100k_base";

/**
 * What happens to signed reasoning that a model accepts only behind an unchanged history, as Claude Fable does from 5.1 on.
 */
export type LockedReasoning = "remove" | "keep" | "appendOnly";

/**
 * What happens after a message that a summary covers was edited or removed, or another one was put before it. The summary
 * is undone in any case, since it would go on to say what the message said.
 */
export type StaleSummary = "undo" | "renew";

/**
 * A condition under which a compaction is due. All parts that are given have to hold.
 */
export interface TriggerCondition {
  /**
   * From this share of the window on, above 0 and at most 1.
   */
  fraction?: number;
  /**
   * From this many tokens on.
   */
  tokens?: number;
  /**
   * From this many messages on, not counting system messages and those that a summary stands for.
   */
  messages?: number;
}

/**
 * When old tool results are cleared, and which ones.
 */
export interface ClearToolResultsRule {
  /**
   * When they are cleared. Default: as part of every compaction, and only then.
   */
  trigger?: TriggerCondition;
  /**
   * Nothing is cleared if that would save fewer tokens than this. Default: 0.
   */
  clearAtLeast?: number;
  /**
   * How many of the newest results stay. Default: 3.
   */
  keep?: number;
  /**
   * Tools whose results and inputs stay. Default: none.
   */
  excludeTools?: string[];
  /**
   * Whether the inputs of the calls are shortened too. Default: false.
   */
  clearToolInputs?: boolean;
  /**
   * What stands in place of a result. Default: `[cleared]`.
   */
  placeholder?: string;
}

/** Options of an agent that is asked in another format than its team. Of the team's functions, it does not use `countTokens`, which
 * counts messages of the team's format; the team's `summarize` gets messages in that format. */
export interface AgentFormatOptions<M extends object = object, F extends Format = FormatOf<M>> extends AgentOptions<M> {
  /** The format of its `messages()`. It is stored, so that the agent has it after a restore too. */
  format: F;
}

/** The formats that messages of this type may have: one, if the type has a field that only messages of that format have. */
export type FormatOf<M> = string extends FieldOf<M> ? Format : "lc_namespace" extends FieldOf<M> ? "langchain" : "call_id" extends FieldOf<M> ? "openai-responses" : "tool_call_id" extends FieldOf<M> ? "openai-chat" : "parts" extends FieldOf<M> ? "id" extends FieldOf<M> ? "ai-sdk-ui" : "gemini" : FormatOfParts<PartFieldOf<M>>;

/** The fields of all members of a union. */
type FieldOf<U> = U extends unknown ? keyof U : never;

/** The same by the fields of parts. */
type FormatOfParts<Fields> = string extends Fields ? Format : "tool_use_id" extends Fields ? "anthropic" : "toolCallId" extends Fields ? "ai-sdk-model" : "toolResult" extends Fields ? "bedrock" : Format;

/** The fields of the parts that a message's content may have. */
type PartFieldOf<M> = M extends {
  content?: infer C;
} ? (C extends readonly (infer P)[] ? FieldOf<P> : never) : never;

/** The type of message of a format. Any SDK's own type may be given as type argument in its place. */
export type MessageOf<F extends Format> = FormatMessages[F];

/** The type of message of each format. */
export interface FormatMessages {
  "openai-chat": OpenAIChatMessage;
  /** Items of some thirty kinds, to which each version of the SDK adds others: name your type as the type argument. */
  "openai-responses": Opaque;
  anthropic: AnthropicMessage;
  "ai-sdk-ui": AiSdkUiMessage;
  "ai-sdk-model": AiSdkModelMessage;
  gemini: GeminiContent;
  /** Instances of LangChain's classes, or either of their serialized forms: name yours as the type argument. */
  langchain: Opaque;
  bedrock: BedrockMessage;
}

/** A message of OpenAI's Chat Completions. */
export type OpenAIChatMessage = {
  role: "developer" | "system" | "user";
  content: Opaque;
  name?: string;
} | {
  role: "assistant";
  content?: Opaque;
  name?: string;
  refusal?: string | null;
  tool_calls?: Opaque;
  audio?: Opaque;
} | {
  role: "tool";
  content: Opaque;
  tool_call_id: string;
} | {
  role: "function";
  content: string | null;
  name: string;
};

/**
 * What a field contains that each SDK, and each version of it, declares in its own way. It has to go both ways, which only
 * `any` does. The fields around it say which format a message has.
 */
type Opaque = any;

/** A message of Anthropic's Messages. */
export interface AnthropicMessage {
  role: Opaque;
  content: Opaque;
}

/** A message of the AI SDK's pages. */
export interface AiSdkUiMessage {
  id: string;
  role: "system" | "user" | "assistant";
  parts: Opaque[];
  metadata?: Opaque;
}

/** A message of the AI SDK for models. */
export type AiSdkModelMessage = {
  role: "system";
  content: string;
  providerOptions?: Opaque;
} | {
  role: "user" | "assistant";
  content: Opaque;
  providerOptions?: Opaque;
} | {
  role: "tool";
  content: Opaque;
  providerOptions?: Opaque;
};

/** A content of Gemini. */
export interface GeminiContent {
  role?: string;
  parts?: Opaque[];
}

/** A message of Amazon Bedrock's Converse. */
export interface BedrockMessage {
  role: Opaque;
  content: Opaque;
}

/**
 * What is remembered of a conversation.
 */
export interface Memory {
  /**
   * What the entries so far were blended into; empty at first.
   */
  summary?: string;
  /**
   * The entries since then, oldest first, and all standing instructions.
   */
  entries?: MemoryEntry[];
}

/**
 * One entry of a `Memory`.
 */
export interface MemoryEntry {
  /**
   * What is remembered.
   */
  text: string;
  /**
   * True for a standing instruction, which stays word for word and is never blended.
   */
  standing?: boolean;
}

/**
 * How often each layer has worked, without compactions that were undone. The earlier ones save what would make the later ones
 * due.
 */
export interface Layers {
  /**
   * Only reducers: tool results were shortened by their age, copies removed, and the like, without a model.
   */
  reduced: number;
  /**
   * The conversation was summarized.
   */
  summarized: number;
  /**
   * A completed task was summarized.
   */
  transitions: number;
}

/** How a request differs from `messages()`. */
export interface RequestContext<M extends object = object> {
  /** Messages that only this request has. */
  added?: readonly M[];
  /** Messages of `messages()` that this request does not have. */
  leftOut?: readonly M[];
}

/**
 * How full the window is, with the usage that the provider reported.
 */
export interface Status extends Pressure {
  /**
   * The sums of what the provider reported.
   */
  statistics: Statistics;
}

/**
 * How full the window is. All token counts are in the provider's tokens.
 */
export interface Pressure {
  /**
   * Tokens in the window.
   */
  tokens: number;
  /**
   * Size of the window in tokens.
   */
  window: number;
  /**
   * `tokens` ÷ `window`; above 1 if the conversation does not fit.
   */
  fill: number;
  /**
   * `fill` in percent, for a usage indicator.
   */
  budgetUsedPct: number;
  /**
   * What this fill calls for.
   */
  level: Level;
  /**
   * Tokens at which a compaction is due; `None` if no trigger depends on tokens.
   */
  threshold?: number;
  /**
   * Tokens that a compaction aims for.
   */
  target: number;
  /**
   * True if `tokens` was counted by the provider, or with the model's own encoding, and not estimated.
   * With an encoding, message overhead, images and files are still the provider's published figures. False as long as
   * there is reasoning that only the provider can read, since OpenAI's counts leave its tokens out.
   */
  exact: boolean;
  /**
   * Half-width of the relative error of `tokens`: 0.1 means ±10 %. It narrows as the counts that the
   * provider reports agree with the estimate, and as the text gets longer, in which errors cancel out. It includes the
   * tokens of reasoning that only the provider can read.
   */
  errorBand: number;
  /**
   * Tokens that no compaction can remove: system prompt, tool schemas, pinned messages and the last
   * user request.
   */
  floor: number;
  /**
   * What fills the window, by the engine's own count, scaled by what the provider has reported so far.
   */
  breakdown: Breakdown;
}

/**
 * What a fill level calls for.
 */
export type Level = "ok" | "warn" | "compact";

/**
 * What fills the window, in the provider's tokens.
 */
export interface Breakdown {
  /**
   * System messages.
   */
  system: number;
  /**
   * Tool schemas, and whatever else the provider counts in addition to the messages.
   */
  tools: number;
  /**
   * What the latest request had in addition to the conversation, such as the messages of context providers.
   */
  context: number;
  /**
   * The summary of earlier messages.
   */
  summary: number;
  /**
   * User messages.
   */
  user: number;
  /**
   * Assistant messages with their tool calls.
   */
  assistant: number;
  /**
   * Tool results.
   */
  results: number;
}

/**
 * Tokens that the provider reported for the latest call, and for all calls of the conversation.
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
   * Prompt and completion tokens of the latest call: the tokens in the window after it.
   */
  contextTokens: number;
  /**
   * Completion tokens per second of the latest call with a known duration; 0 if none has one.
   */
  tokensPerSecond: number;
}

/** What a page shows of a compactor. */
export interface CompactorState<M extends object = object> {
  readonly status: Status;
  /** What `messages()` returns. */
  readonly messages: readonly M[];
  /** True while a compaction runs. */
  readonly isCompacting: boolean;
}

/** Options of a plan: those of the compaction that it is for; the others are about `economics`. */
export interface PlanningOptions extends EconomicsOptions, CompactionScope {
  /** Default: `session-compaction`. */
  reason?: Reason;
}

/** What the next turns are taken to be. */
export interface EconomicsOptions {
  /** How many turns are added up, each as one request. Default: 10. */
  turns?: number;
  /** How many tokens each turn adds, its answer included. Default: twice the average of the messages in the view. */
  turnTokens?: number;
  /** How many of these are the answer. Default: half. */
  answerTokens?: number;
  /** Whether the provider's cache has the last request. Default: true, if its reading has a rate of its own. */
  cached?: boolean;
}

/** What one compaction may replace, as somebody has chosen it in the conversation. Without, the policy alone decides. */
export interface CompactionScope {
  /**
   * The id of the last message that it may replace, whatever the policy keeps; the compactor's or the app's own. A tool call is
   * never separated from its results, so that it may end earlier. Everything behind stays as it is: no reducer works, and
   * nothing more is replaced if the result is still above the target.
   */
  upTo?: string;
  /**
   * The ids of messages that it leaves as they are, with the calls and results that belong to them. Unlike a pin, it is
   * forgotten afterwards.
   */
  exempt?: readonly string[];
}

/** What a compaction would do. */
export interface Plan extends PlanFigures {
  /**
   * The action for every message, in order. An entry that is the same as in the compactor's previous plan is the same
   * object; the array is a new one in each plan.
   */
  readonly actions: readonly MessageAction[];
  /** What the next turns cost as it is, reduced, and summarized; undefined unless the policy names a model whose rates are known. */
  readonly economics?: Economics;
}

/**
 * What a compaction would do, without the actions of the messages.
 */
export interface PlanFigures {
  /**
   * Why it would be made.
   */
  reason: Reason;
  /**
   * True if a summary is written; otherwise only reducers work.
   */
  summarizes: boolean;
  /**
   * How many messages the summary would cover.
   */
  summarized: number;
  /**
   * How many messages would be changed or left out without being summarized.
   */
  reduced: number;
  /**
   * Tokens of the view now, including tool schemas.
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
   * How many of those are for facts that the summary lost.
   */
  ledgerTokens: number;
  /**
   * Signed reasoning that a model such as Claude Fable does not accept behind the change, if there is some.
   */
  lockedReasoning?: LockedParts;
  /**
   * How many requests the summarizer would get.
   */
  requests: number;
  /**
   * Why there is nothing to do, if so.
   */
  idle?: string;
  /**
   * Why the threshold cannot be met, if so: what cannot be removed, item by item.
   */
  floor?: string;
}

/**
 * What a compaction costs with a model that accepts signed reasoning only behind an unchanged history. Either these parts
 * are removed, or the app has to send the provider's switch that drops them; see
 * `LockedReasoning`.
 */
export interface LockedParts {
  /**
   * How many parts these are.
   */
  parts: number;
  /**
   * Their tokens.
   */
  tokens: number;
  /**
   * True if the compaction removes them.
   */
  removed: boolean;
}

/** What a plan does with one message. */
export interface MessageAction {
  /** The message's id, as `append` returned it. A message of several steps has one entry per step, such as `m7#1`. */
  readonly id: string;
  /** What happens to it. */
  readonly action: Action;
  /** Its tokens in the current view; 0 if it is not in the view. */
  readonly tokensBefore: number;
  /** Its tokens in the view after the compaction; 0 if it will not be in the view. */
  readonly tokensAfter: number;
}

/**
 * What a compaction does to a message.
 */
export type Action = "keep" | "deduplicate" | "truncateToolResults" | "clearToolInputs" | "clearToolResults" | "offloadToolResults" | "removeReasoning" | "excerptLastRequest" | "dropOldest" | "summarize" | "summarized";

/** What the next turns cost with each way, in US dollars. */
export interface Economics {
  /** The model whose rates these are. */
  model: string;
  turns: number;
  turnTokens: number;
  /** After how many turns the window is full if nothing is done. */
  turnsUntilFull: number;
  nothing: Costs;
  /** With reducers only, if they find anything. */
  reducing?: CompactionCosts;
  /** With the planned compaction, if it has a summary. */
  summarizing?: CompactionCosts;
}

/** What one way costs. */
export interface Costs {
  /** In US dollars, over all turns, with the summary. */
  total: number;
  /** The summary, in US dollars. */
  summary: number;
  /** Tokens of the next prompt. */
  tokens: number;
}

/** What a compaction costs. */
export interface CompactionCosts extends Costs {
  /** After how many turns it has cost no more than doing nothing; undefined if that is not within 1,000 turns. */
  breakEvenTurns?: number;
}

/** Options of a compaction that runs only if it is due. */
export interface CompactIfNeededOptions extends Omit<CompactOptions, "reason"> {
  /** The point in the app's request loop. */
  phase?: Phase;
}

/** Options of one compaction. */
export interface CompactOptions extends CompactionScope {
  /** Default: `session-compaction`. */
  reason?: Reason;
  /** What the summary should pay attention to. */
  instructions?: string;
  /** Cancels the compaction at any time. */
  signal?: AbortSignal;
  /** Called for each event of this compaction. What it throws is logged to the console. */
  onEvent?: (event: CompactionEvent) => void;
}

/**
 * What is known of a message besides its content.
 */
export interface StoredMetadata {
  /**
   * Whether the model does not get it any more: a summary has replaced it, or it was removed. It is still in the history,
   * and the undo of the compaction brings it back.
   */
  isCompacted: boolean;
  /**
   * Whether it survives every compaction word for word.
   */
  pinned: boolean;
  /**
   * The kind of a message that the app generates.
   */
  synthetic?: string;
  /**
   * Who speaks, if there are several of one role.
   */
  author?: string;
  /**
   * When it was sent, as `Date.now()` counts.
   */
  time?: number;
  /**
   * The names of the agents that may see it; absent: all.
   */
  audience?: string[];
}

/** Options of one search. */
export interface RecallOptions {
  /** The most tokens that the text of the result may have, as the package estimates them. Default: 1,000. */
  tokens?: number;
}

/** What messages that have left the view say about a question. */
export interface Recalled {
  /** The best first; empty if nothing fits. */
  passages: RecalledPassage[];
  /** The quotes as text for a model, in the order of the conversation: in tags that no quote can close, and marked as data.
   * Empty if nothing fits. */
  text: string;
  /** The estimated tokens of `text`. */
  tokens: number;
}

/** Messages that follow each other, and what they say. */
export interface RecalledPassage {
  /** How well it fits, from 0 to 1: the best one has 1. */
  score: number;
  /** At least one, in their order. */
  quotes: RecalledQuote[];
  /** The id of the message before them. */
  before?: string;
  /** The id of the message after them. */
  after?: string;
}

/** What one message says. */
export interface RecalledQuote {
  /** The id of the message, for `message` and `metadata`. */
  id: string;
  /** Its role, and behind it its author if that is known. */
  speaker: string;
  /** Its sentences, with ` … ` where some are left out. */
  text: string;
}

/** What names, identifiers or rare words that have come back stand for, and what the user has said that holds for all turns. */
export interface Returned extends Recalled {
  /** The words of the latest turn that only messages out of the view have; empty if there are none. */
  words: string[];
}

/** Tokens of one request as the provider reports them, and how long it took. */
export type Usage = Omit<UsageOfView, 'epoch'>;

/**
 * Tokens of one request and its answer, as the provider reported them.
 */
export interface UsageOfView {
  /**
   * All tokens that were sent: system prompt, tool schemas and messages, cached or not.
   */
  promptTokens: number;
  /**
   * All tokens of the answer, including reasoning.
   */
  completionTokens: number;
  /**
   * Prompt tokens that were read from the provider's cache, if reported.
   */
  cachedTokens?: number;
  /**
   * Prompt tokens that were written to the provider's cache, if reported.
   */
  cacheWriteTokens?: number;
  /**
   * Completion tokens that are reasoning, if reported.
   */
  reasoningTokens?: number;
  /**
   * Duration of the request in milliseconds, if the app measured it.
   */
  durationMs?: number;
  /**
   * The revision of the view that was sent, which is the compactor's `epoch` at that time. Absent: the current one.
   */
  epoch?: number;
}

/** Whether something is stored: by a commit that has succeeded, by one that runs, or not. */
export type SaveState = "saved" | "saving" | "unsaved";

/** How a plan is made without a compactor. */
export interface PlanOptions extends Pick<CompactorOptions<object, Format>, "format" | "policy" | "agent" | "tokenizers">, PlanningOptions {
}

/** Options of a new compactor. */
export interface CompactorOptions<M extends object = object, F extends Format = FormatOf<M>> extends HostOptions<M> {
  /** The format of the messages. */
  format: F;
  /** When to compact and how far. Default: the preset `recommended`. */
  policy?: PolicySpec;
  /** What `notes()` returned when the app stored `messages()`. Only for messages among which is a summary. */
  notes?: string | undefined;
}

/** How messages are estimated. */
export interface EstimateMessagesOptions extends EstimateOptions {
  /** The format of the messages. Default: detected. */
  format?: Format;
}

/** How a text is estimated. */
export interface EstimateOptions {
  /** The family of models whose tokens are estimated. Default: `o200k_base`. */
  family?: TokenFamily;
  /** Divide the number of characters by this instead. */
  charactersPerToken?: number;
}

/** A family of models whose tokens are estimated alike. */
export type TokenFamily = Family;

/** Options of a summarizer that asks Chrome's language model. */
export interface ChromePromptOptions extends ChromeModelOptions {
  /** Whether summaries begin with the state of the messages, as those of endpoints do. Default: true. */
  state?: boolean;
}

/** What both summarizers by a model of the browser take. */
export interface ChromeModelOptions {
  /** The languages of the conversation, such as `["en", "de"]`. The summary is in the first one. Chrome refuses a language that its
   * model has not been tested with. Default: Chrome decides. */
  languages?: readonly string[];
  /** Takes how much of the model is downloaded, from 0 to 1. Only if it is not there yet. */
  onDownload?: (share: number) => void;
}

/** Options of a summarizer by Chrome's own Summarizer. */
export interface ChromeSummarizerOptions extends ChromeModelOptions {
  /** What kind of summary it writes. Default: `key-points`. */
  type?: "key-points" | "tldr" | "teaser" | "headline";
  /** How long it is. Default: by the tokens that the summary may have. */
  length?: "short" | "medium" | "long";
}

/** Whether a model of the browser can be used: at once, behind a download of some gigabytes, or not at all. */
export type ChromeAvailability = "unavailable" | "downloadable" | "downloading" | "available";

/** A summarizer that asks an endpoint. It can also be called directly, without a context. */
export type EndpointSummarize = (request: EndpointRequest, context?: Partial<SummarizeContext>) => Promise<EndpointCompletion>;

/** What an endpoint needs of a request. */
export type EndpointRequest = Pick<SummaryRequest, "system" | "input" | "maxTokens"> & Partial<Pick<SummarizeRequest, "form" | "format" | "messages" | "prompt" | "asksForState" | "givenState" | "targetTokens">>;

/** The answer of an endpoint. */
export interface EndpointCompletion extends Completion {
  /** True if the model was given the request's instructions. `epitome-extractive`, which quotes, gets none. */
  instructed: boolean;
  /** What the summary begins with, before `text`, if there is something: see `withState`. */
  state?: string;
}

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
   * Tokens of the prompt, cached or not. Far fewer than estimated mean that the server truncated it silently.
   */
  promptTokens: number;
  /**
   * Tokens of the prompt that the provider read from its cache, if reported.
   */
  cachedTokens?: number;
  /**
   * Tokens of the answer, including reasoning.
   */
  completionTokens: number;
}

/** Options of an endpoint that summarizes. */
export interface EndpointSummarizeOptions extends EndpointOptions {
  /**
   * Used if messages are sent and not a transcript (`summary.input`): the other fields of the app's requests to the model,
   * such as `system` and `tools` (for Gemini `systemInstruction` and `tools`), or a function that returns them. Give exactly what the model gets, or the provider's cache
   * does not have it. `messages` in it come before those of the compactor. Fields that the endpoint sets itself are ignored:
   * the model, limits of tokens, streaming, the format of the answer. With tools, `toolChoice` is `none` unless it is given
   * here.
   */
  request?: RequestFields | (() => RequestFields);
  /**
   * Whether summaries begin with the state of the messages, as `withState` says. True by default. False saves the module that
   * reads it, 163 kB, if the extractive summarizer is not used otherwise.
   */
  state?: boolean;
}

/**
 * Options of an endpoint.
 */
export interface EndpointOptions {
  /**
   * `http://host/v1`, or the whole address that ends in `/chat/completions` or, for Anthropic, `/messages`. For Gemini
   * `https://generativelanguage.googleapis.com/v1beta`, for Ollama `http://localhost:11434`.
   */
  baseURL: string;
  /**
   * The model's name, as the server knows it.
   */
  model: string;
  /**
   * Sent in the header that the provider uses for it. An empty key is not sent.
   */
  apiKey?: string;
  /**
   * Further headers. In a browser, the server must allow each of them.
   */
  headers?: Record<string, string>;
  /**
   * Whether the answer is streamed. Default: true.
   */
  stream?: boolean;
  /**
   * How long each part of an answer may take.
   */
  timeouts?: EndpointTimeouts;
  /**
   * How a summary with changes to the structured state is asked for: in `text`, by the instructions, which every model can
   * follow; by `jsonSchema`, in the field `responseFormat`, for `openAICompatible` and `ollamaCompatible`; or by `grammar`, in
   * the field that llama.cpp has, for `openAICompatible` only. Such an answer is one JSON object, and is not shown while it is written. A server that
   * refuses the field is asked once more without it. Default: `text`.
   */
  answerFormat?: AnswerFormat;
  /**
   * The context window in tokens that Ollama is to give the model. Default: the power of two into which prompt and
   * answer fit. Ollama loads the model again when it changes, so give the one that your app's own requests have. Only for
   * `ollamaCompatible`.
   */
  contextWindow?: number;
}

/**
 * How long each part of an answer may take, in milliseconds.
 */
export interface EndpointTimeouts {
  /**
   * From the request to the first byte of a streamed answer. Default: 12 minutes.
   */
  firstByteMs?: number;
  /**
   * Between two parts of a streamed answer. Default: 2 minutes.
   */
  idleMs?: number;
  /**
   * From the request to the last byte. Default: 12 minutes.
   */
  totalMs?: number;
}

/**
 * How a summary with changes to the structured state is asked for. A server that refuses the field for it is asked once more
 * without it, since every model can answer in text.
 */
export type AnswerFormat = "text" | "jsonSchema" | "grammar";

/** Fields of a request's body, as the provider names them. */
export type RequestFields = Readonly<Record<string, unknown>>;

/** A summarizer that quotes the messages. It can also be called directly, without a context. */
export type ExtractiveSummarize = (request: ExtractiveRequest, context?: Partial<SummarizeContext>) => Promise<string>;

/** What the summarizer that quotes needs of a request. */
export type ExtractiveRequest = Pick<SummaryRequest, "input" | "targetTokens"> & Partial<Pick<SummarizeRequest, "messages" | "notes" | "asksForState">>;

/** Any message. It is an object; that formats are named too makes the role of a literal be its own type and not a string. */
export type AnyMessage = object | MessageOf<"openai-chat" | "ai-sdk-ui" | "ai-sdk-model">;

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

/** Has a provider compact messages in its own format: of OpenAI's Responses API, or of Anthropic's Messages API. */
export type ProviderCompaction<M extends object = object> = (messages: readonly M[], context?: {
  signal?: AbortSignal;
}) => Promise<ProviderCompacted<M>>;

/** What a provider has made of messages. */
export interface ProviderCompacted<M extends object = object> {
  /** What to send in place of the messages: system prompts, which are the same objects, and what the provider returned. */
  messages: M[];
  /** Tokens, as the provider reports them; `readUsage` reads it. */
  usage?: object;
}

/** Options of a compaction by the provider. */
export interface ProviderCompactionOptions extends Pick<EndpointOptions, "baseURL" | "model" | "apiKey" | "headers" | "timeouts"> {
  /**
   * Other fields of the request, as the provider names them, or a function that returns them: `system`, `tools` and its limit of tokens for
   * Anthropic, `instructions` for OpenAI. For Anthropic give the same `system` and `tools` as your own requests have.
   */
  request?: RequestFields | (() => RequestFields);
}

/** How much of a history is taken. */
export interface RecentOptions {
  /** The format of the messages. Default: detected. */
  format?: Format;
  /** The most tokens that they may have. */
  tokens: number;
  /** What counts tokens. Default: the package's own estimate. */
  counting?: Counting;
  /** Where the tokenizer comes from that `counting` names; see `HostOptions.tokenizers`. */
  tokenizers?: TokenizerSources;
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

/** Options of `compactMessages`. */
export interface CompactMessagesOptions<M extends object = object, F extends Format = FormatOf<M>> extends CompactorOptions<M, F>, Pick<CompactOptions, "instructions" | "signal"> {
  /** What the provider reported for the request that the last assistant message answers. */
  usage?: Usage | object | null | undefined;
  /** The point in the request loop. Default: as for `compactIfNeeded`. */
  phase?: Phase;
  /** Compacts for this reason, whether or not a compaction is due. */
  reason?: Reason;
}

/** Options of a turn. `R` is what the app's `request` returns. */
export interface TurnOptions<M extends object, R extends TurnResponse<M> = TurnResponse<M>> {
  /** Sends these messages to the model. An error which says that the prompt is too long leads to a compaction and another
   * try; any other error ends the turn, which rejects with it. */
  request: (messages: M[], context: TurnContext) => R | Promise<R>;
  /** Runs the tools that the answer calls and returns their results; nothing if it calls none, which ends the turn. Without
   * this function, a turn goes on as long as the last message is a tool result. */
  tools?: (response: R, context: TurnContext) => readonly M[] | undefined | Promise<readonly M[] | undefined>;
  /** Asked in order, before and after each request. */
  middleware?: readonly Middleware[];
  /** Rewrite the messages of each request, from left to right. */
  transforms?: readonly Transform<M>[];
  /** Has each request end with what has left the view and its latest turn speaks of, as `messagesWithRecall` does: `true`, or how
   * much of it. The transforms get it too. Default: `false`. */
  recall?: WithRecall;
  /** Add messages to each request, in order. */
  providers?: readonly ContextProvider<M>[];
  /** What is known of the messages that the turn appends besides their content. With an `audience`, a turn over private messages
   * stays private; without one, what it appends is for all. */
  metadata?: MessageMetadata;
  /** The most requests of the turn. Default: 50. */
  maxSteps?: number;
  /** How often one request is sent again after a compaction because its prompt was too long. Default: 3. */
  maxRetries?: number;
  /** Ends the turn: it rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** What the model answered. */
export interface TurnResponse<M extends object> {
  /** The answer, to be appended; nothing if `request` has appended it itself. */
  messages?: M | readonly M[];
  /** The usage as the provider reports it. */
  usage?: Usage | object | null | undefined;
}

/** What is known at a point of a turn. */
export interface TurnContext {
  /** The number of the request in the turn, from 1. A compaction does not change it. */
  readonly step: number;
  /** The number of the session, from 1. Every summary begins another. */
  readonly session: number;
  /** How full the window is. */
  readonly status: Status;
  /** The signal of the turn. */
  readonly signal: AbortSignal | undefined;
}

/** Is asked before and after each request of a turn. */
export interface Middleware {
  /** Before a request: goes on, compacts first, or ends the turn. */
  before?(context: TurnContext): Verdict | Promise<Verdict>;
  /** After the answer and the results of its calls. */
  after?(context: TurnContext): Verdict | Promise<Verdict>;
  /** After a compaction was applied. State for each cycle, such as whether a warning was shown, begins again here. */
  reset?(reason: Reason): void | Promise<void>;
}

/** What a middleware answers: nothing is `continue`. */
export type Verdict = void | {
  action: "continue" | "stop";
} | {
  action: "compact";
  metadata?: unknown;
};

/** Rewrites the messages of one request. The stored conversation stays as it is. */
export type Transform<M extends object> = (messages: M[], context: TurnContext) => readonly M[] | Promise<readonly M[]>;

/** Whether a request gets what has left the view and its latest turn speaks of, as `messagesWithRecall` does; or how much of it. */
export type WithRecall = boolean | RecallOptions;

/** Adds messages to one request, in front of the history and behind its system prompt. It gets the messages as the
 * transforms have left them. */
export type ContextProvider<M extends object> = (context: TurnContext & {
  readonly messages: readonly M[];
}) => Provided<M> | Promise<Provided<M>>;

/** What a provider adds to a request: messages, or texts that are sent as user messages. */
export type Provided<M extends object> = undefined | string | M | readonly (string | M)[];

/** What a turn did. */
export interface TurnResult<R> {
  /** Why it has ended. */
  end: "answered" | "stopped" | "max-steps";
  /** How many requests it had, not counting those that were sent again. */
  steps: number;
  /** The last answer. */
  response?: R;
  compactions: TurnCompaction[];
}

/** A compaction in a turn. */
export interface TurnCompaction {
  report: Report & OfAgent;
  /** What the middleware that asked for it has said about it. */
  metadata?: unknown;
  /** What the server said about the prompt that was too long. */
  overflow?: ContextOverflow;
}

/**
 * A prompt that a server refused because it does not fit the model's context window. A shorter one may be accepted.
 */
export interface ContextOverflow {
  /**
   * Tokens of the prompt as the server counted them, or of prompt and answer if it names only their sum; `None` if it
   * does not say.
   */
  requestedTokens?: number;
  /**
   * The most tokens that the server accepts; `None` if it does not say.
   */
  limitTokens?: number;
}

/** How messages are read. */
export interface ReadOptions {
  /** Many messages are read in slices, and the page reacts in between. If it is aborted, the promise rejects with `aborted`. */
  signal?: AbortSignal;
}

/** How strictly messages are validated. */
export interface ValidateOptions extends ReadOptions {
  /** Also report what only some servers of this format refuse: roles that do not alternate, system messages after other
   * messages, ids that are used twice. */
  strict?: boolean;
  /** The messages of the requests that were sent before, oldest first. With them, signed reasoning is found that `model` would
   * refuse, because it stands behind other messages than those that it was written behind (`bound-reasoning`). */
  earlier?: readonly (readonly object[])[];
  /** Name of the model. Default: one that accepts its reasoning only behind an unchanged history, as Claude Fable from 5.1. */
  model?: string;
  /** The tools of the request, as it takes them. With them, notes of reducers are found that stand for text which the model cannot
   * get back (`unreachable`): with the tool of `recallTool` among them, there are none. Leave it out if you send what
   * `messagesWithRecall` returns and need no tool. */
  tools?: readonly object[] | Readonly<Record<string, object>>;
  /** The names of your tools that return what `offloaded(path)` does. Notes with a path are reachable by one of them in `tools`. */
  readBack?: readonly string[];
}

/** Asks a provider to count. It can also be called directly, without a context. */
export type ProviderCounter<M extends object = object> = (messages: M[], context?: Partial<Parameters<CountTokens<M>>[1]>) => Promise<number>;

/** Options of a counter for messages of any format. */
export interface ProviderCounterOptions extends CounterOptions {
  /** The format of the messages, if it is not the provider's own. They are converted before they are counted. */
  format?: Format;
}

/**
 * Options of a counting endpoint.
 */
export interface CounterOptions {
  /**
   * The model's name, as the provider knows it.
   */
  model: string;
  /**
   * The address of the API, such as `https://host/v1`. Default: the provider's own; for llama.cpp,
   * `http://127.0.0.1:8080`.
   */
  baseURL?: string;
  /**
   * Sent in the header that the provider uses for it. An empty key is not sent.
   */
  apiKey?: string;
  /**
   * Further headers. In a browser, the server must allow each of them.
   */
  headers?: Record<string, string>;
  /**
   * The other fields of a request to the model, such as `system` and `tools`, as the provider names them.
   */
  request?: object;
  /**
   * How long a count may take, in milliseconds. Default: a minute.
   */
  timeoutMs?: number;
}

/** Everything the engine decides by: a policy with all its fields. Sizes are in tokens. */
export type Policy = Required<Omit<PolicyFields, 'summary' | 'retry'>> & { summary: Required<SummarySettings>; retry: Required<Retry> };

/**
 * A policy with a name.
 */
export interface Preset {
  /**
   * Its name, to give as `policy.preset`.
   */
  name: string;
  /**
   * Its policy for a window of 200,000 tokens.
   */
  policy: Policy;
}

/** Messages in another format. */
export interface Converted<M extends object = object> {
  messages: M[];
  /** What the other format cannot represent, and where it was. */
  lost: Issue[];
  /** What the provider of the other format refuses in the result, and where it is: defects of the originals. */
  left: Issue[];
}

/**
 * Something in messages that the provider, or some servers of its format, refuse.
 */
export interface Issue {
  /**
   * Where: `messages[3].content[1].text`.
   */
  path: string;
  /**
   * What is wrong.
   */
  code: IssueCode;
  /**
   * How severe it is.
   */
  severity: Severity;
  /**
   * What is wrong, for people, and what to do about it.
   */
  message: string;
}

/**
 * What can be wrong with messages.
 */
export type IssueCode = "not-a-message" | "unknown-part" | "foreign-part" | "unknown-role" | "missing-content" | "not-text" | "missing-arguments" | "broken-arguments" | "missing-result" | "orphan-result" | "repeated-result" | "misplaced-result" | "split-results" | "shared-call-id" | "reused-call-id" | "refused-call-id" | "missing-call-id" | "repeated-id" | "missing-id" | "refused-id" | "blank-message" | "blank-text" | "nothing-said" | "system-inside" | "not-user-first" | "assistant-last" | "same-role-twice" | "unsigned-reasoning" | "reasoning-alone" | "bound-reasoning" | "empty-compaction" | "misplaced-compaction" | "lone-surrogate" | "unreachable" | "lost";

/**
 * How severe an issue is.
 */
export type Severity = "odd" | "depends" | "refused";

/**
 * The format that messages seem to be in.
 */
export type Detection = { kind: "known"; format: Format } | { kind: "unclear" };

/** Repaired messages, and what was done. */
export interface Repaired<M extends object = object> {
  /** The messages. Those that were valid are the same objects. */
  messages: M[];
  /** What was repaired. */
  done: Issue[];
  /** What is still wrong, because a repair would be a guess. */
  left: Issue[];
}

/** Counts tokens synchronously. */
export interface TokenCounter {
  /** Estimates the tokens of a text. */
  estimate(text: string, options?: EstimateOptions): number;
  /**
   * Counts the tokens of a text exactly. If the vocabulary is not loaded, it throws `encoding-not-loaded`: await
   * `loadEncoding` first. If only the ASCII shard is loaded, it throws for all other text.
   */
  count(text: string, options?: {
    encoding?: Encoding;
  }): number;
}

/** The encoding or the tokenizer by which a text is counted. */
export interface CountOptions {
  /** Default: `o200k_base`. */
  encoding?: Encoding;
  /** Count by the tokenizer that `loadTokenizer` loaded under this name, instead of an encoding. */
  tokenizer?: string;
}

/** Which part of an encoding's vocabulary is loaded, and from where. */
export interface EncodingOptions {
  /**
   * `"ascii"` loads only what ASCII text needs, 60 % of `o200k_base`, and counts such text exactly. The rest is loaded
   * when `countTokens` gets other text or a policy counts by the encoding. `cl100k_base` is not divided, and is loaded whole.
   */
  scripts?: "ascii" | "all";
  /** Where the vocabulary comes from, or with `"ascii"` its ASCII shard. Default: the package's own files. */
  source?: EncodingSource;
  /** With `"ascii"`: where the rest comes from. */
  rest?: EncodingSource;
}

/** What this package throws and rejects with. */
export interface EpitomeError extends Error {
  readonly name: "EpitomeError";
  /** What went wrong, for code to decide by. */
  readonly code: ErrorCode;
  /** Of an endpoint: whether the same request may succeed later. */
  readonly retryable?: boolean;
  /** Of an endpoint: how long it asks to wait before the next request, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Of an endpoint: the HTTP status, if there was a response. */
  readonly status?: number;
  /** With `encoding-not-loaded`: the encoding, unless it is a tokenizer that is missing. */
  readonly encoding?: Encoding;
  /** With `encoding-not-loaded`: the name of the tokenizer. */
  readonly tokenizer?: string;
}

/**
 * What went wrong, for code to branch on.
 */
export type ErrorCode = PackageErrorCode | EndpointErrorCode;

/**
 * What went wrong in a call of this package, for code to branch on.
 */
export type PackageErrorCode = "unknown-format" | "invalid-option" | "invalid-policy" | "invalid-message" | "too-large" | "unknown-id" | "other-branch" | "private-message" | "duplicate-id" | "invalid-snapshot" | "invalid-originals" | "conflict" | "damaged-log" | "busy" | "exhausted" | "nothing-to-undo" | "unknown-encoding" | "encoding-not-loaded" | "encoding-unavailable" | "invalid-vocabulary" | "disposed" | "broken" | "not-loaded" | "internal";

/**
 * What went wrong with a request to an endpoint, for code to branch on.
 */
export type EndpointErrorCode = "aborted" | "misconfigured" | "unreachable" | "first-byte-timeout" | "idle-timeout" | "total-timeout" | "redirected" | "unauthorized" | "model-unknown" | "too-long" | "rate-limited" | "overloaded" | "refused" | "bad-answer" | "cut-off" | "truncated" | "filtered" | "empty";

/** True for what this package throws and rejects with, also if it comes from another copy of the package. */
export declare function isEpitomeError(error: unknown): error is EpitomeError;

/** How a compaction ended. Unless it is `applied`, the messages are unchanged. */
export type Outcome = Report["outcome"];

/** The parts of the usual context. Each is a text, messages, or a function that makes them for each request. */
export interface ContextParts<M extends object> {
  /** Who the user is, such as tenant and user. */
  identity?: Provided<M> | ContextProvider<M>;
  /** The date. */
  date?: Provided<M> | ContextProvider<M>;
  /** A summary or an index of what is remembered. */
  memory?: Provided<M> | ContextProvider<M>;
  /** A summary or an index of a knowledge base. */
  knowledge?: Provided<M> | ContextProvider<M>;
  /** The skills that the model can use. */
  skills?: Provided<M> | ContextProvider<M>;
  /** The present state of the workspace. */
  workspace?: Provided<M> | ContextProvider<M>;
}

/** Providers for the usual context, in the order in which models read it best: who and when first, the workspace last, since it
 * changes most often. */
export declare function contextProviders<M extends object>(parts: ContextParts<NoInfer<M>>): ContextProvider<M>[];

/**
 * The definition of a tool by which a model searches the conversation. When the model calls it, answer with the `text` of
 * `recall(query, { tokens })`.
 */
export declare function recallTool<F extends Format>(format: F): RecallTools[F];

/** The definition of the tool in each format, as the request takes it. */
export interface RecallTools {
  "openai-chat": {
    type: "function";
    function: {
      name: string;
      description: string;
      parameters: RecallParameters;
    };
  };
  "openai-responses": {
    type: "function";
    name: string;
    description: string;
    parameters: RecallParameters;
    strict: false;
  };
  anthropic: {
    name: string;
    description: string;
    input_schema: RecallParameters;
  };
  /** For `tool()`, with `inputSchema: jsonSchema(definition.inputSchema)`. */
  "ai-sdk-ui": {
    name: string;
    description: string;
    inputSchema: RecallParameters;
  };
  /** The same. */
  "ai-sdk-model": {
    name: string;
    description: string;
    inputSchema: RecallParameters;
  };
  gemini: {
    functionDeclarations: [{
      name: string;
      description: string;
      parameters: RecallParameters;
    }];
  };
  /** For `tool()`. */
  langchain: {
    name: string;
    description: string;
    schema: RecallParameters;
  };
  bedrock: {
    toolSpec: {
      name: string;
      description: string;
      inputSchema: {
        json: RecallParameters;
      };
    };
  };
}

/** The arguments of the tool, as JSON Schema. */
export interface RecallParameters {
  type: "object";
  properties: {
    query: {
      type: "string";
      description: string;
    };
  };
  required: ["query"];
}

/**
 * Creates a compactor for a new conversation. The format says what type the messages have, unless the result is assigned to
 * a compactor of the app's own type.
 */
export declare function createCompactor<F extends Format, M extends object = MessageOf<F>>(options: CompactorOptions<NoInfer<M>, F & FormatOf<M>>): Promise<Compactor<M>>;
/** The same for the app's own type of message, `M`. Its format cannot be another one than that of the type. */
export declare function createCompactor<M extends object>(options: CompactorOptions<M>): Promise<Compactor<M>>;

/** Creates a compactor that continues from a snapshot. The format says what type the messages have. */
export declare function restoreCompactor<F extends Format, M extends object = MessageOf<F>>(snapshot: string, options: RestoreOptions<NoInfer<M>, F & FormatOf<M>>): Promise<Compactor<M>>;
/** The same for the app's own type of message, `M`. */
export declare function restoreCompactor<M extends object>(snapshot: string, options: RestoreOptions<M>): Promise<Compactor<M>>;

/**
 * Compacts messages if that is due, without a compactor that you keep: for a route, the AI SDK's `prepareStep`, LangChain's
 * `beforeModel`, a session. Store the result in place of the messages: the next call continues from its summary.
 */
export declare function compactMessages<M extends AnyMessage>(messages: readonly M[], options: CompactMessagesOptions<M>): Promise<CompactedMessages<M>>;

/**
 * Estimates the tokens of a text, or of a request with these messages: their content and what the provider counts besides.
 * An estimate for messages loads the engine.
 */
export declare function estimateTokens(input: string | readonly object[], options?: EstimateMessagesOptions): Promise<number>;
/** Estimates the tokens of a text. */
export declare function estimateTokens(text: string, options?: EstimateOptions): Promise<number>;

/** The estimated tokens of a text or of messages if they are at most `limit`; otherwise false. */
export declare function isWithinTokenLimit(input: string | readonly object[], limit: number, options?: EstimateMessagesOptions): Promise<number | false>;

/**
 * Runs a turn: requests, answers and tool calls between a user message, which is appended already, and the answer to it; or the
 * same between the messages that an agent of a team has.
 *
 * The middleware is asked before and after each request. Before it is sent, the transforms rewrite the messages, the providers
 * add theirs, and what is due is compacted. After an error which says that the prompt is too long, the conversation is compacted
 * and the request is sent again. Rejects with what `request` and the other functions throw.
 */
export declare function runTurn<M extends object, R extends TurnResponse<M>>(compactor: Compactor<M> | Agent<object, M>, options: TurnOptions<M, R>): Promise<TurnResult<R>>;

/**
 * What an error of a model server says about a prompt that is too long, with the server's numbers if it names them;
 * undefined for any other error. Knows the errors of OpenAI, Anthropic, Gemini, Bedrock, Azure, OpenRouter, LiteLLM,
 * llama.cpp, vLLM, Ollama and others, also inside the errors of SDKs.
 */
export declare function contextOverflow(error: unknown): Promise<ContextOverflow | undefined>;

/** What a compaction of these messages would do. */
export declare function plan<M extends object>(messages: readonly M[], options: PlanOptions): Promise<Plan>;

/** The most recent messages that fit, with their system prompts. Tool calls stay with their results. */
export declare function recentWithin<M extends object>(messages: readonly M[], options: RecentOptions): Promise<M[]>;

/** Detects the format of messages by what only that format has. */
export declare function detectFormat(messages: readonly unknown[]): Promise<Detection>;

/** What the provider of this format would refuse in these messages, and where. */
export declare function validate(messages: readonly object[], format: Format, options?: ValidateOptions): Promise<Issue[]>;

/** The messages as the provider accepts them. Those that were valid are the same objects. */
export declare function repair<M extends object>(messages: readonly M[], format: FormatOf<M>, options?: ReadOptions): Promise<Repaired<M>>;

/** Converts messages to another format. The result lists what the other format cannot represent. */
export declare function convert<F extends Format>(messages: readonly object[], from: Format, to: F, options?: ReadOptions): Promise<Converted<MessageOf<F>>>;
/** The same for the app's own type of message in the other format. */
export declare function convert<M extends object>(messages: readonly object[], from: Format, to: FormatOf<M>, options?: ReadOptions): Promise<Converted<M>>;

/** Fetches what `agent(name, { format })` of a compactor needs to convert messages. A conversation that is restored with such an
 * agent does it itself. */
export declare function loadConversion(): Promise<void>;

/** The tokens of a request, from the usage object of any provider; undefined if it does not contain the tokens of the
 * prompt. */
export declare function readUsage(usage: object): Promise<Usage | undefined>;

/** All presets, the default first. */
export declare function presets(): Promise<Preset[]>;

/** The complete policy of a spec, for one of its agents or for all. Rejects if the policy is invalid, and names the field. */
export declare function resolvePolicy(policy?: PolicySpec, agent?: string): Promise<Policy>;

/**
 * Fetches the windows and rates of models, about 9 kB. All asynchronous functions do that if a policy names a model. Only
 * `setPolicy` and `statusUnder` need this call first, if their policy names one and gives no window.
 */
export declare function loadModels(): Promise<void>;

/** A summarizer that needs no model: it quotes the most important sentences. */
export declare const extractive: ExtractiveSummarize;

/**
 * The same summarizer, which asks a model, with summaries that begin with the state of the messages: what was asked for, which
 * instructions hold, what was done with tools, which names and numbers are known, and what is open. It is read without a model,
 * with the numbers of the messages if the summary is not short, and takes at most half of the tokens. The model is shown it, and is asked for what
 * it lacks and what is wrong in it. Requests with messages in place of a transcript stay as they are.
 *
 * The package's endpoints do that by themselves.
 */
export declare function withState<M extends object = object>(summarize: Summarize<M>): Summarize<M>;

/**
 * A summarizer that asks a model behind a chat-completions endpoint. It rejects with an `EpitomeError` that says whether a
 * retry may help. It does not retry itself: the compactor does.
 */
export declare function openAICompatible(options: EndpointSummarizeOptions): EndpointSummarize;

/**
 * The same for Anthropic's Messages API. In a browser, Anthropic also requires the header
 * `anthropic-dangerous-direct-browser-access`.
 */
export declare function anthropicCompatible(options: EndpointSummarizeOptions): EndpointSummarize;

/**
 * The same for the Gemini API itself, with the key in its own header. Models are asked not to think, since that counts towards the
 * limit of the answer; one that cannot do without gets 8,192 tokens more.
 */
export declare function geminiCompatible(options: EndpointSummarizeOptions): EndpointSummarize;

/**
 * The same for Ollama's own API, which takes a context window with each request (`contextWindow`) and refuses a prompt that does
 * not fit. By `openAICompatible` it has the window of its settings, and cuts longer prompts without a word. It summarizes
 * transcripts, and no messages.
 */
export declare function ollamaCompatible(options: EndpointSummarizeOptions): EndpointSummarize;

/**
 * A summarizer that asks the language model inside of Chrome by prompts: without a server, a key or the network once the model is
 * there. It takes transcripts, and its window is small, so that a long conversation is asked for in several chunks.
 * Ask `chromeAvailability` before; where the model has to be downloaded, the first summary has to begin with a click of the user.
 */
export declare function chromePrompt(options?: ChromePromptOptions): EndpointSummarize;

/**
 * The same by Chrome's own Summarizer, which takes no instructions: the headings that a policy asks for are not in its summaries.
 */
export declare function chromeSummarizer(options?: ChromeSummarizerOptions): EndpointSummarize;

/**
 * Whether `chromePrompt` or `chromeSummarizer` works here, with these languages: at once, after a download, or not at all, as in other
 * browsers, in workers and in Node.
 */
export declare function chromeAvailability(api: "prompt" | "summarizer", options?: ChromeModelOptions): Promise<ChromeAvailability>;

/**
 * Has OpenAI compact Responses items itself, by `POST /responses/compact`, which other servers have too. What it returns stands in
 * place of all of them: what the user has said, and an item that only that server can read. Give it to `sync`; no compaction, repair or
 * edit of this package touches that item.
 */
export declare function openAICompaction<M extends object = MessageOf<"openai-responses">>(options: ProviderCompactionOptions): ProviderCompaction<M>;

/**
 * The same for Anthropic's Messages API, on demand: an assistant message with one signed block, whose text can be read. Your own
 * requests with it need the header `anthropic-beta: compact-2026-09-04` from then on.
 */
export declare function anthropicCompaction<M extends object = MessageOf<"anthropic">>(options: ProviderCompactionOptions): ProviderCompaction<M>;

/**
 * Asks Anthropic to count the tokens of messages, for `countTokens`. Give `system` and `tools` in `request`. In a browser,
 * Anthropic also requires the header `anthropic-dangerous-direct-browser-access`.
 */
export declare function anthropicCounter<M extends object = object>(options: ProviderCounterOptions): ProviderCounter<M>;

/** Asks OpenAI to count the tokens of Responses items, for `countTokens`. Give `instructions` and `tools` in `request`. */
export declare function openAICounter<M extends object = object>(options: ProviderCounterOptions): ProviderCounter<M>;

/** Asks Gemini to count the tokens of contents, for `countTokens`. Give `systemInstruction` and `tools` in `request`. */
export declare function geminiCounter<M extends object = object>(options: ProviderCounterOptions): ProviderCounter<M>;

/** Asks a llama.cpp server to count the tokens of chat messages in its model's chat template, for `countTokens`. */
export declare function llamaCppCounter<M extends object = object>(options: ProviderCounterOptions): ProviderCounter<M>;

/**
 * Counts the tokens of a text exactly as a model does; by `o200k_base` if no encoding is given. Loads the part of the
 * vocabulary that the text needs, if it is not loaded yet. The text of special tokens is counted as plain text.
 */
export declare function countTokens(text: string, options?: CountOptions): Promise<number>;

/**
 * Loads the vocabulary of an encoding, from the package's own file or from `source`. It is loaded once, for all compactors
 * and counters. A call during the load waits for that load. After a failure, the next call tries again.
 *
 * All asynchronous functions load what they need. Only `setPolicy` and a `TokenCounter` need this call first.
 */
export declare function loadEncoding(encoding: Encoding, source?: EncodingSource | EncodingOptions): Promise<void>;

/** A counter for many texts. Once the promise has resolved, it counts synchronously. */
export declare function tokenCounter(): Promise<TokenCounter>;

/**
 * Loads the `tokenizer.json` of a model, as Hugging Face publishes them for Llama 3, Qwen, DeepSeek, Mistral and others,
 * for `countTokens(text, { tokenizer: name })` and for policies with `counting: { tokenizer: name }`. `source` is an
 * address, a response, the bytes, or the parsed object; reading it takes up to a second. A tokenizer that the package
 * cannot reproduce exactly is refused with `invalid-vocabulary`. If one of the same name is already loaded, compactors
 * that count by it keep it.
 */
export declare function loadTokenizer(name: string, source: EncodingSource | object): Promise<void>;
