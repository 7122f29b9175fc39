// The one door to counting: another entry of the package is another word in the first import.

import { countTokens, estimateTokens, loadEncoding } from "epitome";

export { countTokens, estimateTokens };

/** The estimate as a contestant. */
export function estimating() {
  return { name: "epitome", count: estimateTokens, forget() {} };
}

/** The exact count as a contestant. `vocabulary` is the package's own file where absent. */
export async function counting(vocabulary) {
  await loadEncoding("o200k_base", vocabulary);
  return { name: "epitome", count: (text) => countTokens(text), forget() {} };
}
