import { describe, expect, test } from 'vitest';
import { numberRateDeferral, type RatePorts } from '../../shared/domain/channels/whatsapp/numbers/rate.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { type SendQueuedPorts, sendQueuedMessage } from '../../shared/domain/sending/send-queued.ts';
import { drawFromNumber } from '../../shared/storage/whatsapp/number-rate.ts';
import { idNamed } from '../support/ids.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const AT = Date.parse('2026-03-10T12:00:00Z');
const DAY_MS = 24 * 3600_000;
const world = await use(startWorld('live'));

const draw = (name: string, perSecond: number, perDay: number, now: number) =>
  drawFromNumber(world.table, idNamed('number', name), { perSecond, perDay }, now);

describe('the buckets of a number', () => {
  test("admit one second's messages immediately, and give each of the others its own slot", async () => {
    const rooms = await Promise.all(Array.from({ length: 100 }, () => draw('a', 20, 100_000, AT)));
    expect(rooms.filter(({ kind }) => kind === 'now')).toHaveLength(20);
    const turns = rooms.flatMap((room) => (room.kind === 'slot' ? [room.at - AT] : [])).sort((a, b) => a - b);
    expect(turns).toEqual(Array.from({ length: 80 }, (_, at) => (at + 1) * 50));
  });

  test('give no slot beyond two minutes: the rest try again later', async () => {
    const rooms = [];
    for (let at = 0; at < 130; at++) rooms.push(await draw('b', 1, 100_000, AT));
    expect(rooms.filter(({ kind }) => kind === 'slot')).toHaveLength(120);
    expect(rooms.slice(-9).map(({ kind }) => kind)).toEqual(Array(9).fill('later'));
    expect(await draw('b', 1, 100_000, AT + 1_000)).toEqual({ kind: 'slot', at: AT + 121_000 });
  });

  test('keep the daily limit: a burst of 250, then one every 345.6 s', async () => {
    const rooms = await Promise.all(Array.from({ length: 260 }, () => draw('c', 1_000, 250, AT)));
    expect(rooms.filter(({ kind }) => kind === 'now')).toHaveLength(250);
    expect(rooms.filter(({ kind }) => kind === 'later')).toHaveLength(10);
    expect(await draw('c', 1_000, 250, AT + 300_000)).toEqual({ kind: 'slot', at: AT + DAY_MS / 250 });
  });

  test('refill while idle, and never beyond their size', async () => {
    for (let at = 0; at < 5; at++) expect(await draw('d', 5, 1_000, AT)).toEqual({ kind: 'now' });
    const later = await Promise.all(Array.from({ length: 6 }, () => draw('d', 5, 1_000, AT + DAY_MS)));
    expect(later.filter(({ kind }) => kind === 'now')).toHaveLength(5);
  });

  test('are reset when the rate changes', async () => {
    expect(await draw('e', 1, 1, AT)).toEqual({ kind: 'now' });
    expect(await draw('e', 1, 1, AT)).toEqual({ kind: 'later' });
    expect(await draw('e', 2, 1, AT)).toEqual({ kind: 'now' });
  });
});

