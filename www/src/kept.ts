// The conversations of this page, which are kept in the browser and are the same in all of its tabs.

import { type Compactor, type CompactorOptions, createCompactor, restoreCompactor } from "epitome";
import {
  type Damage,
  forgetDamage,
  importConversation,
  indexedDbStore,
  openConversation,
  type OpenConversation,
  readDamage,
  readTail,
  type Role,
  type StorageUse,
  storageUse,
} from "epitome/storage";
import type { ChatMessage } from "./answer.js";

type Options = Omit<CompactorOptions<ChatMessage>, "format">;

const store = indexedDbStore({ name: "epitome-chat" });

/** How a conversation is kept. */
export type SaveState = { readonly kind: "saved" | "saving" | "follower" } | { readonly kind: "unsaved"; readonly problem: string };

/** Is called with what happens to a conversation that is open. */
export interface KeptObserver {
  saved(state: SaveState): void;
  /** Another tab has changed the conversation, or this one may write from now on or no longer. */
  changed(): void;
}

/** A conversation that is open, and whether it is kept. */
export class Kept {
  readonly id: string;
  readonly compactor: Compactor<ChatMessage>;
  readonly #opened: OpenConversation<ChatMessage> | undefined;
  readonly #observer: KeptObserver;
  readonly #problem: string | undefined;

  private constructor(id: string, opened: OpenConversation<ChatMessage> | Compactor<ChatMessage>, observer: KeptObserver, problem?: string) {
    this.id = id;
    this.#opened = "compactor" in opened ? opened : undefined;
    this.compactor = "compactor" in opened ? opened.compactor : opened;
    this.#observer = observer;
    this.#problem = problem;
  }

  /** Opens a conversation, or begins one. */
  static async open(id: string, options: Options, observer: KeptObserver): Promise<Kept> {
    const compactors = { createCompactor, restoreCompactor } as never;
    const tabs = { onChange: () => observer.changed() };
    try {
      return new Kept(id, await openConversation<ChatMessage>({ ...options, format: "openai-chat", store, id, compactors, tabs }), observer);
    } catch (error) {
      // Storage may be denied, or the page may not be in a secure context.
      return new Kept(id, await createCompactor<ChatMessage>({ ...options, format: "openai-chat" }), observer, messageOf(error));
    }
  }

  /** What this tab may do. A follower shows what another tab writes. */
  role(): Role {
    return this.#opened?.role() ?? "writer";
  }

  /** Makes this tab the one that writes. */
  async takeOver(): Promise<void> {
    await this.#opened?.takeOver();
  }

  /** Stores what is new. */
  async save(): Promise<void> {
    if (this.role() === "follower") {
      return this.#observer.saved({ kind: "follower" });
    }
    // What came while a commit was written has one of its own, which may still be on its way.
    const state = (): SaveState => ({ kind: this.compactor.saveState() === "saved" ? "saved" : "saving" });
    let problem = this.#problem;
    if (problem === undefined) {
      this.#observer.saved(state());
      problem = await this.compactor.commit().then(() => undefined, messageOf);
    }
    this.#observer.saved(problem === undefined ? state() : { kind: "unsaved", problem });
  }

  /** What was damaged of the conversation: what the store has cut off, and in a tab that follows what it cannot read. */
  async damages(): Promise<readonly Damage[]> {
    const found = this.#opened === undefined ? [] : await readDamage(store, this.id).catch(() => []);
    const damage = this.role() === "follower" ? this.#opened?.damage : undefined;
    return damage === undefined ? found : [...found, damage];
  }

  /** Deletes what was damaged. */
  forgetDamage(): Promise<void> {
    return forgetDamage(store, this.id);
  }

  /** The conversation as it is in memory, as JSON Lines. The settings, with the key, are not part of it. */
  async archive(): Promise<string> {
    const { lines, state } = this.compactor.contents();
    return this.#opened?.archive() ?? lines + state;
  }
}

/** What the model has of a conversation, to be shown while all of it is read; undefined if it has no summary. */
export async function endOf(id: string): Promise<ChatMessage[] | undefined> {
  const tail = await readTail<ChatMessage>({ store, id }).catch(() => undefined);
  return tail?.messages;
}

/** A conversation in the list. */
export interface Listed {
  readonly id: string;
  /** What the user said first. */
  readonly title: string;
  /** What its deletion frees. */
  readonly bytes: number;
}

/** All conversations that have been stored, the latest first, and how much of the browser's storage is used. */
export async function conversations(): Promise<{ list: Listed[]; use: StorageUse }> {
  const use = await storageUse(store);
  const stored = use.conversations.filter(({ sequence }) => sequence > 0);
  stored.sort((one, other) => (one.id < other.id ? 1 : -1));
  const list = stored.map(async ({ id, bytes }): Promise<Listed> => ({ id, bytes, title: (await firstOf(id)) ?? "" }));
  return { list: await Promise.all(list), use };
}

/** Deletes a conversation. */
export function remove(id: string): Promise<void> {
  return store.delete(id);
}

/** Takes a conversation from an archive, and resolves to its id, whether it was whole, and whether any of it could be read. */
export async function importArchive(lines: string): Promise<{ readonly id: string; readonly isWhole: boolean; readonly isEmpty: boolean }> {
  const id = newId();
  const { added, damage } = await importConversation(store, id, lines);
  if (added === 0) {
    await store.delete(id);
  }
  return { id, isWhole: damage === undefined, isEmpty: added === 0 };
}

/** What the user said first in a conversation. */
async function firstOf(id: string): Promise<string | undefined> {
  for await (const { text } of store.load(id)) {
    for (const line of text.split("\n").filter((record) => record.startsWith('{"record":"original"'))) {
      const { message } = JSON.parse(line) as { message: ChatMessage };
      if (message.role === "user") {
        return message.content.slice(0, 80);
      }
    }
  }
  return undefined;
}

/** The conversation that the page's address names; a new one if it names none. */
export function idOfAddress(): string {
  const named = decodeURIComponent(location.hash.slice(1));
  const id = named === "" ? newId() : named;
  history.replaceState(null, "", `#${encodeURIComponent(id)}`);
  return id;
}

/** Conversations are named by when they began. */
function newId(): string {
  return new Date().toISOString().replace("T", " ").replace("Z", "");
}

/** What went wrong. Some browsers say of a full disk only the name of the error. */
function messageOf(error: unknown): string {
  if (error instanceof Error && error.name === "QuotaExceededError") {
    return "the browser has no space left; delete other conversations, or save this one as a file";
  }
  return error instanceof Error && error.message !== "" ? error.message : String(error);
}
