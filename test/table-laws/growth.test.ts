import { expect, test } from 'vitest';
import { draws } from '../../infra/local/table-laws/model.ts';
import { lawSettings } from '../../infra/local/table-laws/settings.ts';
import { Throughput } from '../../infra/local/table-laws/throughput.ts';
import { RequestTokens } from '../../infra/local/table-laws/tokens.ts';
import { itemBytes, readUnits, writeUnits } from '../../infra/local/table-laws/units.ts';
import { updateResult } from '../../infra/local/table-laws/update-result.ts';
import { HandClock, S } from './kit.ts';

const MINUTE_MS = 60_000;

/** How many writes a second a table takes, each of another key, when it is offered more. */
const takenIn = (throughput: Throughput, clock: HandClock, seconds: number, offered: number): number => {
  let taken = 0;
  for (let second = 0; second < seconds; second++)
    for (let step = 0; step < 10; step++) {
      clock.advance(100);
      for (let at = 0; at < offered / 10; at++) {
        const demand = { resource: 'live', partition: `${at}`, kind: 'write', units: 1 } as const;
        if (throughput.refusal([demand])) continue;
        throughput.take([demand]);
        taken++;
      }
    }
  return taken / seconds;
};

test('a new table takes 4,000 write units a second, and twice its peak once 30 minutes have passed', () => {
  const clock = new HandClock();
  const throughput = new Throughput(lawSettings({ clock, scale: 100 }));
  takenIn(throughput, clock, 1, 200);
  expect(Math.abs(takenIn(throughput, clock, 70, 200) - 40)).toBeLessThan(1);
  clock.advance(30 * MINUTE_MS);
  takenIn(throughput, clock, 1, 200);
  const grown = takenIn(throughput, clock, 60, 200);
  expect(Math.abs(grown - 80)).toBeLessThan(2);
});

test('an item that is larger than a scaled bucket passes, and what follows waits for it', () => {
  const clock = new HandClock();
  const throughput = new Throughput(lawSettings({ clock, scale: 100 }));
  const demand = { resource: 'live', partition: 'large', kind: 'write', units: 30 } as const;
  expect(throughput.refusal([demand])).toBeUndefined();
  throughput.take([demand]);
  clock.advance(1_900);
  expect(throughput.refusal([demand])).toMatchObject({ limit: 'partition' });
  clock.advance(200);
  expect(throughput.refusal([demand])).toBeUndefined();
});

test('a token stands for ten minutes from the end of its transaction, and for nothing when that was cancelled', () => {
  const clock = new HandClock();
  const tokens = new RequestTokens(clock);
  expect(tokens.begin('t', 'content')).toBe('new');
  clock.advance(20 * MINUTE_MS);
  expect(tokens.begin('t', 'content')).toBe('in_progress');
  tokens.end('t', true);
  clock.advance(10 * MINUTE_MS - 1);
  expect([tokens.begin('t', 'content'), tokens.begin('t', 'other')]).toEqual(['done', 'mismatch']);
  clock.advance(1);
  expect(tokens.begin('t', 'other')).toBe('new');
  tokens.end('t', false);
  expect(tokens.begin('t', 'content')).toBe('new');
});

test('sizes and units are those of the documentation', () => {
  expect(itemBytes({ pk: S('é'), n: { N: '-12.50' }, b: { BOOL: true } })).toBe(4 + 1 + 4 + 2);
  expect(itemBytes({ l: { L: [S('ab'), { NULL: true }] } })).toBe(1 + 3 + 3 + 2);
  expect([writeUnits(undefined, undefined), writeUnits({ t: S('x'.repeat(1_023)) }, undefined)]).toEqual([1, 1]);
  expect(writeUnits({ t: S('x'.repeat(1_024)) }, { t: S('x') })).toBe(2);
  expect((['eventual', 'consistent', 'transaction'] as const).map((how) => readUnits(4_097, how))).toEqual([1, 2, 4]);
});

test('the result of an update is known where its expression is simple', () => {
  const substitutes = {
    ExpressionAttributeNames: { '#a': 'a', '#list': 'list' },
    ExpressionAttributeValues: { ':v': S('v'), ':none': { L: [] }, ':more': { L: [S('m')] }, ':n': { N: '2' } },
  };
  const result = (text: string) =>
    updateResult({ a: S('old'), gone: S('x'), n: { N: '3' } }, { pk: S('k') }, text, substitutes);
  expect(result('SET #a = :v, b = if_not_exists(b, :v) REMOVE gone ADD n :n')).toEqual({
    pk: S('k'),
    a: S('v'),
    b: S('v'),
    n: { N: '5' },
  });
  expect(result('SET #list = list_append(if_not_exists(#list, :none), :more)')?.list).toEqual({ L: [S('m')] });
  expect([result('SET m.x = :v'), result('SET n = n + :n'), result('DELETE tags :v')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('each law draws from its own row, so that one does not change what another draws', () => {
  const row = (name: string) => Array.from({ length: 1_000 }, draws(5, name));
  expect(row('flight')).toEqual(row('flight'));
  expect(row('flight')).not.toEqual(row('index lag'));
  const mean = row('flight').reduce((sum, value) => sum + value, 0) / 1_000;
  expect(mean).toBeGreaterThan(0.45);
  expect(mean).toBeLessThan(0.55);
});
