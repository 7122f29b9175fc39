// What has to be done so that the engine's conversation is the app's array: which messages are new, changed or gone.

import type { Original, View } from "./originals.js";
import { isEqual, isStored, ownId } from "./same.js";

/** One message of the conversation, as an app may give it back. */
interface Entry<M> {
  /** The id of the app's message; undefined for one of the engine, such as a summary. */
  readonly id: string | undefined;
  readonly message: M;
  /** True if the engine has composed it, so that it does not replace the app's own. */
  readonly isComposed: boolean;
}

/** A message that the app has given as another object, or may have changed in place. */
export interface Replacement<M> {
  readonly id: string;
  readonly message: M;
  /** Its index in the app's array. */
  readonly index: number;
  /** True if its content is the same for certain. */
  readonly isEqual: boolean;
}

/** How the conversation becomes the app's array. Indices are those of the app's array. */
export interface SyncPlan<M> {
  /** Messages of the same place whose objects are others. They may have another content. */
  readonly replaced: Replacement<M>[];
  /** Messages that are gone while later ones are still there. */
  readonly removed: string[];
  /** New messages in front of others. */
  readonly inserted: { readonly before: string; readonly index: number }[];
  /** The message that the conversation ends with, before new ones are appended; undefined if it keeps its end. */
  readonly head: { readonly id: string | undefined } | undefined;
  /** From here on, messages are new. */
  readonly appendFrom: number;
}

/** What a plan needs to know of the conversation. */
export interface Known<M> {
  readonly path: readonly Original<M>[];
  /** Views that the app may have stored in place of its messages, the latest first. */
  readonly views: readonly View<M>[];
  /** The messages behind one, on any branch; the first messages of all branches for undefined. */
  following(id: string | undefined): readonly Original<M>[];
  /** True if a message reads as the one with this id does. */
  isSame(id: string, message: M): boolean;
}

/**
 * The plan for an app's array. Compares objects first, and contents only from the first object that is another, so that an
 * array with one new or changed message costs one pass over it.
 */
export function planSync<M extends object>(known: Known<M>, messages: readonly M[]): SyncPlan<M> {
  const { entries, offset, shared } = baseOf(known, messages);
  const replaced: Replacement<M>[] = [];
  const note = ({ id, message, isComposed }: Entry<M>, index: number): void => {
    const given = messages[index] as M;
    if (id !== undefined && !isComposed && given !== message) {
      replaced.push({ id, message: given, index, isEqual: isEqual(message, given) });
    }
  };
  for (let index = offset; index < shared; index += 1) {
    note(entries[index - offset] as Entry<M>, index);
  }
  const lastShared = entries[shared - offset - 1] ?? entryOf(known.path[shared - 1], messages, known.isSame);
  if (shared === messages.length && lastShared?.id !== undefined && lastShared.message === messages[shared - 1]) {
    // An app that streams may change its last message in place.
    replaced.push({ id: lastShared.id, message: lastShared.message, index: shared - 1, isEqual: false });
  }
  const plan = { replaced, removed: [], inserted: [], head: undefined, appendFrom: shared };
  const rest = entries.slice(shared - offset);
  if (rest.length === 0 && shared === messages.length) {
    return plan;
  }
  if (rest.length > 0 && shared < messages.length) {
    const pairs = laterPairs(rest, messages, shared);
    // If the end of the conversation is still there, messages before it were changed; if not, another branch begins.
    if (pairs.at(-1)?.[0] === rest.length - 1) {
      return middlePlan(plan, rest, messages, pairs, note);
    }
  }
  // The last shared message that is one of the app's.
  let fork = offset === 0 ? undefined : known.path[offset - 1]?.id;
  for (let at = 0; at < shared - offset; at += 1) {
    fork = entries[at]?.id ?? fork;
  }
  let [head, index] = [fork, shared];
  while (index < messages.length) {
    const message = messages[index] as M;
    const next = known.following(head).find((original) => isSameAs(known, original, message));
    if (next === undefined) {
      break;
    }
    head = next.id;
    replaced.push({ id: next.id, message, index, isEqual: true });
    index += 1;
  }
  const isMoved = rest.some(({ id }) => id !== undefined) || index > shared;
  return { ...plan, head: isMoved ? { id: head } : undefined, appendFrom: index };
}

