/** Does what was asked for together; answers in the order of the items. */
export type GatheredWork<Item, Answer> = (items: readonly Item[]) => Promise<readonly Answer[]>;

interface Asked<Item, Answer> {
  readonly item: Item;
  /** Settled once its piece begins: with the piece for the first of it, which does the work; with nothing for the others. */
  readonly begun: PromiseWithResolvers<readonly Asked<Item, Answer>[] | undefined>;
  readonly answered: PromiseWithResolvers<Answer>;
}

/**
 * Gathers what is asked for under one key at the same time: while one piece of work is under way, the others wait and are the next one, `most` at
 * a time. Nobody waits for company: what is asked for alone begins in this turn of the event loop. Each piece runs in the invocation of its first item.
 */
export const gather = <Item, Answer>(work: GatheredWork<Item, Answer>, most: number) => {
  const queues = new Map<string, Asked<Item, Answer>[]>();
  const beginNext = (key: string): void => {
    const [first, ...others] = queues.get(key)?.splice(0, most) ?? [];
    if (!first) {
      queues.delete(key);
      return;
    }
    first.begun.resolve([first, ...others]);
    for (const { begun } of others) begun.resolve(undefined);
  };
  const doTogether = async (piece: readonly Asked<Item, Answer>[]): Promise<void> => {
    try {
      const answers = await work(piece.map(({ item }) => item));
      for (const [at, { answered }] of piece.entries()) answered.resolve(answers[at] as Answer);
    } catch (fault) {
      for (const { answered } of piece) answered.reject(fault);
    }
  };
  return async (key: string, item: Item): Promise<Answer> => {
    const asked: Asked<Item, Answer> = { item, begun: Promise.withResolvers(), answered: Promise.withResolvers() };
    const queue = queues.get(key);
    if (queue) queue.push(asked);
    else {
      queues.set(key, [asked]);
      // What is asked for in the same turn of the event loop is in the first piece.
      setImmediate(beginNext, key);
    }
    const piece = await asked.begun.promise;
    if (piece) {
      await doTogether(piece);
      beginNext(key);
    }
    return asked.answered.promise;
  };
};