describe('a message that is due', () => {
  const aMessage = (fields: Partial<MessageRecord> = {}) =>
    ({
      id: newId('message'),
      channel: 'whatsapp',
      numberId: newId('number'),
      organizationId: 'org',
      decisions: [],
      deadline: AT,
      ...fields,
    }) as unknown as MessageRecord;
  const ports = (name: string, perSecond: number, perDay = 100_000): RatePorts => ({
    limitOf: async () => ({ perSecond, perDay }),
    draw: (_, limit, now) => drawFromNumber(world.table, idNamed('number', name), limit, now),
  });
  /** The message after a deferral. */
  const deferred = (message: MessageRecord, { until, detail }: { until: number; detail: string }, at: number) =>
    ({
      ...message,
      deadline: until,
      decisions: [...message.decisions, { at, kind: 'deferred', detail }],
    }) as MessageRecord;

  test('is deferred to its slot when its number is busy, and is sent then without drawing again', async () => {
    const rates = ports('f', 1);
    expect(await numberRateDeferral(rates, aMessage(), AT)).toBeUndefined();
    const second = aMessage();
    const deferral = await numberRateDeferral(rates, second, AT);
    if (!deferral) throw new Error('It was not deferred.');
    expect(deferral.until).toBe(AT + 1_000);
    expect(await numberRateDeferral(rates, deferred(second, deferral, AT), AT + 1_000)).toBeUndefined();
    expect((await numberRateDeferral(rates, aMessage(), AT + 1_000))?.until).toBe(AT + 2_000);
  });

  test('that misses its slot by a minute draws again, so that a stalled queue empties at the rate', async () => {
    const rates = ports('g', 1);
    await numberRateDeferral(rates, aMessage(), AT);
    const late = aMessage();
    const deferral = await numberRateDeferral(rates, late, AT);
    if (!deferral) throw new Error('It was not deferred.');
    const waiting = Array.from({ length: 5 }, () =>
      deferred({ ...late, id: newId('message') } as MessageRecord, deferral, AT),
    );
    const now = deferral.until + 60_001;
    const rooms = await Promise.all(waiting.map((message) => numberRateDeferral(rates, message, now)));
    expect(rooms.filter((room) => room === undefined)).toHaveLength(1);
  });

  test('without a slot waits longer each time, up to an hour', async () => {
    const none: RatePorts = {
      limitOf: async () => ({ perSecond: 1, perDay: 1 }),
      draw: async () => ({ kind: 'later' }),
    };
    let message = aMessage();
    const waits: number[] = [];
    for (let turn = 0; turn < 8; turn++) {
      const deferral = await numberRateDeferral(none, message, AT);
      if (!deferral) throw new Error('It was not deferred.');
      waits.push(deferral.until - AT);
      message = deferred(message, deferral, AT);
    }
    for (const [at, wait] of waits.entries()) {
      const longest = Math.min(120_000 * 2 ** at, 3_600_000);
      expect(wait).toBeGreaterThanOrEqual(longest / 2);
      expect(wait).toBeLessThanOrEqual(longest);
    }
  });

  test('of another channel, without a number, or with an unknown one is not deferred', async () => {
    const never: RatePorts = {
      limitOf: async () => undefined,
      draw: async () => {
        throw new Error('Nothing is drawn.');
      },
    };
    expect(await numberRateDeferral(never, aMessage(), AT)).toBeUndefined();
    expect(await numberRateDeferral(never, aMessage({ numberId: undefined }), AT)).toBeUndefined();
    expect(await numberRateDeferral(never, aMessage({ channel: 'sms' } as Partial<MessageRecord>), AT)).toBeUndefined();
  });

  test('is deferred under its fence with the reason in its timeline; quiet hours are checked first, and force skips both', async () => {
    const calls: string[] = [];
    const put: unknown[] = [];
    const ports = {
      clock: () => AT,
      earliestSendAt: async () => {
        calls.push('quiet hours');
        return AT;
      },
      numberRateDeferral: async () => {
        calls.push('rate');
        return { until: AT + 1_000, detail: 'the rate' };
      },
      postpone: async (message: MessageRecord, until: number, decision: unknown) =>
        put.push([message.id, until, decision]),
      enqueueSend: ({ id }: { id: string }, at: number) => void put.push([id, at]),
      routing: { candidates: async () => ({ kind: 'none', missing: '' }) },
      messageStore: { claimQueued: async () => void calls.push('claim') },
    } as unknown as SendQueuedPorts;
    const message = aMessage();
    await sendQueuedMessage(ports, message);
    expect(calls).toEqual(['quiet hours', 'rate']);
    const decision = { at: AT, kind: 'deferred', detail: 'the rate' };
    expect(put).toEqual([
      [message.id, AT + 1_000, decision],
      [message.id, AT + 1_000],
    ]);
    await sendQueuedMessage(ports, { ...message, force: true });
    expect(calls).toEqual(['quiet hours', 'rate', 'claim']);
  });
});
