/**
 * Batches calls: those made in the same tick of the event loop become one call of `call`, which returns results in the
 * order of its items. If it rejects, all of them reject.
 */
export const batched = <Item, Answer>(
  call: (items: readonly Item[]) => Promise<readonly Answer[]>,
): ((item: Item) => Promise<Answer>) => {
  type Request = { item: Item; answer: (answer: Answer) => void; fail: (fault: unknown) => void };
  let waiting: Request[] = [];
  const send = async (): Promise<void> => {
    const requests = waiting;
    waiting = [];
    try {
      const answers = await call(requests.map(({ item }) => item));
      for (const [at, { answer }] of requests.entries()) answer(answers[at] as Answer);
    } catch (fault) {
      for (const { fail } of requests) fail(fault);
    }
  };
  return (item) =>
    new Promise((answer, fail) => {
      if (waiting.length === 0) setImmediate(() => void send());
      waiting.push({ item, answer, fail });
    });
};
