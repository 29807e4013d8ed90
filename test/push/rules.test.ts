import { describe, expect, test } from 'vitest';
import { afterOptOut, afterRegistration, type PushDevice } from '../../shared/domain/channels/push/device.ts';
import { CHUNK_DEVICES, dispatchId, parseDispatchId } from '../../shared/domain/channels/push/dispatch.ts';
import { isPartOf, rateKindOf } from '../../shared/domain/channels/push/message.ts';
import { notificationOf } from '../../shared/domain/channels/push/notification.ts';
import { outcomeOf, RETRY_DELAYS_MS, skipReason } from '../../shared/domain/channels/push/outcome.ts';
import { isId, newId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { PUSH_SHARDS } from '../../shared/storage/table-indexes.ts';
import { fc } from '../support/fast-check.ts';

const tenant = { organizationId: newId('organization'), env: 'test' } as const;
const messageId = newId('message');
const registration = { appId: newId('pushApp'), token: 'device-1', platform: 'ios' } as const;

describe('a dispatch id', () => {
  const position = fc.record({
    attempt: fc.integer({ min: 1, max: 50 }),
    shard: fc.nat(PUSH_SHARDS - 1),
    number: fc.nat(200_000),
    place: fc.nat(CHUNK_DEVICES - 1),
  });

  test('has the form of every id, contains its shard and place, and sorts as places do', () => {
    fc.assert(
      fc.property(position, fc.nat(CHUNK_DEVICES - 1), ({ place, ...chunk }, other) => {
        const id = dispatchId({ messageId, ...chunk }, place);
        expect(isId('pushDispatch', id)).toBe(true);
        expect(parseDispatchId(id)).toEqual({ shard: chunk.shard, place });
        const [own, theirs] = [KEYS.pushDispatch(id), KEYS.pushDispatch(dispatchId({ messageId, ...chunk }, other))];
        expect(own.pk).toBe(theirs.pk);
        expect(Math.sign(place - other)).toBe(own.sk < theirs.sk ? -1 : own.sk > theirs.sk ? 1 : 0);
      }),
    );
  });

  test('is unique to its place, chunk and attempt', () => {
    fc.assert(
      fc.property(fc.uniqueArray(position, { selector: (each) => JSON.stringify(each), maxLength: 40 }), (all) => {
        const ids = all.map(({ place, ...chunk }) => dispatchId({ messageId, ...chunk }, place));
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });
});

describe('a registration', () => {
  test('keeps the fields that it omits, and an opt-out that it does not revoke', () => {
    const first = afterRegistration(tenant, undefined, { ...registration, externalId: 'a', userName: 'Ana' }, 1);
    const out = afterOptOut(first, 2);
    const again = afterRegistration(tenant, out, { ...registration, userName: 'Bia', optedIn: undefined }, 3);
    expect(again).toMatchObject({ id: first.id, externalId: 'a', userName: 'Bia', optedIn: false, optedOutAt: 2 });
    const back = afterRegistration(tenant, again, { ...registration, optedIn: true }, 4);
    expect(back).toMatchObject({ optedIn: true, createdAt: 1, updatedAt: 4 });
    expect(back.optedOutAt).toBeUndefined();
  });

  test('by another contact keeps nothing about the former one, but the device’s opt-out', () => {
    const ana = {
      contactId: newId('contact'),
      externalId: 'loja:1',
      userName: 'Ana',
      userEmail: 'ana@example.com',
      userPhone: '+5511999991234',
      deviceName: 'iPhone da Ana',
      topics: ['ofertas'],
    };
    const out = afterOptOut(afterRegistration(tenant, undefined, { ...registration, ...ana }, 1), 2);
    expect(afterRegistration(tenant, out, { ...registration, contactId: ana.contactId }, 3)).toMatchObject(ana);
    const other = { contactId: newId('contact'), userName: 'Bia' };
    const moved = afterRegistration(tenant, out, { ...registration, ...other }, 3);
    expect(moved).toMatchObject({ ...other, id: out.id, optedIn: false, optedOutAt: 2, createdAt: 1 });
    expect(JSON.stringify(moved)).not.toMatch(/ana|loja|99991234|ofertas/i);
  });

  test('that first names the contact keeps what was known of the person', () => {
    const known = afterRegistration(tenant, undefined, { ...registration, userName: 'Ana' }, 1);
    const contactId = newId('contact');
    expect(afterRegistration(tenant, known, { ...registration, contactId }, 2)).toMatchObject({
      contactId,
      userName: 'Ana',
    });
  });

  test('reactivates a retired token', () => {
    const retired: PushDevice = { ...afterRegistration(tenant, undefined, registration, 1), retiredAt: 2 };
    expect(skipReason(retired, new Set())).toBe('unregistered');
    expect(skipReason(afterRegistration(tenant, retired, registration, 3), new Set())).toBeUndefined();
  });

  test('whose contact opted out is skipped by sends', () => {
    const contactId = newId('contact');
    const device = afterRegistration(tenant, undefined, { ...registration, contactId }, 1);
    expect(skipReason(device, new Set([contactId]))).toBe('opted_out');
    expect(skipReason(device, new Set())).toBeUndefined();
  });
});

describe('the answer of a push service', () => {
  test('is final, except a temporary refusal, which is retried once per retry delay', () => {
    const busy = { kind: 'refused', cause: 'throttled', detail: '', retryAfterSeconds: 7 } as const;
    const passes = RETRY_DELAYS_MS.length;
    for (let pass = 1; pass <= passes; pass++)
      expect(outcomeOf(busy, pass)).toEqual({ status: 'queued', waitMs: 7_000 });
    expect(outcomeOf(busy, passes + 1)).toEqual({ status: 'failed', reason: 'throttled' });
    expect(outcomeOf({ kind: 'unknown', detail: '' }, 1)).toEqual({ status: 'failed', reason: 'indeterminate' });
    expect(outcomeOf({ kind: 'accepted', providerMessageId: 'x' }, 1)).toEqual({ status: 'delivered' });
    const dead = { kind: 'refused', cause: 'recipient', detail: '', deadToken: true } as const;
    expect(outcomeOf(dead, 1)).toEqual({ status: 'failed', reason: 'unregistered', dead: true });
  });

  test('may delay a retry by an hour at most', () => {
    const busy = { kind: 'refused', cause: 'unavailable', detail: '', retryAfterSeconds: 1e9 } as const;
    expect(outcomeOf(busy, 1).waitMs).toBe(3_600_000);
  });
});

test('a chunk beyond the extents of its message is not part of it', () => {
  const message = { extents: [2, 0] };
  const isPart = (shard: number, number: number) => isPartOf(message, { shard, number });
  expect([isPart(0, 1), isPart(0, 2), isPart(1, 0), isPart(5, 0)]).toEqual([true, false, false, false]);
});

test('a message is rich with an image or a button, silent when it shows nothing, otherwise simple', () => {
  expect(rateKindOf({})).toBe('simple');
  expect(rateKindOf({ actions: [] })).toBe('simple');
  expect(rateKindOf({ actions: [{ label: 'Ver' }] })).toBe('rich');
  expect(rateKindOf({ imageUrl: 'https://x.example/a.png' })).toBe('rich');
  expect(rateKindOf({ imageUrl: 'https://x.example/a.png', silent: true })).toBe('silent');
});

test('a v1 payload becomes a notification by its body or its text, and none without either', () => {
  expect(notificationOf({ payload: { text: 'Oi' } })).toMatchObject({ title: '', body: 'Oi' });
  const full = { title: 'T', body: 'B', deepLink: 'loja://x', actions: [{ label: 'Ver' }, { nothing: 1 }, 7] };
  expect(notificationOf({ payload: full })).toMatchObject({ title: 'T', body: 'B', actions: [{ label: 'Ver' }] });
  for (const empty of [undefined, {}, { payload: {} }, { payload: { text: 7 } }])
    expect(notificationOf(empty)).toBeUndefined();
});
