// Rows with texts of megabytes in IndexedDB. A browser copies and compresses a row in one block as it is put, so a long text is
// divided: its beginning is in its row, and the rest in rows of another object store, put and read one after the other.
//
// All are in the transaction of their row, which lasts as long as each request is made in the callback of the one before.

import { SLICE } from "./slices.js";

/** The object store of what is behind the beginning of long texts. */
export const PARTS = "parts";

/** Its key: the conversation, the sequence or the name of the row, and the number of the part, from 1. */
export const PARTS_KEY = ["conversation", "of", "part"];

/** A row of any object store that may have a long text. */
export interface LongRow {
  readonly text: string;
  /** How many parts are in the other object store; undefined for none. */
  readonly parts?: number;
}

/** What a row is of: its conversation, and its sequence or its name. */
type Of = readonly [conversation: string, of: number | string];

/** Puts a row with a text of any length, in place of none or of one without parts. */
export function putLong<R extends LongRow>(store: IDBObjectStore, row: R, [conversation, of]: Of): void {
  const { text } = row;
  const parts = Math.ceil(text.length / SLICE) - 1;
  store.put(parts > 0 ? { ...row, text: text.slice(0, SLICE), parts } : row);
  const others = store.transaction.objectStore(PARTS);
  const put = (part: number): void => {
    if (part <= parts) {
      const slice = text.slice(part * SLICE, (part + 1) * SLICE);
      others.put({ conversation, of, part, text: slice }).onsuccess = () => put(part + 1);
    }
  };
  put(1);
}

/** Completes the texts of rows, in place, and then calls a function. */
export function readLong<R extends LongRow>(transaction: IDBTransaction, rows: R[], of: (row: R) => Of, done: (rows: R[]) => void): void {
  const index = rows.findIndex(({ parts = 0 }) => parts > 0);
  const row = rows[index];
  if (row === undefined) {
    return done(rows);
  }
  const texts = [row.text];
  const read = (part: number): void => {
    if (part > (row.parts ?? 0)) {
      rows[index] = { ...row, text: texts.join(""), parts: 0 };
      return readLong(transaction, rows, of, done);
    }
    const request: IDBRequest<{ text: string } | undefined> = transaction.objectStore(PARTS).get([...of(row), part]);
    request.onsuccess = () => {
      texts.push(request.result?.text ?? "");
      read(part + 1);
    };
  };
  read(1);
}

/** The parts of all rows of a conversation. */
export function allParts(conversation: string): IDBKeyRange {
  return IDBKeyRange.bound([conversation], [conversation, []]);
}

/** The parts of one row. */
export function partsOf([conversation, of]: Of): IDBKeyRange {
  return IDBKeyRange.bound([conversation, of], [conversation, of, []]);
}

/** The parts of the commits of a conversation after a number. */
export function partsAfter(conversation: string, sequence: number): IDBKeyRange {
  // In the order of keys, numbers are before texts, and texts before lists.
  return IDBKeyRange.bound([conversation, sequence, []], [conversation, ""]);
}
