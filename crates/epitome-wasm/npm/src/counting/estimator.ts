// The wasm module that estimates: compiled once, on first use. Families are numbers to it.

import { fieldsOf, textOf } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { Family } from "../glue/epitome.js";
import type * as Exports from "../glue/estimate_bg.wasm.js";
import { isWide, ScratchBuffer } from "../wasm/buffer.js";
import { loader, NumberedNames } from "../wasm/numeric.js";

/** A family of models whose tokens are estimated alike. */
export type TokenFamily = Family;

/** How a text is estimated. */
export interface EstimateOptions {
  /** The family of models whose tokens are estimated. Default: `o200k_base`. */
  family?: TokenFamily;
  /** Divide the number of characters by this instead. */
  charactersPerToken?: number;
}

/** The module's functions for texts of JavaScript. */
export class Estimator {
  readonly #exports: typeof Exports;
  readonly #buffer: ScratchBuffer;
  readonly #families: NumberedNames;

  constructor(exports: typeof Exports) {
    this.#exports = exports;
    this.#buffer = new ScratchBuffer(exports.memory, exports.resizeBuffer);
    this.#families = new NumberedNames(this.#buffer, exports.family);
  }

  estimate(text: string, options?: EstimateOptions): number {
    textOf(text, "text");
    const { family = "o200k_base", charactersPerToken } = options === undefined ? {} : fieldsOf(options, "options");
    if (charactersPerToken !== undefined) {
      return this.#exports.estimateByCharacters(this.#buffer.write(text), charactersPerToken) >>> 0;
    }
    const number = this.#families.known(family) ?? this.#family(family);
    if (isWide(text)) {
      this.#buffer.writeUtf16(text);
      return this.#exports.estimateUtf16(text.length, number) >>> 0;
    }
    return this.#exports.estimate(this.#buffer.write(text), number) >>> 0;
  }

  #family(name: TokenFamily): number {
    return this.#families.of(textOf(name, "family"), () =>
      epitomeError("invalid-option", `family: ${JSON.stringify(name)} is not a family of tokenizers`),
    );
  }
}

/** Compiles the module on the first call. */
export const loadEstimator = /* @__PURE__ */ loader((exports: typeof Exports) => new Estimator(exports));
