// Runs one turn of a conversation: the requests between a user message and the answer to it. The order is that of
// `crates/epitome/src/turn.rs`; both run the scenarios of `tests/fixtures/turns.json`.

import { fieldsOf, optionalFunction, optionalSignal } from "../arguments.js";
import { epitomeError, property } from "../error.js";
import type { ContextOverflow, MessageMetadata, Phase, Reason, Report, Status, Usage } from "../glue/epitome.js";
import type { Engine } from "../wasm/instances.js";
import type { Agent, Compactor } from "./compactor.js";
import type { OfAgent } from "./events.js";
import { overflowOf } from "./overflow.js";
import { contextOf, type WithRecall, withRecall } from "./request.js";
import { issuesOf, repairedOf, userMessage, type Validation } from "./validation.js";

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

/** What a middleware answers: nothing is `continue`. */
export type Verdict = void | { action: "continue" | "stop" } | { action: "compact"; metadata?: unknown };

/** Is asked before and after each request of a turn. */
export interface Middleware {
  /** Before a request: goes on, compacts first, or ends the turn. */
  before?(context: TurnContext): Verdict | Promise<Verdict>;
  /** After the answer and the results of its calls. */
  after?(context: TurnContext): Verdict | Promise<Verdict>;
  /** After a compaction was applied. State for each cycle, such as whether a warning was shown, begins again here. */
  reset?(reason: Reason): void | Promise<void>;
}

/** Rewrites the messages of one request. The stored conversation stays as it is. */
export type Transform<M extends object> = (messages: M[], context: TurnContext) => readonly M[] | Promise<readonly M[]>;

/** What a provider adds to a request: messages, or texts that are sent as user messages. */
export type Provided<M extends object> = undefined | string | M | readonly (string | M)[];

/** Adds messages to one request, in front of the history and behind its system prompt. It gets the messages as the
 * transforms have left them. */
export type ContextProvider<M extends object> = (context: TurnContext & { readonly messages: readonly M[] }) => Provided<M> | Promise<Provided<M>>;

/** What the model answered. */
export interface TurnResponse<M extends object> {
  /** The answer, to be appended; nothing if `request` has appended it itself. */
  messages?: M | readonly M[];
  /** The usage as the provider reports it. */
  usage?: Usage | object | null | undefined;
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

/** A compaction in a turn. */
export interface TurnCompaction {
  report: Report & OfAgent;
  /** What the middleware that asked for it has said about it. */
  metadata?: unknown;
  /** What the server said about the prompt that was too long. */
  overflow?: ContextOverflow;
}

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

/** The roles of messages that stand before all others. */
const SYSTEM_ROLES: readonly unknown[] = ["system", "developer"];

const DEFAULTS = { maxSteps: 50, maxRetries: 3 };

/** Runs a turn. The user message is appended already. */
export async function runTurnBy<M extends object, R extends TurnResponse<M>>(
  engine: Engine,
  validation: () => Promise<Validation>,
  compactor: Compactor<M> | Agent<object, M>,
  options: TurnOptions<M, R>,
): Promise<TurnResult<R>> {
  return new Turn(engine, validation, compactor, options).run();
}

class Turn<M extends object, R extends TurnResponse<M>> {
  readonly #engine: Engine;
  readonly #validation: () => Promise<Validation>;
  readonly #compactor: Compactor<M> | Agent<object, M>;
  readonly #options: TurnOptions<M, R> & typeof DEFAULTS;
  readonly #signal: AbortSignal | undefined;
  readonly #compactions: TurnCompaction[] = [];
  #step = 0;
  /** The phase of the next check before a request. */
  #phase: Phase;

  constructor(engine: Engine, validation: () => Promise<Validation>, compactor: Compactor<M> | Agent<object, M>, options: TurnOptions<M, R>) {
    this.#engine = engine;
    this.#validation = validation;
    this.#compactor = compactor;
    const given = fieldsOf(options, "options");
    if (optionalFunction(given.request, "request") === undefined) {
      throw epitomeError("invalid-option", "request: expected a function");
    }
    optionalFunction(given.tools, "tools");
    this.#options = { ...given, maxSteps: given.maxSteps ?? DEFAULTS.maxSteps, maxRetries: given.maxRetries ?? DEFAULTS.maxRetries };
    this.#signal = optionalSignal(given.signal);
    this.#phase = compactor.phase();
  }

