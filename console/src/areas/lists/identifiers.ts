/** The identifiers of a text, one a line, and of a file: each once. */
export const identifiersOf = (text: string, file: readonly string[]): string[] => [
  ...new Set([...text.split('\n'), ...file].map((line) => line.trim()).filter((line) => line !== '')),
];
