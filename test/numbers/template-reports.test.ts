import { describe, expect, test } from 'vitest';
import { applyMetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/apply.ts';
import type { MetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/report.ts';
import { withSavedTemplate } from '../../shared/domain/channels/whatsapp/templates/send.ts';
import { submitTemplate } from '../../shared/domain/channels/whatsapp/templates/submit.ts';
import { changeTemplate, updateTemplate } from '../../shared/domain/channels/whatsapp/templates/templates.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { accepted } from '../support/accepted.ts';
import { eventsSince, submittedTemplate, tenant, useNumbers } from './kit.ts';
import { orders, reportsOn } from './reports.ts';

const { world, ports, raised } = await useNumbers();

const apply = (actor: Actor, report: MetaReport) => applyMetaReport(ports, actor, report);
/** A submitted template, the reports on it, and what is stored of it. */
const submitted = async (actor: Actor, name: string) => {
  const template = await submittedTemplate(ports, actor, { name });
  const read = async () => accepted((await ports.templates.read(actor.organizationId, template.id)) ?? template);
  const state = async () => {
    const { status, rejectionReason } = await read();
    return [status, rejectionReason];
  };
  return { ...reportsOn(template), id: template.id, read, state };
};

describe('a report on the status of a template', () => {
  test('gives the same state in every order, and raises each verdict once', async () => {
    const actor = await tenant(world);
    let made = 0;
    for (const order of orders([0, 1, 2])) {
      const { status, state } = await submitted(actor, `ordem${++made}_pending`);
      const events = [status('APPROVED', 1), status('PAUSED', 2), status('APPROVED', 3)];
      const before = raised.length;
      for (const at of [...order, ...order]) await apply(actor, events[at] as MetaReport);
      expect([order, await state()]).toEqual([order, ['approved', undefined]]);
      expect((await eventsSince(world, raised, before)).map(({ type }) => type)).toEqual(['template.approved']);
    }
  });

  test.each(['APPROVED', 'REJECTED', 'DISABLED', 'PAUSED'])(
    'of %s wins over a pending one of the same second, in either order',
    async (event) => {
      const actor = await tenant(world);
      for (const order of [
        [event, 'PENDING', 'IN_APPEAL'],
        ['IN_APPEAL', 'PENDING', event],
      ]) {
        const { status, state } = await submitted(actor, `segundo_${order.indexOf(event)}_pending`);
        for (const event of order) await apply(actor, status(event, 1));
        expect([order, (await state())[0]]).toEqual([order, event.toLowerCase()]);
      }
    },
  );

  test('stores the reason of a rejection; a repeat of it does not touch a new version', async () => {
    const actor = await tenant(world);
    const { id, status, state } = await submitted(actor, 'oferta_pending');
    const rejected = status('REJECTED', 1, { reason: 'INVALID_FORMAT' });
    const before = raised.length;
    expect(await apply(actor, rejected)).toBe('kept');
    expect(await state()).toEqual(['rejected', 'INVALID_FORMAT']);
    accepted(await changeTemplate(ports, actor, id, { category: 'marketing' }));
    expect(await apply(actor, status('DISABLED', 2))).toBe('repeated');
    expect(await state()).toEqual(['draft', undefined]);
    accepted(await submitTemplate(ports, actor, id));
    expect(await apply(actor, rejected)).toBe('repeated');
    expect(await state()).toEqual(['pending', undefined]);
    expect(await apply(actor, status('APPROVED', 3))).toBe('kept');
    expect(await apply(actor, status('DISABLED', 4))).toBe('kept');
    expect(await state()).toEqual(['disabled', undefined]);
    const events = await eventsSince(world, raised, before);
    expect(events.map(({ type }) => type)).toEqual(['template.rejected', 'template.approved']);
    expect(events[0]?.data).toEqual({
      templateId: id,
      name: 'oferta_pending',
      language: 'pt-BR',
      rejectionReason: 'INVALID_FORMAT',
    });
  });

  test('that arrives before the response to the submission is applied', async () => {
    const actor = await tenant(world);
    const { id, status, state } = await submitted(actor, 'cedo_pending');
    accepted(
      await updateTemplate(ports, actor, id, () => ({
        fields: { status: 'submitted', platformTemplateId: undefined, submittedFrom: 'draft' },
      })),
    );
    expect(await apply(actor, status('APPROVED', 1))).toBe('kept');
    expect(await state()).toEqual(['approved', undefined]);
  });

  test('is unmatched for another account, language or organization, or an unknown status', async () => {
    const [actor, stranger] = [await tenant(world), await tenant(world)];
    const { status, state } = await submitted(actor, 'outro_pending');
    expect(await apply(stranger, status('APPROVED', 1))).toBe('unmatched');
    for (const fields of [
      { wabaId: '1' },
      { language: 'en_US' },
      { platformTemplateId: '1' },
      { name: 'x' },
      { event: 'ODD' },
    ])
      expect(await apply(actor, { ...status('APPROVED', 1), ...fields } as MetaReport)).toBe('unmatched');
    expect(await state()).toEqual(['pending', undefined]);
  });
});

describe('a report on the category of a template', () => {
  test('changes it, and with it the route that prices its sends', async () => {
    const actor = await tenant(world);
    const { id, category, read } = await submitted(actor, 'pedido_approved');
    const route = async () => {
      const request = { channel: 'whatsapp', to: '+5511999990005', type: 'template', template: id } as const;
      return accepted(await withSavedTemplate(ports, actor.organizationId, request)).route;
    };
    expect(await route()).toBe('utility');
    expect(await apply(actor, category('UTILITY', 1))).toBe('kept');
    expect(await route()).toBe('utility');
    expect(await apply(actor, category('MARKETING', 2))).toBe('kept');
    expect(await route()).toBe('marketing');
    expect(await read()).toMatchObject({ category: 'marketing', status: 'approved', version: 1 });
    const page = { skip: 0, limit: 10 };
    expect((await ports.templates.page(actor.organizationId, { category: 'utility' }, page)).total).toBe(0);
    expect((await ports.templates.page(actor.organizationId, { category: 'marketing' }, page)).total).toBe(1);
  });

  test('gives the same state in every order and when repeated, mixed with reports on its status', async () => {
    const actor = await tenant(world);
    let made = 0;
    for (const order of orders([0, 1, 2])) {
      const { category, status, read } = await submitted(actor, `ordem${++made}_pending`);
      const events = [
        status('APPROVED', 1, { category: 'UTILITY' }),
        category('MARKETING', 2),
        status('PAUSED', 3, { category: 'MARKETING' }),
      ];
      for (const at of [...order, ...order]) await apply(actor, events[at] as MetaReport);
      expect(await read()).toMatchObject({ category: 'marketing', status: 'paused' });
    }
  });

  test('may be part of its approval: a template requested as utility may be approved as marketing', async () => {
    const actor = await tenant(world);
    const { status, read } = await submitted(actor, 'aprovado_pending');
    expect(await apply(actor, status('APPROVED', 1, { category: 'MARKETING' }))).toBe('kept');
    expect(await apply(actor, status('APPROVED', 1, { category: 'MARKETING' }))).toBe('repeated');
    expect(await read()).toMatchObject({ category: 'marketing', status: 'approved' });
  });

  test('does not change a draft, and is ignored for an unknown category or another organization', async () => {
    const [actor, stranger] = [await tenant(world), await tenant(world)];
    const { id, category, status, read } = await submitted(actor, 'parado_pending');
    expect(await apply(stranger, category('MARKETING', 1))).toBe('unmatched');
    expect(await apply(actor, category('OTP', 1))).toBe('repeated');
    await apply(actor, status('REJECTED', 2, { category: 'UTILITY' }));
    accepted(await changeTemplate(ports, actor, id, { category: 'marketing' }));
    expect(await apply(actor, category('UTILITY', 3))).toBe('repeated');
    expect(await read()).toMatchObject({ category: 'marketing', status: 'draft' });
  });
});
