import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { journeysOf, line, sms, wait } from '../flows/journeys-kit.ts';
import type { Tenant } from '../support/api.ts';
import { use } from '../support/use.ts';
import { expectNoFaults, inspect, made, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());

const nameField = (page: Page) => page.getByRole('textbox', { name: 'Nome', exact: true });
const stepLabel = (page: Page) => page.getByLabel('Nome para pessoas');

interface Editor {
  /** The page from which one goes there, by the link of this name. */
  readonly from: (tenant: Tenant) => Promise<string>;
  readonly link: string;
  readonly field: (page: Page) => ReturnType<Page['locator']>;
  /** A key pressed before the field exists. */
  readonly open?: (page: Page) => Promise<void>;
}
const EMAIL = { name: 'Boas-vindas', subject: 'Olá', format: 'html', source: '<p>Olá</p>' };
const SEGMENT = { name: 'Vips', filters: [{ field: 'tag', operator: 'is', value: 'vip' }] };
const EDITORS = {
  'a campaign': { from: async () => '/campaigns', link: 'Nova campanha', field: nameField },
  'a template': { from: async () => '/templates', link: 'Novo modelo', field: nameField },
  'an e-mail template': {
    from: async (tenant) => `/templates/email/${(await made(tenant, '/v2/email/templates', EMAIL)).id}`,
    link: 'Editar',
    field: nameField,
  },
  'a segment': {
    from: async (tenant) => `/segments/${(await made(tenant, '/v2/segments', SEGMENT)).id}`,
    link: 'Editar',
    field: nameField,
  },
  'a journey': {
    from: async ({ test: client }) => {
      await journeysOf(client).create({ ...line(sms('a'), wait('b')), name: 'Carrinho' });
      return '/journeys';
    },
    link: 'Carrinho',
    field: stepLabel,
    open: (page) => page.locator('[data-outline="a"]').click(),
  },
} satisfies Record<string, Editor>;
type Name = keyof typeof EDITORS;
const NAMES = Object.keys(EDITORS) as Name[];

/** An editor with a change that is not saved. */
const edited = async (name: Name) => {
  const { from, link, field, open }: Editor = EDITORS[name];
  const tenant = await service.tenant();
  const page = await service.entered(tenant);
  const list = `/console${await from(tenant)}`;
  await page.goto(list);
  await page.getByRole('link', { name: link, exact: true }).click();
  await open?.(page);
  const value = () => field(page).inputValue();
  await field(page).fill('Outro nome');
  const { pathname } = new URL(page.url());
  expect(pathname).not.toBe(list);
  const isAt = (path: string) => expect.poll(() => new URL(page.url()).pathname, PATIENCE).toBe(path);
  return { page, tenant, value, isAt, list, here: pathname, open, field };
};
const question = (page: Page) => page.getByRole('dialog', { name: 'Sair sem salvar?' });
const answer = (page: Page, name: 'Continuar editando' | 'Sair sem salvar') =>
  question(page).getByRole('button', { name }).click();
const follow = (page: Page) => page.getByRole('link', { name: 'Chaves', exact: true }).click();

describe('what is edited and not saved', () => {
  test.each(NAMES)('is not lost unasked by a link, by going back, or by a reload: %s', async (name) => {
    const { page, value, isAt, list, here, open, field } = await edited(name);
    const stays = async () => {
      await expect.poll(() => question(page).count(), PATIENCE).toBe(0);
      await isAt(here);
      expect(await value()).toBe('Outro nome');
    };
    // An anchor of the page leads nowhere else.
    await page.locator('.skip-link').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash, PATIENCE).toBe('#main');
    await page.evaluate('history.back()');
    await expect.poll(() => new URL(page.url()).hash, PATIENCE).toBe('');
    await stays();
    await follow(page);
    await question(page).waitFor();
    if (name === 'a campaign') await inspect(page, 'unsaved');
    await answer(page, 'Continuar editando');
    await stays();
    await page.evaluate('history.back()');
    await answer(page, 'Continuar editando');
    await stays();
    const opened = page.waitForEvent('dialog');
    const reloading = page.evaluate('location.reload()').catch(() => undefined);
    const dialog = await opened;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await reloading;
    await stays();
    await page.evaluate('history.back()');
    await answer(page, 'Sair sem salvar');
    await isAt(list);
    await page.goForward();
    await isAt(here);
    await open?.(page);
    await field(page).waitFor();
    expect(await value()).not.toBe('Outro nome');
    await field(page).fill('Outro nome');
    await follow(page);
    await answer(page, 'Sair sem salvar');
    await page.getByRole('heading', { name: 'Chaves' }).waitFor();
    expectNoFaults(page);
  });

  test('is asked about before another environment is chosen, and before one signs out', async () => {
    const { page } = await edited('a campaign');
    await page.getByText('Produção', { exact: true }).click();
    await answer(page, 'Continuar editando');
    expect(await nameField(page).inputValue()).toBe('Outro nome');
    await page.getByRole('button', { name: /Sua conta/ }).click();
    await page.getByRole('menuitem', { name: 'Sair', exact: true }).click();
    await answer(page, 'Continuar editando');
    await expect.poll(() => question(page).count(), PATIENCE).toBe(0);
    expect(await nameField(page).inputValue()).toBe('Outro nome');
    await page.getByText('Produção', { exact: true }).click();
    await answer(page, 'Sair sem salvar');
    await page.getByRole('heading', { name: 'Entrar' }).waitFor();
  });

  test('is not asked about once it is saved, or is as it was', async () => {
    const { page, tenant } = await edited('an e-mail template');
    await nameField(page).fill(EMAIL.name);
    await follow(page);
    await page.getByRole('heading', { name: 'Chaves' }).waitFor();
    await page.goBack();
    await nameField(page).fill('Outro nome');
    await page.getByRole('button', { name: 'Salvar' }).click();
    await page.getByRole('heading', { name: 'Outro nome', level: 1 }).waitFor();
    await follow(page);
    await page.getByRole('heading', { name: 'Chaves' }).waitFor();
    const { body } = await tenant.test.get('/v2/email/templates');
    expect(body.items).toMatchObject([{ name: 'Outro nome' }]);
  });

  test('of a journey is not asked about once it is saved, or taken back', async () => {
    const { page } = await edited('a journey');
    await page.getByRole('button', { name: 'Salvar', exact: true }).click();
    await page.getByText('Salvo.').waitFor();
    await stepLabel(page).fill('Ainda outro');
    await page.getByRole('button', { name: 'Descartar mudanças' }).click();
    await follow(page);
    await page.getByRole('heading', { name: 'Chaves' }).waitFor();
  });
});
