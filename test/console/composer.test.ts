import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { use } from '../support/use.ts';
import { PHONE } from './browser.ts';
import { expectNoFaults, inspect, made, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());
const EVIL = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>'"><svg/onload=window.hit=1>`;

const messages = async ({ test: client }: Tenant) => (await client.get('/messages')).body;
const step = (page: Page, channel: string) => page.locator(`[data-hop="${channel}"]`);
const fact = (page: Page, channel: string, name: string) =>
  step(page, channel).locator('dl > div', { hasText: name }).locator('dd').textContent();
const open = (tenant: Tenant, role: 'developer' | 'owner' = 'owner') =>
  service.signedInAt('/console/composer', tenant, role);
const message = (page: Page) => page.getByRole('region', { name: 'Mensagem' });

describe('the composer', () => {
  test('shows parts, encoding, price and the text that arrives while one types, and sends once', async () => {
    const tenant = await service.tenant();
    const page = await open(tenant);
    await page.getByText('Preencha o destinatário e o conteúdo', { exact: false }).waitFor();
    await inspect(page, 'composer-empty');
    const send = page.getByRole('button', { name: 'Enviar' });
    expect(await send.isDisabled()).toBe(true);
    await message(page).getByLabel('Canal').selectOption('sms');
    await message(page).getByLabel('Destinatário').fill('+55 11 99999-0005');
    await message(page).getByRole('textbox', { name: 'Texto' }).fill('Não há atenção que chegue.');
    await expect.poll(() => fact(page, 'sms', 'Codificação'), PATIENCE).toBe('GSM-7');
    expect(await fact(page, 'sms', 'Partes')).toBe('1');
    await step(page, 'sms').getByText('Nao ha atencao que chegue.').waitFor();
    const price = await fact(page, 'sms', 'Preço');
    await message(page).getByRole('textbox', { name: 'Texto' }).fill('🙂'.repeat(40));
    await expect.poll(() => fact(page, 'sms', 'Partes'), PATIENCE).toBe('2');
    await expect.poll(() => fact(page, 'sms', 'Codificação'), PATIENCE).toBe('UCS-2');
    await expect.poll(() => fact(page, 'sms', 'Preço'), PATIENCE).not.toBe(price);
    await inspect(page, 'composer');
    expect((await messages(tenant)).total).toBe(0);

    await message(page).getByRole('textbox', { name: 'Texto' }).fill(' ');
    expect(await send.isDisabled()).toBe(true);
    await message(page).getByRole('textbox', { name: 'Texto' }).fill('Seu pedido saiu.');
    await send.dblclick();
    await page.waitForURL(/\/console\/messages\/msg_/);
    await page.getByText('Entregue', { exact: true }).first().waitFor();
    const { items, total } = await messages(tenant);
    expect(total).toBe(1);
    expect(page.url()).toContain(items[0].id);
    await page.getByRole('link', { name: 'Escrever de novo' }).click();
    await page.waitForURL(/\/console\/composer/);
    expect(await message(page).getByLabel('Destinatário').inputValue()).toBe('+5511999990005');
    expect(await message(page).getByLabel('Canal').inputValue()).toBe('sms');
    expectNoFaults(page);
  });

  test('plans fallbacks hop by hop, with their waits, and the price at most', async () => {
    const tenant = await service.tenant();
    const page = await open(tenant);
    await message(page).getByLabel('Destinatário').fill('+5511999990005');
    await message(page).getByRole('textbox', { name: 'Texto' }).fill('Seu pedido saiu.');
    // WhatsApp takes no text from who did not write first: the plan says so before anything is sent.
    await step(page, 'whatsapp').getByText('Seria recusada').waitFor();
    await message(page).getByLabel('Canal').selectOption('rcs');
    await expect.poll(() => step(page, 'rcs').getByText('Seria recusada').count(), PATIENCE).toBe(0);
    await page.getByRole('button', { name: 'Tentar outro canal' }).click();
    await page.getByRole('button', { name: 'Tentar outro canal' }).click();
    const [first, second] = ['Tentativa 1', 'Tentativa 2'].map((name) => page.getByRole('group', { name }));
    await first?.getByLabel('Esperar pela entrega').fill('10');
    await second?.getByLabel('Canal').selectOption('email');
    await second?.getByLabel('Destinatário').fill('rui@loja.example');
    await second?.getByLabel('Esperar pela entrega').fill('2');
    await second?.getByLabel('Unidade').selectOption('h');
    // Only this is of the complete plan: until the second fallback has its channel, both are SMS after ten minutes.
    await step(page, 'email').getByText('Depois de 2 horas sem entrega').waitFor();
    await step(page, 'sms').getByText('Depois de 10 minutos sem entrega').waitFor();
    await page.getByText('No máximo, com todas as tentativas').waitFor();
    await inspect(page, 'composer-fallbacks');
    await page.getByRole('button', { name: 'Adiantar a tentativa 2' }).click();
    await expect
      .poll(
        () => page.evaluate<string[]>("[...document.querySelectorAll('[data-hop]')].map((hop) => hop.dataset.hop)"),
        PATIENCE,
      )
      .toEqual(['rcs', 'email', 'sms']);
    await page.getByRole('button', { name: 'Enviar' }).click();
    await page.waitForURL(/\/console\/messages\/msg_/);
    expect((await messages(tenant)).items).toMatchObject([{ channel: 'rcs', payload: { text: 'Seu pedido saiu.' } }]);
  });

  test('takes five fallbacks', async () => {
    const page = await open(await service.tenant());
    const add = page.getByRole('button', { name: 'Tentar outro canal' });
    for (let count = 1; count <= 5; count++) {
      await add.click();
      await page.getByRole('group', { name: `Tentativa ${count}` }).waitFor();
    }
    expect(await add.count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Adiantar a tentativa 1' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Adiar a tentativa 5' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Tirar a tentativa 3' }).click();
    await expect.poll(() => page.getByRole('group', { name: /^Tentativa/ }).count(), PATIENCE).toBe(4);
    await add.waitFor();
  });

  test('sends a template with its variables, at the moment that one chose', async () => {
    const tenant = await service.tenant();
    await made(tenant, '/v2/email/templates', {
      name: 'Boas-vindas',
      subject: 'Olá, {{nome}}',
      format: 'html',
      source: '<p>Olá, {{nome}}</p>',
      variables: [{ name: 'nome', example: 'cliente' }],
    });
    const page = await open(tenant);
    await message(page).getByLabel('Canal').selectOption('email');
    await message(page).getByLabel('Conteúdo').selectOption('template');
    await message(page).getByLabel('Destinatário').fill('rui@loja.example');
    await message(page).getByLabel('Modelo').selectOption({ label: 'Boas-vindas' });
    // Another channel has templates of its own: the one that was chosen is none of them.
    await message(page).getByLabel('Canal').selectOption('whatsapp');
    await message(page).getByLabel('Canal').selectOption('email');
    expect(await page.getByLabel('nome').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Enviar' }).isDisabled()).toBe(true);
    await message(page).getByLabel('Modelo').selectOption({ label: 'Boas-vindas' });
    await page.getByLabel('nome').fill('Rui');
    await page.getByLabel('Enviar em').fill('2099-01-01T10:00');
    await page.getByRole('region', { name: 'O que vai acontecer' }).getByRole('alert').getByText(/^req_/).waitFor();
    const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 16);
    await page.getByLabel('Enviar em').fill(tomorrow);
    await step(page, 'email').waitFor();
    await inspect(page, 'composer-template');
    await page.getByRole('button', { name: 'Agendar' }).click();
    await page.waitForURL(/\/console\/messages\/msg_/);
    // The browser's clock is in São Paulo, three hours behind UTC.
    const scheduledAt = new Date(Date.parse(`${tomorrow}:00Z`) + 3 * 3_600_000).toISOString();
    expect((await messages(tenant)).items).toMatchObject([{ channel: 'email', status: 'queued', scheduledAt }]);
  });

  test('says what the service refuses in its place, and nothing is sent', async () => {
    const tenant = await service.tenant();
    const page = await open(tenant, 'developer');
    await message(page).getByLabel('Canal').selectOption('sms');
    await message(page).getByLabel('Destinatário').fill('123');
    await message(page).getByRole('textbox', { name: 'Texto' }).fill('Olá');
    await page.getByRole('alert').getByText(/^req_/).waitFor();
    await page.getByRole('button', { name: 'Enviar' }).click();
    await expect.poll(() => page.getByRole('alert').getByText(/^req_/).count(), PATIENCE).toBe(2);
    const recipient = message(page).getByLabel('Destinatário');
    await expect.poll(() => recipient.getAttribute('aria-invalid'), PATIENCE).toBe('true');
    await inspect(page, 'composer-refused');
    expect((await messages(tenant)).total).toBe(0);
    await message(page).getByLabel('Destinatário').fill('+5511999990005');
    await page.getByRole('button', { name: 'Enviar' }).click();
    await page.waitForURL(/\/console\/messages\/msg_/);
  });

  test('begins as a link says, with markup as text, on a phone too', async () => {
    const tenant = await service.tenant();
    const page = await service.signedInAt(
      `/console/composer?channel=sms&to=${encodeURIComponent('+5511999990005')}`,
      tenant,
      'owner',
      PHONE,
    );
    expect(await message(page).getByLabel('Destinatário').inputValue()).toBe('+5511999990005');
    await message(page).getByRole('textbox', { name: 'Texto' }).fill(`${EVIL} ção`);
    await page.getByText('cao', { exact: false }).waitFor();
    expect(await page.evaluate("'hit' in window")).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await inspect(page, 'composer-phone');
  });

  test('is not offered to who may not send', async () => {
    const page = await service.signedIn(await service.tenant(), 'support');
    await page.getByRole('link', { name: 'Mensagens' }).waitFor();
    expect(await page.getByRole('link', { name: 'Nova mensagem' }).count()).toBe(0);
    await page.goto('/console/composer');
    await page.getByText('messages:send', { exact: false }).waitFor();
  });
});
