import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BulkMode } from '../../shared/domain/bulk/accept.ts';
import { type BatchStore, DECISION_TIMEOUT_MS } from '../../shared/domain/bulk/ports.ts';
import { readBatch } from '../../shared/domain/bulk/send.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal, Unavailable } from '../../shared/domain/core/errors.ts';
import { IDEMPOTENCY_MS } from '../../shared/domain/sending/idempotency.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { accepted } from '../support/accepted.ts';
import { type BulkFields, keyed, many, useBulk } from '../support/bulk-world.ts';

const SMS = 800;
const DENIED = '+5511955554444';
const callerKey = 'again';

const { world, bulk } = await useBulk();
beforeEach(world.reset);
afterEach(bulk.settle);
const { sentOnce } = bulk;

const send = (
  actor: Actor,
  messages: readonly BulkFields[],
  mode: BulkMode = 'permissive',
  over: Partial<BatchStore> = {},
) => bulk.send(actor, messages, mode, over, {}, { callerKey });
const gone = async () => {
  throw new Error('the process is gone');
};
const unavailable = async () => {
  throw new Unavailable('the store does not answer');
};
const setConsent = async ({ organizationId }: Actor, optInStatus: string) => {
  const hash = await world.ports.recipientHashOf(organizationId, 'phone', DENIED);
  await world.table.write({ put: { ...KEYS.phone(organizationId, hash), optInStatus } });
};
const isDecided = async () => {
  world.now += DECISION_TIMEOUT_MS + 1;
  await bulk.dispatch();
};

const OWN = [
  ['of its messages', () => many(100)],
  ['beside the keys of its messages', () => keyed(100)],
] as const;
/** A refusal at the reservation, and its cause. */
const REFUSALS: readonly (readonly [string, BatchStore['reserveChunk']])[] = [
  ['PAYMENT_REQUIRED', async () => ({ kind: 'insufficient', balance: 0 })],
  ['SERVICE_UNAVAILABLE', unavailable],
];
const REUSED = { name: 'CONFLICT', details: { detail: 'This Idempotency-Key was used with another body.' } };
const RUNNING = { name: 'CONFLICT', details: { meta: { code: 'EM_ANDAMENTO' } } };

describe.each(OWN)("a bulk send's key, %s", { timeout: 60_000 }, (_, messages) => {
  test.each(['putBatch', 'reserveChunk', 'decideBatch'] as const)(
    'is of the same request after a crash before %s, which is then sent once; another body is 409',
    async (call) => {
      const actor = await world.organization();
      await expect(send(actor, messages(), 'strict', { [call]: gone })).rejects.toThrow('the process is gone');
      expect(await send(actor, messages().slice(1), 'strict')).toMatchObject(REUSED);
      if (call !== 'putBatch') {
        expect(await send(actor, messages(), 'strict')).toMatchObject(RUNNING);
        await isDecided();
      }
      const first = accepted(await send(actor, messages(), 'strict'));
      expect(first).toMatchObject({ accepted: 100, replayed: false });
      expect(await send(actor, messages(), 'strict')).toEqual({ ...first, replayed: true });
      expect(await send(actor, messages().slice(1), 'strict')).toMatchObject(REUSED);
      await bulk.settle();
      await sentOnce(actor, 100);
    },
  );

  test.each(REFUSALS)('is free for another body once the batch was refused with %s', async (name, reserveChunk) => {
    const actor = await world.organization();
    expect(await send(actor, messages(), 'strict', { reserveChunk })).toMatchObject({ name });
    expect(await send(actor, messages().slice(1), 'strict')).toMatchObject({ accepted: 99, replayed: false });
    await bulk.settle();
    await sentOnce(actor, 99);
  });

  test('is free for a corrected body if a check of a message refused the strict batch', async () => {
    const actor = await world.organization();
    await setConsent(actor, 'denied');
    const refused = [...messages(), { to: DENIED }];
    expect(await send(actor, refused, 'strict')).toMatchObject({ name: 'VALIDATION_ERROR' });
    expect(await send(actor, messages(), 'strict')).toMatchObject({ accepted: 100, replayed: false });
  });

  test('is taken while its first request runs: a repeat is 409 EM_ANDAMENTO, and every other request is 409', async () => {
    const actor = await world.organization();
    const answers: unknown[] = [];
    const reserveChunk: BatchStore['reserveChunk'] = async (reservation) => {
      if (reservation.chunk === 0) {
        answers.push(await send(actor, messages()), await send(actor, messages().slice(1)));
        answers.push(await world.sms(actor, callerKey));
      }
      return bulk.store.reserveChunk(reservation);
    };
    expect(await send(actor, messages(), 'permissive', { reserveChunk })).toMatchObject({ accepted: 100 });
    expect(answers).toMatchObject([RUNNING, REUSED, { name: 'CONFLICT' }]);
    await bulk.settle();
    await sentOnce(actor, 100);
  });

  test.each(REFUSALS)(
    'stays taken by a repeat that was accepted while its first call took too long and then met %s',
    async (_name, refuse) => {
      const actor = await world.organization();
      const reserveChunk: BatchStore['reserveChunk'] = async (reservation) => {
        world.now += DECISION_TIMEOUT_MS + 1;
        expect(await send(actor, messages())).toMatchObject({ accepted: 100, replayed: false });
        return refuse(reservation);
      };
      const first = await send(actor, messages(), 'permissive', { reserveChunk });
      if (!isRefusal(first)) expect(first.accepted).toBe(0);
      expect(await send(actor, messages().slice(1))).toMatchObject(REUSED);
      expect(await send(actor, messages())).toMatchObject({ accepted: 100, replayed: true });
      await bulk.settle();
      await sentOnce(actor, 100);
    },
  );
});

