// The side of the worker: compactors and stored conversations that are called from another thread.

import { epitomeError } from "../error.js";
import type { PolicySpec } from "../glue/epitome.js";
import type { Agent, Compactor } from "../host/compactor.js";
import type { CompactorOptions, RestoreOptions } from "../host/options.js";
import type { TurnOptions, TurnResponse } from "../host/turn.js";
import type { OpenConversation } from "../storage/conversation.js";
import { disposed } from "./compactor.js";
import { FIRST, Link } from "./link.js";
import type { SentOptions } from "./stored.js";
import { hold, onWanted } from "./thread.js";

/** Lets a worker of the app have compactors, which `createWorkerCompactor({ worker, … })` makes. To be called when the worker's script
 * begins. */
export function serveCompactors(): void {
  onWanted(({ port, lock }) => {
    const served = new Served();
    const held = hold(lock);
    const link = new Link(port, {
      first: (method, agent, ...given) => served.call(method as string, agent as string | undefined, given),
      closed: () => {
        served.dispose();
        link.close(disposed());
        void held.then((release) => release());
      },
    });
    // The other side learns that the worker runs, and from now on when it ends.
    void held.then(() => link.call(FIRST, []).catch(() => undefined));
  });
}

/** An app that only gives a worker does not load the engine. */
const load = (): Promise<typeof import("../api/api.js")> => import("../api/api.js");

type Options = CompactorOptions & RestoreOptions;

/** Code that a worker loads when it is needed. */
async function loaded<T>(code: Promise<T>): Promise<T> {
  try {
    return await code;
  } catch (error) {
    throw epitomeError("not-loaded", "the code of the engine could not be loaded in the worker", error);
  }
}

/** One compactor. */
class Served {
  #compactor: Compactor | undefined;
  /** The conversation that it is of, if a store has it. */
  #conversation: OpenConversation | undefined;
  #options: Options | undefined;
  #isDisposed = false;
  /** What the next calls wait for, so that they come after it. */
  #before: Promise<unknown> | undefined;
  readonly #running = new Set<Promise<unknown>>();

  /** Calls a method of the compactor, or of one of its agents. */
  async call(method: string, agent: string | undefined, given: readonly unknown[]): Promise<unknown> {
    if (method === "dispose") {
      this.dispose();
      while (this.#running.size > 0) {
        await Promise.allSettled(this.#running);
      }
      return undefined;
    }
    const running = this.#called(method, agent, given);
    this.#note(running);
    return running;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#compactor?.dispose();
  }

  /** Has `dispose` wait for this. */
  #note(running: Promise<unknown>): void {
    const settled = (): boolean => this.#running.delete(running);
    this.#running.add(running);
    running.then(settled, settled);
  }

  async #called(method: string, agent: string | undefined, given: readonly unknown[]): Promise<unknown> {
    while (this.#before !== undefined) {
      await this.#before;
    }
    const needs = this.#needs(method, agent, given);
    if (needs !== undefined) {
      this.#before = needs.catch(() => undefined).then(() => (this.#before = undefined));
      await needs;
    }
    switch (method) {
      case "create":
      case "restore":
      case "open":
        return this.#begin(method, given);
      case "sequence":
      case "role":
      case "takeOver":
      case "archive":
        return this.#conversation?.[method]();
      case "agent":
        return Reflect.apply(this.#made().agent, this.#made(), given).format;
      case "runTurn":
        return (await load()).runTurn(this.#target(agent) as Compactor, given[0] as TurnOptions<object, TurnResponse<object>>);
      default:
        return Reflect.apply(Reflect.get(this.#target(agent), method) as () => unknown, this.#target(agent), given);
    }
  }

  async #begin(method: "create" | "restore" | "open", given: readonly unknown[]): Promise<unknown> {
    this.#options = given.at(-1) as Options;
    const [{ createCompactor, restoreCompactor }, stored] = await loaded(
      Promise.all([load(), method === "open" ? import("./stored.js") : undefined]),
    );
    this.#conversation = await stored?.openHere(given[0] as SentOptions, (running) => this.#note(running));
    this.#compactor =
      this.#conversation?.compactor ??
      (await (method === "create" ? createCompactor(this.#options) : restoreCompactor(given[0] as string, this.#options)));
    if (this.#isDisposed) {
      this.#compactor.dispose();
    }
    return this.#conversation?.damage;
  }

  /** What has to be loaded before a method that does not wait for it. */
  #needs(method: string, agent: string | undefined, given: readonly unknown[]): Promise<unknown> | undefined {
    switch (method) {
      case "setPolicy":
      case "statusUnder":
        return this.#loadFor(given[0] as PolicySpec, agent);
      case "agent": {
        const options = given[1] as Partial<Options> | undefined;
        const policy = options?.policy === undefined ? undefined : this.#loadFor(options.policy, given[0] as string);
        return options?.format === undefined ? policy : load().then(({ loadConversion }) => Promise.all([loadConversion(), policy]));
      }
      default:
        return undefined;
    }
  }

  /** A compactor with a policy loads the windows of models and the tokenizers that it names. */
  async #loadFor(policy: PolicySpec, agent = this.#options?.agent): Promise<void> {
    const { createCompactor } = await load();
    const { format, tokenizers } = this.#options as Options;
    const named = { ...(agent !== undefined && { agent }), ...(tokenizers !== undefined && { tokenizers }) };
    (await createCompactor<object>({ format, policy, onEvent: () => {}, ...named })).dispose();
  }

  #target(agent: string | undefined): Compactor | Agent {
    return agent === undefined ? this.#made() : this.#made().agent(agent);
  }

  #made(): Compactor {
    if (this.#compactor === undefined) {
      throw disposed();
    }
    return this.#compactor;
  }
}
