// What was cut off a conversation because it is damaged, kept beside its commits, so that nothing of it is destroyed.

import { guarded } from "../error.js";
import { DERIVED, type Store, type StoredCommit } from "./store.js";
import type { Damage } from "./verified.js";

const NAME = DERIVED.damaged;

/**
 * What was cut off a conversation because it is damaged, the earliest first, as it was stored: with a cipher, encrypted. It is
 * kept until `forgetDamage` or until the conversation is deleted. Empty if nothing was cut off.
 */
export function readDamage(store: Store, id: string): Promise<readonly Damage[]> {
  return guarded(() => kept(store, id));
}

/** Deletes what was cut off a conversation, such as once the app has it elsewhere. */
export function forgetDamage(store: Store, id: string): Promise<void> {
  return guarded(async () => {
    const { sequence, hash } = (await store.head(id)) ?? { sequence: 0, hash: "" };
    await store.setDerived(id, NAME, { sequence, hash, text: "[]" });
  });
}

/** Keeps damage beside what was kept before. It may be repeated, as after a process that has ended before it cut the damage off. */
export async function keepDamage(store: Store, id: string, last: StoredCommit | undefined, damage: Damage): Promise<void> {
  const before = await kept(store, id);
  const added = JSON.stringify(damage);
  if (!before.some((known) => JSON.stringify(known) === added)) {
    const { sequence, hash } = last ?? { sequence: 0, hash: "" };
    await store.setDerived(id, NAME, { sequence, hash, text: JSON.stringify([...before, damage]) });
  }
}

async function kept(store: Store, id: string): Promise<readonly Damage[]> {
  const found = await store.derived(id, NAME);
  try {
    return JSON.parse(found?.text ?? "[]") as Damage[];
  } catch {
    // It is damaged itself.
    return [{ whole: 0, lost: 0, texts: [found?.text ?? ""], state: "" }];
  }
}
