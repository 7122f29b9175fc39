// Tokenizers that an app brings along: the `tokenizer.json` of a model, read by a module of its own.

import { once } from "./encoding.js";
import { epitomeError, messageOf } from "./error.js";
import type { Tokenizers } from "./glue/epitome.js";
import type * as Exports from "./glue/tokenizer_bg.wasm.js";
import { instantiate, type NumericSource } from "./numeric.js";
import { Room } from "./room.js";
import { bytesAt, type EncodingSource, isResponse } from "./vocabulary.js";

/** Where tokenizers come from, by the names that policies have for them: see `loadTokenizer`. */
export type TokenizerSources = Readonly<Record<string, EncodingSource | object>>;

interface Module {
  exports: typeof Exports;
  room: Room;
}

/** The numbers of the tokenizers that are loaded, by name. */
const numbers = new Map<string, number>();
/** Those of the tokenizers that compactors count by: they stay, whatever is loaded under their names later. */
const held = new Set<number>();
let loading: Promise<Module> | undefined;
let loaded: Module | undefined;

/** Reads a `tokenizer.json`, to be counted by under a name from now on. */
export async function loadTokenizerFrom(
  source: NumericSource,
  name: string,
  from: EncodingSource | object,
): Promise<void> {
  const file = await bytesOf(name, from);
  const { exports, room } = await load(source);
  room.fill(file);
  const number = exports.read();
  if (number < 0) {
    const message = `what was given as the tokenizer ${JSON.stringify(name)} cannot be used: ${room.read(-number)}`;
    throw epitomeError("invalid-vocabulary", message);
  }
  const earlier = numbers.get(name);
  numbers.set(name, number);
  if (earlier !== undefined && !held.has(earlier)) {
    exports.forget(earlier);
  }
}

/** The same where none of this name is read yet. A failure is not remembered. */
export function loadTokenizerOnce(source: NumericSource, name: string, from: EncodingSource | object): Promise<void> {
  return once(numbers, name, () => numbers.has(name), () => loadTokenizerFrom(source, name, from));
}

/** The tokenizers that are loaded, for a module whose texts are in this memory. */
export function tokenizersFor(memory: WebAssembly.Memory): Tokenizers {
  return {
    find(name) {
      const number = numbers.get(name);
      if (loaded === undefined || number === undefined) {
        return undefined;
      }
      held.add(number);
      const { exports, room } = loaded;
      return { count: (at, bytes) => exports.count(room.copy(new Uint8Array(memory.buffer, at, bytes)), number) };
    },
  };
}

/** Counts by a tokenizer that was loaded. */
export function countByTokenizer(text: string, name: string): number {
  const number = numbers.get(name);
  if (loaded === undefined || number === undefined) {
    const quoted = JSON.stringify(name);
    const message = `the tokenizer ${quoted} is not loaded; await loadTokenizer(${quoted}, …) first`;
    throw Object.assign(epitomeError("encoding-not-loaded", message), { tokenizer: name });
  }
  return loaded.exports.count(loaded.room.write(text), number);
}

/** Compiles the module, unless that is done or under way. A failure is not remembered. */
function load(source: NumericSource): Promise<Module> {
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
  if (typeof from !== "string" && !(from instanceof URL) && !isResponse(from)) {
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
