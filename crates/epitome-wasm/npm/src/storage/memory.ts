// A store in memory, for tests and for pages that must not leave anything behind.

import { type Derived, type Head, jobsAfter, type NewCommit, type Store, type StoredCommit } from "./store.js";

interface Kept {
  head: Head;
  readonly commits: StoredCommit[];
  readonly derived: Map<string, Derived>;
}

const EMPTY: Head = { sequence: 0, hash: "", epoch: 0, state: "", jobs: [] };

/** A store that is gone with the process. */
export function memoryStore(): Store {
  const kept = new Map<string, Kept>();
  const found = (id: string): Kept => {
    const known = kept.get(id) ?? { head: EMPTY, commits: [], derived: new Map() };
    kept.set(id, known);
    return known;
  };
  return {
    async head(id) {
      return kept.get(id)?.head;
    },
    async claim(id) {
      const conversation = found(id);
      conversation.head = { ...conversation.head, epoch: conversation.head.epoch + 1 };
      return conversation.head;
    },
    async commit(id, commit: NewCommit) {
      const { sequence, hash, text, state, previous, epoch } = commit;
      const { head = EMPTY } = kept.get(id) ?? {};
      const isNext = head.sequence + 1 === sequence && head.hash === previous;
      if (!isNext || (epoch !== undefined && epoch !== head.epoch)) {
        return false;
      }
      const conversation = found(id);
      conversation.commits.push({ sequence, hash, text });
      conversation.head = { sequence, hash, epoch: head.epoch, state, jobs: jobsAfter(head.jobs, commit) };
      return true;
    },
    async *load(id, after = 0) {
      yield* (kept.get(id)?.commits ?? []).filter(({ sequence }) => sequence > after);
    },
    async cut(id, after, epoch) {
      const conversation = kept.get(id);
      if (conversation?.head.epoch !== epoch) {
        return false;
      }
      const { sequence, hash } = after ?? EMPTY;
      const stay = conversation.commits.filter((commit) => commit.sequence <= sequence);
      conversation.commits.splice(0, conversation.commits.length, ...stay);
      conversation.head = { ...conversation.head, sequence, hash, state: "" };
      return true;
    },
    async derived(id, name) {
      return kept.get(id)?.derived.get(name);
    },
    async setDerived(id, name, derived) {
      kept.get(id)?.derived.set(name, derived);
    },
    async *list() {
      for (const id of [...kept.keys()].sort()) {
        yield { id, sequence: found(id).head.sequence };
      }
    },
    async delete(id) {
      kept.delete(id);
    },
  };
}
