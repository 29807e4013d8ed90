import { expect, test } from 'vitest';
import type { MessageStore } from '../../shared/domain/sending/message-store.ts';
import { concurrentStore } from '../../shared/storage/messages/concurrent-store.ts';

type Reservation = Parameters<MessageStore['reserve']>[0];
type Settling = Parameters<MessageStore['settle']>;

/** A store whose calls end when the test lets them, and that notes them by its name. */
const heldStore = (name: string, calls: string[], held: (() => void)[]) =>
  ({
    reserve: (reservation: Reservation) =>
      new Promise((resolve) => {
        calls.push(`${name} reserves ${String(reservation)}`);
        held.push(() => resolve({ kind: 'reserved' }));
      }),
    settle: (message: Settling[0]) =>
      new Promise((resolve) => {
        calls.push(`${name} settles ${String(message)}`);
        held.push(() => resolve(true));
      }),
  }) as unknown as MessageStore;

const storeUnderTest = () => {
  const calls: string[] = [];
  const held: (() => void)[] = [];
  let loads = 0;
  const store = concurrentStore(heldStore('alone', calls, held), async () => {
    loads++;
    return heldStore('gathering', calls, held);
  });
  const reserve = (name: string) => store.reserve(name as unknown as Reservation);
  const settle = (name: string) => store.settle(name as unknown as Settling[0], {} as Settling[1]);
  const endAll = () => {
    for (const end of held.splice(0)) end();
  };
  return { calls, reserve, settle, endAll, loads: () => loads };
};

const turn = () => new Promise(setImmediate);

test('a process that sends one message at a time never loads what concurrent messages share', async () => {
  const { calls, reserve, settle, endAll, loads } = storeUnderTest();
  for (const step of [() => reserve('a'), () => settle('a'), () => reserve('b')]) {
    const answer = step();
    endAll();
    await answer;
  }
  expect(calls).toEqual(['alone reserves a', 'alone settles a', 'alone reserves b']);
  expect(loads()).toBe(0);
});

test('messages that are in progress at once share a store, which is loaded once; the next single one goes alone', async () => {
  const { calls, reserve, settle, endAll, loads } = storeUnderTest();
  const answers = [reserve('a'), reserve('b'), settle('c')];
  await turn();
  expect(calls).toEqual(['alone reserves a', 'gathering reserves b', 'gathering settles c']);
  endAll();
  expect(await Promise.all(answers)).toEqual([{ kind: 'reserved' }, { kind: 'reserved' }, true]);
  const single = reserve('d');
  endAll();
  await single;
  expect(calls.at(-1)).toBe('alone reserves d');
  expect(loads()).toBe(1);
});
