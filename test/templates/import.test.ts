import { beforeEach, describe, expect, test } from 'vitest';
import { applyMetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/apply.ts';
import type { MetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/report.ts';
import { connectWithTemplates, syncWithTemplates } from '../../shared/domain/channels/whatsapp/templates/import.ts';
import { withSavedTemplate } from '../../shared/domain/channels/whatsapp/templates/send.ts';
import { submitTemplate } from '../../shared/domain/channels/whatsapp/templates/submit.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { aTemplate, type MetaAccount, startMetaAccount, WABA } from '../numbers/kit.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('live'));
let { meta, ports, raised, actor, connection } = {} as MetaAccount;
beforeEach(async () => {
  ({ meta, ports, raised, actor, connection } = await startMetaAccount(world));
  return () => meta.close();
});

const BODY = { type: 'BODY', text: 'Oi {{1}}!', example: { body_text: [['Ana']] } };
let listed = 0;
/** Adds a template to the account, as Meta lists it; answers its id. */
const listedByMeta = (fields: object = {}) => {
  const id = String(594_425_479_261_596 + ++listed);
  const template = { id, name: 'boas_vindas', language: 'pt_BR', category: 'MARKETING', status: 'APPROVED' };
  meta.account.templates.set(id, { ...template, components: [BODY], ...fields });
  return id;
};
const connect = async () => accepted(await connectWithTemplates(ports, actor, connection));
const sync = async (id: Id<'number'>) => accepted(await syncWithTemplates(ports, actor, id));
const stored = async () =>
  (await ports.templates.page(actor.organizationId, {}, { skip: 0, limit: 100 })).items.toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
const statusReport = (platformTemplateId: string, event: string, more: object = {}): MetaReport => ({
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

describe('the templates that an account has at Meta', () => {
  test('are imported when its number is connected: from all pages, in our terms and without events', async () => {
    const id = listedByMeta();
    const reason = 'INVALID_FORMAT';
    const rejected = listedByMeta({ name: 'recusado', language: 'en_US', status: 'REJECTED', rejected_reason: reason });
    listedByMeta({ name: 'em_frances', language: 'fr_FR' });
    listedByMeta({ name: 'pausado', category: 'UTILITY', status: 'PAUSED' });
    listedByMeta({ name: 'ilegivel', components: 'none' });
    const number = await connect();
    const shown = { organizationId: actor.organizationId, numberId: number.id, wabaId: WABA, version: 1 };
    const { type, ...payload } = BODY;
    expect(await stored()).toMatchObject([
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
      { ...shown, language: 'en-US', status: 'rejected', platformTemplateId: rejected, rejectionReason: reason },
    ]);
    expect(raised).toEqual([]);
  });

  test('can be sent immediately', async () => {
    listedByMeta();
    await connect();
    const request = { channel: 'whatsapp', to: '+5511999990000', type: 'template', template: 'boas_vindas' } as const;
    const planned = await withSavedTemplate(ports, actor.organizationId, { ...request, variables: { nome: 'Bia' } });
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Bia' }] }];
    expect(accepted(planned)).toMatchObject({ route: 'marketing', payload: { template: { components } } });
    const wrong = await withSavedTemplate(ports, actor.organizationId, request);
    expect(isRefusal(wrong)).toBe(true);
  });

  test('follow later reports: a repeated verdict raises no event, a new one does', async () => {
    const id = listedByMeta();
    await connect();
    expect(await applyMetaReport(ports, actor, statusReport(id, 'APPROVED'))).toBe('kept');
    expect(raised).toHaveLength(0);
    world.now += 2_000;
    await applyMetaReport(ports, actor, statusReport(id, 'REJECTED', { reason: 'ABUSIVE_CONTENT' }));
    expect(await stored()).toMatchObject([{ status: 'rejected', rejectionReason: 'ABUSIVE_CONTENT' }]);
    expect(raised).toHaveLength(1);
  });

  test('are updated by a sync, once: new templates, statuses and contents', async () => {
    const id = listedByMeta({ status: 'PENDING' });
    const number = await connect();
    const found = meta.account.templates.get(id);
    if (!found) throw new Error('The stand-in has no such template.');
    found.status = 'APPROVED';
    found.category = 'UTILITY';
    found.components = [{ ...BODY, text: 'Olá {{1}}!' }];
    listedByMeta({ name: 'mais_um' });
    for (let turn = 0; turn < 2; turn++) {
      await sync(number.id);
      expect(await stored()).toMatchObject([
        { status: 'approved', category: 'utility', version: 2, components: [{ payload: { text: 'Olá {{1}}!' } }] },
        { name: 'mais_um', version: 1 },
      ]);
    }
    expect(raised).toHaveLength(1);
  });

  test('are unchanged when only the address of an example differs', async () => {
    const header = (url: string) => ({ type: 'HEADER', format: 'IMAGE', example: { header_handle: [url] } });
    const id = listedByMeta({ components: [header('https://scontent.example/a'), BODY] });
    const number = await connect();
    Object.assign(meta.account.templates.get(id) ?? {}, { components: [header('https://scontent.example/b'), BODY] });
    await sync(number.id);
    expect(await stored()).toMatchObject([{ version: 1, revision: 1 }]);
  });

  test('never replace a draft of the same name', async () => {
    const number = await connect();
    const components = [{ type: 'BODY', payload: { text: 'Rascunho' } }];
    const { id } = await aTemplate(ports, actor, { numberId: number.id, name: 'boas_vindas', components });
    listedByMeta();
    await sync(number.id);
    expect(await stored()).toMatchObject([{ id, status: 'draft', components }]);
  });

  test('resolve a submission whose response was lost', async () => {
    const number = await connect();
    const { id } = await aTemplate(ports, actor, { numberId: number.id, name: 'boas_vindas' });
    meta.script('accept_and_reset');
    expect(isRefusal(await submitTemplate(ports, actor, id))).toBe(true);
    await sync(number.id);
    expect(await stored()).toMatchObject([{ id, status: 'pending', platformTemplateId: expect.any(String) }]);
  });
});

test('a number is connected even if reading its templates fails, and a sync then reports the failure', async () => {
  listedByMeta();
  // The reads of the number and of its profile, and the subscription, are answered first.
  meta.script('accept', 'accept', 'accept', 'server_error');
  const number = await connect();
  expect(await stored()).toEqual([]);
  meta.script('accept', 'accept', 'server_error');
  expect(isRefusal(await syncWithTemplates(ports, actor, number.id))).toBe(true);
  await sync(number.id);
  expect(await stored()).toMatchObject([{ name: 'boas_vindas', status: 'approved' }]);
});
