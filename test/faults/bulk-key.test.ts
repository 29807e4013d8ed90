import { afterEach, describe, expect, test } from 'vitest';
import { type SendBulkPorts, sendBulk } from '../../shared/domain/bulk/send.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { accepted } from '../support/accepted.ts';
import { useBulk } from '../support/bulk-world.ts';

const OPENING = 1_000_000;
const SMS = 800;
const { world, bulk } = await useBulk();
afterEach(world.reset);

const send = (actor: Actor, texts: readonly string[], over: Partial<SendBulkPorts['store']> = {}) =>
  sendBulk({ ...bulk.ports, store: { ...bulk.ports.store, ...over } }, actor, {
    messages: texts.map((text) => ({ valid: { channel: 'sms', to: '+5511987654321', text } })),
    mode: 'strict',
    callerKey: 'key',
  });

describe('the key of a bulk send', () => {
  test('is free again after its batch was refused as a whole', async () => {
    const actor = await world.organization(OPENING);
    expect(await send(actor, ['a'], { decideBatch: async () => false })).toMatchObject({ name: 'SERVICE_UNAVAILABLE' });
    const { batchId } = accepted(await send(actor, ['b', 'c']));
    expect(accepted(await send(actor, ['b', 'c']))).toMatchObject({ batchId, accepted: 2, replayed: true });
    await bulk.settle();
    expect((await bulk.money(actor)).balance).toBe(OPENING - 2 * SMS);
  });

  test('serves the same request, and no other, after its process ended before it reserved anything', async () => {
    const actor = await world.organization(OPENING);
    const ended = new Error('the process ended');
    const putBatch = async () => Promise.reject(ended);
    await expect(send(actor, ['a'], { putBatch })).rejects.toBe(ended);
    expect(await send(actor, ['b'])).toMatchObject({ name: 'CONFLICT' });
    const first = accepted(await send(actor, ['a']));
    expect(first).toMatchObject({ accepted: 1, replayed: false });
    expect(accepted(await send(actor, ['a']))).toEqual({ ...first, replayed: true });
    await bulk.settle();
    expect((await bulk.money(actor)).balance).toBe(OPENING - SMS);
  });
});
