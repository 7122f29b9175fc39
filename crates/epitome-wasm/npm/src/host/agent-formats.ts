// Agents with a format of their own: what converts for them is fetched when an app asks for it.

import { epitomeError } from "../error.js";
import type { Source } from "../wasm/engine.js";
import { loadValidation, type Validation } from "./validation.js";

/** What is fetched. */
interface Conversion {
  readonly FormatAgent: typeof import("./format-agent.js").FormatAgent;
  readonly validation: Validation;
}

let loaded: Conversion | undefined;

/** Fetches what converts, unless that is done. After a failure, the next call tries again. */
export async function loadConversionFrom(source: Source): Promise<void> {
  const [{ FormatAgent }, validation] = await Promise.all([import("./format-agent.js"), loadValidation(source)]);
  loaded = { FormatAgent, validation };
}

/** What was fetched. */
export function conversion(): Conversion {
  if (loaded === undefined) {
    throw epitomeError("not-loaded", "format: what converts messages for an agent is not loaded; await loadConversion() before");
  }
  return loaded;
}
