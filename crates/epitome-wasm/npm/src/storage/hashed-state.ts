// The compactor's own state as it is stored: with a hash of it and of the commits that it belongs to.
//
// The hash of a commit does not cover the state, which is not kept for earlier commits. So the state brings its own hash behind
// it, in a line of a kind that every reader of records passes over.

import { hashOf } from "./chain.js";

const HASH_LINE = '{"record":"commit","state":';

/** A state with its hash, for the commit of this hash. */
export async function hashedState(state: string, commit: string): Promise<string> {
  return state === "" ? "" : `${state}${await hashLine(state, commit)}`;
}

/** The state that was stored with the commit of this hash; undefined if it is damaged, or another one's. A state without a hash is
 * one that an earlier version has stored, and cannot be checked. */
export async function checkedState(text: string, commit: string): Promise<string | undefined> {
  const end = text.indexOf("\n") + 1;
  const [state, line] = [text.slice(0, end), text.slice(end)];
  const isOld = state !== "" && line === "" && !state.includes(HASH_LINE);
  return isOld || line === (await hashLine(state, commit)) ? state : undefined;
}

async function hashLine(state: string, commit: string): Promise<string> {
  return `${HASH_LINE}${JSON.stringify(await hashOf(commit, state))}}\n`;
}