  async run(): Promise<TurnResult<R>> {
    const { maxSteps, tools } = this.#options;
    for (;;) {
      this.#step += 1;
      if (!(await this.#ask("before"))) {
        return this.#result("stopped");
      }
      const response = await this.#request();
      this.#append(response.messages);
      this.#compactor.reportUsage(response.usage);
      this.#append((await tools?.(response, this.#context())) ?? []);
      const hasCalls = this.#compactor.phase() === "loop";
      if (!(await this.#ask("after"))) {
        return this.#result("stopped", response);
      }
      if (!hasCalls) {
        const reason = this.#compactor.check("turnEnd");
        if (reason !== undefined) {
          await this.#compact(reason);
        }
        return this.#result("answered", response);
      }
      if (this.#step >= maxSteps) {
        return this.#result("max-steps", response);
      }
      this.#phase = "loop";
    }
  }

  /** Asks all middleware. False if one of them stops the turn. */
  async #ask(place: "before" | "after"): Promise<boolean> {
    for (const middleware of this.#options.middleware ?? []) {
      const verdict = await middleware[place]?.(this.#context());
      if (verdict?.action === "stop") {
        return false;
      }
      if (verdict?.action === "compact") {
        const { metadata } = verdict;
        await this.#compact("session-compaction", metadata === undefined ? {} : { metadata });
      }
    }
    return true;
  }

  /** Sends the request of a step, after the compactions that are due, and again while its prompt is too long. */
  async #request(): Promise<R> {
    for (let retries = 0; ; ) {
      const messages = await this.#assembled();
      const due = this.#due();
      if (due !== undefined && (await this.#compact(due))) {
        continue;
      }
      const context = this.#context();
      try {
        return await this.#options.request(messages, context);
      } catch (error) {
        const overflow = overflowOf(this.#engine, error);
        const isAllowed = overflow !== undefined && retries < this.#options.maxRetries;
        const reason = isAllowed ? this.#compactor.check("overflow") : undefined;
        if (reason === undefined || overflow === undefined || !(await this.#compact(reason, { overflow }))) {
          throw error;
        }
        retries += 1;
      }
    }
  }

  /** The messages of a request, which are counted as what is sent. */
  async #assembled(): Promise<M[]> {
    const { transforms = [], providers = [], recall } = this.#options;
    const view = this.#compactor.messages();
    let messages: readonly M[] = await withRecall<M>(this.#compactor, recall);
    for (const transform of transforms) {
      messages = await transform([...messages], this.#context());
    }
    const provided: (string | M)[] = [];
    for (const provider of providers) {
      const more = await provider({ ...this.#context(), messages });
      provided.push(...(Array.isArray(more) ? (more as (string | M)[]) : more === undefined ? [] : [more as string | M]));
    }
    const sent = provided.length === 0 ? [...messages] : this.#joined(await this.#validation(), provided, messages);
    this.#compactor.setRequestContext(contextOf(view, sent));
    return sent;
  }

  /** What providers add, in front of the history and behind its system prompt, as the model's provider accepts it. */
  #joined(validation: Validation, provided: readonly (string | M)[], messages: readonly M[]): M[] {
    const { format } = this.#compactor;
    const added = provided.map((more) => (typeof more === "string" ? this.#userMessage(validation, more) : more));
    const history = messages.findIndex((message) => !SYSTEM_ROLES.includes(property(message, "role")));
    const at = history === -1 ? messages.length : history;
    const sent = [...messages.slice(0, at), ...added, ...messages.slice(at)];
    const refused = (list: readonly M[]): number => issuesOf(validation, list, format).length;
    const repaired = (list: readonly M[]): M[] => repairedOf(validation, list, format);
    return refused(sent) > refused(messages) ? repaired(sent) : sent;
  }

  #userMessage(validation: Validation, text: string): M {
    return userMessage(validation, text, this.#compactor.format)[0] as M;
  }

  #due(): Reason | undefined {
    const phase = this.#phase;
    // A check at the start of a request resets what is counted for each request, so it is made only once.
    this.#phase = "turnStart";
    return this.#compactor.check(phase) ?? this.#compactor.check("turnStart");
  }

  /** Compacts, and resets the middleware after that. True if the compaction was applied. */
  async #compact(reason: Reason, about: Omit<TurnCompaction, "report"> = {}): Promise<boolean> {
    const report = await this.#compactor.compact({ reason, ...(this.#signal === undefined ? {} : { signal: this.#signal }) });
    this.#compactions.push({ report, ...about });
    if (report.outcome !== "applied") {
      return false;
    }
    for (const middleware of this.#options.middleware ?? []) {
      await middleware.reset?.(reason);
    }
    return true;
  }

  #append(messages: M | readonly M[] | undefined): void {
    if (messages !== undefined && !(Array.isArray(messages) && messages.length === 0)) {
      this.#compactor.append(messages, this.#options.metadata);
    }
  }

  #context(): TurnContext {
    this.#signal?.throwIfAborted();
    return { step: this.#step, session: this.#compactor.session(), status: this.#compactor.status(), signal: this.#signal };
  }

  #result(end: TurnResult<R>["end"], response?: R): TurnResult<R> {
    return { end, steps: this.#step, ...(response === undefined ? {} : { response }), compactions: this.#compactions };
  }
}
