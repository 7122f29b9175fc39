// Exact counts by the engine: a policy's vocabulary, read once for all compactors.

import { type Elsewhere, type EncodingOptions, kept, loadEncodingFor, once, optionsOf } from "./encoding.js";
import { type Engine, load, ready, room, type Source } from "./engine.js";
import { isEpitomeError } from "./error.js";
import { type Encoding, readEncodingAtOnce } from "./glue/epitome.js";
import type { NumericSource } from "./numeric.js";
import { type EncodingSource, partOf } from "./vocabulary.js";

/** Counts with what the engine has read. */
export const byEngine: Elsewhere = async (text, encoding) => {
  const engine = await ready();
  return engine?.hasEncoding(encoding) === true ? engine.countTokens(room().write(text), encoding) : undefined;
};

/** Loads an encoding into the engine where there is one, which then counts for all, and else into the counter. */
export async function loadEncodingForAll(
  source: NumericSource,
  encoding: Encoding,
  given: EncodingSource | EncodingOptions = {},
): Promise<void> {
  const [options, engine] = [optionsOf(given), await ready()];
  if (engine === undefined || options.scripts === "ascii") {
    await loadEncodingFor(source, encoding, options);
  } else {
    await loadIntoEngine(engine, encoding, options.source);
  }
}

/** Makes something that counts as a policy says, with the vocabulary that takes. */
export async function counting<T>(source: Source, make: (engine: Engine) => T): Promise<T> {
  const engine = await load(source);
  try {
    return make(engine);
  } catch (error) {
    await loadIntoEngine(engine, missing(error));
    return make(engine);
  }
}

/** The same where nothing can be waited for: with what was loaded before. */
export function countingAtOnce<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    const encoding = missing(error);
    const files = kept.get(encoding);
    if (files === undefined) {
      throw error;
    }
    readEncodingAtOnce(encoding, ...files);
    kept.delete(encoding);
    return make();
  }
}

/** Which encoding an error says is not loaded; any other error is thrown on. */
function missing(error: unknown): Encoding {
  if (!isEpitomeError(error) || error.encoding === undefined) {
    throw error;
  }
  return error.encoding;
}

function loadIntoEngine(engine: Engine, encoding: Encoding, source?: EncodingSource): Promise<void> {
  const has = (): boolean => engine.hasEncoding(String(encoding));
  return once(engine, encoding, has, async () => {
    const [file, rest] = kept.get(encoding) ?? [await partOf(encoding, "whole", source)];
    await engine.readEncoding(encoding, file, rest);
    kept.delete(encoding);
  });
}
