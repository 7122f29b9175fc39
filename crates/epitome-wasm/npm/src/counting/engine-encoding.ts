// Exact counts by the engine: a policy's vocabulary or tokenizer, read once for all compactors.

import { type Elsewhere, type EncodingOptions, kept, loadEncodingFor, once, optionsOf } from "./encoding.js";
import { type Engine, load, type Modules, ready, room } from "./engine.js";
import { type EpitomeError, isEpitomeError } from "./error.js";
import { type Encoding, readEncodingAtOnce } from "./glue/epitome.js";
import type { NumericSource } from "./numeric.js";
import { loadTokenizerOnce, type TokenizerSources } from "./tokenizer.js";
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

/** Makes something that counts as a policy says, with the vocabulary that takes, or the tokenizer. */
export async function counting<T>(
  modules: Modules,
  make: (engine: Engine) => T,
  tokenizers: TokenizerSources = {},
): Promise<T> {
  const engine = await load(modules.engine);
  try {
    return make(engine);
  } catch (error) {
    await loadMissing(engine, error, modules.tokenizers, tokenizers);
    return make(engine);
  }
}

/** The same where nothing can be waited for: with what was loaded before. */
export function countingAtOnce<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    const encoding = missing(error).encoding;
    const files = encoding === undefined ? undefined : kept.get(encoding);
    if (encoding === undefined || files === undefined) {
      throw error;
    }
    readEncodingAtOnce(encoding, ...files);
    kept.delete(encoding);
    return make();
  }
}

/** Loads what an error says is not loaded, where it can be had; any other error is thrown on. */
async function loadMissing(
  engine: Engine,
  error: unknown,
  source: NumericSource,
  tokenizers: TokenizerSources,
): Promise<void> {
  const { encoding, tokenizer } = missing(error);
  if (encoding !== undefined) {
    return loadIntoEngine(engine, encoding);
  }
  const from = new Map(Object.entries(tokenizers)).get(String(tokenizer));
  if (tokenizer === undefined || from === undefined) {
    throw error;
  }
  return loadTokenizerOnce(source, tokenizer, from);
}

/** What an error says is not loaded; any error that says no such thing is thrown on. */
function missing(error: unknown): Pick<EpitomeError, "encoding" | "tokenizer"> {
  if (!isEpitomeError(error) || error.code !== "encoding-not-loaded") {
    throw error;
  }
  return error;
}

function loadIntoEngine(engine: Engine, encoding: Encoding, source?: EncodingSource): Promise<void> {
  const has = (): boolean => engine.hasEncoding(String(encoding));
  return once(engine, encoding, has, async () => {
    const [file, rest] = kept.get(encoding) ?? [await partOf(encoding, "whole", source)];
    await engine.readEncoding(encoding, file, rest);
    kept.delete(encoding);
  });
}
