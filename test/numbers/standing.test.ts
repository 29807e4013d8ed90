import { describe, expect, test } from 'vitest';
import { applyMetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/apply.ts';
import type { MetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/report.ts';
import type { WhatsappNumber } from '../../shared/domain/channels/whatsapp/numbers/number.ts';
import { syncNumber } from '../../shared/domain/channels/whatsapp/numbers/numbers.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { allowed, aNumber, tenant, useNumbers } from './kit.ts';
import { account, orders, quality } from './reports.ts';

const { world, kit } = await useNumbers();

const apply = (actor: Actor, event: MetaReport) => applyMetaReport(kit.ports, actor, event);
const read = async ({ organizationId, id }: WhatsappNumber) =>
  allowed((await kit.ports.numbers.read(organizationId, id)) as WhatsappNumber);

describe('reports on an account', () => {
  test('and reports on the quality of its numbers end the same in every order: what the account lost no better quality gives back', async () => {
    const actor = await tenant(world);
    const endings = [
      ['disconnected', 'FLAGGED', 'UNFLAGGED', 'DISABLED_UPDATE', 'DISABLE'],
      ['flagged', 'FLAGGED', 'UNFLAGGED', 'ACCOUNT_RESTRICTION', 'RESTRICTED_ADD_PHONE_NUMBER_ACTION'],
      ['flagged', 'UNFLAGGED', 'FLAGGED', 'ACCOUNT_RECONNECTED', undefined],
      ['connected', 'FLAGGED', 'UNFLAGGED', 'ACCOUNT_RECONNECTED', undefined],
    ] as const;
    for (const [status, first, second, word, detail] of endings)
      for (const order of orders([0, 1, 2])) {
        const number = await aNumber(kit.ports, actor);
        const events = [quality(number, first, 1), quality(number, second, 3), account(number.wabaId, word, 2, detail)];
        for (const at of [...order, ...order]) await apply(actor, events[at] as MetaReport);
        expect([word, order, (await read(number)).status]).toEqual([word, order, status]);
      }
  });

  test('of one second and one word holds by its detail, in every order', async () => {
    const actor = await tenant(world);
    for (const order of [
      ['DISABLE', 'SCHEDULE_FOR_DISABLE'],
      ['SCHEDULE_FOR_DISABLE', 'DISABLE'],
    ]) {
      const number = await aNumber(kit.ports, actor);
      for (const detail of order) await apply(actor, account(number.wabaId, 'DISABLED_UPDATE', 1, detail));
      expect([order, (await read(number)).status]).toEqual([order, 'flagged']);
    }
  });

  test('counts no more once the platform itself was asked and said otherwise', async () => {
    const actor = await tenant(world);
    const number = await aNumber(kit.ports, actor);
    await apply(actor, account(number.wabaId, 'DISABLED_UPDATE', 1, 'DISABLE'));
    allowed(await syncNumber(kit.ports, actor, number.id));
    expect((await read(number)).status).toBe('connected');
    for (const [word, status] of [
      ['FLAGGED', 'flagged'],
      ['UNFLAGGED', 'connected'],
    ] as const) {
      await apply(actor, quality(number, word, word === 'FLAGGED' ? 2 : 3));
      expect((await read(number)).status).toBe(status);
    }
  });
});
