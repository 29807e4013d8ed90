/** Processes the items of a batch; returns the results in their order. */
export type BatchWork<Item, Answer> = (items: readonly Item[]) => Promise<readonly Answer[]>;

interface Request<Item, Answer> {
  readonly item: Item;
  /** Resolves when its batch starts: with the batch for its first item, which does the work; with nothing for the others. */
  readonly begun: PromiseWithResolvers<readonly Request<Item, Answer>[] | undefined>;
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
export const batchConcurrent = <Item, Answer>(work: BatchWork<Item, Answer>, most: number) => {
  const queues = new Map<string, Request<Item, Answer>[]>();
  const beginNext = (key: string): void => {
    const [first, ...others] = queues.get(key)?.splice(0, most) ?? [];
    if (!first) {
      queues.delete(key);
      return;
    }
    first.begun.resolve([first, ...others]);
    for (const { begun } of others) begun.resolve(undefined);
  };
  const runBatch = async (batch: readonly Request<Item, Answer>[]): Promise<void> => {
    try {
      const answers = await work(batch.map(({ item }) => item));
      for (const [at, { answered }] of batch.entries()) answered.resolve(answers[at] as Answer);
    } catch (fault) {
      for (const { answered } of batch) answered.reject(fault);
    }
  };
  return async (key: string, item: Item): Promise<Answer> => {
    const request: Request<Item, Answer> = { item, begun: Promise.withResolvers(), answered: Promise.withResolvers() };
    const queue = queues.get(key);
    if (queue) queue.push(request);
    else {
      queues.set(key, [request]);
      // Requests of the same tick share the first batch.
      setImmediate(beginNext, key);
    }
    const batch = await request.begun.promise;
    if (batch) {
      const next = once(() => beginNext(key));
      const slow = setTimeout(next, HOLDS_BACK_MS);
      await runBatch(batch);
      clearTimeout(slow);
      next();
    }
    return request.answered.promise;
  };
};
