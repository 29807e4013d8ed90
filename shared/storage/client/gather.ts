import { AsyncLocalStorage } from 'node:async_hooks';

/** Does what was asked for together; answers in the order of the items. */
export type GatheredWork<Item, Answer> = (items: readonly Item[]) => Promise<readonly Answer[]>;

interface Asked<Item, Answer> {
  readonly item: Item;
  readonly answer: (answer: Answer) => void;
  readonly fail: (fault: unknown) => void;
  /** Runs in the invocation that asked. */
  readonly inScope: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/**
 * Gathers what is asked for under one key at the same time: while one piece of work is under way, the others wait and are the next one, `most` at
 * a time. Nobody waits for company: what is asked for alone begins in this turn of the event loop. Each piece runs in the invocation of its first item.
 */
export const gather = <Item, Answer>(work: GatheredWork<Item, Answer>, most: number) => {
  const queues = new Map<string, Asked<Item, Answer>[]>();
  const doTogether = async (asked: readonly Asked<Item, Answer>[]): Promise<void> => {
    try {
      const answers = await work(asked.map(({ item }) => item));
      for (const [at, { answer }] of asked.entries()) answer(answers[at] as Answer);
    } catch (fault) {
      for (const { fail } of asked) fail(fault);
    }
  };
  const drain = async (key: string, queue: Asked<Item, Answer>[]): Promise<void> => {
    // What was asked for in the same turn of the event loop is in the first piece.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const next = queue.splice(0, most);
      await next[0]?.inScope(doTogether, next);
    }
    queues.delete(key);
  };
  return (key: string, item: Item): Promise<Answer> =>
    new Promise((answer, fail) => {
      const asked = { item, answer, fail, inScope: AsyncLocalStorage.snapshot() };
      const queue = queues.get(key);
      if (queue) {
        queue.push(asked);
        return;
      }
      const first = [asked];
      queues.set(key, first);
      void drain(key, first);
    });
};
