import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { startReceiver } from '../support/receiver.ts';
import { use } from '../support/use.ts';
import { expectNoFaults, inspect, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());
const receiver = await use(startReceiver());

const subscribe = async (tenant: Tenant, url: string) => {
  const { status, body } = await tenant.test.post('/webhooks', { url, events: ['sms.delivered'] });
  expect(status).toBe(201);
  return body.id as string;
};
/** The data of an organization: its events, validations and examples. */
const receivedOf = ({ id }: Tenant) =>
  receiver.received.filter(({ body }) => JSON.parse(body).organizationId === id).length;
const rows = (page: Page) => page.locator('tbody tr');

describe('webhooks', () => {
  test('are made where there was none, and their secret is shown once', async () => {
    const tenant = await service.tenant();
    const page = await service.signedIn(tenant, 'developer');
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'Nenhum webhook ainda' }).waitFor();
    await inspect(page, 'webhooks-empty');
    await page.getByRole('button', { name: 'Novo webhook' }).click();
    await page.getByRole('textbox', { name: /Endereço/ }).fill(receiver.url);
    await page.getByRole('textbox', { name: /Eventos/ }).fill('sms.delivered\nsms.nothing');
    await page.getByRole('dialog').getByRole('button', { name: 'Novo webhook' }).click();
    await page.getByRole('alert').getByText('events.1').waitFor();
    await inspect(page, 'webhook-create');
    await page.getByRole('textbox', { name: /Eventos/ }).fill('sms.delivered');
    await page.getByRole('dialog').getByRole('button', { name: 'Novo webhook' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'Guardei o segredo' }).click();
    await page.getByRole('link', { name: receiver.url }).waitFor();
    expect(await page.content()).not.toContain('whsec_');
    await inspect(page, 'webhooks');
  });

  test('show what was delivered, with every attempt, and deliver it again with the same id', async () => {
    const tenant = await service.tenant();
    const id = await subscribe(tenant, receiver.url);
    for (let sent = 0; sent < 2; sent++) await tenant.test.send();
    const page = await service.signedInAt(`/console/webhooks/${id}`, tenant, 'support');
    await expect.poll(() => rows(page).count(), PATIENCE).toBe(2);
    await rows(page).first().getByText('Entregue').waitFor();
    await inspect(page, 'webhook');
    await page.getByLabel('Situação').selectOption('failed');
    await page.getByRole('heading', { name: 'Nenhuma entrega aqui' }).waitFor();
    await page.getByLabel('Situação').selectOption('delivered');
    await rows(page).first().getByRole('link').click();
    await page.getByText('Tentativa 1').waitFor();
    await inspect(page, 'delivery');
    const received = () => receiver.received.filter(({ headers }) => headers['webhook-id'] === eventId).length;
    const eventId = (await page.getByText(/^evt_/).first().textContent()) ?? '';
    expect(received()).toBe(1);
    await page.getByRole('button', { name: 'Entregar de novo' }).click();
    await page.getByText('Tentativa 2').waitFor();
    expect(received()).toBe(2);
  });

  test('are paused, resumed, tested and revoked, each by who may', async () => {
    const tenant = await service.tenant();
    const id = await subscribe(tenant, receiver.url);
    const statusOf = async () => (await tenant.test.get(`/webhooks/${id}`)).body.status;
    const page = await service.signedInAt(`/console/webhooks/${id}`, tenant, 'admin');
    await page.getByRole('button', { name: 'Pausar' }).click();
    await page.getByRole('button', { name: 'Retomar' }).waitFor();
    expect(await statusOf()).toBe('paused');
    await page.getByRole('button', { name: 'Retomar' }).click();
    await page.getByRole('button', { name: 'Pausar' }).waitFor();
    await page.getByRole('button', { name: 'Enviar evento de teste' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enviar evento de teste' }).click();
    await page.getByText('Tentativa 1').waitFor();
    await page.goto(`/console/webhooks/${id}`);
    await page.getByRole('button', { name: 'Trocar segredo' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Trocar segredo' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'Guardei o segredo' }).click();
    await page.getByRole('button', { name: 'Revogar' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revogar' }).click();
    await expect.poll(statusOf, PATIENCE).toBe('revoked');
    await page.getByText('Revogado').waitFor();
    expect(await page.getByRole('button', { name: 'Pausar' }).count()).toBe(0);
    expectNoFaults(page);

    const other = await subscribe(tenant, receiver.url);
    const viewer = await service.signedInAt(`/console/webhooks/${other}`, tenant, 'viewer');
    await viewer.getByText(receiver.url).first().waitFor();
    for (const name of ['Pausar', 'Revogar', 'Trocar segredo', 'Entregar de novo um período'])
      expect(await viewer.getByRole('button', { name }).count(), name).toBe(0);
  });

  test('deliver a period again', async () => {
    const tenant = await service.tenant();
    const id = await subscribe(tenant, receiver.url);
    for (let sent = 0; sent < 2; sent++) await tenant.test.send();
    await expect.poll(() => receivedOf(tenant), PATIENCE).toBe(3);
    // The service stores an answer after it was given.
    const stored = async () =>
      (await tenant.test.get(`/webhooks/${id}/deliveries`, { status: 'delivered' })).body.total;
    await expect.poll(stored, PATIENCE).toBe(2);
    const page = await service.signedInAt(`/console/webhooks/${id}`, tenant, 'support');
    await page.getByRole('button', { name: 'Entregar de novo um período' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Entregar de novo um período' }).click();
    await page.getByText('2 entregas a caminho.').waitFor();
    await expect.poll(() => receivedOf(tenant), PATIENCE).toBe(5);
  });
});
