// The windows of models in policies that name a model and give no window. The table of models is fetched when one is named.

import { epitomeError, property } from "../error.js";
import type { PolicySpec } from "../glue/epitome.js";
import type { WithWindows } from "../models/policy-windows.js";

/** What is fetched when a policy names a model. */
type Models = typeof import("../models/host.js");

let loading: Promise<Models> | undefined;
let loaded: Models | undefined;

/** Fetches the table of models, unless that is done. After a failure, the next call tries again. */
export function loadModelTable(): Promise<Models> {
  loading ??= import("../models/host.js").then(
    (models) => (loaded = models),
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
  const missing = lacking(policy);
  if (missing.length === 0 && modelOf(policy) === undefined) {
    return { policy, unknown: [] };
  }
  return (await loadModelTable()).completed(policy, missing);
}

/** The same at once, with a table that was fetched before. */
export function knownWindows(policy: PolicySpec): WithWindows {
  const missing = lacking(policy);
  if (missing.length > 0 && loaded === undefined) {
    throw epitomeError("not-loaded", "the windows of models are not loaded; await loadModels() before, or give the policy a window");
  }
  return loaded?.completed(policy, missing) ?? { policy, unknown: [] };
}

/** The model that a policy names. */
export function modelOf(policy: unknown): string | undefined {
  const model = property(policy, "model");
  return typeof model === "string" ? model : undefined;
}

/** The models of a policy whose windows it does not give: its own, and those of its agents. A window that it gives for all holds
 * for its agents too. */
function lacking(policy: unknown): [agent: string | undefined, model: string][] {
  if (hasWindow(policy)) {
    return [];
  }
  const agents = property(policy, "agents");
  const specs: [string | undefined, unknown][] = [[undefined, policy]];
  if (typeof agents === "object" && agents !== null) {
    specs.push(...Object.keys(agents).map((name): [string, unknown] => [name, property(agents, name)]));
  }
  return specs.flatMap(([name, spec]): [string | undefined, string][] => {
    const model = modelOf(spec);
    return model === undefined || hasWindow(spec) ? [] : [[name, model]];
  });
}

function hasWindow(spec: unknown): boolean {
  return property(spec, "window") !== undefined || property(spec, "modelWindow") !== undefined;
}
