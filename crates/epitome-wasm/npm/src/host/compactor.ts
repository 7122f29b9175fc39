// The interface of a compactor: one conversation that is kept below its threshold.

import type {
  Finding,
  Format,
  Layers,
  Memory,
  MessageMetadata,
  Phase,
  PolicySpec,
  Reason,
  Report,
  Status,
  StoredMetadata,
  StructuredState,
  Usage,
} from "../glue/epitome.js";
import type { Recalled, RecallOptions, Returned } from "../recall/recall.js";
import type { CompactionEvent, OfAgent } from "./events.js";
import type { MessageOf } from "./format-messages.js";
import type { AgentFormatOptions, AgentOptions, Changes } from "./options.js";
import type { Plan, PlanningOptions } from "./plan.js";
import type { CompactorState } from "./state.js";

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

/** Options of a compaction that runs only if it is due. */
export interface CompactIfNeededOptions extends Omit<CompactOptions, "reason"> {
  /** The point in the app's request loop. */
  phase?: Phase;
}

/** Whether something is stored: by a commit that has succeeded, by one that runs, or not. */
export type SaveState = "saved" | "saving" | "unsaved";

/** How a request differs from `messages()`. */
export interface RequestContext<M extends object = object> {
  /** Messages that only this request has. */
  added?: readonly M[];
  /** Messages of `messages()` that this request does not have. */
  leftOut?: readonly M[];
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

/**
 * One agent of a team. It gets the messages that are for all, those whose `audience` names it, and those whose `author` it is.
 * Its view, status, policy, compactions and undo are its own; the messages are those of the compactor, and none is copied.
 *
 * `M` is the team's type of message. `S` is that of the agent's requests, which is another one if the agent has a format of its
 * own: then `messages()` costs a conversion of the view whenever that has changed, and `history()` and `message()` still return what
 * the team has.
 */
export interface Agent<M extends object = object, S extends object = M>
  extends Pick<
      Compactor<S>,
      | "format"
      | "session"
      | "phase"
      | "setRequestContext"
      | "notes"
      | "setTodo"
      | "memory"
      | "memoryText"
      | "remember"
      | "setMemory"
      | "structuredState"
      | "stateText"
      | "setStructuredState"
      | "layers"
      | "status"
      | "statusUnder"
      | "subscribe"
      | "getSnapshot"
      | "plan"
      | "check"
      | "due"
      | "compactIfNeeded"
      | "compact"
      | "messages"
      | "findings"
      | "compacted"
      | "sources"
      | "metadata"
      | "recall"
      | "recallReturning"
      | "messagesWithRecall"
      | "offloaded"
      | "undo"
      | "reportUsage"
      | "setPolicy"
    >,
    Pick<Compactor<M>, "message" | "history" | "ids"> {
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
  remember(text: string, options?: { standing?: boolean }): void;
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
  snapshotInSlices(options?: { signal?: AbortSignal }): Promise<string>;
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
