import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { use } from '../support/use.ts';
import { expectNoFaults, made, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());

const dialog = (page: Page) => page.getByRole('dialog');
const row = (page: Page, text: string) => page.locator('tbody tr').filter({ hasText: text });
/** Holds the calls of a path until the test lets them go. */
const held = async (page: Page, url: string | RegExp, method = 'GET') => {
  const routes: Route[] = [];
  await page.route(url, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    routes.push(route);
  });
  const release = async () => {
    await page.unroute(url);
    for (const route of routes.splice(0)) await route.continue().catch(() => undefined);
  };
  return { count: () => routes.length, release };
};

describe('what a page shows', () => {
  test('is asked for at the same time: nothing waits for the answer that names the page', async () => {
    const tenant = await service.tenant();
    const contact = await made(tenant, '/contacts', { phone: '+5511980000031', name: 'Bia' });
    const list = await made(tenant, '/v2/lists', { name: 'Lista' });
    const everybody = [{ field: 'channel', operator: 'has', value: 'whatsapp' }];
    const segment = await made(tenant, '/v2/segments', { name: 'Todos', filters: everybody });
    const { body: message } = await tenant.test.send({ to: '+5511999990005' });
    const page = await service.entered(tenant, 'admin');
    for (const [path, first, other] of [
      [`/lists/${list.id}`, `/v2/lists/${list.id}`, `listId=${list.id}`],
      [`/segments/${segment.id}`, `/v2/segments/${segment.id}`, `/v2/segments/${segment.id}/contacts`],
      [`/contacts/${contact.id}`, `/contacts/${contact.id}`, `/contacts/${contact.id}/timeline`],
      [`/messages/${message.id}`, `/messages/${message.id}`, `/messages/${message.id}/timeline`],
    ] as const) {
      // Not the page itself, whose address ends the same.
      const whole = await held(page, new RegExp(`(?<!/console)${first}$`));
      const beside = page.waitForRequest((request) => request.url().includes(other));
      await page.goto(`/console${path}`);
      await beside;
      await expect.poll(whole.count, PATIENCE).toBe(1);
      await whole.release();
      await page.waitForLoadState('networkidle');
    }
    expectNoFaults(page);
  });
});

describe('what is pressed twice', () => {
  test('is done once: a company, with the button, and with the Enter key', async () => {
    const tenant = await service.tenant();
    const page = await service.entered(tenant);
    await page.goto('/console/companies');
    await page.getByRole('button', { name: 'Nova empresa' }).click();
    await dialog(page).getByLabel('Nome').fill('Padaria Sol');
    const creation = await held(page, '**/v2/companies', 'POST');
    const button = dialog(page).getByRole('button', { name: 'Nova empresa' });
    await button.dblclick();
    await expect.poll(creation.count, PATIENCE).toBe(1);
    await dialog(page).getByLabel('Nome').press('Enter');
    await expect.poll(() => button.isDisabled(), PATIENCE).toBe(true);
    expect(creation.count()).toBe(1);
    await creation.release();
    await page.getByRole('heading', { name: 'Padaria Sol' }).waitFor();
    expect((await tenant.test.get('/v2/companies')).body.total).toBe(1);
    expectNoFaults(page);
  });

  test('is sent once where no answer came; what is changed since is another message', async () => {
    const tenant = await service.tenant();
    const page = await service.entered(tenant);
    await page.goto('/console/composer?channel=sms&to=%2B5511999990005');
    const keys: (string | undefined)[] = [];
    let isLost = true;
    await page.route('**/v1/messages', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      keys.push(route.request().headers()['idempotency-key']);
      const response = await route.fetch();
      if (isLost) await route.abort('connectionreset');
      else await route.fulfill({ response });
    });
    const text = page.getByRole('region', { name: 'Mensagem' }).getByRole('textbox', { name: 'Texto' });
    const send = page.getByRole('button', { name: 'Enviar' });
    await text.fill('Seu pedido saiu.');
    await send.click();
    await page.getByText('O serviço não respondeu').waitFor();
    const tries = keys.length;
    isLost = false;
    await send.click();
    await page.waitForURL(/\/console\/messages\/msg_/);
    expect(keys.length).toBe(tries + 1);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/\S{16,}/);
    expect((await tenant.test.get('/messages')).body.total).toBe(1);
    await page.goto('/console/composer?channel=sms&to=%2B5511999990005');
    isLost = true;
    await text.fill('Seu pedido saiu.');
    await send.click();
    await page.getByText('O serviço não respondeu').waitFor();
    isLost = false;
    await text.fill('Seu pedido chegou.');
    await send.click();
    await page.waitForURL(/\/console\/messages\/msg_/);
    expect(new Set(keys).size).toBe(3);
    expect((await tenant.test.get('/messages')).body.total).toBe(3);
  });
});

