// Counting with epitome. To measure another entry point of the package, change the first import.

import { countTokens, estimateTokens, loadEncoding, tokenCounter } from "epitome";

export { countTokens, estimateTokens };

/** The estimate as a candidate. It counts many texts synchronously, as the others do. */
export async function estimating() {
  const { estimate } = await tokenCounter();
  return { name: "epitome", count: (text) => estimate(text), clearCache() {} };
}

/** The exact count as a candidate, synchronous as well. Without `vocabulary` it uses the package's own file. */
export async function counting(vocabulary) {
  await loadEncoding("o200k_base", vocabulary);
  const { count } = await tokenCounter();
  return { name: "epitome", count: (text) => count(text), clearCache() {} };
}
