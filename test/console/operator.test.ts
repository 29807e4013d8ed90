import { randomUUID } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { parseId } from '../../shared/domain/core/ids.ts';
import type { QueueName } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { keepLastFailures } from '../../shared/storage/due-work/dead-letters.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import type { Tenant } from '../support/api.ts';
import { operatorJson } from '../support/operator.ts';
import { sendBodies } from '../support/queues.ts';
import { use } from '../support/use.ts';
import { PHONE } from './browser.ts';
import { EVIL, expectInert, expectNoFaults, inspect, PATIENCE, startConsole, visit } from './kit.ts';

const service = await use(startConsole());
const admin = operatorJson(service.dataDir);
const sqs = new SQSClient({ endpoint: service.sqsEndpoint });
afterAll(() => sqs.destroy());
const table = service.tables.test;

const pairOf = (queue: QueueName) => service.queues.test[queue] ?? { url: '', deadLetterUrl: '' };
const row = (page: Page, text: string) => page.locator('tbody tr').filter({ hasText: text });
const confirm = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name }).click();
const statusOf = async ({ test: client }: Tenant, id: string) => (await client.get(`/messages/${id}`)).body.status;
/** A page with an operator signed in. */
const asOperator = async (tenant: Tenant, ...context: Parameters<typeof service.signedIn>[2][]): Promise<Page> =>
  service.signedIn(tenant, 'operator', ...context);

/** A message whose work failed for hours and was set aside: only an operator brings it back. */
const setAside = async (tenant: Tenant) => {
  const scheduledAt = new Date(Date.now() + 24 * 3600_000).toISOString();
  const body = { channel: 'sms', to: '+5511999990005', type: 'text', payload: { text: 'Amanhã.' }, scheduledAt };
  const answer = await tenant.test.post('/messages', body, { 'idempotency-key': randomUUID() });
  expect(answer.status).toBe(201);
  const id = parseId('message', answer.body.id);
  const key = KEYS.message(id);
  const now = Date.now();
  const { duePk } = INDEX_KEYS.due('send_message', id, now);
  const aside = { ...INDEX_KEYS.setAside('send_message', now), asideFrom: duePk };
  await table.write({ update: key, set: { ...messageRows.set({ deadline: now }), ...aside } });
  return { id, work: { kind: 'send_message', ...key, organizationId: tenant.id } };
};

/** Settings with which no asynchronous send of the organization can be decided, until they are removed. */
const breakSettings = ({ id }: Tenant) =>
  table.write({ update: KEYS.organization(id), set: { quietHours: { inicio: 'never' } } });
const mendSettings = ({ id }: Tenant) => table.write({ update: KEYS.organization(id), remove: ['quietHours'] });

