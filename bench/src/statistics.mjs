// Means and percentiles.

export const sum = (values) => values.reduce((total, value) => total + value, 0);

/** The arithmetic mean; 0 for an empty list. */
export const mean = (values) => (values.length === 0 ? 0 : sum(values) / values.length);

/** The mean for ratios: the mean of 2 and 1/2 is 1. */
export const geometricMean = (values) => Math.exp(mean(values.map(Math.log)));

/** The smallest value that at least `share` of all values do not exceed. */
export function percentile(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

export const median = (values) => percentile(values, 0.5);
