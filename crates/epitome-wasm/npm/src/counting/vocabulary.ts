// The files of vocabularies: where the package has them, and how to get their bytes.

import { epitomeError, messageOf } from "../error.js";
import type { Encoding } from "../glue/epitome.js";

/** Where a vocabulary comes from: an address, a response, or its bytes. */
export type EncodingSource = string | URL | Response | ArrayBuffer | ArrayBufferView;

/** A vocabulary in one file, or in two: what ASCII text needs, and the rest. */
export type Part = "whole" | "ascii" | "rest";

/**
 * The package's own files. Bundlers recognize this pattern and copy such a file next to the code of an app. `cl100k_base` is only in
 * one file: ASCII text needs 95 % of it.
 */
const OWN: Record<Encoding, Partial<Record<Part, () => URL>> & { whole: () => URL }> = {
  o200k_base: {
    whole: () => new URL("../../encodings/o200k_base.vocab", import.meta.url),
    ascii: () => new URL("../../encodings/o200k_base.ascii.vocab", import.meta.url),
    rest: () => new URL("../../encodings/o200k_base.rest.vocab", import.meta.url),
  },
  cl100k_base: {
    whole: () => new URL("../../encodings/cl100k_base.vocab", import.meta.url),
  },
};

/** True if what ASCII text needs has a file of its own. */
export function isDivided(encoding: Encoding): boolean {
  return OWN[encoding].ascii !== undefined;
}

/** True for a source, false for an options object. */
export function isSource(given: object | string): given is EncodingSource {
  return (
    typeof given === "string" ||
    given instanceof URL ||
    isResponse(given) ||
    given instanceof ArrayBuffer ||
    ArrayBuffer.isView(given)
  );
}

/** True for a `Response`. It does not use `instanceof`, because Node takes 20 ms to load that class. */
export function isResponse(given: object | string): given is Response {
  return typeof given === "object" && given !== null && "arrayBuffer" in given;
}

/** The bytes of a part of a vocabulary, from `given` if it is defined, otherwise from the package's own file. */
export async function partOf(encoding: Encoding, part: Part, given?: EncodingSource): Promise<Uint8Array> {
  const source = given ?? ownFile(encoding, part);
  if (ArrayBuffer.isView(source)) {
    return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  }
  if (typeof source !== "string" && !(source instanceof URL) && !isResponse(source)) {
    return new Uint8Array(source);
  }
  const from = isResponse(source) ? source.url : String(source);
  try {
    return await bytesAt(source);
  } catch (cause) {
    throw unavailable(encoding, part, `could not be fetched from ${from}`, cause);
  }
}

/** The package's own file. Some runtimes have no files next to the code, and throw when they are asked for an address. */
function ownFile(encoding: Encoding, part: Part): URL {
  try {
    return (OWN[encoding][part] ?? OWN[encoding].whole)();
  } catch (cause) {
    throw unavailable(encoding, part, "has no address in this runtime", cause);
  }
}

function unavailable(encoding: Encoding, part: Part, problem: string, cause: unknown): Error {
  const reason = messageOf(cause, "no reason was given");
  const file = `encodings/${encoding}${part === "whole" ? "" : `.${part}`}.vocab`;
  const message =
    `the vocabulary of ${encoding} ${problem}: ${reason}; serve the package's file ` +
    `${file} there, or give loadEncoding another address or the bytes`;
  return epitomeError("encoding-unavailable", message, cause);
}

/** The bytes at an address or of a response. */
export async function bytesAt(source: string | URL | Response): Promise<Uint8Array<ArrayBuffer>> {
  const from = isResponse(source) ? source.url : String(source);
  return from.startsWith("file:") ? fileAt(from) : fetched(source);
}

async function fetched(source: string | URL | Response): Promise<Uint8Array<ArrayBuffer>> {
  const response = isResponse(source) ? source : await fetch(source);
  if (!response.ok) {
    throw new Error(`the server answered with ${response.status}`);
  }
  return new Uint8Array(await response.arrayBuffer());
}

/** Node's `fetch` does not read files. The module's name is in a variable, so that bundlers for browsers do not resolve it. */
async function fileAt(address: string): Promise<Uint8Array<ArrayBuffer>> {
  const name = "node:fs/promises";
  const files = (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as {
    readFile(file: URL): Promise<Uint8Array<ArrayBuffer>>;
  };
  return files.readFile(new URL(address));
}
