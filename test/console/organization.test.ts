import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { apiClient } from '../support/api.ts';
import { use } from '../support/use.ts';
import { expectNoFaults, inspect, PATIENCE, startConsole, visit } from './kit.ts';

const service = await use(startConsole());
const row = (page: Page, text: string) => page.locator('tbody tr').filter({ hasText: text });

describe('keys', () => {
  test("are created with at most the creator's scopes, and shown once; each is listed below its creator", async () => {
    const tenant = await service.tenant();
    const page = await service.signedIn(tenant, 'developer');
    await page.getByRole('link', { name: 'Chaves', exact: true }).click();
    await page.getByRole('button', { name: 'Nova chave' }).click();
    await page.getByRole('textbox', { name: 'Nome' }).fill('Loja');
    await page
      .getByRole('dialog')
      .getByLabel(/Permissões/)
      .first()
      .click();
    expect(await page.getByRole('option', { name: 'contacts:write' }).count()).toBe(0);
    await page.getByRole('option', { name: 'keys:write' }).click();
    await page.getByRole('option', { name: 'sms:send' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').getByRole('button', { name: 'Nova chave' }).click();
    const secret = (await page.getByText(/^svc_test_/).textContent()) ?? '';
    await inspect(page, 'key-created');
    await page.getByRole('button', { name: 'Guardei a chave' }).click();
    await row(page, 'Loja').getByText('Ativa').waitFor();
    expect(await page.content()).not.toContain(secret);

    const client = apiClient(service.url, secret);
    expect((await client.post('/v2/api-keys', { name: 'Filial', scopes: ['sms:send'] })).status).toBe(201);
    await page.reload();
    await row(page, '↳ Filial').waitFor();
    await inspect(page, 'keys');
    expectNoFaults(page);
  });

  test('are revoked with those below them, once one confirms', async () => {
    const tenant = await service.tenant();
    const { body: parent } = await tenant.test.post('/v2/api-keys', {
      name: 'Mãe',
      scopes: ['keys:write', 'sms:send'],
    });
    const page = await service.signedInAt('/console/keys', tenant, 'developer');
    await page.getByRole('button', { name: 'Ações para Mãe' }).click();
    await page.getByRole('menuitem', { name: 'Revogar' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revogar' }).click();
    await row(page, 'Mãe').getByText('Revogada').waitFor();
    expect((await tenant.test.get(`/v2/api-keys/${parent.id}`)).body.revokedAt).toBeDefined();
  });
});

describe('people', () => {
  test('are invited up to one’s own role, changed, suspended, reactivated and removed', async () => {
    const tenant = await service.tenant();
    const page = await service.signedIn(tenant, 'admin');
    await page.getByRole('link', { name: 'Pessoas' }).click();
    await page.getByRole('heading', { name: 'Só você por aqui' }).waitFor();
    await page.getByRole('button', { name: 'Convidar' }).click();
    expect(await page.getByLabel('Papel', { exact: true }).locator('option').allTextContents()).not.toContain(
      'Proprietário',
    );
    await page.getByRole('textbox', { name: 'Nome' }).fill('Bia Lima');
    await page.getByRole('textbox', { name: 'E-mail' }).fill('bia@loja.example');
    await inspect(page, 'people-invite');
    await page.getByRole('dialog').getByRole('button', { name: 'Convidar' }).click();
    await row(page, 'Bia Lima').getByText('Convidada').waitFor();
    await inspect(page, 'people');

    const act = async (name: string, within: () => Promise<unknown> = async () => undefined) => {
      await page.getByRole('button', { name: 'Ações para Bia Lima' }).click();
      await page.getByRole('menuitem', { name }).click();
      await within();
      await page.getByRole('dialog').getByRole('button', { name }).click();
    };
    await act('Mudar papel', () => page.getByLabel('Papel', { exact: true }).selectOption('support'));
    await row(page, 'Bia Lima').getByText('Suporte').waitFor();
    await act('Suspender');
    await row(page, 'Bia Lima').getByText('Suspensa').waitFor();
    await act('Reativar');
    await row(page, 'Bia Lima').getByText('Convidada').waitFor();
    await act('Remover');
    await expect.poll(() => row(page, 'Bia Lima').count(), PATIENCE).toBe(0);
    expectNoFaults(page);
  });

  test('cannot leave the organization without an owner: the service says so', async () => {
    const tenant = await service.tenant();
    const page = await service.signedInAt('/console/people', tenant, 'owner');
    await page.getByRole('button', { name: 'Ações para Ana Souza' }).click();
    await page.getByRole('menuitem', { name: 'Suspender' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suspender' }).click();
    await page.getByRole('alert').getByText(/^req_/).waitFor();
    await inspect(page, 'people-last-owner');
  });
});

describe('the audit log', () => {
  test('shows who did what, by every filter, page after page', async () => {
    const tenant = await service.tenant();
    for (let index = 0; index < 55; index++)
      await tenant.test.call('PATCH', '/v2/organizations/me', { body: { name: `Loja ${index}` } });
    const page = await service.signedIn(tenant, 'admin');
    await page.getByRole('link', { name: 'Auditoria' }).click();
    await expect.poll(() => page.locator('tbody tr').count(), PATIENCE).toBe(50);
    await inspect(page, 'audit');
    await page.getByRole('button', { name: 'Carregar mais' }).click();
    await expect.poll(() => page.locator('tbody tr').count(), PATIENCE).toBeGreaterThanOrEqual(56);
    await page.getByLabel('Ação', { exact: true }).fill('session.created');
    await page.getByRole('button', { name: 'Aplicar' }).click();
    await expect.poll(() => page.locator('tbody tr').count(), PATIENCE).toBe(1);
    await row(page, 'Ana Souza · pessoa').waitFor();
    await visit(page, '/console/audit?action=nothing.done');
    await page.getByRole('alert').getByText(/^req_/).waitFor();
  });

  test('and what else a role lacks is neither in the navigation nor shown by its address', async () => {
    const tenant = await service.tenant();
    const page = await service.signedIn(tenant, 'viewer');
    await page.getByRole('link', { name: 'Mensagens' }).waitFor();
    for (const name of ['Auditoria', 'Chaves']) expect(await page.getByRole('link', { name }).count()).toBe(0);
    for (const path of ['audit', 'keys']) {
      await visit(page, `/console/${path}`);
      await page.getByRole('heading', { name: 'Seu papel não permite isto' }).first().waitFor();
    }
    await inspect(page, 'forbidden');
  });
});
