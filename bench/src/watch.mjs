// The longest block of the event loop during a work.

/** Begins to measure. The function that it returns ends that, and says how many milliseconds the longest task took. */
export function watch() {
  let [longest, last, ended] = [0, performance.now(), () => undefined];
  const step = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!ended(longest)) setImmediate(step);
  };
  setImmediate(step);
  return () => new Promise((resolve) => {
    ended = (found) => {
      resolve(found);
      return true;
    };
  });
}