/** Changes before the end of the conversation. `entries` are what is not shared, and `pairs` those of it that are still
 * there. */
function middlePlan<M extends object>(
  plan: SyncPlan<M>,
  entries: readonly Entry<M>[],
  messages: readonly M[],
  pairs: readonly (readonly [number, number])[],
  note: (entry: Entry<M>, index: number) => void,
): SyncPlan<M> {
  let [at, index] = [0, plan.appendFrom];
  for (const [nextAt, nextIndex] of pairs) {
    const next = entries[nextAt] as Entry<M>;
    // Another version without an id of its own, such as an edited question, if there is one for each that is gone.
    const isEdit = nextAt - at === nextIndex - index;
    for (; at < nextAt; at += 1) {
      const entry = entries[at] as Entry<M>;
      if (isEdit && roleOf(entry.message) === roleOf(messages[index] as M)) {
        note(entry, index);
        index += 1;
      } else if (entry.id !== undefined) {
        plan.removed.push(entry.id);
        if (isEdit) {
          plan.inserted.push({ before: entries[at + 1]?.id ?? (next.id as string), index });
          index += 1;
        }
      }
    }
    for (; index < nextIndex && next.id !== undefined; index += 1) {
      plan.inserted.push({ before: next.id, index });
    }
    note(next, nextIndex);
    [at, index] = [nextAt + 1, nextIndex + 1];
  }
  return { ...plan, appendFrom: index };
}

/** Who speaks, in whichever field a format says so. */
function roleOf(message: object): unknown {
  return Reflect.get(message, "role") ?? Reflect.get(message, "type");
}

/** What an array is compared with, from an index on before which it is the conversation, and how many messages they share. */
interface Base<M> {
  readonly entries: Entry<M>[];
  readonly offset: number;
  readonly shared: number;
}

/**
 * The conversation, or a view that the app has stored in its place with the messages that came after it: whichever shares
 * more with the array.
 */
function baseOf<M extends object>({ path, views, isSame }: Known<M>, messages: readonly M[]): Base<M> {
  let offset = 0;
  while (offset < path.length && path[offset]?.message === messages[offset]) {
    offset += 1;
  }
  const entriesFrom = (start: number): Entry<M>[] =>
    path.slice(start).map((original) => entryOf(original, messages, isSame) as Entry<M>);
  const entries = entriesFrom(offset);
  let best: Base<M> = { entries, offset, shared: sharedWith(entries, messages, offset) };
  for (const { seen, last } of views) {
    if (best.shared === messages.length || best.shared === best.offset + best.entries.length) {
      break;
    }
    const end = path.findIndex(({ id }) => id === last) + 1;
    const originals = new Map(path.slice(0, end).map((original) => [original.id, original]));
    const viewed = seen.map(({ message, of, isComposed }): Entry<M> => {
      // The app's own message as it is now: it may have been edited since the view was made.
      const own = isComposed ? undefined : entryOf(originals.get(of[0] ?? ""), messages, isSame);
      return own ?? { id: of.at(-1), message, isComposed };
    });
    const entries = end === 0 ? [] : [...viewed, ...entriesFrom(end)];
    const shared = sharedWith(entries, messages, 0);
    if (shared > best.shared) {
      best = { entries, offset: 0, shared };
    }
  }
  return best;
}

/** A message of the conversation. One whose object is not known is compared by the engine. */
function entryOf<M extends object>(
  original: Original<M> | undefined,
  messages: readonly M[],
  isSame: Known<M>["isSame"],
): Entry<M> | undefined {
  if (original === undefined) {
    return undefined;
  }
  const { id, message } = original;
  const found = message ?? messages.find((given) => isSame(id, given)) ?? ({} as M);
  return { id, message: found, isComposed: false };
}

