/** The defined values without duplicates, in order of first appearance. */
export const unique = <T>(values: readonly (T | undefined)[]): T[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];
