import { describe, expect, test } from 'vitest';
import { isRefusal, type Refusal } from '../../shared/domain/core/errors.ts';
import { type HourCounts, metricsView } from '../../shared/domain/metrics/metrics.ts';
import { type Buckets, bucketsOf, type MetricsQuery } from '../../shared/domain/metrics/window.ts';

const NOW = Date.parse('2026-11-26T15:20:00Z');
const query = (given: Partial<MetricsQuery> = {}): MetricsQuery => ({
  granularity: 'hour',
  timeZone: 'America/Sao_Paulo',
  ...given,
});
const edgesOf = (given: Partial<MetricsQuery>): string[] => {
  const buckets = bucketsOf(query(given), NOW);
  if (isRefusal(buckets)) throw new Error('the window is refused');
  return buckets.edges.map((edge) => new Date(edge).toISOString().slice(0, 16));
};
const refusedField = (given: Partial<MetricsQuery>): string | undefined =>
  (bucketsOf(query(given), NOW) as Refusal).details?.errors?.[0]?.path;

describe('the window of metrics', () => {
  test('is every hour that it overlaps, and the last day by default', () => {
    expect(edgesOf({ from: '2026-11-26T10:59:59Z', to: '2026-11-26T12:00:00Z' })).toEqual([
      '2026-11-26T10:00',
      '2026-11-26T11:00',
      '2026-11-26T12:00',
      '2026-11-26T13:00',
    ]);
    const usual = edgesOf({});
    expect([usual[0], usual.at(-1), usual.length]).toEqual(['2026-11-25T15:00', '2026-11-26T16:00', 26]);
  });

  test('is one hour where it ends as it starts, and where it starts in the future and has no end', () => {
    const moment = '2026-11-26T12:30:00Z';
    expect(edgesOf({ from: moment, to: moment })).toEqual(['2026-11-26T12:00', '2026-11-26T13:00']);
    expect(edgesOf({ from: '2026-11-28T12:30:00Z' })).toEqual(['2026-11-28T12:00', '2026-11-28T13:00']);
  });

  test('is every day of the time zone that it overlaps, and the last 30 days by default', () => {
    const days = { granularity: 'day', from: '2026-11-25T02:59:59Z', to: '2026-11-26T03:00:00Z' } as const;
    expect(edgesOf(days)).toEqual(['2026-11-24T03:00', '2026-11-25T03:00', '2026-11-26T03:00', '2026-11-27T03:00']);
    expect(edgesOf({ granularity: 'day' })).toHaveLength(32);
  });

  test('has days of 23 and 25 hours where clocks are changed', () => {
    const berlin = { granularity: 'day', timeZone: 'Europe/Berlin' } as const;
    expect(edgesOf({ ...berlin, from: '2026-03-28T12:00:00Z', to: '2026-03-29T12:00:00Z' })).toEqual([
      '2026-03-27T23:00',
      '2026-03-28T23:00',
      '2026-03-29T22:00',
    ]);
  });

  test('is at most 31 days of hours or 93 days, and does not end before it starts', () => {
    expect(edgesOf({ from: '2026-10-26T15:20:00Z' })).toHaveLength(31 * 24 + 2);
    expect(refusedField({ from: '2026-10-26T15:19:59Z' })).toBe('from');
    expect(refusedField({ from: '2026-10-26T15:19:59Z', to: '2026-11-26T15:20:00Z' })).toBe('to');
    expect(edgesOf({ granularity: 'day', from: '2026-08-25T15:20:00Z' })).toHaveLength(95);
    expect(refusedField({ granularity: 'day', from: '2026-08-25T15:19:59Z' })).toBe('from');
    expect(refusedField({ from: '2026-11-26T12:00:00.001Z', to: '2026-11-26T12:00:00Z' })).toBe('to');
  });

  test('refuses an unknown time zone, and days that do not start on an hour of UTC', () => {
    expect(refusedField({ timeZone: 'Brasil/Leste' })).toBe('timeZone');
    expect(refusedField({ granularity: 'day', timeZone: 'Asia/Kolkata' })).toBe('timeZone');
    expect(refusedField({ granularity: 'hour', timeZone: 'Asia/Kolkata' })).toBeUndefined();
  });

  test('refuses days of which only some start on an hour of UTC', () => {
    const lordHowe = { granularity: 'day', timeZone: 'Australia/Lord_Howe' } as const;
    expect(edgesOf({ ...lordHowe, from: '2026-04-02T12:00:00Z', to: '2026-04-02T14:00:00Z' })).toHaveLength(3);
    expect(refusedField({ ...lordHowe, from: '2026-04-02T12:00:00Z', to: '2026-04-07T12:00:00Z' })).toBe('timeZone');
  });

  test('states the time zone that the caller named', () => {
    expect(bucketsOf(query({ granularity: 'day', timeZone: 'Europe/Berlin' }), NOW)).toMatchObject({
      timeZone: 'Europe/Berlin',
    });
  });
});

