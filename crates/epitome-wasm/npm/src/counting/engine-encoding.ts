// Exact counts by the engine: the vocabulary or tokenizer that a policy names, read once for all compactors.

import { fieldsOf } from "../arguments.js";
import type { Counting, Encoding } from "../glue/epitome.js";
import type { Engine } from "../wasm/engine.js";
import { bufferOf, loadedEngine } from "../wasm/instances.js";
import type { NumericSource } from "../wasm/numeric.js";
import {
  type CountElsewhere,
  type EncodingOptions,
  loadEncodingFor,
  loadOneByOne,
  optionsOf,
  readFiles,
} from "./encoding.js";
import { loadTokenizerOnce, type TokenizerSources } from "./tokenizer.js";
import { type EncodingSource, partOf } from "./vocabulary.js";

/** Counts by a vocabulary that the engine has read. */
export const countByEngine: CountElsewhere = async (text, encoding) => {
  const engine = await loadedEngine();
  return engine?.hasEncoding(encoding) === true ? engine.countTokens(bufferOf(engine).write(text), encoding) : undefined;
};

/** Loads an encoding into the engine if that is loaded, which then counts for all; otherwise into the counter. */
export async function loadEncodingForAll(
  source: NumericSource,
  encoding: Encoding,
  given: EncodingSource | EncodingOptions = {},
): Promise<void> {
  const [options, engine] = [optionsOf(given), await loadedEngine()];
  if (engine === undefined || options.scripts === "ascii") {
    await loadEncodingFor(source, encoding, options);
  } else {
    await loadIntoEngine(engine, encoding, options.source);
  }
}

/**
 * Loads the vocabulary or the tokenizer that a policy counts by. A tokenizer that is neither loaded nor in `tokenizers` is
 * left out: the engine then says that it is not loaded.
 */
export async function loadCounting(
  engine: Engine,
  counting: Counting,
  source: NumericSource,
  tokenizers: TokenizerSources = {},
): Promise<void> {
  if (typeof counting === "string") {
    return;
  }
  if ("encoding" in counting) {
    await loadIntoEngine(engine, counting.encoding);
  } else if ("tokenizer" in counting) {
    const name = counting.tokenizer;
    const known = fieldsOf(tokenizers, "tokenizers");
    const from = Object.hasOwn(known, name) ? known[name] : undefined;
    if (from !== undefined) {
      await loadTokenizerOnce(source, name, from);
    }
  }
}

/** The same for a caller that cannot wait: only passes on what was read before. */
export function shareCounting(engine: Engine, counting: Counting): void {
  if (typeof counting === "string" || !("encoding" in counting) || engine.hasEncoding(counting.encoding)) {
    return;
  }
  const files = readFiles.get(counting.encoding);
  if (files !== undefined) {
    engine.readEncodingAtOnce(counting.encoding, ...files);
  }
}

function loadIntoEngine(engine: Engine, encoding: Encoding, source?: EncodingSource): Promise<void> {
  const isDone = (): boolean => engine.hasEncoding(String(encoding));
  return loadOneByOne(engine, encoding, isDone, async () => {
    const [file, rest] = readFiles.get(encoding) ?? [await partOf(encoding, "whole", source)];
    await engine.readEncoding(encoding, file, rest);
    readFiles.set(encoding, rest === undefined ? [file] : [file, rest]);
  });
}