/** How many messages at the beginning are the same, or are other versions of the same that the rest goes on from. The first
 * entry stands at the index `offset` of the messages. */
function sharedWith<M extends object>(entries: readonly Entry<M>[], messages: readonly M[], offset: number): number {
  const length = Math.min(entries.length, messages.length - offset);
  for (let at = 0; at < length; at += 1) {
    const [entry, message] = [entries[at] as Entry<M>, messages[offset + at] as M];
    if (!hasContent(entry, message) && !isNewVersion(entries, at, messages, offset + at)) {
      return offset + at;
    }
  }
  return offset + length;
}

/**
 * True for another version of the same message, and not for one that begins a branch. It has the same id, or stands in the
 * same place and goes on with the same text, as while it is streamed; and what follows is the same, or nothing followed yet.
 */
function isNewVersion<M extends object>(
  entries: readonly Entry<M>[],
  at: number,
  messages: readonly M[],
  index: number,
): boolean {
  const [entry, message] = [entries[at] as Entry<M>, messages[index] as M];
  const isLast = at === entries.length - 1;
  const [id, own] = [ownId(entry.message), ownId(message)];
  if (id === undefined || own === undefined ? !(isLast && continues(entry.message, message)) : id !== own) {
    return false;
  }
  const next = messages[index + 1];
  return isLast || (next !== undefined && entries.slice(at + 1, at + 1 + NEAR).some((later) => isSameEntry(later, next)));
}

/** True if the texts of a message begin with those of an earlier version of it. */
function continues(earlier: unknown, later: unknown): boolean {
  if (typeof earlier === "string" && typeof later === "string") {
    return later.startsWith(earlier);
  }
  if (typeof earlier !== "object" || typeof later !== "object" || earlier === null || later === null) {
    return Object.is(earlier, later) || earlier === null || earlier === undefined;
  }
  return Object.keys(earlier).every((key) => continues(Reflect.get(earlier, key), Reflect.get(later, key)));
}

/** Pairs of messages from an index on that are the same as entries, as indices in both, in increasing order. */
function laterPairs<M extends object>(
  entries: readonly Entry<M>[],
  messages: readonly M[],
  from: number,
): [number, number][] {
  const byObject = new Map<object, number>();
  const byId = new Map<string, number>();
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const { message } = entries[at] as Entry<M>;
    const id = ownId(message);
    byObject.set(message, at);
    if (id !== undefined) {
      byId.set(id, at);
    }
  }
  const pairs: [number, number][] = [];
  let next = 0;
  for (let index = from; index < messages.length; index += 1) {
    const message = messages[index] as M;
    const known = byObject.get(message) ?? byId.get(ownId(message) ?? "");
    const at = known !== undefined && known >= next ? known : equalFrom(entries, message, next);
    if (at !== undefined) {
      pairs.push([at, index]);
      next = at + 1;
    }
  }
  return pairs;
}

/** The first later message with this content, if it is near: a search of all for each message would be quadratic. */
function equalFrom<M extends object>(entries: readonly Entry<M>[], message: M, from: number): number | undefined {
  const near = entries.slice(from, from + NEAR);
  const found = near.findIndex((entry) => isSameEntry(entry, message));
  return found < 0 ? undefined : from + found;
}

/** How many messages an app removes at most in one place for what follows to be recognised by its content. */
const NEAR = 64;

function isSameEntry<M extends object>(entry: Entry<M>, given: M): boolean {
  const id = ownId(given);
  return (id !== undefined && id === ownId(entry.message)) || hasContent(entry, given);
}

function hasContent<M extends object>({ message, isComposed }: Entry<M>, given: M): boolean {
  return message === given || isEqual(message, given) || (isComposed && isStored(message, given));
}

function isSameAs<M extends object>(known: Known<M>, { id, message }: Original<M>, given: M): boolean {
  return message === undefined ? known.isSame(id, given) : message === given || isEqual(message, given);
}
