import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { setUpProvider } from '../flows/support.ts';
import type { Tenant } from '../support/api.ts';
import { startAmazonSesStandIn } from '../support/providers/amazon-ses-stand-in.ts';
import { use } from '../support/use.ts';
import { PHONE } from './browser.ts';
import { expectNoFaults, inspect, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());
const ses = await use(startAmazonSesStandIn());
await setUpProvider(service, 'email', 'amazon_ses', ses.settings);
const EVIL = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>'"><svg/onload=window.hit=1>`;

const open = async (tenant: Tenant, tab?: string) => {
  const page = await service.signedInAt(`/console/senders${tab ? `?tab=${tab}` : ''}`, tenant);
  return page;
};
const act = async (page: Page, name: string, what: string) => {
  await page.getByRole('button', { name: `Ações para ${name}` }).click();
  await page.getByRole('menuitem', { name: what }).click();
};
const dialog = (page: Page) => page.getByRole('dialog');
const rows = (page: Page, table: string) => page.getByRole('table', { name: table }).locator('tbody tr');

describe('senders', () => {
  test('a domain shows the DNS records to copy until they are found, and is then verified', async () => {
    const tenant = await service.tenant({ live: 1 });
    const page = await service.open();
    await service.signIn(page, await service.person(tenant, 'owner', 'live'), 'live');
    await page.getByRole('link', { name: 'Números e remetentes' }).click();
    await page.getByRole('button', { name: 'Novo remetente' }).click();
    await dialog(page).getByRole('textbox', { name: 'Remetente' }).fill('console.example');
    await inspect(page, 'sender-create');
    await dialog(page).getByRole('button', { name: 'Novo remetente' }).click();
    const records = rows(page, 'Registros de DNS de console.example');
    await records.first().waitFor();
    const { body } = await tenant.live.get('/v2/senders');
    const sender = body.items.find(({ value }: { value: string }) => value === 'console.example');
    expect(sender).toMatchObject({ channel: 'email', status: 'pending' });
    expect(await records.count()).toBe(sender.verification.records.length);
    for (const { name, value } of sender.verification.records) {
      await records.getByText(name, { exact: true }).waitFor();
      await records.getByText(value, { exact: true }).waitFor();
    }
    await inspect(page, 'senders');
    for (const { type, name, value } of sender.verification.records) if (type === 'TXT') ses.texts.set(name, [value]);
    ses.identities.set('console.example', 'SUCCESS');
    await act(page, 'console.example', 'Verificar agora');
    await dialog(page).getByRole('button', { name: 'Verificar agora' }).click();
    const row = page.locator(`[data-row="${sender.id}"]`);
    await row.getByText('Verificado').waitFor();
    await expect.poll(() => records.count(), PATIENCE).toBe(0);
    // A domain is proven, and no message's sender by itself.
    await page.getByRole('button', { name: 'Ações para console.example' }).click();
    await expect.poll(() => page.getByRole('menuitem').allTextContents(), PATIENCE).toEqual(['Excluir']);
    await page.keyboard.press('Escape');
    await act(page, 'console.example', 'Excluir');
    await dialog(page).getByRole('button', { name: 'Excluir' }).click();
    await expect.poll(() => row.count(), PATIENCE).toBe(0);
    expectNoFaults(page);
  });

  test('one of a channel is its default, and none that a viewer could change', async () => {
    const tenant = await service.tenant();
    const page = await open(tenant);
    await page.getByRole('heading', { name: 'Nenhum remetente ainda' }).waitFor();
    await inspect(page, 'senders-empty');
    await tenant.test.send({ senderId: 'LOJA' });
    await page.reload();
    await act(page, 'LOJA', 'Tornar padrão');
    await dialog(page).getByRole('button', { name: 'Tornar padrão' }).click();
    await rows(page, 'Remetentes').getByText('Sim').waitFor();
    expect((await tenant.test.get('/v2/senders')).body.items).toMatchObject([{ value: 'LOJA', isDefault: true }]);
    const viewer = await service.signedInAt('/console/senders', tenant, 'viewer');
    await rows(viewer, 'Remetentes').first().waitFor();
    expect(await viewer.getByRole('button', { name: 'Novo remetente' }).count()).toBe(0);
    expect(await viewer.getByRole('button', { name: 'Ações para LOJA' }).count()).toBe(0);
    expect(await viewer.getByRole('tab', { name: 'Contas SMPP' }).count()).toBe(0);
  });
});

