import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { startReceiver } from '../support/receiver.ts';
import { use } from '../support/use.ts';
import { PHONE } from './browser.ts';
import { EVIL, expectInert, expectNoFaults, inspect, PATIENCE, startConsole, visit } from './kit.ts';

const service = await use(startConsole());

const send = async ({ test: client }: Tenant, fields: Record<string, unknown> = {}): Promise<string> => {
  const { status, body } = await client.send(fields);
  expect(status).toBe(201);
  return body.id;
};
/** An SMS that waits for its moment, a day ahead. */
const schedule = async ({ test: client }: Tenant, fields: Record<string, unknown> = {}): Promise<string> => {
  const scheduledAt = new Date(Date.now() + 24 * 3600_000).toISOString();
  const body = {
    channel: 'sms',
    to: '+5511999990005',
    type: 'text',
    payload: { text: 'Amanhã.' },
    scheduledAt,
    ...fields,
  };
  const answer = await client.post('/messages', body, { 'idempotency-key': randomUUID() });
  expect(answer.status).toBe(201);
  return answer.body.id;
};
const rowIds = (page: Page) =>
  page.evaluate<string[]>("[...document.querySelectorAll('tbody tr')].map((row) => row.getAttribute('data-row'))");
const statusOf = async ({ test: client }: Tenant, id: string) => (await client.get(`/messages/${id}`)).body.status;

describe('the list of messages', () => {
  test('explains what it will show, and how to start, while it is empty', async () => {
    const page = await service.signedIn(await service.tenant());
    await page.getByRole('link', { name: 'Mensagens' }).click();
    await page.getByRole('heading', { name: 'Nenhuma mensagem aqui' }).waitFor();
    // The heading takes the focus after it is shown.
    await expect.poll(() => page.evaluate('document.activeElement?.textContent'), PATIENCE).toBe('Mensagens');
    await inspect(page, 'messages-empty');
  });

  test('shows them newest first, and filters by everything that the operation filters by', async () => {
    const tenant = await service.tenant();
    const first = await send(tenant, { campaignId: 'black-friday' });
    const second = await send(tenant, { to: '+5511999990006' });
    await expect.poll(() => statusOf(tenant, second), PATIENCE).toBe('failed');
    const page = await service.signedInAt('/console/messages', tenant);
    await expect.poll(() => rowIds(page), PATIENCE).toEqual([second, first]);
    await inspect(page, 'messages');

    await page.getByLabel('Situação').selectOption('failed');
    await expect.poll(() => rowIds(page), PATIENCE).toEqual([second]);
    expect(page.url()).toContain('status=failed');
    await page.getByRole('button', { name: 'Limpar filtros' }).click();
    await page.getByLabel('Campanha').fill('black-friday');
    await page.getByRole('button', { name: 'Aplicar' }).click();
    await expect.poll(() => rowIds(page), PATIENCE).toEqual([first]);
    await page.reload();
    await expect.poll(() => rowIds(page), PATIENCE).toEqual([first]);
    expect(await page.getByLabel('Campanha').inputValue()).toBe('black-friday');
    for (const [name, value] of [
      ['contactId', `cnt_${'0'.repeat(21)}`],
      ['batchId', `btc_${'0'.repeat(21)}`],
      ['numberId', `num_${'0'.repeat(21)}`],
      ['sentByAccountId', `acc_${'0'.repeat(21)}`],
      ['from', '2099-01-01T00:00:00.000Z'],
      ['to', '2020-01-01T00:00:00.000Z'],
    ]) {
      await visit(page, `/console/messages?${name}=${value}`);
      await page.getByText('Nenhuma mensagem corresponde aos filtros.').waitFor();
    }
    expectNoFaults(page);
  });

  test('keeps rows in place when messages arrive, and shows the new ones on request', async () => {
    const tenant = await service.tenant();
    const [first, second] = [await send(tenant), await schedule(tenant)];
    const page = await service.signedInAt('/console/messages', tenant);
    await expect.poll(() => rowIds(page), PATIENCE).toEqual([second, first]);
    await page.locator(`[data-row="${first}"]`).getByText('Entregue').waitFor();
    const third = await send(tenant);
    await page.getByRole('button', { name: '1 mensagens novas: mostrar' }).waitFor();
    expect(await rowIds(page)).toEqual([second, first]);
    await tenant.test.post(`/messages/${second}/cancel`, undefined);
    await page.locator(`[data-row="${second}"]`).getByText('Falhou').waitFor();
    await page.getByRole('button', { name: '1 mensagens novas: mostrar' }).click();
    await expect.poll(() => rowIds(page), PATIENCE).toEqual([third, second, first]);
  });

  test('pages without repeating a message, even if new ones arrive', async () => {
    const tenant = await service.tenant();
    const ids: string[] = [];
    for (let index = 0; index < 52; index++) ids.unshift(await schedule(tenant));
    const page = await service.signedInAt('/console/messages', tenant);
    await expect.poll(() => rowIds(page), PATIENCE).toEqual(ids.slice(0, 50));
    await send(tenant);
    await page.getByRole('button', { name: 'Próxima página' }).click();
    await expect.poll(() => rowIds(page), PATIENCE).toEqual(ids.slice(50));
    await page.getByText('51–52 de 52').waitFor();
  });

  test('is made of cards on a phone', async () => {
    const tenant = await service.tenant();
    await send(tenant);
    const page = await service.signedInAt('/console/messages', tenant, 'owner', PHONE);
    await page.locator('tbody tr').getByText('Entregue').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await inspect(page, 'messages-phone');
  });
});

