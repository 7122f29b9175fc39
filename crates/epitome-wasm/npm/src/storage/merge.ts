// What one log has of a conversation that another one does not have, as records behind the other's.

import { property } from "../error.js";
import { type Node, originalId, type Tree, treeOf } from "./tree.js";

/** The records that a merge adds. */
export interface Merged {
  /** JSON Lines; empty if nothing is new. */
  readonly lines: string;
  /** How many messages of the app are new. */
  readonly messages: number;
}

/**
 * The records that add to a log the messages of another log that began as the same conversation. A message is the same if it
 * follows the same one and has the same id of the app's, or else the same content. The others come as branches behind the last
 * common message, and the conversation itself stays where it is. Compactions of the other log are not taken over.
 *
 * Undefined if the two have no message in common. Linear in both.
 */
export function merge(ours: string, theirs: string): Merged | undefined {
  const own = treeOf(ours);
  const other = treeOf(theirs);
  const { known, first } = index(own);
  /** Our ids of their messages. */
  const ids = new Map<string, string>();
  /** Our ids of the app's messages that are new, by theirs. */
  const fresh = new Map<string, string>();
  let { next } = own;
  let isCommon = own.nodes.size === 0 || other.nodes.size === 0;
  let [lines, head] = ["", own.head];
  for (const [id, node] of other.nodes) {
    const parent = node.parent === undefined ? undefined : ids.get(node.parent);
    const key = keyOf(other, id, node, first.get(parent) ?? parent);
    const same = known.get(key);
    if (same !== undefined) {
      ids.set(id, same);
      isCommon ||= own.nodes.has(same);
      continue;
    }
    const theirId = originalId(id);
    const ourId = fresh.get(theirId) ?? `m${next++}`;
    fresh.set(theirId, ourId);
    const named = `${ourId}${id.slice(theirId.length)}`;
    ids.set(id, named);
    known.set(key, named);
    lines += head === parent ? "" : headLine(parent);
    lines += `${JSON.stringify({ record: "message", message: { ...node.message, id: named } })}\n`;
    head = named;
  }
  if (!isCommon) {
    return undefined;
  }
  lines += head === own.head ? "" : headLine(own.head);
  for (const [theirId, id] of fresh) {
    const message = other.originals.get(theirId);
    lines += message === undefined ? "" : `${JSON.stringify({ record: "original", id, message })}\n`;
  }
  return { lines, messages: fresh.size };
}

/** Our messages by their keys, which are equal for messages that are the same. Of several that are the same, such as an answer
 * that was generated twice alike, `first` has the first one, and what follows any of them is found behind that one. */
function index(tree: Tree): { known: Map<string, string>; first: Map<string | undefined, string> } {
  const known = new Map<string, string>();
  const first = new Map<string | undefined, string>();
  for (const [id, node] of tree.nodes) {
    const key = keyOf(tree, id, node, first.get(node.parent));
    const same = known.get(key) ?? id;
    known.set(key, same);
    first.set(id, same);
  }
  return { known, first };
}

/** The key of a message, which is equal for two that are the same one: the message before it, and its id or content. */
function keyOf({ originals }: Tree, id: string, { message }: Node, parent: string | undefined): string {
  const original = originals.get(originalId(id));
  const step = id.slice(originalId(id).length);
  const own = property(original, "id");
  const content = typeof own === "string" && own !== "" ? { own } : { original, message: { ...message, id: "" } };
  return JSON.stringify([parent ?? null, step, content]);
}

function headLine(id: string | undefined): string {
  return `${JSON.stringify({ record: "head", message: id ?? null })}\n`;
}