describe('what belongs to the page before', () => {
  /** From the page of one to that of another that was there before, without the list between them. */
  const goBackTo = async (page: Page, steps: number) => page.evaluate(`history.go(${-steps})`);

  test('is not on the page after: documents that were revealed', async () => {
    const tenant = await service.tenant();
    const bia = await made(tenant, '/contacts', { phone: '+5511980000011', name: 'Bia', cpf: '52998224725' });
    await made(tenant, '/contacts', { phone: '+5511980000012', name: 'Caio', cpf: '11144477735' });
    const page = await service.entered(tenant, 'admin');
    await page.goto('/console/contacts');
    await row(page, 'Bia').getByRole('link').click();
    await page.getByRole('tab', { name: 'Dados pessoais' }).click();
    await page.getByText('***.982.247-**').waitFor();
    await page.getByRole('link', { name: 'Contatos', exact: true }).click();
    await row(page, 'Caio').getByRole('link').click();
    await page.getByRole('tab', { name: 'Dados pessoais' }).click();
    await page.getByRole('button', { name: 'Revelar' }).click();
    await page.getByText('11144477735').waitFor();
    await goBackTo(page, 2);
    await expect.poll(() => page.url(), PATIENCE).toContain(bia.id);
    await page.getByText('***.982.247-**').waitFor();
    expect(await page.locator('main').innerText()).not.toContain('11144477735');
    await page.getByRole('button', { name: 'Revelar' }).waitFor();
    expectNoFaults(page);
  });

  test('is not on the page after: the members of another list, while its own are on their way', async () => {
    const tenant = await service.tenant();
    const lists: string[] = [];
    for (const [at, name] of ['Bia', 'Caio'].entries()) {
      const { id } = await made(tenant, '/contacts', { phone: `+551198000002${at}`, name });
      const list = await made(tenant, '/v2/lists', { name: `Lista de ${name}` });
      lists.push(list.id);
      const added = await tenant.test.post(`/v2/lists/${list.id}/members`, { contactIds: [id] });
      expect(added.status).toBe(200);
    }
    const page = await service.entered(tenant, 'admin');
    await page.goto('/console/lists');
    for (const name of ['Bia', 'Caio']) {
      await page.getByRole('link', { name: `Lista de ${name}` }).click();
      await row(page, name).waitFor();
      if (name === 'Bia') await page.getByRole('link', { name: 'Listas', exact: true }).click();
    }
    // The list itself is remembered, its members are not any more.
    const members = await held(page, new RegExp(`/contacts\\?.*listId=${lists[0]}`));
    await goBackTo(page, 2);
    await page.getByRole('heading', { name: 'Lista de Bia' }).waitFor();
    expect(await row(page, 'Caio').count()).toBe(0);
    await members.release();
    await row(page, 'Bia').waitFor();
    expectNoFaults(page);
  });

  test('is deleted only once it is known what goes with it', async () => {
    const tenant = await service.tenant();
    const { id } = await made(tenant, '/v2/companies', { nome: 'Padaria Sol' });
    const page = await service.entered(tenant);
    const deals = await held(page, /\/companies\/[^/]+\/cards|\/cards\?/);
    await page.goto(`/console/companies/${id}`);
    const remove = page.getByRole('button', { name: 'Excluir' });
    await remove.waitFor();
    expect(await remove.isDisabled()).toBe(true);
    await deals.release();
    await expect.poll(() => remove.isDisabled(), PATIENCE).toBe(false);
  });
});
