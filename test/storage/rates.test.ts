import { describe, expect, test } from 'vitest';
import { type Bucket, bucketOfCredential, bucketOfOrganization } from '../../shared/domain/access/rate-limits.ts';
import { drawToken, drawTokens } from '../../shared/storage/due-work/rates.ts';
import { idNamed } from '../support/ids.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const SINGLE: Bucket = { name: 'single_send', perMinute: 600, burst: 100 };

const START = 1_700_000_000_000;
const world = await use(startWorld('live'));

describe('a token bucket of 600 a minute with a burst of 100', () => {
  const draw = (key: string, now = START) => drawToken(world.table, idNamed('apiKey', key), SINGLE, now);
  const drawConcurrently = (count: number, key: string, now = START) =>
    Promise.all(Array.from({ length: count }, () => draw(key, now)));

  test('gives exactly 100 of 250 concurrent draws, and answers the others with the exact wait', async () => {
    const waits = await drawConcurrently(250, 'a');
    expect(waits.filter((wait) => wait === 0)).toHaveLength(100);
    expect(new Set(waits.filter((wait) => wait > 0))).toEqual(new Set([100]));
  });

  test('fills by one token each 100 ms, never above its burst', async () => {
    let now = START;
    for (let at = 0; at < 100; at++) expect(await draw('b')).toBe(0);
    expect(await draw('b')).toBe(100);
    expect(await draw('b', now + 40)).toBe(60);
    now += 100;
    expect(await draw('b', now)).toBe(0);
    expect(await draw('b', now)).toBe(100);
    now += 3_600_000;
    const waits = await drawConcurrently(101, 'b', now);
    expect(waits.filter((wait) => wait === 0)).toHaveLength(100);
  });

  test('gives 699 in a first minute that begins with a burst, and 600 in the next', async () => {
    const drawn = async (from: number, to: number): Promise<number> => {
      let given = 0;
      for (let ms = from; ms < to; ms += 100) if ((await draw('c', START + ms)) === 0) given += 1;
      return given;
    };
    const burst = await drawConcurrently(99, 'c');
    const first = burst.filter((wait) => wait === 0).length + (await drawn(0, 60_000));
    expect([first, await drawn(60_000, 120_000)]).toEqual([699, 600]);
  });

  test('is each key’s own', async () => {
    await drawConcurrently(100, 'd');
    expect(await draw('d')).toBeGreaterThan(0);
    expect(await draw('e')).toBe(0);
  });
});

describe('the buckets of a key and of its organization', () => {
  const drawBoth = (organization: string, key: string, now = START, sendsPerMinute?: number) =>
    drawTokens(
      world.table,
      [
        { owner: idNamed('apiKey', key), bucket: bucketOfCredential('single_send') },
        {
          owner: idNamed('organization', organization),
          bucket: Promise.resolve(bucketOfOrganization('single_send', sendsPerMinute)),
        },
      ],
      now,
    );
  const given = (outcomes: readonly unknown[]) => outcomes.filter((outcome) => outcome === undefined).length;

  test('hold twenty keys together to the organization’s burst of 500, and then to 50 a second', async () => {
    const all = (now: number) =>
      Promise.all(Array.from({ length: 1_000 }, (_, at) => drawBoth('twenty', `twenty${at % 20}`, now)));
    const first = await all(START);
    expect(given(first)).toBe(500);
    for (const refused of first) if (refused) expect(refused).toMatchObject({ at: 1, waitMs: 20 });
    expect(given(await all(START + 1_000))).toBe(50);
  });

  test('a refusal by one takes nothing of the other', async () => {
    const greedy = await Promise.all(Array.from({ length: 400 }, () => drawBoth('greedy', 'greedy')));
    expect(given(greedy)).toBe(100);
    const others = await Promise.all(Array.from({ length: 500 }, (_, at) => drawBoth('greedy', `modest${at % 5}`)));
    expect(given(others)).toBe(400);
    // The organization refused 100 of these, in whatever order they came: their keys have kept the tokens, each up to all of its 100.
    const alone = (key: string) => drawToken(world.table, idNamed('apiKey', key), SINGLE, START);
    const left = await Promise.all(Array.from({ length: 500 }, (_, at) => alone(`modest${at % 5}`)));
    expect(left.filter((wait) => wait === 0)).toHaveLength(100);
  });

  test('are drawn from in one round trip', async () => {
    await drawBoth('trips', 'trips');
    expect(await world.proxy.callsOf(() => drawBoth('trips', 'trips'))).toEqual({ UpdateItem: 2 });
  });

  test('are drawn from together by the concurrent callers of a process: one write of the organization’s bucket, and one of all keys’', async () => {
    const drawAll = (now: number) =>
      Promise.all(Array.from({ length: 20 }, (_, at) => drawBoth('together', `to${at}x`, now)));
    await drawAll(START);
    expect(await world.proxy.callsOf(() => drawAll(START))).toEqual({ UpdateItem: 1, TransactWriteItems: 1 });
    const wait = await drawToken(
      world.table,
      idNamed('organization', 'together'),
      bucketOfOrganization('single_send'),
      START,
      461,
    );
    // 40 tokens of 500 are drawn: a 461st must wait for one.
    expect(wait).toBe(20);
  });

  test('follow the number that the operator set', async () => {
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => drawBoth('set', 'set', START, 60)));
    expect(given(outcomes)).toBe(10);
    expect(bucketOfOrganization('single_send', 1).burst).toBe(1);
    expect(bucketOfOrganization('bulk_send', 1)).toMatchObject({ perMinute: 150, burst: 150 });
  });

  test('that are larger than a row carries are spread over rows, and hold together what one row would', async () => {
    expect(bucketOfOrganization('single_send', 600_000)).toMatchObject({ burst: 100_000, rows: 20 });
    expect(bucketOfOrganization('single_send', 30_000)).toMatchObject({ rows: 1 });
    const bucket: Bucket = { name: 'spread', perMinute: 60, burst: 30, rows: 3 };
    const draw = (now: number) => drawTokens(world.table, [{ owner: idNamed('organization', 'spread'), bucket }], now);
    const drawMany = (now: number) => Promise.all(Array.from({ length: 60 }, () => draw(now)));
    const first = await drawMany(START);
    expect(given(first)).toBe(30);
    for (const refused of first) if (refused) expect(refused.waitMs).toBe(3_000);
    // A token a second of the whole: three rows have one each after three.
    expect(given(await drawMany(START + 3_000))).toBe(3);
    expect(given(await drawMany(START + 60_000))).toBe(30);
  });
});
