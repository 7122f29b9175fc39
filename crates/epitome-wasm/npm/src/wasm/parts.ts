// Parts of the engine's module that are fetched when they are first used. A part shares the memory of the engine's instance, and
// adds functions to it.

import { epitomeError, messageOf } from "../error.js";
import type { Format } from "../glue/epitome.js";
import { compile } from "./compile.js";

/** What the engine cannot do before a part is added: take a model's summary (`summaries`), summarize without a model, read a
 * snapshot, or read and write a format other than OpenAI's chat completions. */
export type Part = "summaries" | "extractive" | "snapshots" | FormatPart;

/** The parts with formats. */
export type FormatPart = (typeof FORMAT_PARTS)[number];

/** All parts with formats. */
export const FORMAT_PARTS = ["anthropic", "openai-responses", "ai-sdk", "gemini", "langchain", "bedrock"] as const;

/** Gives the module of a part. */
export type PartSource = (part: Part) => Promise<BufferSource | WebAssembly.Module>;

/** The parts that a format needs. */
export function partsOf(format: Format): FormatPart[] {
  return FORMAT_PARTS.filter((part) => format === part || (part === "ai-sdk" && format.startsWith(part)));
}

/** The modules of parts, compiled or in progress. */
const compiling = new Map<Part, Promise<WebAssembly.Module>>();
const compiled = new Map<Part, WebAssembly.Module>();

/** The module of a part. Fetches and compiles it, unless that is done or in progress. After a failure, the next call tries again. */
export function compilePart(part: Part, source: PartSource): Promise<WebAssembly.Module> {
  let module = compiling.get(part);
  if (module === undefined) {
    module = compileFrom(part, source);
    compiling.set(part, module);
    module.then(
      (done) => compiled.set(part, done),
      () => compiling.delete(part),
    );
  }
  return module;
}

async function compileFrom(part: Part, source: PartSource): Promise<WebAssembly.Module> {
  try {
    return await compile(await source(part));
  } catch (cause) {
    const why = messageOf(cause, "no reason was given");
    throw epitomeError("not-loaded", `the part ${part} of the wasm module could not be loaded: ${why}`, cause);
  }
}

/** An instance of the engine's module, to which parts are added. */
export class Joint {
  readonly #first: WebAssembly.Exports;
  readonly #add: (exports: WebAssembly.Exports) => void;
  readonly #source: PartSource;
  /** The parts that are there. */
  readonly #parts = new Set<Part>();
  /** Those that are being added. */
  readonly #adding = new Map<Part, Promise<void>>();

  /** `first` is what the instance exports, and `add` takes what a part of it exports. */
  constructor(first: WebAssembly.Exports, add: (exports: WebAssembly.Exports) => void, source: PartSource) {
    [this.#first, this.#add, this.#source] = [first, add, source];
  }

  /** Adds a part, unless it is there. */
  async add(part: Part): Promise<void> {
    if (!this.#parts.has(part)) {
      const adding = this.#adding.get(part) ?? this.#instantiate(part).finally(() => this.#adding.delete(part));
      this.#adding.set(part, adding);
      await adding;
    }
  }

  /** Adds those of these parts that were compiled before, also if they are being added. */
  addCompiled(parts: readonly Part[]): void {
    for (const part of parts) {
      const module = compiled.get(part);
      if (module !== undefined && !this.#parts.has(part)) {
        this.#include(part, new WebAssembly.Instance(module, this.#imports));
      }
    }
  }

  async #instantiate(part: Part): Promise<void> {
    const module = await compilePart(part, this.#source);
    // Not by the constructor: some browsers refuse to make an instance of more than 4 kB like that on the main thread.
    this.#include(part, await WebAssembly.instantiate(module, this.#imports));
  }

  #include(part: Part, { exports }: WebAssembly.Instance): void {
    if (!this.#parts.has(part)) {
      this.#parts.add(part);
      this.#add(exports);
    }
  }

  get #imports(): WebAssembly.Imports {
    return { first: this.#first as WebAssembly.ModuleImports };
  }
}
