// The messages of a log as a tree, as its records have made it.

import { epitomeError, property } from "../error.js";
import { originalsOf } from "../host/commits.js";

/** A message of the engine. An app's message that has steps is several of them, such as `m7` and `m7#1`. */
export interface Node {
  /** The engine's message, in its latest version. */
  readonly message: object;
  /** The id of the message before it; undefined for a first one. */
  readonly parent: string | undefined;
}

/** The messages of all branches by their ids, each behind the one before it, and where the conversation is. */
export interface Tree {
  readonly nodes: ReadonlyMap<string, Node>;
  /** The last message of the conversation; undefined if it is empty. */
  readonly head: string | undefined;
  /** The number of an id that no message has had. */
  readonly next: number;
  /** The app's messages by their ids. */
  readonly originals: ReadonlyMap<string, object>;
}

/** The id of the app's message that an engine's message is of. */
export function originalId(id: string): string {
  return id.split("#", 1)[0] as string;
}

/** What the records of a log make. Linear in the text. */
export function treeOf(text: string): Tree {
  const nodes = new Map<string, { message: object; parent: string | undefined }>();
  const children = new Map<string | undefined, Set<string>>();
  let head: string | undefined;
  let next = 0;
  const move = (id: string, message: object, parent: string | undefined): void => {
    children.get(nodes.get(id)?.parent)?.delete(id);
    nodes.set(id, { message, parent });
    const siblings = children.get(parent) ?? new Set();
    children.set(parent, siblings.add(id));
  };
  for (const line of text.split("\n")) {
    const kind = KIND.exec(line)?.[1];
    if (kind === undefined) {
      continue;
    }
    const record = parsed(line);
    const message = property(record, "message") as object;
    const id = property(kind === "remove" ? record : message, "id") as string;
    if (kind === "head") {
      head = (message as unknown as string | null) ?? undefined;
      continue;
    }
    next = Math.max(next, numberOf(id) + 1);
    const node = nodes.get(id);
    if (kind === "message") {
      move(id, message, head);
      head = id;
    } else if (kind === "edit") {
      move(id, message, node?.parent);
    } else if (kind === "insert") {
      const before = property(record, "before") as string;
      const following = nodes.get(before);
      move(id, message, following?.parent);
      if (following !== undefined) {
        move(before, following.message, id);
      }
    } else {
      for (const child of [...(children.get(id) ?? [])]) {
        move(child, nodes.get(child)?.message ?? {}, node?.parent);
      }
      children.get(node?.parent)?.delete(id);
      nodes.delete(id);
      head = head === id ? node?.parent : head;
    }
  }
  return { nodes: inOrder(nodes), head, next, originals: originalsOf(text) };
}

function numberOf(id: string): number {
  return Number(/^m(\d+)/.exec(id)?.[1] ?? -1);
}

/** The records that make messages, and move between them. */
const KIND = /^\{"record":"(message|insert|remove|head|edit)",/;

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw epitomeError("invalid-snapshot", "a record of the log is not JSON", error);
  }
}

/** An insertion comes later than the messages behind it: put each message behind the one before it. */
function inOrder(nodes: ReadonlyMap<string, Node>): Map<string, Node> {
  const ordered = new Map<string, Node>();
  for (const start of nodes.keys()) {
    const path: string[] = [];
    for (let id: string | undefined = start; id !== undefined && !ordered.has(id); id = nodes.get(id)?.parent) {
      path.push(id);
    }
    for (const id of path.reverse()) {
      const node = nodes.get(id);
      if (node !== undefined) {
        ordered.set(id, node);
      }
    }
  }
  return ordered;
}
