// Compactors, new and restored, and a plan without one.

import type { Compactor, CompactorOptions, RestoreOptions } from "./compactor.js";
import { Driver } from "./driver.js";
import { load, type Source } from "./engine.js";
import { epitomeError } from "./error.js";
import { extractiveFrom } from "./extractive.js";
import type { Plan, Reason } from "./glue/epitome.js";

export async function create<M extends object>(
  source: Source,
  options: CompactorOptions,
): Promise<Compactor<M>> {
  const summarize = options.summarize ?? extractiveFrom(source);
  const engine = await load(source);
  return new Driver<M>(new engine.Compactor(String(options.format), options.policy), summarize);
}

export async function restore<M extends object>(
  source: Source,
  snapshot: string,
  options: RestoreOptions<M>,
): Promise<Compactor<M>> {
  const { format, originals, summarize = extractiveFrom(source) } = options;
  if (!Array.isArray(originals)) {
    throw epitomeError("invalid-originals", "originals: give the messages as an array");
  }
  const engine = await load(source);
  const restored = engine.Compactor.restore(String(snapshot), String(format), Array.from(originals));
  const known = restored.ids().length;
  const compactor = new Driver<M>(restored, summarize, originals);
  try {
    compactor.append(originals.slice(known));
  } catch (error) {
    compactor.dispose();
    throw error;
  }
  return compactor;
}

/** How a plan is made without a compactor. */
export interface PlanOptions extends CompactorOptions {
  /** `manual` where absent. */
  reason?: Reason;
}

export async function planFor<M extends object>(
  source: Source,
  messages: readonly M[],
  options: PlanOptions,
): Promise<Plan> {
  const { reason = "manual", ...rest } = options;
  const compactor = await create<M>(source, rest);
  try {
    compactor.append(messages);
    return compactor.plan({ reason });
  } finally {
    compactor.dispose();
  }
}
