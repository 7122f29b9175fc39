// The index of a conversation's search, kept beside its commits so that it is not made again at each opening.

import { type Cipher, NO_CIPHER } from "./cipher.js";
import type { RecallIndexKeeper } from "../recall/recall.js";
import { DERIVED, type Store, type StoredCommit } from "./store.js";
import { NOTHING, readAfter } from "./verified.js";

const NAME = DERIVED.index;

/** Where an index is kept, and of which conversation. */
interface Place {
  readonly store: Store;
  readonly id: string;
  readonly cipher?: Cipher;
}

/** Keeps the index of a conversation. `stored` is its last commit, or undefined while something is not stored. */
export function keptIndex({ store, id, cipher = NO_CIPHER }: Place, stored: () => Pick<StoredCommit, "sequence" | "hash"> | undefined): RecallIndexKeeper {
  const keep = async (bytes: Uint8Array, { sequence, hash }: Pick<StoredCommit, "sequence" | "hash">): Promise<void> => {
    await store.setDerived(id, NAME, { sequence, hash, text: await cipher.encrypt(toBase64(bytes), id) });
  };
  return {
    async load() {
      const [head, kept] = await Promise.all([store.head(id), store.derived(id, NAME)]);
      if (head === undefined || kept === undefined) {
        return undefined;
      }
      const { sequence, hash } = kept;
      const { text, damage } = await readAfter(store, id, head, cipher, { ...NOTHING, last: { sequence, hash, text: "" } });
      return damage !== undefined || MOVES.test(text) ? undefined : fromBase64(await cipher.decrypt(kept.text, id));
    },
    save(index) {
      const last = stored();
      if (last !== undefined) {
        // If this fails, the next search makes the index again; nothing else changes.
        void keep(index(), last).catch(() => undefined);
      }
      return last !== undefined;
    },
  };
}

/** Records that change earlier messages or their positions. */
const MOVES = /^\{"record":"(edit|insert|remove|head)"/m;

/** Bytes that become characters in one call. */
const CHUNK = 8_192;

function toBase64(bytes: Uint8Array): string {
  let characters = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    characters += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(characters);
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
