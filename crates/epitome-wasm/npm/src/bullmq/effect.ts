// The effect of a job on a conversation: one commit, made once however often the job runs.

import { epitomeError } from "../error.js";
import type { Changes } from "../host/options.js";
import type { Cipher } from "../storage/cipher.js";
import { Writer } from "../storage/writer.js";
import type { Head, Store } from "../storage/store.js";
import { type Read, readVerified } from "../storage/verified.js";

/** How often a commit is put behind what others have stored meanwhile. */
const MOST_CONFLICTS = 20;

/** Records that may come between a conversation and its compaction: they change nothing that a summary is about. */
const APPENDED = /^\{"record":"(message|original|todo)"/;

/** What became of an effect. */
export type Effect = "stored" | "stored-before";

/**
 * Stores the changes of a job behind what was read. If others have only added messages meanwhile, it goes behind them; if they
 * have changed more, it rejects with `conflict`. If the job has its effect already, nothing is stored.
 */
export async function storeEffect(store: Store, id: string, job: string, read: Read, head: Head, cipher: Cipher, changes: Changes): Promise<Effect> {
  let known = { read, head };
  for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts += 1) {
    const now = conflicts === 0 ? known.head : await store.head(id);
    if (now === undefined) {
      throw conflict(id, "was deleted");
    }
    if (now.jobs.includes(job)) {
      return "stored-before";
    }
    if (conflicts > 0) {
      const next = await readVerified(store, id, now, cipher);
      const added = next.text.slice(known.read.text.length);
      if (!next.text.startsWith(known.read.text) || !added.split("\n").every((line) => line === "" || APPENDED.test(line))) {
        throw conflict(id, "was changed");
      }
      known = { read: next, head: now };
    }
    try {
      await new Writer(store, id, cipher, known.read, known.head, job).commit(changes);
      return "stored";
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "conflict")) {
        throw error;
      }
    }
  }
  throw conflict(id, "was changed again and again");
}

function conflict(id: string, what: string): Error {
  return epitomeError("conflict", `the conversation ${JSON.stringify(id)} ${what} while it was compacted; nothing was stored`);
}