describe('a message', () => {
  test('shows its decisions, the webhooks of its events, and every attempt', async () => {
    const tenant = await service.tenant();
    const receiver = await startReceiver();
    const { body: webhook } = await tenant.test.post('/webhooks', { url: receiver.url, events: ['sms.delivered'] });
    const id = await send(tenant, { metadata: { pedido: 'A-1842' } });
    const page = await service.signedInAt(`/console/messages/${id}`, tenant);
    await page.getByText('Entregue', { exact: true }).first().waitFor();
    await page.getByText('sandbox_provider accepted').waitFor();
    const delivery = page.locator('[data-delivery]');
    await delivery.getByRole('button', { name: 'Ver tentativas' }).click();
    await delivery.getByText('Tentativa 1').waitFor();
    await delivery.getByText('O que foi enviado').click();
    await delivery.getByText(`"id":"${id}"`, { exact: false }).waitFor();
    await delivery.getByRole('link', { name: webhook.id }).waitFor();
    await inspect(page, 'message');
    await receiver.close();
  });

  test('that failed is corrected and sent again, once; both link to each other', async () => {
    const tenant = await service.tenant();
    const id = await send(tenant, { to: '+5511999990008' });
    const page = await service.signedInAt(`/console/messages/${id}`, tenant, 'support');
    await page.getByText('Falhou', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Corrigir e reenviar' }).click();
    await page.getByLabel('Destinatário').fill('+5511999990005');
    await page.getByLabel('Texto').fill('Seu pedido saiu, agora sim.');
    await inspect(page, 'message-resend');
    await page.getByRole('button', { name: 'Reenviar agora' }).dblclick();
    await page.waitForURL((url) => url.pathname.startsWith('/console/messages/') && !url.pathname.endsWith(id));
    await page.getByText('Seu pedido saiu, agora sim.').first().waitFor();
    await page.getByRole('link', { name: id }).click();
    await page.getByText('Substituída', { exact: true }).first().waitFor();
    const { body } = await tenant.test.get('/messages');
    expect(body.total).toBe(2);
  });

  test('that is queued is cancelled after confirmation', async () => {
    const tenant = await service.tenant();
    const id = await schedule(tenant);
    const page = await service.signedInAt(`/console/messages/${id}`, tenant, 'support');
    await page.getByRole('button', { name: 'Cancelar envio' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancelar', exact: true }).click();
    expect(await statusOf(tenant, id)).toBe('queued');
    await page.getByRole('button', { name: 'Cancelar envio' }).click();
    await page.getByRole('button', { name: 'Cancelar o envio' }).click();
    await page.getByText('Falhou', { exact: true }).first().waitFor();
    expect(await statusOf(tenant, id)).toBe('failed');
  });

  test('says what the service refused, and gives the id by which the call is found', async () => {
    const tenant = await service.tenant();
    const id = await schedule(tenant);
    const page = await service.signedInAt(`/console/messages/${id}`, tenant, 'support');
    await page.getByRole('button', { name: 'Corrigir e reenviar' }).click();
    await page.getByLabel('Destinatário').fill('nobody');
    await page.getByRole('button', { name: 'Reenviar agora' }).click();
    await page.getByRole('alert').getByText(/^req_/).waitFor();
    await inspect(page, 'message-problem');
    await page.goto(`/console/messages/msg_${'0'.repeat(21)}`);
    await page.getByRole('alert').getByText(/^req_/).waitFor();
  });

  test('can be read by a viewer, who is offered nothing that the role forbids', async () => {
    const tenant = await service.tenant();
    const id = await schedule(tenant);
    const page = await service.signedInAt(`/console/messages/${id}`, tenant, 'viewer');
    await page.getByText('+55119****0005').first().waitFor();
    for (const name of ['Corrigir e reenviar', 'Cancelar envio', 'Enviar agora'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
  });

  test('with markup in every field shows it as text, and runs none of it', async () => {
    const tenant = await service.tenant();
    const id = await schedule(tenant, {
      payload: { text: EVIL },
      campaignId: EVIL.slice(0, 120),
      metadata: { a: EVIL },
    });
    const page = await service.entered(tenant);
    for (const path of ['/console/messages', `/console/messages/${id}`]) {
      await visit(page, path);
      await expectInert(page);
    }
  });
});
