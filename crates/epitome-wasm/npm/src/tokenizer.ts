// Tokenizers that an app brings along: the `tokenizer.json` of a model, read by a module of its own.

import { epitomeError, messageOf } from "./error.js";
import type * as Exports from "./glue/tokenizer_bg.wasm.js";
import { instantiate, type NumericSource } from "./numeric.js";
import { Room } from "./room.js";
import { bytesAt, type EncodingSource } from "./vocabulary.js";

interface Tokenizers {
  exports: typeof Exports;
  room: Room;
}

/** The numbers of the tokenizers that are loaded, by name. */
const numbers = new Map<string, number>();
let loading: Promise<Tokenizers> | undefined;
let loaded: Tokenizers | undefined;

/** Reads a `tokenizer.json`, to be counted by under a name. */
export async function loadTokenizerFrom(
  source: NumericSource,
  name: string,
  from: EncodingSource | object,
): Promise<void> {
  const file = await bytesOf(name, from);
  const { exports, room } = await load(source);
  const number = numbers.get(name) ?? numbers.size;
  room.fill(file);
  const problem = exports.read(number);
  if (problem > 0) {
    const message = `what was given as the tokenizer ${JSON.stringify(name)} cannot be used: ${room.read(problem)}`;
    throw epitomeError("invalid-vocabulary", message);
  }
  numbers.set(name, number);
}

/** Counts by a tokenizer that was loaded. */
export function countByTokenizer(text: string, name: string): number {
  const number = numbers.get(name);
  if (loaded === undefined || number === undefined) {
    const quoted = JSON.stringify(name);
    const message = `the tokenizer ${quoted} is not loaded; await loadTokenizer(${quoted}, …) first`;
    throw epitomeError("encoding-not-loaded", message);
  }
  return loaded.exports.count(loaded.room.write(text), number);
}

/** Compiles the module, unless that is done or under way. A failure is not remembered. */
function load(source: NumericSource): Promise<Tokenizers> {
  loading ??= instantiate<typeof Exports>(source).then(
    (exports) => (loaded = { exports, room: new Room(exports.memory, exports.room) }),
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

async function bytesOf(name: string, from: EncodingSource | object): Promise<Uint8Array> {
  if (ArrayBuffer.isView(from)) {
    return new Uint8Array(from.buffer, from.byteOffset, from.byteLength);
  }
  if (from instanceof ArrayBuffer) {
    return new Uint8Array(from);
  }
  if (typeof from !== "string" && !(from instanceof URL) && !(from instanceof Response)) {
    return new TextEncoder().encode(JSON.stringify(from));
  }
  try {
    return await bytesAt(from);
  } catch (cause) {
    const reason = messageOf(cause, "no reason was given");
    const message = `the tokenizer ${JSON.stringify(name)} could not be fetched: ${reason}`;
    throw epitomeError("encoding-unavailable", message, cause);
  }
}
