// How much space conversations take, so that an app can show it and say what frees some.

import { guarded, property } from "../error.js";
import { utf8Length } from "./slices.js";
import { DERIVED, type Store, type StoredConversation } from "./store.js";

/** A conversation and its size. */
export interface SizedConversation extends StoredConversation {
  /** What its deletion frees, in bytes: its texts in UTF-8, and what is kept beside them. A database may need somewhat more, and give
   * it back later. */
  readonly bytes: number;
  /** How many of these bytes `forgetDamage` frees. */
  readonly damagedBytes: number;
}

/** What is stored, and what there is space for. */
export interface StorageUse {
  /** What the page's origin uses of its quota, in bytes, of all kinds of storage; undefined outside of browsers. */
  readonly usedBytes: number | undefined;
  /** Its quota, in bytes; undefined outside of browsers. */
  readonly quotaBytes: number | undefined;
  /** Whether the browser deletes nothing of it when the disk fills up; false outside of browsers. */
  readonly isPersisted: boolean;
  /** The conversations, the largest first: what `store.delete(id)` may free. */
  readonly conversations: readonly SizedConversation[];
}

/** How much space a store and its page's origin take. Reads all commits, one by one. */
export function storageUse(store: Store): Promise<StorageUse> {
  return guarded(async () => {
    const conversations: SizedConversation[] = [];
    for await (const conversation of store.list()) {
      const { id } = conversation;
      const derived = async (name: string): Promise<number> => utf8Length((await store.derived(id, name))?.text ?? "");
      const damagedBytes = await derived(DERIVED.damaged);
      let bytes = damagedBytes + (await derived(DERIVED.index)) + (await derived(DERIVED.tail));
      bytes += await utf8Length((await store.head(id))?.state ?? "");
      for await (const { text } of store.load(id)) {
        bytes += await utf8Length(text);
      }
      conversations.push({ ...conversation, bytes, damagedBytes });
    }
    conversations.sort((one, other) => other.bytes - one.bytes);
    const storage = ofBrowser();
    const { usage: usedBytes, quota: quotaBytes } = (await storage?.estimate()) ?? {};
    return { usedBytes, quotaBytes, isPersisted: (await storage?.persisted()) === true, conversations };
  });
}

/** Asks the browser to delete nothing of this origin when the disk fills up. Resolves to whether it agrees: some ask the user, others
 * decide by how much the page is used. False outside of browsers. */
export function persistStorage(): Promise<boolean> {
  return guarded(async () => (await ofBrowser()?.persist()) === true);
}

function ofBrowser(): StorageManager | undefined {
  return property(property(globalThis, "navigator"), "storage") as StorageManager | undefined;
}
