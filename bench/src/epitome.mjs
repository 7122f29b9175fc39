// The one door to counting: another entry of the package is another word in the first import.

import { countTokens, estimateTokens, loadEncoding, tokenCounter } from "epitome";

export { countTokens, estimateTokens };

/** The estimate as a candidate: what counts many texts without waiting, as the others do. */
export async function estimating() {
  const { estimate } = await tokenCounter();
  return { name: "epitome", count: (text) => estimate(text), clearCache() {} };
}

/** The exact count as a candidate, in the same way. `vocabulary` is the package's own file where absent. */
export async function counting(vocabulary) {
  await loadEncoding("o200k_base", vocabulary);
  const { count } = await tokenCounter();
  return { name: "epitome", count: (text) => count(text), clearCache() {} };
}
