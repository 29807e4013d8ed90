import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { Outcome } from '../../shared/domain/message/outcome.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { countChanges, readCountedTo } from '../../shared/storage/metrics/count-changes.ts';
import { readOutcomeCounts } from '../../shared/storage/metrics/outcome-counts.ts';
import { readStreamBatch } from '../../shared/storage/metrics/stream-changes.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const { table } = await use(startWorld('live', { inMemory: true }));
const HOUR_MS = 3_600_000;
const KEPT_SECONDS = 400 * 24 * 3_600;
const MIDNIGHT = Date.parse('2026-11-26T00:00:00Z');

const outcome = (channel: Channel, hour: number): Outcome => ({
  channel,
  hour,
  counts: { sent: 1, unsent: 0, delivered: 0, read: 0, coins: 800 },
});
/** An organization with a message in each of these hours on each of these channels. */
const counted = async (hours: readonly number[], channels: readonly Channel[]) => {
  const organizationId = newId('organization');
  const shardId = `shardId-${organizationId}`;
  const outcomes = hours.flatMap((at) => channels.map((channel) => outcome(channel, MIDNIGHT + at * HOUR_MS)));
  const changes = outcomes.map((after, at) => ({ place: String(at + 1).padStart(40, '0'), organizationId, after }));
  await countChanges(table, { shardId, changes, unreadable: [] }, MIDNIGHT);
  return { organizationId, shardId };
};

describe('the counts of a window', () => {
  test('are those of its hours alone, of every channel, in every row that the window touches', async () => {
    const { organizationId } = await counted([10, 11, 12, 23, 24, 36], ['sms', 'whatsapp', 'email']);
    const read = async (from: number, to: number) => {
      const window = { from: MIDNIGHT + from * HOUR_MS, to: MIDNIGHT + to * HOUR_MS };
      const found = await readOutcomeCounts(table, organizationId, window);
      return found.map(({ hour, channel }) => `${(hour - MIDNIGHT) / HOUR_MS} ${channel}`).sort();
    };
    expect(await read(11, 24)).toEqual(
      [11, 12, 23].flatMap((hour) => ['email', 'sms', 'whatsapp'].map((channel) => `${hour} ${channel}`)),
    );
    expect(await read(12, 13)).toEqual(['12 email', '12 sms', '12 whatsapp']);
    expect(await read(13, 23)).toEqual([]);
    expect(await read(24, 37)).toHaveLength(6);
  });

  test('have the failures of each hour by reason, also of failures that several rows count', async () => {
    const organizationId = newId('organization');
    const failed = (hour: number, failure: string): Outcome => ({
      ...outcome('sms', MIDNIGHT + hour * HOUR_MS),
      failure,
    });
    const outcomes = [...Array.from({ length: 30 }, () => failed(10, 'expired')), failed(11, 'blocked')];
    const changes = outcomes.map((after, at) => ({ place: String(at + 1).padStart(40, '0'), organizationId, after }));
    for (const shardId of ['shardId-failures-1', 'shardId-failures-2', 'shardId-failures-3'])
      await countChanges(table, { shardId, changes, unreadable: [] }, MIDNIGHT);
    const rows = await table.queryAll({ partition: KEYS.metrics(organizationId, '', '', 0).pk });
    expect(rows.length).toBeGreaterThan(1);
    const hours = await readOutcomeCounts(table, organizationId, { from: MIDNIGHT, to: MIDNIGHT + 12 * HOUR_MS });
    expect(Object.fromEntries(hours.map(({ hour, failures }) => [(hour - MIDNIGHT) / HOUR_MS, failures]))).toEqual({
      10: { expired: 90 },
      11: { blocked: 3 },
    });
  });

  test('are kept for 400 days, and so are the checkpoints of shards', async () => {
    const { organizationId, shardId } = await counted([3], ['sms']);
    const row = await table.get(KEYS.metrics(organizationId, '2026-11-26T00', 'sms', 0));
    expect(row?.ttl).toBe(MIDNIGHT / 1_000 + KEPT_SECONDS);
    expect((await table.get(KEYS.metricsShard(shardId)))?.ttl).toBe(MIDNIGHT / 1_000 + KEPT_SECONDS);
  });
});

describe('the records of a batch', () => {
  const key = { pk: { S: 'MSG#msg_1' }, sk: { S: 'MSG' } };
  const record = (SequenceNumber: string, image: object) => ({ dynamodb: { SequenceNumber, NewImage: image } });

  test('of inbound messages, of other rows, and of deletions are no changes', () => {
    const inbound = { ...key, direction: { S: 'inbound' } };
    const body = { pk: key.pk, sk: { S: 'BODY' }, direction: { S: 'outbound' } };
    const other = { pk: { S: 'BATCH#bat_1' }, sk: key.sk, direction: { S: 'outbound' } };
    const deleted = { dynamodb: { SequenceNumber: '3', OldImage: { ...key, direction: { S: 'outbound' } } } };
    const Records = [record('1', inbound), record('2', body), record('4', other), deleted];
    expect(readStreamBatch({ shardId: 's', Records })).toEqual({ shardId: 's', changes: [], unreadable: [] });
  });

  test('count in the order of their numbers, however many digits these have', async () => {
    const organizationId = newId('organization');
    const image = {
      ...key,
      direction: { S: 'outbound' },
      org: { S: organizationId },
      channel: { S: 'sms' },
      status: { S: 'sent' },
      hold: { S: 'captured' },
      coins: { N: '800' },
      createdAt: { S: new Date(MIDNIGHT).toISOString() },
      sentAt: { S: new Date(MIDNIGHT).toISOString() },
    };
    const shardId = `shardId-${organizationId}`;
    for (const number of ['9', '10', '100000000000000000000'])
      await countChanges(table, readStreamBatch({ shardId, Records: [record(number, image)] }), MIDNIGHT);
    expect(await readCountedTo(table, shardId)).toBe('100000000000000000000'.padStart(40, '0'));
    const [hour] = await readOutcomeCounts(table, organizationId, { from: MIDNIGHT, to: MIDNIGHT + HOUR_MS });
    expect(hour?.counts.sent).toBe(3);
  });
});