describe("a bulk send's key", { timeout: 60_000 }, () => {
  test('answers a repeat with the batch whose totals it states, also if a repeat in between was refused', async () => {
    const actor = await world.organization();
    await setConsent(actor, 'denied');
    const messages = [{}, { to: DENIED }];
    const first = accepted(await send(actor, messages));
    expect(first).toMatchObject({ accepted: 1, rejected: 1, replayed: false });
    await setConsent(actor, 'granted');
    expect(await send(actor, messages, 'permissive', { reserveChunk: unavailable })).toMatchObject({
      name: 'SERVICE_UNAVAILABLE',
    });
    await setConsent(actor, 'denied');
    expect(await send(actor, messages)).toEqual({ ...first, replayed: true });
    await setConsent(actor, 'granted');
    const second = accepted(await send(actor, messages));
    expect(second).toMatchObject({ accepted: 2, rejected: 0, replayed: false });
    for (const { accepted: count, batchId } of [first, second, accepted(await send(actor, messages))])
      expect(await readBatch({ store: bulk.store }, actor, batchId)).toMatchObject({ total: 2, accepted: count });
    expect(await send(actor, messages)).toEqual({ ...second, replayed: true });
    await bulk.settle();
    await sentOnce(actor, 2);
  });

  test('is free if no message was accepted', async () => {
    const actor = await world.organization(SMS - 1);
    await setConsent(actor, 'denied');
    for (const messages of [[{ to: DENIED }], [{}], [{ text: 'Outro' }]])
      expect(await send(actor, messages)).toMatchObject({ accepted: 0, rejected: 1, replayed: false });
  });

  test('is no key of a message in the same request', async () => {
    const actor = await world.organization();
    const messages = [{ idempotencyKey: callerKey }, {}];
    const first = accepted(await send(actor, messages));
    expect(first).toMatchObject({ accepted: 1, errors: [{ index: 0, code: 'conflict' }] });
    expect(await send(actor, messages)).toEqual({ ...first, replayed: true });
  });

  test('ends 24 hours after its first call for all of its messages, also those that a repeat accepted', async () => {
    const actor = await world.organization();
    await setConsent(actor, 'denied');
    const messages = [{}, { to: DENIED }];
    expect(await send(actor, messages)).toMatchObject({ accepted: 1 });
    await setConsent(actor, 'granted');
    world.now += IDEMPOTENCY_MS - 1;
    expect(await send(actor, messages)).toMatchObject({ accepted: 2, replayed: false });
    expect(await send(actor, messages)).toMatchObject({ accepted: 2, replayed: true });
    world.now += 1;
    expect(await send(actor, messages)).toMatchObject({ accepted: 2, replayed: false });
    await bulk.settle();
    await sentOnce(actor, 4);
  });

  test('costs one write, and none in a repeat', async () => {
    const actor = await world.organization();
    const { pk } = KEYS.idempotency(actor.organizationId, callerKey);
    const calls: string[] = [];
    world.proxy.plan(({ action, body }) => {
      if (body.includes(pk)) calls.push(action);
      return undefined;
    });
    await send(actor, keyed(2));
    await send(actor, keyed(2));
    world.proxy.plan(undefined);
    expect(calls).toEqual(['GetItem', 'PutItem', 'GetItem']);
  });
});
