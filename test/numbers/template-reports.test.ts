import { describe, expect, test } from 'vitest';
import { createFlow } from '../../shared/domain/channels/whatsapp/flows/flows.ts';
import { publishFlow } from '../../shared/domain/channels/whatsapp/flows/publish.ts';
import { applyMetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/apply.ts';
import type { MetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/report.ts';
import { withSavedTemplate } from '../../shared/domain/channels/whatsapp/templates/send.ts';
import { submitTemplate } from '../../shared/domain/channels/whatsapp/templates/submit.ts';
import { changeTemplate, createTemplate } from '../../shared/domain/channels/whatsapp/templates/templates.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { allowed, aNumber, tenant, useNumbers } from './kit.ts';

const { world, kit } = await useNumbers();

const AT = Date.parse('2026-03-10T11:00:00Z');
const apply = (actor: Actor, event: MetaReport) => applyMetaReport(kit.ports, actor, event);

const aTemplate = async (actor: Actor, name: string) => {
  const number = await aNumber(kit.ports, actor);
  const components = [{ type: 'BODY', payload: { text: 'Oi' } }];
  const words = { numberId: number.id, name, language: 'pt-BR', category: 'utility', components } as const;
  const { id, wabaId } = allowed(await createTemplate(kit.ports, actor, words));
  const { platformTemplateId = '' } = allowed(await submitTemplate(kit.ports, actor, id));
  const about = { kind: 'platform', wabaId, platformTemplateId, name, language: 'pt-BR' } as const;
  const category = (word: string, seconds: number): MetaReport => ({
    ...about,
    about: 'template_category',
    at: AT + seconds * 1000,
    category: word,
  });
  const status = (event: string, seconds: number, word: string): MetaReport => ({
    ...about,
    about: 'template',
    at: AT + seconds * 1000,
    event,
    category: word,
  });
  const read = async () => allowed((await kit.ports.templates.read(actor.organizationId, id)) as object) as never;
  return { id, category, status, read };
};

describe('a report on the category of a template', () => {
  test('moves it, and with it the route that its sends are priced by', async () => {
    const actor = await tenant(world);
    const { id, category, read } = await aTemplate(actor, 'pedido_approved');
    const route = async () => {
      const request = { channel: 'whatsapp', to: '+5511999990005', type: 'template', template: id } as const;
      return allowed(await withSavedTemplate(kit.ports, actor.organizationId, request)).route;
    };
    expect(await route()).toBe('utility');
    expect(await apply(actor, category('UTILITY', 1))).toBe('kept');
    expect(await route()).toBe('utility');
    expect(await apply(actor, category('MARKETING', 2))).toBe('kept');
    expect(await route()).toBe('marketing');
    expect(await read()).toMatchObject({ category: 'marketing', status: 'approved', version: 1 });
    const page = { skip: 0, limit: 10 };
    expect((await kit.ports.templates.page(actor.organizationId, { category: 'utility' }, page)).total).toBe(0);
    expect((await kit.ports.templates.page(actor.organizationId, { category: 'marketing' }, page)).total).toBe(1);
  });

  test('ends the same in every order and however often it comes, beside reports on its review', async () => {
    const actor = await tenant(world);
    let made = 0;
    for (const order of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]) {
      const { category, status, read } = await aTemplate(actor, `ordem${++made}_pending`);
      const events = [status('APPROVED', 1, 'UTILITY'), category('MARKETING', 2), status('PAUSED', 3, 'MARKETING')];
      for (const at of [...order, ...order]) await apply(actor, events[at] as MetaReport);
      expect(await read()).toMatchObject({ category: 'marketing', status: 'paused' });
    }
  });

  test('comes with its approval, too: what was asked for as utility may be approved as marketing', async () => {
    const actor = await tenant(world);
    const { status, read } = await aTemplate(actor, 'aprovado_pending');
    expect(await apply(actor, status('APPROVED', 1, 'MARKETING'))).toBe('kept');
    expect(await apply(actor, status('APPROVED', 1, 'MARKETING'))).toBe('repeated');
    expect(await read()).toMatchObject({ category: 'marketing', status: 'approved' });
  });

  test('leaves a draft, a word that is none of ours and the template of a stranger as they stand', async () => {
    const [actor, stranger] = [await tenant(world), await tenant(world)];
    const { id, category, status, read } = await aTemplate(actor, 'parado_pending');
    expect(await apply(stranger, category('MARKETING', 1))).toBe('unmatched');
    expect(await apply(actor, category('OTP', 1))).toBe('repeated');
    await apply(actor, status('REJECTED', 2, 'UTILITY'));
    allowed(await changeTemplate(kit.ports, actor, id, { category: 'marketing' }));
    expect(await apply(actor, category('UTILITY', 3))).toBe('repeated');
    expect(await read()).toMatchObject({ category: 'marketing', status: 'draft' });
  });
});

test('a report on the messaging limit of an account moves the tier of each of its numbers, the latest whatever the order', async () => {
  const actor = await tenant(world);
  const wabaId = '88001';
  const numbers = [await aNumber(kit.ports, actor, { wabaId }), await aNumber(kit.ports, actor, { wabaId })];
  const other = await aNumber(kit.ports, actor);
  const limit = (word: string, seconds: number): MetaReport => ({
    kind: 'platform',
    about: 'account_limit',
    at: AT + seconds * 1000,
    wabaId,
    limit: word,
  });
  const tiers = () =>
    Promise.all(
      [...numbers, other].map(
        async ({ id }) => (await kit.ports.numbers.read(actor.organizationId, id))?.messagingTier,
      ),
    );
  const [, , before] = await tiers();
  expect(await apply(actor, limit('TIER_10K', 2))).toBe('kept');
  expect(await apply(actor, limit('TIER_2K', 1))).toBe('repeated');
  expect(await apply(actor, limit('TIER_9', 3))).toBe('repeated');
  expect(await tiers()).toEqual(['tier_10k', 'tier_10k', before]);
});

test('a report on the name that a number shows moves its review, and the approved name stays while another is reviewed', async () => {
  const actor = await tenant(world);
  const number = await aNumber(kit.ports, actor);
  const said = (decision: string, name: string, seconds: number): MetaReport => ({
    kind: 'platform',
    about: 'number_name',
    at: AT + seconds * 1000,
    wabaId: number.wabaId,
    displayPhone: number.displayPhone.slice(1),
    decision,
    name,
  });
  const shown = async () => {
    const { nameStatus, verifiedName } = (await kit.ports.numbers.read(actor.organizationId, number.id)) ?? {};
    return [nameStatus, verifiedName];
  };
  expect(await apply(actor, said('APPROVED', 'Loja é Azul', 1))).toBe('kept');
  expect(await shown()).toEqual(['approved', 'Loja é Azul']);
  for (const [at, decision] of ['PENDING', 'DEFERRED', 'REJECTED'].entries()) {
    expect(await apply(actor, said(decision, 'Outra Loja', 2 + at))).toBe('kept');
    expect(await shown()).toEqual(['approved', 'Loja é Azul']);
  }
  expect(await apply(actor, said('REJECTED', 'Loja é Azul', 6))).toBe('kept');
  expect(await apply(actor, said('APPROVED', 'Loja é Azul', 5))).toBe('repeated');
  expect(await apply(actor, said('MAYBE', 'Loja é Azul', 7))).toBe('repeated');
  expect(await shown()).toEqual(['rejected', 'Loja é Azul']);
});

test('a report on a flow pauses what the platform blocks and takes it back, the latest whatever the order; a draft stays one', async () => {
  const [actor, stranger] = [await tenant(world), await tenant(world)];
  const { id: numberId } = await aNumber(kit.ports, actor);
  const layout = { type: 'SingleColumnLayout', children: [] } as const;
  const flowJson = { screens: [{ id: 'A', title: 'A', terminal: true, data: {}, layout }] } as never;
  const create = async (name: string) =>
    allowed(await createFlow(kit.ports, actor, { numberId, name, platformCategories: ['SURVEY'], flowJson }));
  const [draft, flow] = [await create('rascunho'), await create('pesquisa')];
  for (let more = 0; more < 20; more++) await create(`outro${more}`);
  const { platformFlowId = '', wabaId } = allowed(await publishFlow(kit.ports, actor, flow.id));
  const said = (status: string, seconds: number): MetaReport => ({
    kind: 'platform',
    about: 'flow',
    at: AT + seconds * 1000,
    wabaId,
    platformFlowId,
    status,
  });
  const stands = async (id = flow.id) => {
    const { status, platformStatus } = (await kit.ports.flows.read(actor.organizationId, id)) ?? {};
    return [status, platformStatus];
  };
  expect(await apply(stranger, said('BLOCKED', 1))).toBe('unmatched');
  expect(await apply(actor, said('BLOCKED', 2))).toBe('kept');
  expect(await stands()).toEqual(['paused', 'BLOCKED']);
  expect(await apply(actor, said('THROTTLED', 1))).toBe('repeated');
  expect(await apply(actor, said('BLOCKED', 2))).toBe('repeated');
  expect(await apply(actor, said('THROTTLED', 3))).toBe('kept');
  expect(await stands()).toEqual(['active', 'THROTTLED']);
  expect(await apply(actor, said('ODD', 4))).toBe('unmatched');
  expect(await stands(draft.id)).toEqual(['draft', undefined]);
});
