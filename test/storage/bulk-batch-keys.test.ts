import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { IDEMPOTENCY_MS } from '../../shared/domain/sending/idempotency.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { batchKeys } from '../../shared/storage/bulk/batch-keys.ts';
import { readIdempotencyRecord } from '../../shared/storage/messages/idempotency.ts';
import { takeClaim } from '../../shared/storage/push/claims.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const MAX_ROW_BYTES = 400_000;
const world = await use(startWorld('test'));
const keys = batchKeys(world.table);
const KEY = { callerKey: 'again', requestHash: 'hash' };
const first = (count: number) => ({
  batchId: newId('batch'),
  createdAt: world.now,
  selected: Array.from({ length: count }, () => newId('message')),
});

describe("a bulk resend's key", () => {
  test.each([0, 1, 5_000])('keeps %i selected messages in their order, in a third of a row', async (count) => {
    const organizationId = newId('organization');
    const made = first(count);
    const record = { requestHash: KEY.requestHash, call: made };
    expect(await keys.take(organizationId, KEY, made)).toEqual(record);
    expect(await keys.read(organizationId, KEY.callerKey, world.now)).toEqual(record);
    const row = await world.table.get(KEYS.idempotency(organizationId, KEY.callerKey));
    expect(JSON.stringify(marshall(row)).length).toBeLessThan(MAX_ROW_BYTES / 3);
  });

  test('is taken once: a second request gets the first record', async () => {
    const organizationId = newId('organization');
    const taken = await Promise.all([1, 2, 3].map((count) => keys.take(organizationId, KEY, first(count))));
    expect(new Set(taken.map((record) => record.call?.batchId)).size).toBe(1);
  });

  test('is free again when it has expired, and leaves the table then', async () => {
    const organizationId = newId('organization');
    await keys.take(organizationId, KEY, first(1));
    const row = await world.table.get(KEYS.idempotency(organizationId, KEY.callerKey));
    expect(row?.ttl).toBe(Math.ceil((world.now + IDEMPOTENCY_MS) / 1000));
    const later = { ...first(2), createdAt: world.now + IDEMPOTENCY_MS };
    expect(await keys.read(organizationId, KEY.callerKey, later.createdAt)).toBeUndefined();
    expect(await keys.take(organizationId, KEY, later)).toEqual({ requestHash: KEY.requestHash, call: later });
    const push = { ...KEY, organizationId };
    const [during, after] = [later.createdAt, later.createdAt + IDEMPOTENCY_MS];
    expect(await takeClaim(world.table, push, during, during + 1)).toEqual({ kind: 'reused' });
    expect(await takeClaim(world.table, push, after, after + 1)).toMatchObject({ kind: 'claimed' });
  });

  test('is a used key to sends, as a key that a send used is to it', async () => {
    const actor = await world.organization();
    const { organizationId } = actor;
    await keys.take(organizationId, KEY, first(1));
    expect(await readIdempotencyRecord(world.table, organizationId, KEY.callerKey, world.now)).toMatchObject({
      requestHash: KEY.requestHash,
    });
    expect(await world.sms(actor, KEY.callerKey)).toMatchObject({ name: 'CONFLICT' });
    await world.sms(actor, 'sent');
    const taken = await keys.take(organizationId, { ...KEY, callerKey: 'sent' }, first(1));
    expect(taken).toEqual({ requestHash: expect.any(String) });
    expect(taken.requestHash).not.toBe(KEY.requestHash);
  });
});
