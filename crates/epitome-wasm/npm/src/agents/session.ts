// The OpenAI Agents SDK: a session whose items stay inside the window, and a filter before each request of a run.

import { fieldsOf } from "../arguments.js";
import { compactorFrom, type Followed, type GivenCompactor } from "../host/given.js";
import { messagesOfRequest, type RequestOptions, type WithRecall } from "../host/request.js";
import { AgentItems } from "./items.js";

/** A session of the SDK, with items of the type `I`. */
export interface AgentSession<I extends object> {
  /** The id of the session. */
  getSessionId(): Promise<string>;
  /** The items, or the latest ones of them. */
  getItems(limit?: number): Promise<I[]>;
  /** Appends items. */
  addItems(items: I[]): Promise<void>;
  /** Takes the latest item away. */
  popItem(): Promise<I | undefined>;
  /** Takes all items away. */
  clearSession(): Promise<void>;
}

/** What the SDK passes to `callModelInputFilter`. */
export interface ModelInput<I extends object> {
  readonly modelData: { readonly input: I[]; readonly instructions?: string };
}

/** The view of items, by one compactor. */
class Following<I extends object> {
  readonly #items = new AgentItems<I>();
  readonly #compactor: () => Promise<Followed<object>>;

  constructor(given: GivenCompactor<object>) {
    this.#compactor = compactorFrom(given, "openai-responses");
  }

  async view(items: readonly I[], recall?: WithRecall): Promise<I[]> {
    const compactor = await this.#compactor();
    await compactor.sync(items.map((item) => this.#items.read(item)));
    await compactor.compactIfNeeded();
    return (await messagesOfRequest(compactor, recall)).map((message) => this.#items.write(message));
  }
}

/**
 * A session that gives the runner the view of another one, which keeps all items: `new MemorySession()`, or one of your own. Give a
 * compactor for the format `openai-responses`, one for each session, in this thread or in a worker, or the options of one.
 *
 * `getItems(limit)` returns the newest items as they are stored.
 */
export function compactingSession<I extends object>(session: AgentSession<I>, given: GivenCompactor<object> = {}): AgentSession<I> {
  const following = new Following<I>(given);
  return {
    getSessionId: () => session.getSessionId(),
    getItems: async (limit) => (limit === undefined ? following.view(await session.getItems()) : session.getItems(limit)),
    addItems: (items) => session.addItems(items),
    popItem: () => session.popItem(),
    clearSession: () => session.clearSession(),
  };
}

/**
 * A filter for the option `callModelInputFilter` of a runner: compacts before each request of a run, in the middle of its tool loop
 * too. The session, if there is one, keeps all items.
 */
export function compactingFilter(
  given: GivenCompactor<object> = {},
  options: RequestOptions = {},
): <I extends object>(input: ModelInput<I>) => Promise<{ input: I[]; instructions?: string }> {
  const { recall } = fieldsOf(options, "options");
  const following = new Following<object>(given);
  return async <I extends object>({ modelData }: ModelInput<I>) => ({ ...modelData, input: (await following.view(modelData.input, recall)) as I[] });
}
