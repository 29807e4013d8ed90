/** The values that are there, each once, in the order in which they first come. */
export const unique = <T>(values: readonly (T | undefined)[]): T[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];
