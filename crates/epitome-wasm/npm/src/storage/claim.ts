// Takes over as the writer of a conversation, with all of it that is whole.

import type { Changes } from "../host/options.js";
import type { Cipher } from "./cipher.js";
import { keepDamage } from "./damaged.js";
import type { Store } from "./store.js";
import type { WriterListener } from "./turns.js";
import { type Read, readVerified } from "./verified.js";
import { conflict, Writer } from "./writer.js";

/** Makes this the writer of a conversation, and reads it. What is damaged is kept and then cut off. */
export async function claim(store: Store, id: string, cipher: Cipher): Promise<{ read: Read; writer: Writer }> {
  const head = await store.claim(id);
  const read = await readVerified(store, id, head, cipher);
  if (read.damage !== undefined) {
    await keepDamage(store, id, read.last, read.damage);
    if (!(await store.cut(id, read.last, head.epoch))) {
      throw conflict(id);
    }
  }
  return { read, writer: new Writer(store, id, cipher, read, head) };
}

/** Commits, and tells the other tabs. */
export async function committed(writer: Writer, changes: Changes, listener: Partial<WriterListener>): Promise<void> {
  try {
    await writer.commit(changes);
  } finally {
    (writer.isStale ? listener.refused : listener.committed)?.();
  }
}