describe('metrics on the wire', () => {
  const [FIRST, NEXT] = [Date.parse('2026-11-26T10:00:00Z'), Date.parse('2026-11-26T11:00:00Z')];
  const buckets: Buckets = {
    granularity: 'hour',
    timeZone: 'America/Sao_Paulo',
    edges: [FIRST, NEXT, NEXT + 3_600_000],
  };
  const hour = (
    at: number,
    channel: 'sms' | 'email',
    counts: Partial<HourCounts['counts']>,
    failures = {},
  ): HourCounts => ({
    hour: at,
    channel,
    counts: { sent: 0, unsent: 0, delivered: 0, read: 0, coins: 0, ...counts },
    failures,
  });
  const view = metricsView({ env: 'live' }, buckets, [
    hour(NEXT, 'sms', { sent: 3, unsent: 1, delivered: 2, coins: 2_400 }, { expired: 1, invalid_number: 1 }),
    hour(FIRST, 'sms', { sent: 1, coins: 800 }, { invalid_number: 1 }),
    hour(NEXT, 'email', { sent: 2, delivered: 2, read: 1, coins: 50 }),
  ]);

  test('sum each channel and all channels, with their rates', () => {
    expect(view.totals).toEqual({
      total: 7,
      sent: 6,
      delivered: 4,
      read: 1,
      failed: 3,
      coins: 3_250,
      deliveryRate: 0.6667,
      readRate: 0.25,
      failureRate: 0.4286,
    });
    expect(view.channels.map(({ channel, total, failureRate }) => [channel, total, failureRate])).toEqual([
      ['email', 2, 0],
      ['sms', 5, 0.6],
    ]);
  });

  test('state the start of the first hour, the end of the last, and both of each item', () => {
    const [first, next, last] = ['10', '11', '12'].map((of) => `2026-11-26T${of}:00:00.000Z`);
    expect([view.from, view.to]).toEqual([first, last]);
    expect(view.items.map(({ start, end }) => [start, end])).toEqual([
      [first, next],
      [next, last],
    ]);
  });

  test('have the figures of each channel in each hour', () => {
    const none = { delivered: 0, read: 0, failed: 0 };
    expect(view.items.map(({ channels }) => channels)).toEqual([
      [{ ...none, channel: 'sms', total: 1, sent: 1, failed: 1, coins: 800 }],
      [
        { ...none, channel: 'email', total: 2, sent: 2, delivered: 2, read: 1, coins: 50 },
        { ...none, channel: 'sms', total: 4, sent: 3, delivered: 2, failed: 2, coins: 2_400 },
      ],
    ]);
  });

  test('list reasons by their number, equal ones by name, and none that was taken back', () => {
    const hours = [
      hour(FIRST, 'sms', { unsent: 3 }, { unknown_number: 2, expired: 1, blocked: 1, rejected: 1 }),
      hour(NEXT, 'sms', {}, { rejected: -1, unknown_number: 0 }),
    ];
    expect(metricsView({ env: 'live' }, buckets, hours).failures).toEqual([
      { channel: 'sms', reason: 'unknown_number', count: 2 },
      { channel: 'sms', reason: 'blocked', count: 1 },
      { channel: 'sms', reason: 'expired', count: 1 },
    ]);
  });

  test('have an item for each hour, empty ones included, and the most frequent reasons first', () => {
    expect(view.items.map(({ start, channels }) => [start, channels.map(({ channel }) => channel)])).toEqual([
      ['2026-11-26T10:00:00.000Z', ['sms']],
      ['2026-11-26T11:00:00.000Z', ['email', 'sms']],
    ]);
    expect(view.failures).toEqual([
      { channel: 'sms', reason: 'invalid_number', count: 2 },
      { channel: 'sms', reason: 'expired', count: 1 },
    ]);
  });

  test('list the 20 most frequent reasons', () => {
    const failures = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`reason_${at}`, at + 1]));
    const many = metricsView({ env: 'live' }, buckets, [hour(NEXT, 'sms', { unsent: 325 }, failures)]);
    expect(many.failures.map(({ count }) => count)).toEqual(Array.from({ length: 20 }, (_, at) => 25 - at));
    expect(many.totals.failed).toBe(325);
  });

  test('have null rates where nothing was sent', () => {
    const empty = metricsView({ env: 'test' }, buckets, []);
    const zero = { total: 0, sent: 0, delivered: 0, read: 0, failed: 0, coins: 0 };
    expect(empty.totals).toEqual({ ...zero, deliveryRate: null, readRate: null, failureRate: null });
    expect(empty.items).toHaveLength(2);
  });
});
