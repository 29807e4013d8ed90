import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { use } from '../support/use.ts';
import { PHONE } from './browser.ts';
import { EVIL, expectInert, expectNoFaults, inspect, PATIENCE, startConsole, visit } from './kit.ts';

const service = await use(startConsole());

let phones = 0;
const contact = async ({ test: client }: Tenant, fields: Record<string, unknown> = {}) => {
  const phone = `+55119${String(82_000_000 + ++phones)}`;
  const { status, body } = await client.post('/contacts', { phone, ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id as string;
};
const segment = async ({ test: client }: Tenant, fields: Record<string, unknown>) => {
  const { status, body } = await client.post('/v2/segments', { name: 'Vips', ...fields });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.id as string;
};
const read = async ({ test: client }: Tenant, id: string) => (await client.get(`/v2/segments/${id}`)).body;
const row = (page: Page, text: string) => page.locator('tbody tr').filter({ hasText: text });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
/** A condition of the builder, by its place among all of them. */
const condition = (page: Page, at: number) => page.getByRole('group', { name: 'Condição' }).nth(at);
const counted = (page: Page) => page.locator('[data-count]').getAttribute('data-count');
const shownIds = (page: Page) =>
  page.evaluate<string[]>("[...document.querySelectorAll('tbody tr')].map((row) => row.getAttribute('data-row'))");

describe('the builder', () => {
  test('counts while one builds groups within groups, and saves what it showed', async () => {
    const tenant = await service.tenant();
    const gold = await contact(tenant, { name: 'Ana Ouro', tags: ['vip'], attributes: { pontos: 30 } });
    const opted = await contact(tenant, { name: 'Bia', tags: ['vip'], optIn: { status: 'granted' } });
    await contact(tenant, { name: 'Caio', tags: ['novo'], attributes: { pontos: 90 } });
    const page = await service.signedIn(tenant, 'admin');
    await page.getByRole('link', { name: 'Segmentos' }).click();
    await page.getByRole('heading', { name: 'Nenhum segmento ainda' }).waitFor();
    await inspect(page, 'segments-empty');
    await page.getByRole('link', { name: 'Novo segmento' }).click();
    await page.getByText('Complete as condições para ver quem as cumpre.').waitFor();
    expect(await page.getByRole('button', { name: 'Salvar' }).isDisabled()).toBe(true);
    await condition(page, 0).getByLabel('Valor').fill('vip');
    await expect.poll(() => counted(page), PATIENCE).toBe('2');
    await press(page, 'Grupo');
    await condition(page, 1).getByLabel('O que se compara').selectOption('attribute');
    await condition(page, 1).getByLabel('Nome do atributo').fill('pontos');
    await condition(page, 1).getByLabel('Comparação').selectOption('gt');
    await condition(page, 1).getByLabel('Valor', { exact: true }).fill('20');
    await expect.poll(() => counted(page), PATIENCE).toBe('1');
    await page.getByRole('group', { name: 'Grupo 1.2' }).getByRole('button', { name: 'Condição', exact: true }).click();
    await condition(page, 2).getByLabel('O que se compara').selectOption('optIn');
    await expect.poll(() => counted(page), PATIENCE).toBe('2');
    await page.getByRole('link', { name: 'Ana Ouro' }).waitFor();
    await page.getByRole('textbox', { name: 'Nome', exact: true }).fill('Vips');
    await inspect(page, 'segment-builder');
    await press(page, 'Salvar');
    await page.getByRole('heading', { name: 'Vips' }).waitFor();
    await expect.poll(() => shownIds(page), PATIENCE).toEqual([opted, gold]);
    await inspect(page, 'segment');
    const { body } = await tenant.test.get('/v2/segments');
    expect(body.items[0].filterTree).toEqual({
      kind: 'group',
      operator: 'and',
      nodes: [
        { kind: 'leaf', filter: { field: 'tag', operator: 'is', value: 'vip' } },
        {
          kind: 'group',
          operator: 'or',
          nodes: [
            { kind: 'leaf', filter: { field: 'attribute', operator: 'gt', key: 'pontos', value: 20 } },
            { kind: 'leaf', filter: { field: 'optIn', operator: 'is', value: 'granted' } },
          ],
        },
      ],
    });
    expectNoFaults(page);
  });

  test('offers each field the operators that it has, and saves each value as its type', async () => {
    const tenant = await service.tenant();
    const page = await service.signedInAt('/console/segments/new', tenant, 'admin');
    const first = condition(page, 0);
    const operators = async () => {
      const options = await first.getByLabel('Comparação').locator('option').all();
      return Promise.all(options.map((each) => each.getAttribute('value')));
    };
    for (const [field, offered] of Object.entries({
      tag: ['is', 'isNot'],
      attribute: ['is', 'isNot', 'contains', 'gt', 'lt', 'exists'],
      optIn: ['is'],
      lastInteraction: ['withinDays', 'olderThanDays', 'before', 'after'],
      channel: ['has', 'hasNot'],
    })) {
      await first.getByLabel('O que se compara').selectOption(field);
      expect(await operators(), field).toEqual(offered);
    }
    const type = first.getByLabel('Tipo do valor');
    const value = first.getByLabel('Valor', { exact: true });
    await page.getByRole('textbox', { name: 'Nome', exact: true }).fill('Textos');
    await first.getByLabel('O que se compara').selectOption('attribute');
    await first.getByLabel('Nome do atributo').fill('cep');
    await value.fill('01310');
    await press(page, 'Salvar');
    await page.getByText('Atributo “cep” é “01310”').waitFor();
    await page.getByRole('link', { name: 'Editar' }).click();
    expect(await type.inputValue()).toBe('text');
    await type.selectOption('number');
    await value.fill('30.5');
    await press(page, 'Salvar');
    await page.getByText('Atributo “cep” é 30.5').waitFor();
    const { body } = await tenant.test.get('/v2/segments');
    expect(body.items[0].filters).toEqual([{ field: 'attribute', operator: 'is', key: 'cep', value: 30.5 }]);
  });

  test('changes a segment without touching the conditions that one leaves alone', async () => {
    const tenant = await service.tenant();
    const filters = [
      { field: 'lastInteraction', operator: 'after', value: '2024-03-05T10:11:12.345Z' },
      { field: 'attribute', operator: 'is', key: 'cep', value: '30' },
      { field: 'attribute', operator: 'gt', key: 'desde', value: '2024-01-01' },
      { field: 'attribute', operator: 'exists', key: 'plano', value: false },
      { field: 'lastInteraction', operator: 'withinDays', value: 7 },
      { field: 'channel', operator: 'hasNot', value: 'email' },
    ];
    const id = await segment(tenant, { filters, description: 'x' });
    const page = await service.signedInAt(`/console/segments/${id}/edit`, tenant, 'admin');
    await expect.poll(() => counted(page), PATIENCE).toBe('0');
    await page.getByLabel('Descrição').fill('');
    await press(page, 'Salvar');
    await page.getByRole('heading', { name: 'Vips' }).waitFor();
    const saved = await read(tenant, id);
    expect(saved.filters).toEqual(filters);
    expect(saved.filterTree).toBeUndefined();
    expect(saved.description).toBeUndefined();
  });

  test('says in its place what the service finds wrong, and leads to a segment that has the name', async () => {
    const tenant = await service.tenant();
    await segment(tenant, { filters: [{ field: 'tag', operator: 'is', value: 'vip' }] });
    const page = await service.signedInAt('/console/segments/new', tenant, 'admin');
    await condition(page, 0).getByLabel('O que se compara').selectOption('lastInteraction');
    await condition(page, 0).getByLabel('Valor').fill('-3');
    await page.getByRole('textbox', { name: 'Nome', exact: true }).fill('vips');
    await page.getByRole('alert').getByText('filters.0.value').waitFor();
    await press(page, 'Salvar');
    const value = condition(page, 0).getByLabel('Valor');
    await expect.poll(() => value.getAttribute('aria-invalid'), PATIENCE).toBe('true');
    await inspect(page, 'segment-problem');
    await value.fill('3');
    await press(page, 'Salvar');
    await page.getByRole('link', { name: 'Ver o segmento que já tem este nome' }).click();
    await press(page, 'Sair sem salvar');
    await page.getByRole('heading', { name: 'Vips' }).waitFor();
  });

  test('asks once what one types fast, and gives up a count that a later change makes useless', async () => {
    const tenant = await service.tenant();
    await contact(tenant, { tags: ['vip'] });
    const page = await service.signedIn(tenant, 'admin');
    const requested: string[] = [];
    const ended = { failed: 0 };
    let release: (() => void) | undefined;
    await page.route('**/v2/segments/preview', async (route) => {
      const text = route.request().postDataJSON().filters[0].value;
      requested.push(text);
      // The first count takes as long as the test wants.
      if (text === 'outro') await new Promise<void>((resolve) => (release = resolve));
      await route.continue().catch(() => undefined);
    });
    page.on('requestfailed', (request) => {
      if (request.url().endsWith('/preview')) ended.failed += 1;
    });
    await page.clock.install();
    await page.goto('/console/segments/new');
    const value = condition(page, 0).getByLabel('Valor');
    await value.waitFor();
    // However slow the machine is, one types fast.
    await page.clock.pauseAt(Date.now() + 60_000);
    await value.pressSequentially('outro');
    await page.clock.resume();
    await expect.poll(() => requested, PATIENCE).toEqual(['outro']);
    await value.fill('vip');
    await expect.poll(() => ended.failed, PATIENCE).toBe(1);
    await expect.poll(() => counted(page), PATIENCE).toBe('1');
    release?.();
    await expect.poll(() => counted(page), PATIENCE).toBe('1');
    expect(requested).toEqual(['outro', 'vip']);
  });
});

describe('a segment', () => {
  test('explains for each contact which conditions it meets', async () => {
    const tenant = await service.tenant();
    const member = await contact(tenant, { name: 'Ana', tags: ['vip'], email: 'ana@loja.example' });
    const other = await contact(tenant, { name: 'Bia', tags: ['vip'] });
    const id = await segment(tenant, {
      filters: [
        { field: 'tag', operator: 'is', value: 'vip' },
        { field: 'channel', operator: 'has', value: 'email' },
      ],
    });
    const page = await service.signedInAt(`/console/segments/${id}`, tenant, 'viewer');
    await row(page, 'Ana').getByRole('link', { name: 'Por que Ana está no segmento' }).click();
    await page.getByText('Está no segmento', { exact: true }).waitFor();
    expect(await page.getByText('Cumpre', { exact: true }).count()).toBe(2);
    await page.goto(`/console/segments/${id}`);
    await page.getByLabel('Identificador do contato').fill(other);
    await press(page, 'Mostrar');
    await page.getByText('Não está no segmento').waitFor();
    await row(page, 'Canal tem E-mail').getByText('Não cumpre').waitFor();
    await row(page, 'Etiqueta é “vip”').getByText('Cumpre', { exact: true }).waitFor();
    await inspect(page, 'segment-explanation');
    expect(await page.getByRole('link', { name: 'Editar' }).count()).toBe(0);
    const admin = await service.signedInAt(`/console/segments/${id}`, tenant, 'admin');
    await admin.getByRole('combobox', { name: 'Contato' }).fill('ana@loja');
    await admin.getByRole('option', { name: /^Ana/ }).click();
    await press(admin, 'Mostrar');
    await admin.waitForURL(`**/segments/${id}/contacts/${member}`);
    await admin.getByText('Está no segmento', { exact: true }).waitFor();
  });

  test('shows its contacts as far as one wants to go, is found by its name, and is deleted', async () => {
    const tenant = await service.tenant();
    const contatos = Array.from({ length: 53 }, (_, at) => ({ phone: `+55119${83_000_000 + at}`, tags: ['vip'] }));
    await tenant.test.post('/contacts/import', { onConflict: 'skip', contatos });
    const id = await segment(tenant, { filters: [{ field: 'tag', operator: 'is', value: 'vip' }] });
    await segment(tenant, { name: 'Outros', filters: [{ field: 'tag', operator: 'isNot', value: 'vip' }] });
    const page = await service.signedInAt(`/console/segments/${id}`, tenant, 'admin', PHONE);
    await expect.poll(() => page.locator('tbody tr').count(), PATIENCE).toBe(50);
    await press(page, 'Carregar mais');
    await expect.poll(() => page.locator('tbody tr').count(), PATIENCE).toBe(53);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await page.goto('/console/segments');
    await expect.poll(() => page.locator('tbody tr').count(), PATIENCE).toBe(2);
    await inspect(page, 'segments-phone');
    await page.getByRole('searchbox', { name: 'Buscar' }).fill('víps');
    await expect.poll(() => page.locator('tbody tr').count(), PATIENCE).toBe(1);
    await row(page, 'Vips').getByRole('link').click();
    await press(page, 'Apagar o segmento');
    await page.getByRole('dialog').getByRole('button', { name: 'Apagar o segmento' }).click();
    await expect.poll(() => page.locator('tbody tr').count(), PATIENCE).toBe(1);
    expect((await tenant.test.get('/contacts')).body.total).toBe(53);
  });

  test('whose every field holds markup shows it as text, and runs none of it', async () => {
    const tenant = await service.tenant();
    const tag = EVIL.slice(0, 64);
    const contactId = await contact(tenant, { name: EVIL.slice(0, 100), tags: [tag] });
    const filters = [
      { field: 'tag', operator: 'is', value: tag },
      { field: 'attribute', operator: 'isNot', key: EVIL.slice(0, 60), value: 'javascript:window.hit=1' },
    ];
    const id = await segment(tenant, { name: EVIL.slice(0, 100), description: EVIL, filters });
    const page = await service.entered(tenant, 'admin');
    for (const path of ['', `/${id}`, `/${id}/contacts/${contactId}`]) {
      await visit(page, `/console/segments${path}`);
      await expectInert(page);
    }
    await visit(page, `/console/segments/${id}/edit`);
    await expect.poll(() => counted(page), PATIENCE).toBe('1');
    await expectInert(page);
  });
});