describe('dead letters in the browser', () => {
  test('show why a consumer failed at every attempt, and the message goes out once its work is moved back', async () => {
    const tenant = await service.tenant();
    const { id, work } = await setAside(tenant);
    await breakSettings(tenant);
    await sendBodies(sqs, pairOf('send').url, [JSON.stringify(work)]);
    const page = await asOperator(tenant);
    await page.getByRole('heading', { name: 'Operação', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/operator');
    const ofSend = page.locator('[data-row="send"]');
    const dead = async () => {
      await page.reload();
      await ofSend.waitFor();
      return ofSend.getByText(/para ver/).count();
    };
    // A message dies at its fifth attempt.
    await expect.poll(dead, { ...PATIENCE, timeout: 2 * PATIENCE.timeout, interval: 1_000 }).toBe(1);
    await inspect(page, 'operator-queues');
    await ofSend.getByRole('link', { name: 'send', exact: true }).click();
    const letter = row(page, id);
    await letter.getByText('ZodError').waitFor();
    await letter.getByText('a stored row or a response does not parse').waitFor();
    await letter.getByText('Não está pendente').waitFor();
    await inspect(page, 'operator-dead-letters');
    expect(await statusOf(tenant, id)).toBe('queued');

    await mendSettings(tenant);
    await letter.getByRole('button', { name: /^Devolver à fila/ }).click();
    await page
      .getByRole('dialog')
      .getByText(/Corrija a causa antes/)
      .waitFor();
    await inspect(page, 'operator-redrive');
    await confirm(page, 'Devolver à fila');
    await page.getByText('Devolvidas à fila: 1.').waitFor();
    await expect.poll(() => letter.count(), PATIENCE).toBe(0);
    await expect.poll(() => statusOf(tenant, id), PATIENCE).toBe('delivered');
    expectNoFaults(page);
  });

  test('are moved back together, and nothing that they hold is run or betrays a person', async () => {
    const tenant = await service.tenant();
    const works = [EVIL, 'x'].map((text) => ({ kind: 'send_push', pk: `MSG#${text}`, sk: 'MSG' }));
    await sendBodies(sqs, pairOf('push').deadLetterUrl, [
      ...works.map((work) => JSON.stringify(work)),
      '{"phone":"+5511987654321"}',
    ]);
    const page = await service.entered(tenant, 'operator');
    await page.goto('/console/operator/queues/push');
    await row(page, '<img src=x').waitFor();
    const at = Date.now();
    const reason = `${EVIL} ana@loja.example +55 11 98765-4321`;
    const sqsIds = await page.evaluate<string[]>(
      "[...document.querySelectorAll('tbody tr')].map((each) => each.getAttribute('data-row'))",
    );
    expect(sqsIds).toHaveLength(3);
    await keepLastFailures(
      table,
      sqsIds.map((sqsId) => ({ sqsId, fault: EVIL, reason, at })),
    );
    await page.getByRole('button', { name: 'Ler de novo' }).click();
    await page.getByText('•••• ••••').first().waitFor();
    expect(await page.content()).not.toMatch(/ana@loja|98765/);
    await row(page, 'Não é uma mensagem do serviço').waitFor();
    await expectInert(page);
    await inspect(page, 'operator-dead-letters-attacked');
    await page.getByRole('button', { name: 'Devolver todas' }).click();
    await confirm(page, 'Devolver todas');
    await page.getByText('Devolvidas à fila: 3.').waitFor();
    await page.getByRole('heading', { name: 'Nenhuma mensagem morta' }).waitFor();
    await inspect(page, 'operator-dead-letters-empty');
  });

  test('that are moved in the background show how many are left, until none is', async () => {
    const tenant = await service.tenant();
    const { deadLetterUrl } = pairOf('backlog');
    await sendBodies(sqs, deadLetterUrl, ['{"a":1}', '{"a":2}']);
    const page = await service.entered(tenant, 'operator');
    await page.goto('/console/operator/queues/backlog');
    await expect.poll(() => page.locator('tbody tr').count(), PATIENCE).toBe(2);
    // A deployed queue answers so: SQS moves its messages by itself, after the answer.
    await page.route('**/queues/backlog/dead-letters', async (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 202, json: { queue: 'backlog', state: 'running', moved: 0, notFound: [] } })
        : route.fallback(),
    );
    await page.getByRole('button', { name: 'Devolver todas' }).click();
    await confirm(page, 'Devolver todas');
    const progress = page.getByRole('region', { name: 'Devolver todas' });
    await progress.getByText('Em andamento').waitFor();
    await inspect(page, 'operator-redrive-running');
    await admin('queue', 'redrive', '--env', 'test', '--queue', 'backlog');
    await progress.getByText('Concluído').waitFor();
    expectNoFaults(page);
  });
});

describe('stuck work', () => {
  test('that was set aside is retried from its list, and is done', async () => {
    const tenant = await service.tenant();
    const { id } = await setAside(tenant);
    const page = await service.entered(tenant, 'operator');
    await page.goto('/console/operator?tab=work');
    await row(page, 'send_message').first().waitFor();
    await page.getByLabel('Tipo').selectOption('send_message');
    await row(page, id).waitFor();
    await inspect(page, 'operator-work');
    await page.getByRole('button', { name: new RegExp(`Tentar de novo: MSG#${id}`) }).click();
    await confirm(page, 'Tentar de novo');
    await expect.poll(() => row(page, id).count(), PATIENCE).toBe(0);
    await expect.poll(() => statusOf(tenant, id), PATIENCE).toBe('delivered');
    await page.getByLabel('Tipo').selectOption('');
    await page.getByRole('heading', { name: 'Nada posto de lado' }).waitFor();
    await inspect(page, 'operator-work-empty');
  });
});

describe('providers and organizations', () => {
  test('a breaker that is open is probed or closed, and an empty stage explains how to set a provider up', async () => {
    const tenant = await service.tenant();
    const page = await service.entered(tenant, 'operator');
    await page.goto('/console/operator?tab=providers');
    await page.getByRole('heading', { name: 'Nenhum provedor configurado' }).waitFor();
    await inspect(page, 'operator-providers-empty');
    const settings = { accountSid: `AC${'0'.repeat(32)}`, authToken: 'f'.repeat(32), from: '+15005550006' };
    const place = ['--env', 'test', '--channel', 'sms', '--provider', 'twilio'];
    await admin('provider', 'set', ...place, '--settings', JSON.stringify(settings));
    const now = Date.now();
    const open = { openedAt: now, openUntil: now + 600_000 };
    await table.putMany([{ ...KEYS.breaker('sms', 'twilio', 'premium'), ...open }]);
    await page.reload();
    const premium = page.locator('[data-row="sms twilio premium"]');
    await premium.getByText('Aberto', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(settings.authToken);
    await inspect(page, 'operator-providers');
    const act = async (name: string) => {
      await premium.getByRole('button', { name: 'Ações para twilio premium' }).click();
      await page.getByRole('menuitem', { name }).click();
      await confirm(page, name);
    };
    await act('Testar agora');
    await premium.getByText('Em teste').waitFor();
    await act('Fechar disjuntor');
    await premium.getByText('Fechado').waitFor();
    expect(await premium.getByRole('button').count()).toBe(0);
    await admin('provider', 'remove', ...place);
    expectNoFaults(page);
  });

  test('an organization is found in the list or by its id, with its figures; a wrong id shows the problem', async () => {
    const [own, other] = [await service.tenant(), await service.tenant()];
    await other.test.call('PATCH', '/v2/organizations/me', { body: { name: EVIL } });
    const page = await service.entered(own, 'operator');
    await page.goto('/console/operator?tab=organizations');
    await row(page, other.id).getByRole('link').waitFor();
    await expectInert(page);
    await inspect(page, 'operator-organizations');
    await page.getByRole('textbox', { name: 'Identificador' }).fill(own.id);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Loja Azul', level: 1 }).waitFor();
    await page.getByText('Envios por minuto').waitFor();
    await inspect(page, 'operator-organization');
    await visit(page, `/console/operator/organizations/org_${'0'.repeat(21)}`);
    await page.getByRole('alert').getByText(/^req_/).waitFor();
    const { items } = (await own.test.get('/v2/audit', { action: 'organization.viewed' })).body;
    expect(items).toMatchObject([{ actor: { kind: 'operator', id: 'operator' } }]);
    expectNoFaults(page);
  });

  test('the operator has no other area of an organization, and works on a phone and by the keyboard', async () => {
    const page = await asOperator(await service.tenant(), PHONE);
    await page.locator('[data-row="send"]').waitFor();
    await inspect(page, 'operator-phone');
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await page.getByRole('tab', { name: 'Filas' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { name: 'Trabalho parado' }).waitFor();
    await page.getByRole('button', { name: 'Abrir navegação' }).click();
    const links = await page.getByRole('navigation', { name: 'Navegação' }).getByRole('link').allTextContents();
    expect(links).toEqual(['Pessoas', 'Ajustes', 'Operação']);
    await visit(page, '/console/messages');
    await page.getByRole('heading', { name: 'Seu papel não permite isto' }).first().waitFor();
    expectNoFaults(page);
  });
});

describe('who is no operator', () => {
  test('does not see the area, and a page that claims the scope is refused by the service', async () => {
    const page = await service.signedIn(await service.tenant(), 'owner');
    await page.getByRole('link', { name: 'Pessoas' }).waitFor();
    expect(await page.getByRole('link', { name: 'Operação' }).count()).toBe(0);
    await page.goto('/console/operator');
    await page.getByRole('heading', { name: 'Seu papel não permite isto' }).first().waitFor();
    await page.route('**/sessions/refresh*', async (route) => {
      const response = await route.fetch();
      const session = await response.json();
      await route.fulfill({ response, json: { ...session, scopes: [...session.scopes, 'operator:read'] } });
    });
    await page.goto('/console/operator');
    for (const path of [
      '',
      '?tab=work',
      '?tab=providers',
      '?tab=organizations',
      '/queues/send',
      '/organizations/org_x',
    ]) {
      await visit(page, `/console/operator${path}`);
      await page
        .getByRole('alert')
        .getByText(/operator:read/)
        .first()
        .waitFor();
      await page.getByRole('alert').getByText(/^req_/).first().waitFor();
    }
  });
});
