// What a store has to do: keep the commits of conversations, each of them whole and in order.

/** Where a conversation is. */
export interface Head {
  /** The number of its last commit; 0 before the first one. */
  readonly sequence: number;
  /** The hash of its last commit and of all before it; empty before the first one. */
  readonly hash: string;
  /** How often a writer has taken over. */
  readonly epoch: number;
  /** The compactor's own state after the last commit; empty before the first one. */
  readonly state: string;
  /** The jobs whose effect is in the commits, the latest last. A store keeps the last 16. */
  readonly jobs: readonly string[];
}

/** One commit as it is stored. */
export interface StoredCommit {
  /** Its number, from 1. */
  readonly sequence: number;
  /** The hash of the text and of all commits before it. */
  readonly hash: string;
  /** Its records: JSON Lines, or what the app's cipher has made of them. */
  readonly text: string;
}

/** A commit that is to be stored. */
export interface NewCommit extends StoredCommit {
  /** The hash of the commit before it; empty for the first one. */
  readonly previous: string;
  /** The compactor's own state, in place of the one before. */
  readonly state: string;
  /** The writer's epoch; undefined for one that does not take over, such as a job. */
  readonly epoch?: number;
  /** The job that it is the effect of. */
  readonly job?: string;
}

/**
 * What is kept beside the commits of a conversation under a name: what was made of its first commits and can be made of them
 * again, or under the name `damaged` what was cut off from behind them, which is nowhere else.
 */
export interface Derived {
  /** The number of the last of these commits. */
  readonly sequence: number;
  /** The hash of that commit and of all before it. It says whether the conversation still has these commits. */
  readonly hash: string;
  readonly text: string;
}

/** The names under which something is kept beside commits. */
export const DERIVED = { damaged: "damaged", index: "index", tail: "tail" } as const;

/** One entry of a list of conversations. */
export interface StoredConversation {
  readonly id: string;
  /** The number of its last commit. */
  readonly sequence: number;
}

/**
 * Keeps conversations. Every method is one atomic step: it happens completely or not at all, also if the process ends.
 *
 * A store knows nothing of messages. It compares and keeps texts.
 */
export interface Store {
  /** A name that two stores have only if they keep the same conversations, such as that of a database. Tabs share the
   * conversations of stores that have the same one. */
  readonly scope?: string;
  /** Where a conversation is; undefined if it has none of this id. */
  head(id: string): Promise<Head | undefined>;
  /** Takes over as the writer of a conversation, which is made if there is none: its epoch increases, and commits of an earlier
   * epoch are refused from then on. */
  claim(id: string): Promise<Head>;
  /**
   * Adds a commit and replaces the head: only if the last commit has the number before it and the hash `previous`, and if the
   * epoch is this one or the commit has none. Resolves to false if not, and nothing has changed then. If the commit has no
   * epoch and there is no conversation, it is made.
   */
  commit(id: string, commit: NewCommit): Promise<boolean>;
  /** The commits after a number, in order. A stream: they are not in memory together. */
  load(id: string, after?: number): AsyncIterable<StoredCommit>;
  /** Forgets the commits after a number, and the state, if the epoch is still this one. False if not. */
  cut(id: string, after: StoredCommit | undefined, epoch: number): Promise<boolean>;
  /** What was kept last under a name; undefined if there is nothing. */
  derived(id: string, name: string): Promise<Derived | undefined>;
  /** Keeps something derived under a name, in place of what was there. Nothing happens if there is no such conversation. */
  setDerived(id: string, name: string, derived: Derived): Promise<void>;
  /** All conversations, ordered by their ids. */
  list(): AsyncIterable<StoredConversation>;
  /** Deletes a conversation with all of its commits, and what was derived from them. */
  delete(id: string): Promise<void>;
}

/** How many jobs a head names. */
export const MOST_JOBS = 16;

/** The jobs of a head after a commit. */
export function jobsAfter(jobs: readonly string[], commit: NewCommit): readonly string[] {
  return commit.job === undefined ? jobs : [...jobs, commit.job].slice(-MOST_JOBS);
}
