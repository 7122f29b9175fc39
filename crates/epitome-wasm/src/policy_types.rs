//! TypeScript types of a policy, which every module declares because it declares the types of the engine.

use wasm_bindgen::prelude::wasm_bindgen;

/// An app may leave out the fields that have a default; a resolved policy has all of them.
#[wasm_bindgen(typescript_custom_section)]
const POLICY: &str = r"
/** Everything the engine decides by: a policy with all its fields. Sizes are in tokens. */
export type Policy = Required<Omit<PolicyFields, 'summary' | 'retry'>> & { summary: Required<SummarySettings>; retry: Required<Retry> };

/** Fields of a policy that differ from its preset. */
export type FieldOverrides = Partial<PolicyFields>;
";
