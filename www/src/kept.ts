// The conversations of this page, which are kept in the browser.

import { type Compactor, type CompactorOptions, createCompactor, restoreCompactor } from "epitome";
import { indexedDbStore, openConversation, type OpenConversation } from "epitome/storage";
import type { ChatMessage } from "./answer.js";

type Options = Omit<CompactorOptions<ChatMessage>, "format">;

const store = indexedDbStore({ name: "epitome-chat" });

/** A conversation that is open, and whether it is kept. */
export class Kept {
  readonly compactor: Compactor<ChatMessage>;
  readonly #show: (state: string) => void;
  readonly #problem: string | undefined;

  private constructor(compactor: Compactor<ChatMessage>, show: (state: string) => void, problem?: string) {
    this.compactor = compactor;
    this.#show = show;
    this.#problem = problem;
  }

  /** Opens the conversation that the address names, or begins one. `show` is called with what is said about its storage. */
  static async open(options: Options, show: (state: string) => void): Promise<Kept> {
    const compactors = { createCompactor, restoreCompactor } as never;
    try {
      const opened: OpenConversation<ChatMessage> = await openConversation<ChatMessage>({
        ...options,
        format: "openai-chat",
        store,
        id: idOf(location.hash),
        compactors,
      });
      return new Kept(opened.compactor, show);
    } catch (error) {
      // Storage may be denied, or the page may not be in a secure context.
      return new Kept(await createCompactor<ChatMessage>({ ...options, format: "openai-chat" }), show, messageOf(error));
    }
  }

  /** Stores what is new. */
  async save(): Promise<void> {
    let problem = this.#problem;
    if (problem === undefined) {
      this.#show(this.compactor.saveState() === "saved" ? "Saved" : "Saving …");
      problem = await this.compactor.commit().then(() => undefined, messageOf);
    }
    this.#show(problem === undefined ? "Saved" : `Not saved: ${problem}`);
  }
}

/** The ids of all conversations that have been stored, the latest first. */
export async function conversations(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id, sequence } of store.list()) {
    if (sequence > 0) {
      ids.unshift(id);
    }
  }
  return ids;
}

/** The conversation that an address names; a new one if it names none. Conversations are named by when they began. */
function idOf(hash: string): string {
  const named = decodeURIComponent(hash.slice(1));
  const id = named === "" ? new Date().toISOString().replace("T", " ").replace("Z", "") : named;
  history.replaceState(null, "", `#${encodeURIComponent(id)}`);
  return id;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
