// Policies with the windows of the models that they name. Fetched with the table of models.

import { property } from "../error.js";
import type { PolicySpec } from "../glue/epitome.js";
import { type ModelInfo, modelInfo } from "./models.js";

/** A policy with the windows of its models, and the names of those that are not known. */
export interface WithWindows {
  policy: PolicySpec | undefined;
  unknown: string[];
}

/** The policy with the windows of these models: each is that of an agent, or of the policy itself if no agent is named. */
export function completed(policy: PolicySpec | undefined, lacking: readonly (readonly [agent: string | undefined, model: string])[]): WithWindows {
  const unknown = new Set<string>();
  const fields: Record<string, unknown> = {};
  const agents: Record<string, unknown> = {};
  for (const [agent, model] of lacking) {
    const info = modelInfo(model);
    if (info === undefined) {
      unknown.add(model);
    } else if (agent === undefined) {
      fields["modelWindow"] = windowOf(info);
    } else {
      agents[agent] = { ...(property(property(policy, "agents"), agent) as object), modelWindow: windowOf(info) };
    }
  }
  if (Object.keys(agents).length > 0) {
    fields["agents"] = { ...(property(policy, "agents") as object), ...agents };
  }
  return { policy: Object.keys(fields).length === 0 ? policy : { ...policy, ...fields }, unknown: [...unknown] };
}

/** The window that a policy has for a model: the most tokens of a prompt. */
function windowOf({ window, maxInput = window }: ModelInfo): number {
  return Math.min(window, maxInput);
}
