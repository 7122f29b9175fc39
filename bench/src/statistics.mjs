// Means and percentiles.

export const sum = (values) => values.reduce((total, value) => total + value, 0);

/** 0 of nothing. */
export const mean = (values) => (values.length === 0 ? 0 : sum(values) / values.length);

/** The mean of ratios: twice as fast on one kind and half as fast on another comes to 1. */
export const geometricMean = (values) => Math.exp(mean(values.map(Math.log)));

/** The smallest value that `share` of all do not exceed. */
export function percentile(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

export const median = (values) => percentile(values, 0.5);
