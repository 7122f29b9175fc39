// The end of a conversation, kept beside its commits, so that a page shows it before all of it is read.

import { epitomeError, guarded } from "../error.js";
import { originalsOf } from "../host/commits.js";
import type { Compactor } from "../host/compactor.js";
import type { Changes } from "../host/options.js";
import { type Cipher, NO_CIPHER } from "./cipher.js";
import { DERIVED, type Store, type StoredCommit } from "./store.js";
import { originalId } from "./tree.js";
import { NOTHING, readAfter } from "./verified.js";

const NAME = DERIVED.tail;

/** The end of a conversation. */
export interface Tail<M extends object = object> {
  /** What `messages()` returned when its latest compaction was stored, and the messages since then: the summary, and what the
   * model gets word for word. */
  readonly messages: M[];
  /** The number of the last commit that they are of. */
  readonly sequence: number;
}

/** Which conversation is read. */
export interface TailOptions {
  store: Store;
  id: string;
  cipher?: Cipher;
}

/**
 * The end of a conversation as it is stored, for a page to show while `openConversation` reads all of it. Reads no more than
 * the latest view of the conversation and the commits since, checked by their hashes.
 *
 * Undefined if the conversation has no compaction, or has changed in another way than by new messages since. Nobody takes over.
 */
export function readTail<M extends object = object>({ store, id, cipher = NO_CIPHER }: TailOptions): Promise<Tail<M> | undefined> {
  return guarded(async () => {
    const [head, kept] = await Promise.all([store.head(id), store.derived(id, NAME)]);
    if (head === undefined || kept === undefined) {
      return undefined;
    }
    const { sequence, hash } = kept;
    const read = await readAfter(store, id, head, cipher, { ...NOTHING, last: { sequence, hash, text: "" } });
    const since = read.damage === undefined ? messagesSince<M>(read.text) : undefined;
    if (since === undefined) {
      return undefined;
    }
    const messages = parsed<M[]>(await cipher.decrypt(kept.text, id));
    return { messages: [...messages, ...since], sequence: head.sequence };
  });
}

/** A commit that is stored. */
type Stored = Pick<StoredCommit, "sequence" | "hash">;

/** Keeps the end of a conversation whenever a compaction has been stored. */
export class TailKeeper<M extends object> {
  readonly #options: TailOptions;
  readonly #compactor: Compactor<M>;
  /** Whether something else than new messages came since it was kept. */
  #isDue: boolean;

  constructor({ store, id, cipher = NO_CIPHER }: TailOptions, compactor: Compactor<M>) {
    this.#options = { store, id, cipher };
    this.#compactor = compactor;
    this.#isDue = compactor.compacted().length > 0;
  }

  /** Takes note of changes that are about to be stored. Returns a function that keeps the end of the conversation once they are
   * stored, if that is due. */
  begin({ lines }: Changes): ((stored: Stored) => Promise<void>) | undefined {
    const isPlain = addsOnly(lines);
    // A compaction is applied only once it is stored: before that, the view does not have what the lines say. While they were
    // written, messages may have come that they do not have.
    const isSame = this.#compactor.saveState() === "saving";
    const text = this.#isDue && isPlain && isSame ? this.#text() : undefined;
    this.#isDue ||= !isPlain;
    return text === undefined ? undefined : (stored) => this.#keep(text, stored);
  }

  /** Keeps the end of the conversation if that is due and everything is stored, up to this commit. */
  async settle(stored: Stored): Promise<void> {
    const text = this.#isDue && this.#compactor.saveState() === "saved" ? this.#text() : undefined;
    if (text !== undefined) {
      await this.#keep(text, stored);
    }
  }

  #text(): string | undefined {
    return this.#compactor.compacted().length === 0 ? undefined : JSON.stringify(this.#compactor.messages());
  }

  /** If this fails, a page shows the conversation once it has read all of it; nothing else changes. */
  async #keep(plain: string, { sequence, hash }: Stored): Promise<void> {
    const { store, id, cipher = NO_CIPHER } = this.#options;
    this.#isDue = false;
    try {
      await store.setDerived(id, NAME, { sequence, hash, text: await cipher.encrypt(plain, id) });
    } catch {
      this.#isDue = true;
    }
  }
}

/** The beginning of a record, which has its kind. */
const RECORD = /\{"record":"(\w+)"/y;

/** Records that change nothing of what a view had before them. */
const PLAIN = /^(begin|policy|original|commit|reasoning|todo|memory|structuredState)$/;

/** The kind of the record that begins here. */
function kindAt(lines: string, at: number): string | undefined {
  RECORD.lastIndex = at;
  return RECORD.exec(lines)?.[1];
}

/** Whether these records add messages to the conversation and do nothing else to it. */
function addsOnly(lines: string): boolean {
  for (let at = 0; at < lines.length; at = lines.indexOf("\n", at) + 1 || lines.length) {
    const kind = kindAt(lines, at) ?? "";
    // Only then the messages have to be read: an edit of one of them is the same as a new one.
    if (kind === "edit") {
      return messagesSince(lines) !== undefined;
    }
    if (kind !== "message" && !PLAIN.test(kind)) {
      return false;
    }
  }
  return true;
}

/** The messages that these records add to the conversation; undefined if they do anything else to it. */
function messagesSince<M extends object>(lines: string): M[] | undefined {
  const ids = new Set<string>();
  for (const line of lines.split("\n")) {
    const kind = kindAt(line, 0);
    if (kind === "message" || kind === "edit") {
      const { message } = parsed<{ message: { id: string; audience?: unknown } }>(line);
      const id = originalId(message.id);
      if (kind === "edit" && !ids.has(id)) {
        return undefined;
      }
      if (message.audience === "everyone") {
        ids.add(id);
      }
    } else if (line !== "" && !PLAIN.test(kind ?? "")) {
      return undefined;
    }
  }
  const originals = originalsOf(lines);
  return [...ids].flatMap((id) => (originals.get(id) as M | undefined) ?? []);
}

function parsed<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw epitomeError("damaged-log", "what was kept of the end of the conversation is not JSON", error);
  }
}
