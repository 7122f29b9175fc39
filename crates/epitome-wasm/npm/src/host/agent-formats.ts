// Agents with a format of their own: what converts for them is fetched when an app asks for it.

import { epitomeError } from "../error.js";
import type { Modules } from "../wasm/engine.js";
import { type Engine, instanceOf } from "../wasm/instances.js";
import { compilePart, FORMAT_PARTS } from "../wasm/parts.js";
import { loadValidation, type Validation } from "./validation.js";

/** What is fetched. */
interface Conversion {
  readonly FormatAgent: typeof import("./format-agent.js").FormatAgent;
  readonly validation: Validation;
}

let loaded: Conversion | undefined;

/** Fetches what converts, unless that is done. After a failure, the next call tries again. */
export async function loadConversionFrom(modules: Pick<Modules, "part" | "validation">): Promise<void> {
  const [{ FormatAgent }, validation] = await Promise.all([
    import("./format-agent.js"),
    loadValidation(modules.validation),
    ...FORMAT_PARTS.map((part) => compilePart(part, modules.part)),
  ]);
  loaded = { FormatAgent, validation };
}

/** What was fetched, for an agent of a compactor of this engine. */
export function conversion(engine: Engine): Conversion {
  if (loaded === undefined) {
    throw epitomeError("not-loaded", "format: what converts messages for an agent is not loaded; await loadConversion() before");
  }
  addFormats(engine);
  return loaded;
}

/** Lets an engine read and write all formats, once conversion is loaded. */
export function addFormats(engine: Engine): void {
  instanceOf(engine).joint.addCompiled(FORMAT_PARTS);
}
