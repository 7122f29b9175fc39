// The vocabularies of exact counting: each is fetched when it is first needed, and read once.

import { type Engine, load, type Source } from "./engine.js";
import { epitomeError, isEpitomeError, messageOf } from "./error.js";
import type { Encoding } from "./glue/epitome.js";

/** Where the vocabulary of an encoding comes from: an address, the answer of a server, or its bytes. */
export type EncodingSource = string | URL | Response | BufferSource;

/** The package's own files. Bundlers know this pattern, and put such a file beside the code of an app. */
const OWN: Record<Encoding, () => URL> = {
  o200k_base: () => new URL("../encodings/o200k_base.vocab", import.meta.url),
  cl100k_base: () => new URL("../encodings/cl100k_base.vocab", import.meta.url),
};

const loading = new Map<Encoding, Promise<void>>();

/** Loads the vocabulary of an encoding, unless that is done or under way. A failure is not remembered. */
export async function loadFrom(source: Source, encoding: Encoding, from?: EncodingSource): Promise<void> {
  const engine = await load(source);
  if (engine.hasEncoding(String(encoding))) {
    return;
  }
  let begun = loading.get(encoding);
  if (begun === undefined) {
    begun = bytesOf(encoding, from ?? OWN[encoding]())
      .then((bytes) => engine.readEncoding(encoding, bytes))
      .finally(() => loading.delete(encoding));
    loading.set(encoding, begun);
  }
  return begun;
}

/** Makes something that counts as a policy says, with the vocabulary that takes. */
export async function counting<T>(source: Source, make: (engine: Engine) => T): Promise<T> {
  const engine = await load(source);
  try {
    return make(engine);
  } catch (error) {
    if (!isEpitomeError(error) || error.encoding === undefined) {
      throw error;
    }
    await loadFrom(source, error.encoding);
    return make(engine);
  }
}

async function bytesOf(encoding: Encoding, source: EncodingSource): Promise<Uint8Array> {
  if (ArrayBuffer.isView(source)) {
    return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  }
  if (typeof source !== "string" && !(source instanceof URL) && !(source instanceof Response)) {
    return new Uint8Array(source);
  }
  const from = source instanceof Response ? source.url : String(source);
  try {
    return await (from.startsWith("file:") ? fileAt(from) : fetched(source));
  } catch (cause) {
    const reason = messageOf(cause, "no reason was given");
    const message =
      `the vocabulary of ${encoding} could not be fetched from ${from}: ${reason}; serve the package's file ` +
      `encodings/${encoding}.vocab there, or give loadEncoding another address or the bytes`;
    throw epitomeError("encoding-unavailable", message, cause);
  }
}

async function fetched(source: string | URL | Response): Promise<Uint8Array> {
  const response = source instanceof Response ? source : await fetch(source);
  if (!response.ok) {
    throw new Error(`the server answered with ${response.status}`);
  }
  return new Uint8Array(await response.arrayBuffer());
}

/** Node does not fetch files. Its module is named where no bundler for browsers looks for it. */
async function fileAt(address: string): Promise<Uint8Array> {
  const name = "node:fs/promises";
  const files = (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as {
    readFile(file: URL): Promise<Uint8Array>;
  };
  return files.readFile(new URL(address));
}
