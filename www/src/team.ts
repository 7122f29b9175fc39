// The agents of a conversation: their roles, what each of them sees, and all messages, also those that are only for some.

import type { Agent, Compactor, PolicySpec, SaveState } from "epitome";
import type { ChatMessage } from "./answer.js";
import { Versions } from "./versions.js";

/** What an agent sees, or without an agent the model of the page. */
export type View = Compactor<ChatMessage> | Agent<ChatMessage>;

/** A message, and the agents that it is only for; without them, it is for all. */
export interface Said {
  readonly message: ChatMessage;
  readonly only?: readonly string[] | undefined;
}

/** The ids of messages sort in the order of the conversation: `m9`, `m10`. */
const { compare } = new Intl.Collator("en", { numeric: true });

export class Team {
  /** Of the messages that are for all. */
  readonly versions: Versions;
  readonly #compactor: Compactor<ChatMessage>;

  constructor(compactor: Compactor<ChatMessage>) {
    this.#compactor = compactor;
    this.versions = new Versions(compactor);
  }

  names(): string[] {
    return this.#compactor.agents();
  }

  view(name: string | undefined): View {
    return name === undefined ? this.#compactor : this.#compactor.agent(name);
  }

  /** Adds an agent. Its role is a message that only this agent gets, and that no compaction takes from it. */
  add(name: string, role: string): void {
    this.#compactor.agent(name);
    this.#compactor.append({ role: "system", name, content: role }, { audience: [name], pinned: true });
  }

  roleOf(name: string): string {
    return this.view(name).history().find((message) => message.role === "system" && message.name === name)?.content ?? "";
  }

  setPolicy(policy: PolicySpec): void {
    [undefined, ...this.names()].forEach((name) => this.view(name).setPolicy(policy));
  }

  /** All messages in order. Takes time in proportion to the messages and the agents. */
  all(): Said[] {
    const names = this.names();
    if (names.length === 0) {
      return this.#compactor.history().map((message) => ({ message }));
    }
    const found = new Map<string, { readonly message: ChatMessage; readonly only?: string[] }>();
    for (const name of [undefined, ...names]) {
      const view = this.view(name);
      const { actions } = view.plan();
      for (const [index, message] of view.history().entries()) {
        const id = actions[index]?.id ?? "";
        const known = found.get(id);
        if (known === undefined) {
          found.set(id, name === undefined ? { message } : { message, only: [name] });
        } else if (name !== undefined) {
          known.only?.push(name);
        }
      }
    }
    return Array.from(found).sort(([one], [other]) => compare(one, other)).map(([, said]) => said);
  }

  /** The messages that are not stored. Takes time in proportion to all messages, unless all of them are. */
  unstored(): Map<ChatMessage, SaveState> {
    const found = new Map<ChatMessage, SaveState>();
    if (this.#compactor.saveState() === "saved") {
      return found;
    }
    for (const name of [undefined, ...this.names()]) {
      const view = this.view(name);
      const { actions } = view.plan();
      for (const [index, message] of view.history().entries()) {
        const state = this.#compactor.saveState(actions[index]?.id);
        if (state !== "saved") {
          found.set(message, state);
        }
      }
    }
    return found;
  }

  /** The agents that a message is only for; undefined if it is for all. */
  onlyFor(message: ChatMessage): string[] | undefined {
    const isFor = (name?: string): boolean => this.view(name).history().includes(message);
    return isFor() ? undefined : this.names().filter(isFor);
  }

  /** How many messages all views have together, without system messages. */
  count(): number {
    return new Set([undefined, ...this.names()].flatMap((name) => spoken(this.view(name)))).size;
  }
}

/** What was said in a view: all of its messages but the system messages. */
export function spoken(view: View): ChatMessage[] {
  return view.history().filter(({ role }) => role !== "system");
}
