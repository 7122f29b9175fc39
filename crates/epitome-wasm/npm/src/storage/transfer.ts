// Conversations as JSON Lines: out of one store and into another.

import { epitomeError, guarded } from "../error.js";
import type { Changes } from "../host/options.js";
import { hashOf } from "./chain.js";
import { type Cipher, NO_CIPHER } from "./cipher.js";
import { keepDamage } from "./damaged.js";
import { merge } from "./merge.js";
import type { Store } from "./store.js";
import { type Damage, readVerified, stateOf } from "./verified.js";
import { Writer } from "./writer.js";

/** Options of an export or an import. */
export interface TransferOptions {
  /** The cipher of the store. What is exported is not encrypted. */
  cipher?: Cipher;
}

/** What an import did. */
export interface Imported {
  /** Number of commits that were added to the store. */
  readonly added: number;
  /** Number of messages that the other conversation has on branches of its own. */
  readonly branched: number;
  /** What could not be read, such as the end of a file that is cut off. */
  readonly damage: Damage | undefined;
}

/** The line at the end of a commit. */
interface CommitLine {
  readonly record: "commit";
  readonly sequence: number;
  readonly hash: string;
  /** The hash of the state that precedes it, behind this commit. Absent if there is none, or in what an earlier version wrote. */
  readonly state?: string;
}

/**
 * A conversation as JSON Lines, commit by commit: its records with the app's own messages, and behind each commit its number and
 * a hash of the records so far. The last commit also has the compactor's own state and its hash. `restoreCompactor` reads it as
 * a snapshot.
 *
 * Throws `damaged-log` at the first commit that is not whole, or if the state is not.
 */
export async function* exportConversation(store: Store, id: string, options: TransferOptions = {}): AsyncGenerator<string> {
  const { cipher = NO_CIPHER } = options;
  const head = await store.head(id);
  if (head === undefined) {
    throw epitomeError("unknown-id", `the store has no conversation ${JSON.stringify(id)}`);
  }
  let [stored, exported] = ["", ""];
  let sequence = 0;
  for await (const commit of store.load(id)) {
    if (commit.sequence > head.sequence) {
      break;
    }
    const isWhole = commit.sequence === sequence + 1 && commit.hash === (await hashOf(stored, commit.text));
    if (!isWhole) {
      throw epitomeError("damaged-log", `the conversation ${JSON.stringify(id)} is not whole from commit ${sequence + 1} on; open it to repair it`);
    }
    stored = commit.hash;
    sequence = commit.sequence;
    const text = await cipher.decrypt(commit.text, id);
    exported = await hashOf(exported, text);
    const state = sequence === head.sequence ? await stateOf(head, id, cipher) : "";
    if (state === undefined) {
      throw epitomeError("damaged-log", `the state of the conversation ${JSON.stringify(id)} is damaged; open it to repair it`);
    }
    // The state precedes the commit's line: a file that is cut off between them lacks the commit too, and the state of an
    // incomplete commit is never used.
    yield `${text}${state}${await commitLine(sequence, exported, state)}`;
  }
}

/** A conversation that is in memory, in the same form: one commit with everything. */
export async function archiveOf({ lines, state }: Changes): Promise<string> {
  return `${lines}${state}${await commitLine(1, await hashOf("", lines), state)}`;
}

async function commitLine(sequence: number, hash: string, state: string): Promise<string> {
  const line: CommitLine = { record: "commit", sequence, hash, ...(state === "" ? {} : { state: await hashOf(hash, state) }) };
  return `${JSON.stringify(line)}\n`;
}

/**
 * Stores an exported conversation. If the store already has its first commits, only the others are added. If the two have
 * diverged since, such as on two devices, the messages that the store does not have come as branches, and the conversation
 * stays where it is. If they have no message in common, the promise rejects with `conflict`, and if commits of the store are
 * damaged, with `damaged-log`; nothing has changed then. What follows the last complete commit is not stored; the result names it,
 * and a state that is not the one that was exported.
 *
 * The import takes over as the writer, as opening does.
 */
