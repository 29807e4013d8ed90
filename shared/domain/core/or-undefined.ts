/** What `work` returns; undefined where it throws. For parsers of the platform that have no other way to say no. */
export const orUndefined = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};
