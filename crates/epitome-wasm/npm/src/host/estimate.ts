// The tokens of messages, without a compactor that lives on.

import type { EstimateOptions } from "../counting/estimator.js";
import { fieldsOf, kindOf } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { Counting, Format } from "../glue/epitome.js";
import type { Modules } from "../wasm/engine.js";
import { create } from "./create.js";
import { knownFormat, measured } from "./validation.js";

/** How messages are estimated. */
export interface EstimateMessagesOptions extends EstimateOptions {
  /** The format of the messages. Default: detected. */
  format?: Format;
}

/** The estimated tokens of a request with messages. */
export async function estimateMessages(
  modules: Modules,
  input: readonly object[],
  options: EstimateMessagesOptions,
): Promise<number> {
  if (typeof input !== "object" || input === null) {
    throw epitomeError("invalid-option", `text: expected a string or messages, not ${kindOf(input)}`);
  }
  const { format, family, charactersPerToken } = fieldsOf(options, "options");
  const messages = measured(input);
  if (messages.length === 0) {
    return 0;
  }
  const counting: Counting =
    charactersPerToken !== undefined ? { charactersPerToken } : family !== undefined ? { estimate: family } : "estimate";
  const known = format ?? (await knownFormat(modules.validation, messages));
  const compactor = await create(modules, { format: known, policy: { counting } });
  try {
    compactor.append(messages);
    return compactor.status().tokens;
  } finally {
    compactor.dispose();
  }
}
