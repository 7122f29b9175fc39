// Compactors, new and restored, and a plan without one.

import type { Compactor } from "./compactor.js";
import { Conversation } from "./conversation.js";
import { counting } from "./engine-encoding.js";
import type { Source } from "./engine.js";
import { epitomeError } from "./error.js";
import { extractiveFrom } from "./extractive.js";
import type { Reason } from "./glue/epitome.js";
import type { CompactorOptions, Host, HostOptions, RestoreOptions } from "./host.js";
import type { Plan } from "./plan.js";

export async function create<M extends object>(
  source: Source,
  options: CompactorOptions<M>,
): Promise<Compactor<M>> {
  const { format, policy, agent } = options;
  const engine = await counting(source, (module) => new module.Compactor(String(format), policy, named(agent)));
  return new Conversation<M>(engine, hostOf(source, options));
}

export async function restore<M extends object>(
  source: Source,
  snapshot: string,
  options: RestoreOptions<M>,
): Promise<Compactor<M>> {
  const { format, originals, agent } = options;
  if (!Array.isArray(originals)) {
    throw epitomeError("invalid-originals", "originals: give the messages as an array");
  }
  const all = Array.from(originals);
  const engine = await counting(source, (module) =>
    module.Compactor.restore(String(snapshot), String(format), all, named(agent)),
  );
  const known = engine.ids().length;
  const compactor = new Conversation<M>(engine, hostOf(source, options), originals);
  try {
    compactor.append(originals.slice(known));
  } catch (error) {
    compactor.dispose();
    throw error;
  }
  return compactor;
}

/** How a plan is made without a compactor. */
export interface PlanOptions extends Pick<CompactorOptions, "format" | "policy" | "agent"> {
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

function hostOf<M extends object>(source: Source, options: HostOptions<M>): Host<M> {
  return { ...options, summarize: options.summarize ?? extractiveFrom(source) };
}

function named(agent: string | undefined): string | undefined {
  return agent === undefined ? undefined : String(agent);
}
