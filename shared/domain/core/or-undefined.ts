/** Returns what `work` returns, or undefined if it throws. For built-in parsers that reject only by throwing. */
export const orUndefined = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};