export function importConversation(
  store: Store,
  id: string,
  lines: string | Iterable<string> | AsyncIterable<string>,
  options: TransferOptions = {},
): Promise<Imported> {
  return guarded(async () => {
    const { cipher = NO_CIPHER } = options;
    const { commits, state, damage } = await read(lines);
    const head = await store.claim(id);
    const known = await readVerified(store, id, head, cipher);
    if (known.damage !== undefined) {
      if (known.damage.lost > 0) {
        throw epitomeError("damaged-log", `the store's conversation ${JSON.stringify(id)} is damaged; open it to repair it`);
      }
      await keepDamage(store, id, known.last, known.damage);
    }
    const whole = commits.map(({ text }) => text).join("");
    const writer = new Writer(store, id, cipher, known, head);
    if (whole.startsWith(known.text) || known.text.startsWith(whole)) {
      const added = commits.slice(writer.sequence);
      for (const [index, { text }] of added.entries()) {
        await writer.commit({ lines: text, state: index === added.length - 1 ? state : "" });
      }
      return { added: added.length, branched: 0, damage };
    }
    const merged = merge(known.text, whole);
    if (merged === undefined) {
      throw epitomeError("conflict", `the store has another conversation ${JSON.stringify(id)}; import this one under another id`);
    }
    if (merged.messages > 0) {
      await writer.commit({ lines: merged.lines, state: known.state });
    }
    return { added: merged.messages > 0 ? 1 : 0, branched: merged.messages, damage };
  });
}

interface Exported {
  readonly commits: { readonly text: string }[];
  readonly state: string;
  /** What is behind the last whole commit, and its state if that is not the one that was exported. */
  readonly damage: Damage | undefined;
}

async function read(given: string | Iterable<string> | AsyncIterable<string>): Promise<Exported> {
  const commits: { text: string }[] = [];
  /** The state after the last whole commit, and that after the one that is being read. */
  let [state, next] = ["", ""];
  let [text, hash] = ["", ""];
  let isWhole = true;
  /** What is in the place of the state after the last whole commit. */
  let damaged: string | undefined;
  for await (const line of linesOf(typeof given === "string" ? [given] : given)) {
    if (!isWhole) {
      text += line;
    } else if (line.startsWith('{"record":"state"') && line.endsWith("\n")) {
      next = line;
    } else if (!line.startsWith('{"record":"commit"')) {
      text += line;
    } else {
      const sequence = commits.length + 1;
      const expected = await hashOf(hash, text);
      const unchecked = await commitLine(sequence, expected, "");
      if (line === unchecked || line.replace(STATE_HASH, "}") === unchecked) {
        const isChecked = line === unchecked || line === (await commitLine(sequence, expected, next));
        commits.push({ text });
        damaged = isChecked ? undefined : next;
        [hash, text, state, next] = [expected, "", isChecked ? next : "", ""];
      } else {
        isWhole = false;
        text += line;
      }
    }
  }
  const rest = text + next;
  const lost = Number(rest !== "");
  const isAll = lost === 0 && damaged === undefined;
  const damage = isAll ? undefined : { whole: commits.length, lost, texts: lost === 0 ? [] : [rest], state: damaged ?? "" };
  return { commits, state, damage };
}

/** The end of a commit's line with the hash of a state. */
const STATE_HASH = /,"state":"[0-9a-f]{64}"\}(?=\n$)/;

/** Lines with their ends, of a text that comes in pieces. */
async function* linesOf(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + piece).split(/(?<=\n)/);
    rest = lines.pop() ?? "";
    if (rest.endsWith("\n")) {
      lines.push(rest);
      rest = "";
    }
    yield* lines;
  }
  if (rest !== "") {
    yield rest;
  }
}
