// The windows of models in policies that name a model and give no window. The table of models is fetched when one is named.

import { epitomeError, property } from "../error.js";
import type { PolicySpec } from "../glue/epitome.js";

/** The table of models. */
export type Models = Pick<typeof import("../models/models.js"), "modelInfo" | "windowOf"> &
  Pick<typeof import("../models/economics.js"), "economicsOf">;

/** A policy with the windows of its models, and the models of which none is known. */
export interface WithWindows {
  policy: PolicySpec | undefined;
  unknown: string[];
}

let loading: Promise<Models> | undefined;
let loaded: Models | undefined;

/** Fetches the table of models, unless that is done. After a failure, the next call tries again. */
export async function loadModelTable(): Promise<Models> {
  loading ??= Promise.all([import("../models/models.js"), import("../models/economics.js")]).then(
    ([models, economics]) => (loaded = { ...models, ...economics }),
    (cause: unknown) => {
      loading = undefined;
      throw epitomeError("not-loaded", "the table of models could not be loaded", cause);
    },
  );
  return loading;
}

/** The table of models, if it was fetched. */
export function modelTable(): Models | undefined {
  return loaded;
}

/** A policy with the windows of the models that it names. */
export async function loadWindows(policy: PolicySpec | undefined): Promise<WithWindows> {
  const models = modelOf(policy) !== undefined || lacking(policy).length > 0 ? await loadModelTable() : undefined;
  return models === undefined ? { policy, unknown: [] } : completed(policy, models);
}

/** The same at once, with a table that was fetched before. */
export function knownWindows(policy: PolicySpec): WithWindows {
  if (lacking(policy).length > 0 && loaded === undefined) {
    throw epitomeError("not-loaded", "the windows of models are not loaded; await loadModels() before, or give the policy a window");
  }
  return loaded === undefined ? { policy, unknown: [] } : completed(policy, loaded);
}

/** The model that a policy names. */
export function modelOf(policy: unknown): string | undefined {
  const model = property(policy, "model");
  return typeof model === "string" ? model : undefined;
}

function completed(policy: PolicySpec | undefined, { modelInfo, windowOf }: Models): WithWindows {
  const unknown = new Set<string>();
  const fields: Record<string, unknown> = {};
  const agents: Record<string, unknown> = {};
  for (const [agent, model] of lacking(policy)) {
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

/** The models of a policy whose windows it does not give: its own, and those of its agents. A window that it gives for all holds
 * for its agents too. */
function lacking(policy: unknown): [agent: string | undefined, model: string][] {
  if (hasWindow(policy)) {
    return [];
  }
  const own = modelOf(policy);
  const agents = property(policy, "agents");
  const named = typeof agents === "object" && agents !== null ? Object.keys(agents) : [];
  const ofAgents = named.flatMap((name): [string, string][] => {
    const spec = property(agents, name);
    const model = modelOf(spec);
    return model === undefined || hasWindow(spec) ? [] : [[name, model]];
  });
  return [...(own === undefined ? [] : [[undefined, own] as [undefined, string]]), ...ofAgents];
}

function hasWindow(spec: unknown): boolean {
  return property(spec, "window") !== undefined || property(spec, "modelWindow") !== undefined;
}
