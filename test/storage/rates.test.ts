import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { type Bucket, drawToken } from '../../shared/storage/work/rates.ts';
import { idNamed } from '../support/ids.ts';
import { startWorld, type World } from '../support/world.ts';

const SINGLE: Bucket = { name: 'single_send', perMinute: 600, burst: 100 };

describe('a token bucket of 600 a minute and 100 at once', () => {
  let world: World;
  let rows: Table;
  beforeAll(async () => {
    world = await startWorld('live');
    // A draw whose answer is given up is drawn again, and costs a token more: here none is, however busy the machine.
    const client = tableClient(world.proxy.endpoint);
    const handler = client.config.requestHandler as unknown as {
      updateHttpClientConfig(key: string, ms: number): void;
    };
    handler.updateHttpClientConfig('requestTimeout', 120_000);
    handler.updateHttpClientConfig('connectionTimeout', 120_000);
    rows = new Table(client, world.table.name);
  });
  afterAll(() => world.close());

  test('gives exactly 100 of 250 draws at once, and tells the others the exact wait', async () => {
    const now = 1_700_000_000_000;
    const waits = await Promise.all(
      Array.from({ length: 250 }, () => drawToken(rows, idNamed('apiKey', 'a'), SINGLE, now)),
    );
    expect(waits.filter((wait) => wait === 0)).toHaveLength(100);
    expect(new Set(waits.filter((wait) => wait > 0))).toEqual(new Set([100]));
  });

  test('fills by one token each 100 ms, never above its burst', async () => {
    let now = 1_700_000_000_000;
    for (let at = 0; at < 100; at++) expect(await drawToken(rows, idNamed('apiKey', 'b'), SINGLE, now)).toBe(0);
    expect(await drawToken(rows, idNamed('apiKey', 'b'), SINGLE, now)).toBe(100);
    expect(await drawToken(rows, idNamed('apiKey', 'b'), SINGLE, now + 40)).toBe(60);
    now += 100;
    expect(await drawToken(rows, idNamed('apiKey', 'b'), SINGLE, now)).toBe(0);
    expect(await drawToken(rows, idNamed('apiKey', 'b'), SINGLE, now)).toBe(100);
    now += 3_600_000;
    const waits = await Promise.all(
      Array.from({ length: 101 }, () => drawToken(rows, idNamed('apiKey', 'b'), SINGLE, now)),
    );
    expect(waits.filter((wait) => wait === 0)).toHaveLength(100);
  });

  test('gives 699 in a first minute that begins with a burst, and 600 in the next', async () => {
    const start = 1_700_000_000_000;
    const drawn = async (from: number, to: number): Promise<number> => {
      let given = 0;
      for (let ms = from; ms < to; ms += 100)
        if ((await drawToken(rows, idNamed('apiKey', 'c'), SINGLE, start + ms)) === 0) given += 1;
      return given;
    };
    const burst = await Promise.all(
      Array.from({ length: 99 }, () => drawToken(rows, idNamed('apiKey', 'c'), SINGLE, start)),
    );
    const first = burst.filter((wait) => wait === 0).length + (await drawn(0, 60_000));
    expect([first, await drawn(60_000, 120_000)]).toEqual([699, 600]);
  });

  test('is each key’s own', async () => {
    const now = 1_700_000_000_000;
    await Promise.all(Array.from({ length: 100 }, () => drawToken(rows, idNamed('apiKey', 'd'), SINGLE, now)));
    expect(await drawToken(rows, idNamed('apiKey', 'd'), SINGLE, now)).toBeGreaterThan(0);
    expect(await drawToken(rows, idNamed('apiKey', 'e'), SINGLE, now)).toBe(0);
  });
});
