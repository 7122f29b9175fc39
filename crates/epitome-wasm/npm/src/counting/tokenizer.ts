// Tokenizers that an app gives: the `tokenizer.json` of a model, read by a wasm module of its own.

import { kindOf, reading } from "../arguments.js";
import { epitomeError, messageOf } from "../error.js";
import type { TextCounter } from "../glue/epitome.js";
import type * as Exports from "../glue/tokenizer_bg.wasm.js";
import { ScratchBuffer } from "../wasm/buffer.js";
import { loader, type NumericSource } from "../wasm/numeric.js";
import { loadOneByOne } from "./encoding.js";
import { bytesAt, type EncodingSource, isResponse } from "./vocabulary.js";

/** Where tokenizers come from, by the names that policies use for them: see `loadTokenizer`. */
export type TokenizerSources = Readonly<Record<string, EncodingSource | object>>;

interface Module {
  exports: typeof Exports;
  buffer: ScratchBuffer;
}

/** The module's numbers of the loaded tokenizers, by name. */
const numbers = new Map<string, number>();
/** Numbers of the tokenizers that compactors use. They stay loaded when another tokenizer takes their name. */
const inUse = new Set<number>();
let loaded: Module | undefined;

/** Reads a `tokenizer.json` and gives it a name to count by. */
export async function loadTokenizerFrom(
  source: NumericSource,
  name: string,
  from: EncodingSource | object,
): Promise<void> {
  const file = await bytesOf(name, from);
  const { exports, buffer } = await load(source);
  buffer.fill(file);
  const number = exports.read();
  if (number < 0) {
    const message = `what was given as the tokenizer ${JSON.stringify(name)} cannot be used: ${buffer.read(-number)}`;
    throw epitomeError("invalid-vocabulary", message);
  }
  const earlier = numbers.get(name);
  numbers.set(name, number);
  if (earlier !== undefined && !inUse.has(earlier)) {
    exports.forget(earlier);
  }
}

/** The same, unless a tokenizer of this name is loaded. After a failure, the next call tries again. */
export function loadTokenizerOnce(source: NumericSource, name: string, from: EncodingSource | object): Promise<void> {
  return loadOneByOne(numbers, name, () => numbers.has(name), () => loadTokenizerFrom(source, name, from));
}

/** A loaded tokenizer, for a module whose texts are in `memory`. */
export function findTokenizer(name: string, memory: WebAssembly.Memory): TextCounter | undefined {
  const number = numbers.get(name);
  if (loaded === undefined || number === undefined) {
    return undefined;
  }
  inUse.add(number);
  const { exports, buffer } = loaded;
  return {
    count: (address, bytes) => exports.count(buffer.copy(new Uint8Array(memory.buffer, address, bytes)), number),
  };
}

/** Counts by a loaded tokenizer. */
export function countByTokenizer(text: string, name: string): number {
  const number = numbers.get(name);
  if (loaded === undefined || number === undefined) {
    const quoted = JSON.stringify(name);
    const message = `the tokenizer ${quoted} is not loaded; await loadTokenizer(${quoted}, …) first`;
    throw Object.assign(epitomeError("encoding-not-loaded", message), { tokenizer: name });
  }
  return loaded.exports.count(loaded.buffer.write(text), number);
}

/** Compiles the module on the first call. */
const load = /* @__PURE__ */ loader((exports: typeof Exports): Module => (loaded = { exports, buffer: new ScratchBuffer(exports.memory, exports.resizeBuffer) }));

async function bytesOf(name: string, from: EncodingSource | object): Promise<Uint8Array> {
  if (typeof from !== "string" && (typeof from !== "object" || from === null)) {
    throw epitomeError("invalid-option", `source: expected an address, a response, bytes or an object, not ${kindOf(from)}`);
  }
  const isAddress = reading("source", () => typeof from === "string" || from instanceof URL || isResponse(from));
  if (!isAddress) {
    return reading("source", () => bytesOrJson(from));
  }
  try {
    return await bytesAt(from as string | URL | Response);
  } catch (cause) {
    const reason = messageOf(cause, "no reason was given");
    const message = `the tokenizer ${JSON.stringify(name)} could not be fetched: ${reason}`;
    throw epitomeError("encoding-unavailable", message, cause);
  }
}

function bytesOrJson(from: EncodingSource | object): Uint8Array {
  if (ArrayBuffer.isView(from)) {
    return new Uint8Array(from.buffer, from.byteOffset, from.byteLength);
  }
  return from instanceof ArrayBuffer ? new Uint8Array(from) : new TextEncoder().encode(JSON.stringify(from));
}
