import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { use } from '../support/use.ts';
import { PHONE } from './browser.ts';
import { EVIL, expectInert, expectNoFaults, inspect, PATIENCE, startConsole, visit } from './kit.ts';

const service = await use(startConsole());

const phoneOf = (number: number) => `+55119${String(81_000_000 + number)}`;
const contacts = async ({ test: client }: Tenant, count: number) => {
  const contatos = Array.from({ length: count }, (_, at) => ({
    phone: phoneOf(at),
    name: `Pessoa ${String(at + 1).padStart(3, '0')}`,
    externalId: `c-${at}`,
  }));
  const { status, body } = await client.post('/contacts/import', { onConflict: 'skip', contatos });
  expect(status, JSON.stringify(body)).toBe(200);
};
const list = async ({ test: client }: Tenant, fields: Record<string, unknown> = {}) => {
  const { status, body } = await client.post('/v2/lists', { name: 'Clientes VIP', ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id as string;
};
const row = (page: Page, text: string) => page.locator('tbody tr').filter({ hasText: text });
const dialog = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const confirm = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click();
const sizeOf = async ({ test: client }: Tenant, id: string) => (await client.get(`/v2/lists/${id}`)).body.size;

describe('lists', () => {
  test('are created with a name of their own: that of another leads there', async () => {
    const tenant = await service.tenant();
    const page = await service.signedIn(tenant, 'admin');
    await page.getByRole('link', { name: 'Listas' }).click();
    await page.getByRole('heading', { name: 'Nenhuma lista ainda' }).waitFor();
    await inspect(page, 'lists-empty');
    await press(page, 'Nova lista');
    await dialog(page).getByLabel('Nome').fill('Clientes VIP');
    await confirm(page, 'Nova lista');
    await page.getByRole('heading', { name: 'Clientes VIP' }).waitFor();
    await page.goto('/console/lists');
    await row(page, 'Clientes VIP').waitFor();
    await inspect(page, 'lists');
    await page.getByLabel('Filtrar por nome').fill('clientés');
    await row(page, 'Clientes VIP').waitFor();
    await page.getByLabel('Filtrar por nome').fill('outra');
    await page.getByText('Nenhuma lista com este nome.').waitFor();
    await press(page, 'Nova lista');
    await dialog(page).getByLabel('Nome').fill('clientes vip');
    await confirm(page, 'Nova lista');
    await dialog(page).getByRole('link', { name: 'Ver a lista que já tem este nome' }).click();
    await page.getByRole('heading', { name: 'Clientes VIP' }).waitFor();
    expectNoFaults(page);
  });

  test('are shown page by page, and found by name on whichever page they are', async () => {
    const tenant = await service.tenant();
    const numbers = Array.from({ length: 53 }, (_, at) => String(at + 1).padStart(2, '0'));
    for (const number of numbers) await list(tenant, { name: `Loja ${number}` });
    const page = await service.entered(tenant, 'admin');
    await page.goto('/console/lists');
    const names = () => page.locator('tbody tr td:first-child').allTextContents();
    await expect.poll(async () => (await names()).length, PATIENCE).toBe(50);
    const first = await names();
    await press(page, 'Próxima página');
    await expect.poll(async () => (await names()).length, PATIENCE).toBe(3);
    expect([...first, ...(await names())].toSorted()).toEqual(numbers.map((number) => `Loja ${number}`));
    const [other = ''] = first;
    await page.getByLabel('Filtrar por nome').fill(other);
    await expect.poll(names, PATIENCE).toEqual([other]);
    expectNoFaults(page);
  });

  test('take contacts by phone, by id and out of a file, and report those that were not found', async () => {
    const tenant = await service.tenant();
    await contacts(tenant, 6);
    const id = await list(tenant);
    const page = await service.signedInAt(`/console/lists/${id}`, tenant, 'admin');
    await page.getByRole('heading', { name: 'Ninguém na lista' }).waitFor();
    await press(page, 'Acrescentar contatos');
    await dialog(page)
      .getByLabel('Um por linha')
      .fill(`${phoneOf(0)}\n${phoneOf(1)}\n${phoneOf(1)}\n+5511900000000`);
    await dialog(page).getByText('3 a enviar').waitFor();
    await inspect(page, 'list-add');
    await confirm(page, 'Acrescentar contatos');
    await dialog(page).getByText('2 entraram, 0 saíram.').waitFor();
    await dialog(page).getByText('+5511900000000').waitFor();
    await inspect(page, 'list-added');
    await dialog(page).getByRole('button', { name: 'Fechar' }).last().click();
    await row(page, 'Pessoa 002').waitFor();

    await press(page, 'Acrescentar contatos');
    await dialog(page).getByLabel('Por', { exact: true }).selectOption('externalIds');
    const buffer = Buffer.from('c-2;Ana\r\n"c-3";"B;ia"\r\nc-4;Caio\r\n');
    await page.locator('input[type=file]').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
    await dialog(page).getByText('3 a enviar').waitFor();
    await confirm(page, 'Acrescentar contatos');
    await dialog(page).getByText('3 entraram, 0 saíram.').waitFor();
    expect(await sizeOf(tenant, id)).toBe(5);
    await dialog(page).getByRole('button', { name: 'Fechar' }).last().click();

    await press(page, 'Tirar contatos');
    await dialog(page).getByLabel('Um por linha').fill(phoneOf(0));
    await confirm(page, 'Tirar contatos');
    await dialog(page).getByText('0 entraram, 1 saíram.').waitFor();
    await dialog(page).getByRole('button', { name: 'Fechar' }).last().click();
    await row(page, 'Pessoa 003').getByRole('button', { name: 'Tirar Pessoa 003 da lista' }).click();
    await confirm(page, 'Tirar');
    await expect.poll(() => row(page, 'Pessoa 003').count(), PATIENCE).toBe(0);
    expect(await sizeOf(tenant, id)).toBe(3);
    expectNoFaults(page);
  });

  test('show their contacts page by page, are searched, renamed, exported and deleted', async () => {
    const tenant = await service.tenant();
    await contacts(tenant, 55);
    const id = await list(tenant);
    const phones = Array.from({ length: 54 }, (_, at) => phoneOf(at));
    await tenant.test.post(`/v2/lists/${id}/members`, { phones });
    const page = await service.signedInAt(`/console/lists/${id}`, tenant, 'admin');
    await expect.poll(() => page.locator('tbody tr').count(), PATIENCE).toBe(50);
    await inspect(page, 'list');
    await press(page, 'Próxima página');
    await expect.poll(() => page.locator('tbody tr').count(), PATIENCE).toBe(4);
    await page.getByText('51–54 de 54').waitFor();
    await page.getByRole('searchbox', { name: 'Buscar na lista' }).fill('pessoa 01');
    await expect.poll(() => page.locator('tbody tr').count(), PATIENCE).toBe(10);

    await press(page, 'Editar');
    await dialog(page).getByLabel('Nome').fill('Clientes do ano');
    await confirm(page, 'Salvar');
    await page.getByRole('heading', { name: 'Clientes do ano' }).waitFor();
    await press(page, 'Exportar contatos');
    await confirm(page, 'Exportar contatos');
    const waiting = page.waitForEvent('download');
    await dialog(page).getByRole('link', { name: 'Baixar o arquivo' }).click();
    const file = await readFile(await (await waiting).path(), 'utf8');
    expect(file.trim().split('\r\n')).toHaveLength(55);
    expect(file).not.toContain('Pessoa 055');
    await dialog(page).getByRole('button', { name: 'Fechar' }).click();
    await press(page, 'Apagar a lista');
    await confirm(page, 'Apagar a lista');
    await page.getByRole('heading', { name: 'Nenhuma lista ainda' }).waitFor();
    expect((await tenant.test.get('/contacts')).body.total).toBe(55);
  });

  test('offer a viewer nothing that changes them, and fit on a phone', async () => {
    const tenant = await service.tenant();
    await contacts(tenant, 1);
    const id = await list(tenant);
    await tenant.test.post(`/v2/lists/${id}/members`, { phones: [phoneOf(0)] });
    const page = await service.signedInAt(`/console/lists/${id}`, tenant, 'viewer', PHONE);
    await row(page, 'Pessoa 001').waitFor();
    for (const name of ['Acrescentar contatos', 'Tirar contatos', 'Editar', 'Apagar a lista', 'Tirar'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await inspect(page, 'list-phone');
  });

  test('whose names and contacts hold markup show it as text, and run none of it', async () => {
    const tenant = await service.tenant();
    const id = await list(tenant, { name: EVIL.slice(0, 120), description: EVIL });
    const { body } = await tenant.test.post('/contacts', { phone: phoneOf(0), name: EVIL.slice(0, 100) });
    await tenant.test.post(`/v2/lists/${id}/members`, { contactIds: [body.id] });
    const page = await service.entered(tenant, 'admin');
    for (const path of ['', `/${id}`]) {
      await visit(page, `/console/lists${path}`);
      await expectInert(page);
    }
    await press(page, 'Acrescentar contatos');
    await dialog(page).getByLabel('Um por linha').fill(EVIL);
    await confirm(page, 'Acrescentar contatos');
    await dialog(page).getByText('1 não encontrados:').waitFor();
    await expectInert(page);
  });
});
