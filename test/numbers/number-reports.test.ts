import { describe, expect, test } from 'vitest';
import { applyMetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/apply.ts';
import type { MetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/report.ts';
import type { WhatsappNumber } from '../../shared/domain/channels/whatsapp/numbers/number.ts';
import { numberView } from '../../shared/domain/channels/whatsapp/numbers/views.ts';
import { submitTemplate } from '../../shared/domain/channels/whatsapp/templates/submit.ts';
import {
  changeTemplate,
  createTemplate,
  updateTemplate,
} from '../../shared/domain/channels/whatsapp/templates/templates.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { outbox } from '../../shared/storage/work/outbox.ts';
import { chanceOf } from '../support/chance.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { allowed, aNumber, tenant, useNumbers } from './kit.ts';
import { AT, account, orders, quality } from './reports.ts';

const { world, kit } = await useNumbers();

const apply = (actor: Actor, event: MetaReport) => applyMetaReport(kit.ports, actor, event);
const raisedBy = async (work: () => Promise<unknown>) => {
  const before = kit.raised.length;
  await work();
  const events = await Promise.all(kit.raised.slice(before).map((id) => outbox(world.table).read(id)));
  return events.map((stored) => ({ type: stored?.event.type, data: stored?.event.data }));
};
const read = async ({ organizationId, id }: WhatsappNumber) => {
  const number = await kit.ports.numbers.read(organizationId, id);
  if (!number) throw new Error('The number is gone.');
  return number;
};

describe('a report on the quality of a number', () => {
  test('that falls raises one event with the old and the new rating, whatever is repeated', async () => {
    const actor = await tenant(world);
    const number = await aNumber(kit.ports, actor);
    const flagged = quality(number, 'FLAGGED', 1);
    const events = await raisedBy(async () => {
      expect(await apply(actor, flagged)).toBe('kept');
      expect(await apply(actor, flagged)).toBe('repeated');
      await Promise.all(Array.from({ length: 5 }, () => apply(actor, flagged)));
    });
    const data = {
      numberId: number.id,
      phoneNumberId: number.phoneNumberId,
      qualityRating: 'red',
      previousRating: 'green',
    };
    expect(events).toEqual([{ type: 'number.quality_changed', data }]);
    expect(await read(number)).toMatchObject({ qualityRating: 'red', status: 'flagged' });
  });

  test('ends the same in every order: each side is the word of its latest report', async () => {
    const actor = await tenant(world);
    for (const order of orders([0, 1, 2, 3])) {
      const number = await aNumber(kit.ports, actor);
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

  test('of one second holds by its word, so that repeats of both do not swing', async () => {
    const actor = await tenant(world);
    const number = await aNumber(kit.ports, actor);
    const both = [quality(number, 'FLAGGED', 5), quality(number, 'UNFLAGGED', 5)];
    const chance = chanceOf(11);
    for (let turn = 0; turn < 20; turn++) await apply(actor, both[chance.next() < 0.5 ? 0 : 1] as MetaReport);
    for (const event of both) await apply(actor, event);
    expect(await read(number)).toMatchObject({ status: 'connected' });
  });

  test('on a phone or an account that the organization does not have is about nothing', async () => {
    const [actor, stranger] = [await tenant(world), await tenant(world)];
    const number = await aNumber(kit.ports, actor);
    expect(await apply(stranger, quality(number, 'FLAGGED', 1))).toBe('unmatched');
    expect(await apply(actor, { ...quality(number, 'FLAGGED', 1), displayPhone: '5511' } as MetaReport)).toBe(
      'unmatched',
    );
    expect(await read(number)).toEqual(number);
  });

  test('whose commit was made and whose answer was lost raises its event once', async () => {
    const actor = await tenant(world);
    const number = await aNumber(kit.ports, actor);
    let lost = false;
    world.proxy.plan(({ action }) => {
      if (lost || action !== 'TransactWriteItems') return undefined;
      lost = true;
      return FAULTS.loseAnswer;
    });
    const events = await raisedBy(async () => expect(await apply(actor, quality(number, 'FLAGGED', 1))).toBe('kept'));
    world.proxy.plan(() => undefined);
    expect(lost).toBe(true);
    expect(events).toHaveLength(1);
  });
});

describe('a report on an account', () => {
  test('that the service was removed is a mark alone, set and cleared with its reason, on all of its numbers', async () => {
    const actor = await tenant(world);
    const wabaId = '77001';
    const numbers = [await aNumber(kit.ports, actor, { wabaId }), await aNumber(kit.ports, actor, { wabaId })];
    const other = await aNumber(kit.ports, actor);
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
  ])('of %s (%s) leaves its numbers %s', async (event, detail, status) => {
    const actor = await tenant(world);
    const number = await aNumber(kit.ports, actor);
    expect(await apply(actor, account(number.wabaId, event, 1, detail))).toBe('kept');
    expect((await read(number)).status).toBe(status);
  });

  test('that is none of these changes nothing', async () => {
    const actor = await tenant(world);
    const number = await aNumber(kit.ports, actor);
    expect(await apply(actor, account(number.wabaId, 'VOLUME_BASED_PRICING_TIER_UPDATE', 1))).toBe('repeated');
    expect(await read(number)).toEqual(number);
  });
});

describe('a report on a template', () => {
  const aTemplate = async (actor: Actor, name: string) => {
    const number = await aNumber(kit.ports, actor);
    const words = { numberId: number.id, name, language: 'pt-BR', category: 'utility' } as const;
    const components = [{ type: 'BODY', payload: { text: 'Oi' } }];
    const { id, wabaId } = allowed(await createTemplate(kit.ports, actor, { ...words, components }));
    const { platformTemplateId = '' } = allowed(await submitTemplate(kit.ports, actor, id));
    const said = (event: string, seconds: number, reason?: string): MetaReport => ({
      kind: 'platform',
      about: 'template',
      at: AT + seconds * 1000,
      wabaId,
      platformTemplateId,
      name,
      language: 'pt_BR',
      event,
      ...(reason === undefined ? {} : { reason }),
    });
    const state = async () => {
      const found = await kit.ports.templates.read(actor.organizationId, id);
      return [found?.status, found?.rejectionReason];
    };
    return { id, said, state };
  };

  test('ends the same in every order, and its verdicts are events once', async () => {
    const actor = await tenant(world);
    let made = 0;
    for (const order of orders([0, 1, 2])) {
      const { said, state } = await aTemplate(actor, `ordem${++made}_pending`);
      const events = [said('APPROVED', 1), said('PAUSED', 2), said('APPROVED', 3)];
      const raised = await raisedBy(async () => {
        for (const at of [...order, ...order]) await apply(actor, events[at] as MetaReport);
      });
      expect([order, await state()]).toEqual([order, ['approved', undefined]]);
      expect(raised.map(({ type }) => type)).toEqual(['template.approved']);
    }
  });

  test.each(['APPROVED', 'REJECTED', 'DISABLED', 'PAUSED'])(
    'that it is %s holds over that it is pending of the same second, in either order',
    async (word) => {
      const actor = await tenant(world);
      for (const order of [
        [word, 'PENDING', 'IN_APPEAL'],
        ['IN_APPEAL', 'PENDING', word],
      ]) {
        const { said, state } = await aTemplate(actor, `segundo_${order.indexOf(word)}_pending`);
        for (const event of order) await apply(actor, said(event, 1));
        expect([order, (await state())[0]]).toEqual([order, word.toLowerCase()]);
      }
    },
  );

  test('that rejects carries its reason; a new version is judged anew, and the old verdict said again is none of it', async () => {
    const actor = await tenant(world);
    const { id, said, state } = await aTemplate(actor, 'oferta_pending');
    const rejected = said('REJECTED', 1, 'INVALID_FORMAT');
    const raised = await raisedBy(async () => {
      expect(await apply(actor, rejected)).toBe('kept');
      expect(await state()).toEqual(['rejected', 'INVALID_FORMAT']);
      allowed(await changeTemplate(kit.ports, actor, id, { category: 'marketing' }));
      expect(await apply(actor, said('DISABLED', 2))).toBe('repeated');
      expect(await state()).toEqual(['draft', undefined]);
      allowed(await submitTemplate(kit.ports, actor, id));
      expect(await apply(actor, rejected)).toBe('repeated');
      expect(await state()).toEqual(['pending', undefined]);
      expect(await apply(actor, said('APPROVED', 3))).toBe('kept');
      expect(await apply(actor, said('DISABLED', 4))).toBe('kept');
    });
    expect(await state()).toEqual(['disabled', undefined]);
    expect(raised.map(({ type }) => type)).toEqual(['template.rejected', 'template.approved']);
    expect(raised[0]?.data).toEqual({
      templateId: id,
      name: 'oferta_pending',
      language: 'pt-BR',
      rejectionReason: 'INVALID_FORMAT',
    });
  });

  test('that comes before the answer to its submission is kept, and the answer does not undo it', async () => {
    const actor = await tenant(world);
    const { id, said, state } = await aTemplate(actor, 'cedo_pending');
    allowed(
      await updateTemplate(kit.ports, actor, id, () => ({
        fields: { status: 'submitted', platformTemplateId: undefined, submittedFrom: 'draft' },
      })),
    );
    expect(await apply(actor, said('APPROVED', 1))).toBe('kept');
    expect(await state()).toEqual(['approved', undefined]);
  });

  test('of another account, language or organization is about nothing', async () => {
    const [actor, stranger] = [await tenant(world), await tenant(world)];
    const { said, state } = await aTemplate(actor, 'outro_pending');
    expect(await apply(stranger, said('APPROVED', 1))).toBe('unmatched');
    for (const fields of [
      { wabaId: '1' },
      { language: 'en_US' },
      { platformTemplateId: '1' },
      { name: 'x' },
      { event: 'ODD' },
    ])
      expect(await apply(actor, { ...said('APPROVED', 1), ...fields } as MetaReport)).toBe('unmatched');
    expect(await state()).toEqual(['pending', undefined]);
  });
});
