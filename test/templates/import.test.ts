import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { applyMetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/apply.ts';
import type { MetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/report.ts';
import { connectWithTemplates, syncWithTemplates } from '../../shared/domain/channels/whatsapp/templates/import.ts';
import { withSavedTemplate } from '../../shared/domain/channels/whatsapp/templates/send.ts';
import { submitTemplate } from '../../shared/domain/channels/whatsapp/templates/submit.ts';
import { createTemplate } from '../../shared/domain/channels/whatsapp/templates/templates.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { managementAddress, metaManagement } from '../../shared/providers/meta/management.ts';
import { allowed, portsOf, tenant } from '../numbers/kit.ts';
import { type MetaManagementStandIn, startMetaManagement } from '../support/providers/meta-management-stand-in.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const TOKEN = 'EAAJ-token';
const WABA = '102290129340398';
let meta: MetaManagementStandIn;
let kit: ReturnType<typeof portsOf>;
let actor: Actor;
let phoneNumberId: string;
let connected = 0;
const world = await use(startWorld('live'));
beforeEach(async () => {
  meta = await startMetaManagement(TOKEN, WABA);
  const address = managementAddress({ baseUrl: meta.baseUrl, timeoutMs: 5_000 });
  const io = { fetch: globalThis.fetch, now: () => world.now };
  kit = portsOf(world, async (_, accessToken) => metaManagement(io, { ...address, accessToken }));
  actor = await tenant(world);
  phoneNumberId = `6${++connected}`;
  meta.addNumber(phoneNumberId);
});
afterEach(() => meta.close());

const BODY = { type: 'BODY', text: 'Oi {{1}}!', example: { body_text: [['Ana']] } };
let listed = 0;
/** A template that the account has on the platform, as the platform lists it. */
const onPlatform = (fields: object = {}) => {
  const id = String(594_425_479_261_596 + ++listed);
  const template = { id, name: 'boas_vindas', language: 'pt_BR', category: 'MARKETING', status: 'APPROVED' };
  meta.account.templates.set(id, { ...template, components: [BODY], ...fields });
  return id;
};
const connect = async () =>
  allowed(await connectWithTemplates(kit.ports, actor, { phoneNumberId, wabaId: WABA, accessToken: TOKEN }));
const kept = async () =>
  (await kit.ports.templates.page(actor.organizationId, {}, { skip: 0, limit: 100 })).items.toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
const word = (platformTemplateId: string, event: string, more: object = {}): MetaReport => ({
  kind: 'platform',
  about: 'template',
  at: world.now,
  wabaId: WABA,
  platformTemplateId,
  name: 'boas_vindas',
  language: 'pt_BR',
  event,
  ...more,
});

describe('the templates that an account has on the platform', () => {
  test('are kept when its number is connected, from all pages, in our words and without events', async () => {
    const id = onPlatform();
    const rejected = onPlatform({
      name: 'recusado',
      language: 'en_US',
      status: 'REJECTED',
      rejected_reason: 'INVALID_FORMAT',
    });
    onPlatform({ name: 'em_frances', language: 'fr_FR' });
    onPlatform({ name: 'pausado', category: 'UTILITY', status: 'PAUSED' });
    onPlatform({ name: 'ilegivel', components: 'none' });
    const number = await connect();
    const shown = { organizationId: actor.organizationId, numberId: number.id, wabaId: WABA, version: 1 };
    const { type, ...payload } = BODY;
    expect(await kept()).toMatchObject([
      {
        ...shown,
        name: 'boas_vindas',
        language: 'pt-BR',
        category: 'marketing',
        status: 'approved',
        platformTemplateId: id,
        components: [{ type, payload }],
      },
      { ...shown, name: 'pausado', category: 'utility', status: 'paused' },
      {
        ...shown,
        language: 'en-US',
        status: 'rejected',
        platformTemplateId: rejected,
        rejectionReason: 'INVALID_FORMAT',
      },
    ]);
    expect(kit.raised).toEqual([]);
  });

  test('can be sent at once', async () => {
    onPlatform();
    await connect();
    const request = { channel: 'whatsapp', to: '+5511999990000', type: 'template', template: 'boas_vindas' } as const;
    const planned = await withSavedTemplate(kit.ports, actor.organizationId, {
      ...request,
      variables: { nome: 'Bia' },
    });
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Bia' }] }];
    expect(allowed(planned)).toMatchObject({ route: 'marketing', payload: { template: { components } } });
    const wrong = await withSavedTemplate(kit.ports, actor.organizationId, request);
    expect(isRefusal(wrong)).toBe(true);
  });

  test('follow their reviews from then on: what is said again is no event, a new verdict is one', async () => {
    const id = onPlatform();
    await connect();
    expect(await applyMetaReport(kit.ports, actor, word(id, 'APPROVED'))).toBe('kept');
    expect(kit.raised).toHaveLength(0);
    world.now += 2_000;
    await applyMetaReport(kit.ports, actor, word(id, 'REJECTED', { reason: 'ABUSIVE_CONTENT' }));
    expect(await kept()).toMatchObject([{ status: 'rejected', rejectionReason: 'ABUSIVE_CONTENT' }]);
    expect(kit.raised).toHaveLength(1);
  });

  test('are brought to what they are now by a sync, once: new ones, new states, new contents', async () => {
    const id = onPlatform({ status: 'PENDING' });
    const number = await connect();
    const found = meta.account.templates.get(id);
    if (!found) throw new Error('The stand-in lost it.');
    found.status = 'APPROVED';
    found.category = 'UTILITY';
    found.components = [{ ...BODY, text: 'Olá {{1}}!' }];
    onPlatform({ name: 'mais_um' });
    for (let turn = 0; turn < 2; turn++) {
      allowed(await syncWithTemplates(kit.ports, actor, number.id));
      expect(await kept()).toMatchObject([
        { status: 'approved', category: 'utility', version: 2, components: [{ payload: { text: 'Olá {{1}}!' } }] },
        { name: 'mais_um', version: 1 },
      ]);
    }
    expect(kit.raised).toHaveLength(1);
  });

  test('whose examples moved to another address have not changed', async () => {
    const header = (url: string) => ({ type: 'HEADER', format: 'IMAGE', example: { header_handle: [url] } });
    const id = onPlatform({ components: [header('https://scontent.example/a'), BODY] });
    const number = await connect();
    Object.assign(meta.account.templates.get(id) ?? {}, { components: [header('https://scontent.example/b'), BODY] });
    allowed(await syncWithTemplates(kit.ports, actor, number.id));
    expect(await kept()).toMatchObject([{ version: 1, revision: 1 }]);
  });

  test('never replace a draft of the same name', async () => {
    const number = await connect();
    const components = [{ type: 'BODY', payload: { text: 'Rascunho' } }];
    const wish = {
      numberId: number.id,
      name: 'boas_vindas',
      language: 'pt-BR',
      category: 'utility',
      components,
    } as const;
    const { id } = allowed(await createTemplate(kit.ports, actor, wish));
    onPlatform();
    allowed(await syncWithTemplates(kit.ports, actor, number.id));
    expect(await kept()).toMatchObject([{ id, status: 'draft', components }]);
  });

  test('settle a submission whose answer was lost', async () => {
    const number = await connect();
    const components = [{ type: 'BODY', payload: { text: 'Oi' } }];
    const wish = {
      numberId: number.id,
      name: 'boas_vindas',
      language: 'pt-BR',
      category: 'utility',
      components,
    } as const;
    const { id } = allowed(await createTemplate(kit.ports, actor, wish));
    meta.script('accept_and_reset');
    expect(isRefusal(await submitTemplate(kit.ports, actor, id))).toBe(true);
    allowed(await syncWithTemplates(kit.ports, actor, number.id));
    expect(await kept()).toMatchObject([{ id, status: 'pending', platformTemplateId: expect.any(String) }]);
  });
});

test('a number is connected even when its templates cannot be read just now, and a sync says so', async () => {
  onPlatform();
  // The reads of the number and of its profile, and the subscription, are answered first.
  meta.script('accept', 'accept', 'accept', 'server_error');
  const number = await connect();
  expect(await kept()).toEqual([]);
  meta.script('accept', 'accept', 'server_error');
  expect(isRefusal(await syncWithTemplates(kit.ports, actor, number.id))).toBe(true);
  allowed(await syncWithTemplates(kit.ports, actor, number.id));
  expect(await kept()).toMatchObject([{ name: 'boas_vindas', status: 'approved' }]);
});
