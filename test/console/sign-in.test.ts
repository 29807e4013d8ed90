import { describe, expect, test } from 'vitest';
import { use } from '../support/use.ts';
import { DESKTOP, PHONE } from './browser.ts';
import { expectNoFaults, inspect, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());
const tenant = await service.tenant();
/** A page of somebody who came by a link, as every test here is about. */
const signedInByLink = async (context = DESKTOP) => {
  const page = await service.open(context);
  await service.signIn(page, await service.person(tenant));
  return page;
};

describe('signing in', () => {
  test('accepts an address without an account like any other', async () => {
    const page = await service.open();
    await page.goto('/console/messages');
    await page.getByRole('heading', { name: 'Entrar' }).waitFor();
    await inspect(page, 'sign-in');
    await page.getByLabel('E-mail').fill('nobody@loja.example');
    await page.getByRole('button', { name: 'Enviar link' }).click();
    await page.getByText('Link a caminho').waitFor();
    await inspect(page, 'sign-in-sent');
  });

  test('with a link consumes it only when the button is pressed, and leaves no trace of it in the address', async () => {
    const page = await service.open();
    const account = await service.person(tenant);
    const link = await service.linkFor(account);
    await page.goto(link);
    await page.getByRole('button', { name: 'Entrar com este link' }).waitFor();
    expect(page.url()).not.toContain('svc_link');
    await inspect(page, 'sign-in-link');
    const other = await service.open();
    await other.goto(link);
    await other.getByRole('button', { name: 'Entrar com este link' }).click();
    await other.getByRole('heading', { name: 'Visão geral' }).waitFor();
    expect(await other.locator('[data-organization]').textContent()).toBe('Loja Azul');
    await page.getByRole('button', { name: 'Entrar com este link' }).click();
    await page.getByText('O link não funciona mais').waitFor();
    expectNoFaults(other);
  });

  test('lasts over a reload, with nothing that a script could read', async () => {
    const page = await signedInByLink();
    await page.getByRole('heading', { name: 'Visão geral' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Visão geral' }).waitFor();
    const readable = await page.evaluate<string>(
      'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])',
    );
    expect(readable).not.toMatch(/svc_|ses_/);
    const cookies = await page.context().cookies();
    expect(cookies).toMatchObject([
      { name: '__Host-session-test', httpOnly: true, secure: true, sameSite: 'Strict', path: '/' },
    ]);
    expectNoFaults(page);
  });

  test('leads to pages, and says which do not exist', async () => {
    const page = await service.open();
    const account = await service.person(tenant);
    await service.signIn(page, account);
    await page.goto('/console/nowhere?a=1');
    await page.getByRole('heading', { name: 'Página não encontrada' }).first().waitFor();
    await inspect(page, 'not-found');
  });

  test('in several tabs concurrently keeps all of them signed in', async () => {
    const page = await signedInByLink();
    const tabs = await Promise.all(Array.from({ length: 5 }, () => page.context().newPage()));
    await Promise.all(tabs.map((tab) => tab.goto('/console/')));
    await Promise.all(tabs.map((tab) => tab.getByRole('heading', { name: 'Visão geral' }).waitFor()));
    await page.reload();
    await page.getByRole('heading', { name: 'Visão geral' }).waitFor();
  });
});

describe('signing out', () => {
  test('ends the session here, in every tab, and its cookie is of no use', async () => {
    const page = await signedInByLink();
    const tab = await page.context().newPage();
    await tab.goto('/console/');
    await tab.getByRole('heading', { name: 'Visão geral' }).waitFor();
    const cookies = await page.context().cookies();
    await page.getByRole('button', { name: /Sua conta/ }).click();
    await page.getByRole('menuitem', { name: 'Sair', exact: true }).click();
    await page.getByRole('heading', { name: 'Entrar' }).waitFor();
    await tab.getByRole('heading', { name: 'Entrar' }).waitFor();
    const thief = await service.open();
    await thief.context().addCookies(cookies);
    await thief.goto('/console/');
    await thief.getByRole('heading', { name: 'Entrar' }).waitFor();
  });

  test('everywhere ends the sessions of other browsers, too', async () => {
    const account = await service.person(tenant);
    const [page, phone] = [await service.open(), await service.open(PHONE)];
    await service.signIn(phone, account);
    await service.signIn(page, account);
    await page.getByRole('button', { name: /Sua conta/ }).click();
    await page.getByRole('menuitem', { name: 'Sair de todos os dispositivos' }).click();
    await page.getByRole('heading', { name: 'Entrar' }).waitFor();
    await phone.reload();
    await phone.getByRole('heading', { name: 'Entrar' }).waitFor();
  });
});

describe('the frame', () => {
  test('works by keyboard: the skip link leads to the page, and a page that one goes to takes the focus', async () => {
    const page = await signedInByLink();
    await page.getByRole('heading', { name: 'Visão geral' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Visão geral' }).waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement?.textContent'), PATIENCE).toBe('Ir para o conteúdo');
    await page.keyboard.press('Enter');
    // A browser follows a link within the page after it has handled the key.
    await expect.poll(() => page.evaluate('document.activeElement?.id'), PATIENCE).toBe('main');
  });

  test('speaks the language of the browser, and the other one when that is chosen', async () => {
    const page = await service.open({ ...DESKTOP, locale: 'en-GB' });
    await page.goto('/console/');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('en-GB');
    await page.getByRole('button', { name: 'Preferences' }).click();
    await page.getByRole('menuitemradio', { name: /Português/ }).click();
    await page.getByRole('heading', { name: 'Entrar' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Entrar' }).waitFor();
  });

  test('offers to sign in if no session is open: each environment has its own', async () => {
    const page = await signedInByLink();
    await page.getByRole('heading', { name: 'Visão geral' }).waitFor();
    await page.getByText('Produção', { exact: true }).click();
    await page.getByRole('heading', { name: 'Entrar' }).waitFor();
    await page.getByText('Teste', { exact: true }).click();
    await page.getByRole('heading', { name: 'Visão geral' }).waitFor();
  });

  test('has its navigation behind a button on a phone', async () => {
    const page = await signedInByLink(PHONE);
    await page.getByRole('heading', { name: 'Visão geral' }).waitFor();
    await inspect(page, 'overview-phone');
    await page.getByRole('button', { name: 'Abrir navegação' }).click();
    await page.getByRole('link', { name: 'Visão geral' }).waitFor();
    await inspect(page, 'navigation-phone');
  });
});

test('the overview shows what the wallet holds', async () => {
  const page = await signedInByLink();
  await page.getByText('R$ 1.000,00', { exact: false }).first().waitFor();
  await inspect(page, 'overview');
});