describe('WhatsApp numbers', () => {
  test('are connected, show their quality and tier, and are set, refreshed and disconnected', async () => {
    const tenant = await service.tenant();
    const page = await open(tenant, 'numbers');
    await page.getByRole('heading', { name: 'Nenhum número aqui' }).waitFor();
    await inspect(page, 'numbers-empty');
    await page.getByRole('button', { name: 'Conectar número' }).click();
    await dialog(page).getByLabel('Id do número na Meta').fill('778800991000');
    await dialog(page).getByLabel('Id da conta na Meta (WABA)').fill('102290129340398');
    await dialog(page).getByLabel('Token de acesso').fill('EAAJ-segredo');
    await inspect(page, 'number-connect');
    await dialog(page).getByRole('button', { name: 'Conectar número' }).click();
    await page.waitForURL(/\/console\/senders\/numbers\/num_/);
    await page.getByRole('definition').filter({ hasText: 'Conectado' }).waitFor();
    expect(await page.content()).not.toContain('EAAJ-segredo');
    const number = async () => (await tenant.test.get('/numbers')).body.items[0];
    const { id, displayPhone } = await number();
    await page.getByRole('heading', { name: displayPhone }).waitFor();
    await page.getByRole('button', { name: 'Ritmo e token' }).click();
    await dialog(page).getByLabel('Mensagens por segundo').fill('5');
    const changing = page.waitForRequest((request) => request.method() === 'PATCH');
    await dialog(page).getByRole('button', { name: 'Salvar' }).click();
    // Unchanged fields are not sent: neither a rate, which would no longer be Meta's own, nor an empty token.
    expect((await changing).postDataJSON()).toEqual({ rateLimit: { perSecond: 5 } });
    await expect.poll(async () => (await number()).rateLimit.perSecond, PATIENCE).toBe(5);
    await page.getByRole('button', { name: 'Editar perfil' }).click();
    await dialog(page).getByLabel('Sobre').fill(EVIL.slice(0, 100));
    await dialog(page).getByRole('button', { name: 'Salvar' }).click();
    await page.getByText('<img src=x', { exact: false }).waitFor();
    expect(await page.evaluate("'hit' in window")).toBe(false);
    await page.getByRole('button', { name: 'Atualizar da Meta' }).click();
    await inspect(page, 'number');
    await page.goto('/console/senders?tab=numbers');
    await page.locator(`[data-row="${id}"]`).getByText('Conectado').waitFor();
    await inspect(page, 'numbers');
    await page.getByLabel('Situação').selectOption('flagged');
    await page.getByRole('heading', { name: 'Nenhum número aqui' }).waitFor();
    await page.goto(`/console/senders/numbers/${id}`);
    await page.getByRole('button', { name: 'Desconectar' }).click();
    await dialog(page).getByRole('button', { name: 'Desconectar' }).click();
    await page.waitForURL(/\/console\/senders\?tab=numbers/);
    expect((await tenant.test.get(`/numbers/${id}`)).status).not.toBe(500);
    expectNoFaults(page);
  });
});

