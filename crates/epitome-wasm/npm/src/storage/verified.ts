// Reads the commits of a conversation, and stops at the first one that is not what was stored.

import { hashOf } from "./chain.js";
import { type Cipher, NO_CIPHER } from "./cipher.js";
import { checkedState } from "./hashed-state.js";
import type { Head, Store, StoredCommit } from "./store.js";

/** What was lost of a conversation. */
export interface Damage {
  /** The number of the last commit that is whole; 0 if none is. */
  readonly whole: number;
  /** How many commits behind it cannot be used; 0 if only the compactor's own state is damaged, without which the conversation
   * has all of its messages and compactions. */
  readonly lost: number;
  /** What is left of them, as it was stored. */
  readonly texts: readonly string[];
  /** The compactor's own state that was stored with them; empty if there was none. */
  readonly state: string;
}

/** A conversation as it was read. */
export interface Read {
  /** The records of all whole commits. */
  readonly text: string;
  /** The compactor's own state; empty if it does not belong to the last whole commit. */
  readonly state: string;
  /** The last whole commit. */
  readonly last: StoredCommit | undefined;
  /** What could not be read. */
  readonly damage: Damage | undefined;
}

/** What there is before the first commit. */
export const NOTHING: Read = { text: "", state: "", last: undefined, damage: undefined };

/** Reads the commits up to this head, each checked against the hash of all before it. Linear in the text; of what was read
 * before, only what is new is read. */
export async function readVerified(store: Store, id: string, head: Head, cipher: Cipher = NO_CIPHER, before: Read = NOTHING): Promise<Read> {
  const read = await readAfter(store, id, head, cipher, before);
  // What was read before may not be there any more.
  return read.damage === undefined || before === NOTHING ? read : readAfter(store, id, head, cipher, NOTHING);
}

/** Reads the commits behind those that were read before. Damaged if these are not the ones that the store has before them. */
export async function readAfter(store: Store, id: string, head: Head, cipher: Cipher, before: Read): Promise<Read> {
  const commits: { commit: StoredCommit; hash: Promise<string> }[] = [];
  let previous = before.last?.hash ?? "";
  for await (const commit of store.load(id, before.last?.sequence)) {
    if (commit.sequence > head.sequence) {
      // A job has stored it since the head was read.
      break;
    }
    // The platform computes hashes on other threads: all of them are on the way while the next commits are read.
    commits.push({ commit, hash: hashOf(previous, commit.text) });
    previous = commit.hash;
  }
  const texts = [before.text];
  const damaged: string[] = [];
  let { last } = before;
  for (const { commit, hash } of commits) {
    const isNext = damaged.length === 0 && commit.sequence === (last?.sequence ?? 0) + 1;
    if (isNext && commit.hash === (await hash)) {
      texts.push(await cipher.decrypt(commit.text, id));
      last = { ...commit, text: "" };
    } else {
      damaged.push(commit.text);
    }
  }
  const whole = last?.sequence ?? 0;
  const isWhole = whole === head.sequence && (last?.hash ?? "") === head.hash;
  const lost = Math.max(head.sequence - whole, damaged.length, isWhole ? 0 : 1);
  const state = isWhole ? await stateOf(head, id, cipher) : undefined;
  return {
    text: texts.join(""),
    state: state ?? "",
    last,
    damage: state === undefined ? { whole, lost, texts: damaged, state: head.state } : undefined,
  };
}

/** The compactor's own state of a head whose commits are whole; undefined if it is damaged. */
export async function stateOf({ state, hash }: Head, id: string, cipher: Cipher): Promise<string | undefined> {
  if (state === "") {
    return "";
  }
  let text;
  try {
    text = await cipher.decrypt(state, id);
  } catch {
    // The commits could be decrypted: a cipher that refuses the state has found that it was changed.
    return undefined;
  }
  return checkedState(text, hash);
}
