/** Works through items in their order, at most `most` at the same time; answers in the items' order. The first fault ends it. */
export const atOnce = async <T, R>(items: readonly T[], most: number, work: (item: T) => Promise<R>): Promise<R[]> => {
  const answers: R[] = [];
  let next = 0;
  const walk = async (): Promise<void> => {
    while (next < items.length) {
      const place = next++;
      answers[place] = await work(items[place] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, walk));
  return answers;
};