describe('push apps', () => {
  test('are registered, take credentials that are never shown, and are deleted', async () => {
    const tenant = await service.tenant();
    const page = await open(tenant, 'push');
    await page.getByRole('heading', { name: 'Nenhum app ainda' }).waitFor();
    await page.getByRole('button', { name: 'Novo app' }).click();
    await dialog(page).getByLabel('Nome').fill('Loja');
    await dialog(page).getByRole('button', { name: 'Novo app' }).click();
    await rows(page, 'Apps de push').first().waitFor();
    await act(page, 'Loja', 'Pôr credenciais');
    await dialog(page).getByLabel('Arquivo de chave da conta de serviço (JSON)').fill('no key file');
    await dialog(page).getByRole('button', { name: 'Salvar' }).click();
    await dialog(page).getByText(/^req_/).waitFor();
    await inspect(page, 'push-credentials');
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog(page).count(), PATIENCE).toBe(0);
    await inspect(page, 'push-apps');
    await act(page, 'Loja', 'Renomear');
    await dialog(page).getByLabel('Nome').fill(EVIL.slice(0, 60));
    await dialog(page).getByRole('button', { name: 'Salvar' }).click();
    await page
      .getByRole('cell', { name: EVIL.slice(0, 20) })
      .first()
      .waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    await page.getByRole('button', { name: 'Ações para <img' }).click();
    await page.getByRole('menuitem', { name: 'Excluir' }).click();
    await dialog(page).getByRole('button', { name: 'Excluir' }).click();
    await page.getByRole('heading', { name: 'Nenhum app ainda' }).waitFor();
    expect((await tenant.test.get('/v2/push/apps')).body.items).toEqual([]);
    expectNoFaults(page);
  });
});

describe('SMPP accounts', () => {
  test('show their password once, are changed and deleted, on a phone too', async () => {
    const tenant = await service.tenant();
    const page = await service.signedInAt('/console/senders?tab=smpp', tenant, 'owner', PHONE);
    await page.getByRole('heading', { name: 'Nenhuma conta SMPP ainda' }).waitFor();
    await page.getByRole('button', { name: 'Nova conta SMPP' }).click();
    await dialog(page).getByLabel('Nome').fill(EVIL.slice(0, 60));
    await dialog(page).getByLabel('Endereços permitidos').fill('nowhere');
    await dialog(page).getByRole('button', { name: 'Nova conta SMPP' }).click();
    await dialog(page).getByText(/^req_/).waitFor();
    await dialog(page).getByLabel('Endereços permitidos').fill('');
    await dialog(page).getByRole('button', { name: 'Nova conta SMPP' }).click();
    // Until the answer is there, the refusal of the first try is shown, which has code of its own.
    await dialog(page).getByRole('button', { name: 'Guardei a senha' }).waitFor();
    const password = (await dialog(page).locator('code').textContent()) ?? '';
    expect(password).toMatch(/^\S{6,8}$/);
    // It is shown once: nothing closes it by accident.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await dialog(page).locator('code').textContent()).toBe(password);
    await dialog(page).getByRole('button', { name: 'Guardei a senha' }).click();
    await rows(page, 'Contas SMPP').first().waitFor();
    expect(await page.content()).not.toContain(password);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await inspect(page, 'smpp-phone');
    const account = async () => (await tenant.test.get('/v2/smpp/accounts')).body.items[0];
    await act(page, '<img', 'Editar');
    await dialog(page).getByLabel('Nome').fill('ERP');
    await dialog(page).getByLabel('Binds ao mesmo tempo').fill('2');
    await dialog(page).getByRole('button', { name: 'Salvar' }).click();
    await expect.poll(account, PATIENCE).toMatchObject({ name: 'ERP', maxBinds: 2 });
    await act(page, 'ERP', 'Trocar senha');
    await dialog(page).getByRole('button', { name: 'Trocar senha' }).click();
    await dialog(page).getByRole('button', { name: 'Guardei a senha' }).click();
    await act(page, 'ERP', 'Excluir');
    await dialog(page).getByRole('button', { name: 'Excluir' }).click();
    await page.getByRole('heading', { name: 'Nenhuma conta SMPP ainda' }).waitFor();
    expect(await account()).toBeUndefined();
    expect(await page.evaluate("'hit' in window")).toBe(false);
    expectNoFaults(page);
  });
});
