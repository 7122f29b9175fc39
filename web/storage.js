// What the page uses of the package's stores: conversations in IndexedDB that tabs share, and the space that they take.

import { indexedDbStore } from "../crates/epitome-wasm/npm/dist/storage/indexed-db.js";
import { openLog as open } from "../crates/epitome-wasm/npm/dist/storage/log.js";
import { persistStorage, storageUse } from "../crates/epitome-wasm/npm/dist/storage/space.js";
import { archiveOf as archive } from "../crates/epitome-wasm/npm/dist/storage/transfer.js";

const store = indexedDbStore({ name: "epitome-page" });

/** An id that no conversation has. A page without a secure context can store nothing, so its ids need not be unique. */
export const newId = () => crypto.randomUUID?.() ?? "unsafe";

/** Begins a conversation under a new id. */
export const beginLog = (id, isSaved, onChange) => open({ store, id, isSaved, onChange });

/** Opens a conversation; undefined if the browser does not have it. */
export async function openLog(id, isSaved, onChange) {
  const head = await store.head(id);
  return head?.sequence > 0 ? open({ store, id, isSaved, onChange }) : undefined;
}

/** Stores what is new of a conversation, and its state. */
export const commit = (log, lines, state) => log.commit({ lines, state });

/** A conversation in memory as one text that the package imports. */
export const archiveOf = (lines, state) => archive({ lines, state });

export const deleteConversation = (id) => store.delete(id);

/** The space of all conversations, and of the page. */
export const spaceUsed = () => storageUse(store);

export { persistStorage };
