import { describe, expect, test } from 'vitest';
import { applyMetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/apply.ts';
import type { MetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/report.ts';
import type { WhatsappNumber } from '../../shared/domain/channels/whatsapp/numbers/number.ts';
import { syncNumber } from '../../shared/domain/channels/whatsapp/numbers/numbers.ts';
import { numberView } from '../../shared/domain/channels/whatsapp/numbers/views.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { accepted } from '../support/accepted.ts';
import { chanceOf } from '../support/chance.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { aNumber, eventsSince, tenant, useNumbers } from './kit.ts';
import { account, accountLimit, displayName, orders, quality } from './reports.ts';

const { world, ports, raised } = await useNumbers();

const apply = (actor: Actor, report: MetaReport) => applyMetaReport(ports, actor, report);
const read = async ({ organizationId, id }: WhatsappNumber) => {
  const number = await ports.numbers.read(organizationId, id);
  if (!number) throw new Error('The number is gone.');
  return number;
};

describe('a report on the quality of a number', () => {
  test('raises one event with the old and the new rating when it falls, however often it is repeated', async () => {
    const actor = await tenant(world);
    const number = await aNumber(ports, actor);
    const flagged = quality(number, 'FLAGGED', 1);
    const before = raised.length;
    expect(await apply(actor, flagged)).toBe('kept');
    expect(await apply(actor, flagged)).toBe('repeated');
    await Promise.all(Array.from({ length: 5 }, () => apply(actor, flagged)));
    const { id: numberId, phoneNumberId } = number;
    const data = { numberId, phoneNumberId, qualityRating: 'red', previousRating: 'green' };
    expect(await eventsSince(world, raised, before)).toEqual([{ type: 'number.quality_changed', data }]);
    expect(await read(number)).toMatchObject({ qualityRating: 'red', status: 'flagged' });
  });

  test('gives the same state in every order: tier, status and throughput each follow their latest report', async () => {
    const actor = await tenant(world);
    for (const order of orders([0, 1, 2, 3])) {
      const number = await aNumber(ports, actor);
      const events = [
        quality(number, 'FLAGGED', 1, 'TIER_1K'),
        quality(number, 'DOWNGRADE', 3, 'TIER_250'),
        quality(number, 'UNFLAGGED', 2),
        quality(number, 'THROUGHPUT_UPGRADE', 1, 'TIER_UNLIMITED'),
      ];
      for (const at of order) await apply(actor, events[at] as MetaReport);
      const { messagingTier, status, throughput } = await read(number);
      expect([order, messagingTier, status, throughput]).toEqual([order, 'tier_250', 'connected', 'high']);
    }
  });

  test('is ordered by its event within one second, so that repeats of two do not alternate', async () => {
    const actor = await tenant(world);
    const number = await aNumber(ports, actor);
    const both = [quality(number, 'FLAGGED', 5), quality(number, 'UNFLAGGED', 5)];
    const chance = chanceOf(11);
    for (let turn = 0; turn < 20; turn++) await apply(actor, both[chance.next() < 0.5 ? 0 : 1] as MetaReport);
    for (const event of both) await apply(actor, event);
    expect(await read(number)).toMatchObject({ status: 'connected' });
  });

  test('is unmatched for a phone or account that the organization does not have', async () => {
    const [actor, stranger] = [await tenant(world), await tenant(world)];
    const number = await aNumber(ports, actor);
    expect(await apply(stranger, quality(number, 'FLAGGED', 1))).toBe('unmatched');
    expect(await apply(actor, { ...quality(number, 'FLAGGED', 1), displayPhone: '5511' } as MetaReport)).toBe(
      'unmatched',
    );
    expect(await read(number)).toEqual(number);
  });

  test('raises its event once when the response to its commit is lost', async () => {
    const actor = await tenant(world);
    const number = await aNumber(ports, actor);
    let lost = false;
    world.proxy.plan(({ action }) => {
      if (lost || action !== 'TransactWriteItems') return undefined;
      lost = true;
      return FAULTS.loseAnswer;
    });
    const before = raised.length;
    expect(await apply(actor, quality(number, 'FLAGGED', 1))).toBe('kept');
    world.proxy.plan(() => undefined);
    expect(lost).toBe(true);
    expect(await eventsSince(world, raised, before)).toHaveLength(1);
  });
});

describe('a report on an account', () => {
  test('that its customer removed us only marks all of its numbers, with the reason, until we are added again', async () => {
    const actor = await tenant(world);
    const wabaId = '77001';
    const numbers = [await aNumber(ports, actor, { wabaId }), await aNumber(ports, actor, { wabaId })];
    const other = await aNumber(ports, actor);
    const marks = async () =>
      (await Promise.all(numbers.map(read))).map((number) => [number.status, numberView(number).meta]);
    const before = await marks();
    expect(await apply(actor, account(wabaId, 'PARTNER_REMOVED', 10))).toBe('kept');
    for (const [status, meta] of await marks()) {
      expect(status).toBe('connected');
      expect(meta).toMatchObject({
        partnerRemovedAt: '2026-03-10T11:00:10.000Z',
        partnerRemovedReason: 'PARTNER_REMOVED',
      });
    }
    expect(await apply(actor, account(wabaId, 'PARTNER_APP_UNINSTALLED', 5))).toBe('repeated');
    expect(await apply(actor, account(wabaId, 'PARTNER_ADDED', 11))).toBe('kept');
    expect(await marks()).toEqual(before);
    expect(await apply(actor, account(wabaId, 'PARTNER_REMOVED', 10))).toBe('repeated');
    expect(await marks()).toEqual(before);
    expect(await read(other)).toEqual(other);
  });

  test.each([
    ['ACCOUNT_DELETED', undefined, 'disconnected'],
    ['DISABLED_UPDATE', 'DISABLE', 'disconnected'],
    ['DISABLED_UPDATE', 'SCHEDULE_FOR_DISABLE', 'flagged'],
    ['DISABLED_UPDATE', 'REINSTATE', 'connected'],
    ['ACCOUNT_RESTRICTION', 'RESTRICTED_BIZ_INITIATED_MESSAGING', 'flagged'],
  ])('of %s (%s) makes its numbers %s', async (event, detail, status) => {
    const actor = await tenant(world);
    const number = await aNumber(ports, actor);
    expect(await apply(actor, account(number.wabaId, event, 1, detail))).toBe('kept');
    expect((await read(number)).status).toBe(status);
  });

  test('of any other kind changes nothing', async () => {
    const actor = await tenant(world);
    const number = await aNumber(ports, actor);
    expect(await apply(actor, account(number.wabaId, 'VOLUME_BASED_PRICING_TIER_UPDATE', 1))).toBe('repeated');
    expect(await read(number)).toEqual(number);
  });

  test("combined with reports on quality gives the same state in every order: a better quality does not lift the account's restriction", async () => {
    const actor = await tenant(world);
    const endings = [
      ['disconnected', 'FLAGGED', 'UNFLAGGED', 'DISABLED_UPDATE', 'DISABLE'],
      ['flagged', 'FLAGGED', 'UNFLAGGED', 'ACCOUNT_RESTRICTION', 'RESTRICTED_ADD_PHONE_NUMBER_ACTION'],
      ['flagged', 'UNFLAGGED', 'FLAGGED', 'ACCOUNT_RECONNECTED', undefined],
      ['connected', 'FLAGGED', 'UNFLAGGED', 'ACCOUNT_RECONNECTED', undefined],
    ] as const;
    for (const [status, first, second, event, detail] of endings)
      for (const order of orders([0, 1, 2])) {
        const number = await aNumber(ports, actor);
        const events = [
          quality(number, first, 1),
          quality(number, second, 3),
          account(number.wabaId, event, 2, detail),
        ];
        for (const at of [...order, ...order]) await apply(actor, events[at] as MetaReport);
        expect([event, order, (await read(number)).status]).toEqual([event, order, status]);
      }
  });

  test('is ordered by its detail within one second and event, in every order', async () => {
    const actor = await tenant(world);
    for (const order of [
      ['DISABLE', 'SCHEDULE_FOR_DISABLE'],
      ['SCHEDULE_FOR_DISABLE', 'DISABLE'],
    ]) {
      const number = await aNumber(ports, actor);
      for (const detail of order) await apply(actor, account(number.wabaId, 'DISABLED_UPDATE', 1, detail));
      expect([order, (await read(number)).status]).toEqual([order, 'flagged']);
    }
  });

  test('is superseded by a sync that reads another state from Meta', async () => {
    const actor = await tenant(world);
    const number = await aNumber(ports, actor);
    await apply(actor, account(number.wabaId, 'DISABLED_UPDATE', 1, 'DISABLE'));
    accepted(await syncNumber(ports, actor, number.id));
    expect((await read(number)).status).toBe('connected');
    for (const [event, status] of [
      ['FLAGGED', 'flagged'],
      ['UNFLAGGED', 'connected'],
    ] as const) {
      await apply(actor, quality(number, event, event === 'FLAGGED' ? 2 : 3));
      expect((await read(number)).status).toBe(status);
    }
  });
});

test('a report on the messaging limit of an account sets the tier of each of its numbers; the latest wins in any order', async () => {
  const actor = await tenant(world);
  const wabaId = '88001';
  const numbers = [await aNumber(ports, actor, { wabaId }), await aNumber(ports, actor, { wabaId })];
  const other = await aNumber(ports, actor);
  const limit = (tier: string, seconds: number) => accountLimit(wabaId, tier, seconds);
  const tiers = async () => (await Promise.all([...numbers, other].map(read))).map((each) => each.messagingTier);
  const [, , before] = await tiers();
  expect(await apply(actor, limit('TIER_10K', 2))).toBe('kept');
  expect(await apply(actor, limit('TIER_2K', 1))).toBe('repeated');
  expect(await apply(actor, limit('TIER_9', 3))).toBe('repeated');
  expect(await tiers()).toEqual(['tier_10k', 'tier_10k', before]);
});

test('a report on the display name of a number sets its review status, and the approved name stays while another is reviewed', async () => {
  const actor = await tenant(world);
  const number = await aNumber(ports, actor);
  const reviewed = (decision: string, name: string, seconds: number) => displayName(number, decision, name, seconds);
  const shown = async () => {
    const { nameStatus, verifiedName } = await read(number);
    return [nameStatus, verifiedName];
  };
  expect(await apply(actor, reviewed('APPROVED', 'Loja é Azul', 1))).toBe('kept');
  expect(await shown()).toEqual(['approved', 'Loja é Azul']);
  for (const [at, decision] of ['PENDING', 'DEFERRED', 'REJECTED'].entries()) {
    expect(await apply(actor, reviewed(decision, 'Outra Loja', 2 + at))).toBe('kept');
    expect(await shown()).toEqual(['approved', 'Loja é Azul']);
  }
  expect(await apply(actor, reviewed('REJECTED', 'Loja é Azul', 6))).toBe('kept');
  expect(await apply(actor, reviewed('APPROVED', 'Loja é Azul', 5))).toBe('repeated');
  expect(await apply(actor, reviewed('MAYBE', 'Loja é Azul', 7))).toBe('repeated');
  expect(await shown()).toEqual(['rejected', 'Loja é Azul']);
});
