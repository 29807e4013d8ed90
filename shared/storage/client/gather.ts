/** Processes the gathered items; returns the results in their order. */
export type GatheredWork<Item, Answer> = (items: readonly Item[]) => Promise<readonly Answer[]>;

interface Asked<Item, Answer> {
  readonly item: Item;
  /** Resolves when its batch starts: with the batch for its first item, which does the work; with nothing for the others. */
  readonly begun: PromiseWithResolvers<readonly Asked<Item, Answer>[] | undefined>;
  readonly answered: PromiseWithResolvers<Answer>;
}

const once = (work: () => void) => {
  let done = false;
  return (): void => {
    if (done) return;
    done = true;
    work();
  };
};

/** How long a batch in progress holds back those that arrive after it, in ms: several times what one takes. */
const HOLDS_BACK_MS = 250;

/**
 * Batches concurrent requests under one key: while one batch is in progress, further requests are collected for the next, up to `most`. A
 * single request is never delayed: it starts in the same tick. Nor does one that hangs delay the others: after 250 ms the next batch starts
 * beside it. Each batch runs in the invocation of its first item.
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
      // Requests of the same tick share the first batch.
      setImmediate(beginNext, key);
    }
    const piece = await asked.begun.promise;
    if (piece) {
      const next = once(() => beginNext(key));
      const slow = setTimeout(next, HOLDS_BACK_MS);
      await doTogether(piece);
      clearTimeout(slow);
      next();
    }
    return asked.answered.promise;
  };
};
