// Compactors, new and restored, and a plan without one.

import type { Compactor } from "./compactor.js";
import { Conversation } from "./conversation.js";
import { counting } from "./engine-encoding.js";
import type { Modules } from "./engine.js";
import { epitomeError } from "./error.js";
import { extractiveFrom } from "./extractive.js";
import type { Reason } from "./glue/epitome.js";
import type { CompactorOptions, Host, HostOptions, RestoreOptions } from "./host.js";
import type { Plan } from "./plan.js";

export async function create<M extends object>(
  modules: Modules,
  options: CompactorOptions<M>,
): Promise<Compactor<M>> {
  const { format, policy, agent, tokenizers } = options;
  const engine = await counting(
    modules,
    (module) => new module.Compactor(String(format), policy, named(agent)),
    tokenizers,
  );
  return new Conversation<M>(engine, hostOf(modules, options));
}

export async function restore<M extends object>(
  modules: Modules,
  snapshot: string,
  options: RestoreOptions<M>,
): Promise<Compactor<M>> {
  const { format, originals, agent, tokenizers } = options;
  if (!Array.isArray(originals)) {
    throw epitomeError("invalid-originals", "originals: give the messages as an array");
  }
  const all = Array.from(originals);
  const engine = await counting(
    modules,
    (module) => module.Compactor.restore(String(snapshot), String(format), all, named(agent)),
    tokenizers,
  );
  const known = engine.ids().length;
  const compactor = new Conversation<M>(engine, hostOf(modules, options), originals);
  try {
    compactor.append(originals.slice(known));
  } catch (error) {
    compactor.dispose();
    throw error;
  }
  return compactor;
}

/** How a plan is made without a compactor. */
export interface PlanOptions extends Pick<CompactorOptions, "format" | "policy" | "agent" | "tokenizers"> {
  /** `manual` where absent. */
  reason?: Reason;
}

export async function planFor<M extends object>(
  modules: Modules,
  messages: readonly M[],
  options: PlanOptions,
): Promise<Plan> {
  const { reason = "manual", ...rest } = options;
  const compactor = await create<M>(modules, rest);
  try {
    compactor.append(messages);
    return compactor.plan({ reason });
  } finally {
    compactor.dispose();
  }
}

function hostOf<M extends object>({ engine }: Modules, options: HostOptions<M>): Host<M> {
  return { ...options, summarize: options.summarize ?? extractiveFrom(engine) };
}

function named(agent: string | undefined): string | undefined {
  return agent === undefined ? undefined : String(agent);
}
