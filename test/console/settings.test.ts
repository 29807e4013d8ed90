import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { use } from '../support/use.ts';
import { PHONE } from './browser.ts';
import { expectNoFaults, inspect, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());

const ATTACK = '<img src=x onerror="document.title=\'attacked\'">';
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const save = async (page: Page, name: string) => {
  await part(page, name).getByRole('button', { name: 'Salvar' }).click();
  await part(page, name).getByText('Salvo.').waitFor();
};

describe('settings', () => {
  test('name the organization, and show markup in its name as text', async () => {
    const tenant = await service.tenant();
    const page = await service.signedIn(tenant, 'admin');
    await page.getByRole('link', { name: 'Ajustes' }).click();
    const organization = part(page, 'Organização');
    await organization.getByLabel(/^Nome/).fill(ATTACK);
    await save(page, 'Organização');
    expect((await tenant.test.get('/v2/organizations/me')).body.name).toBe(ATTACK);
    await page.reload();
    await expect.poll(() => organization.getByLabel(/^Nome/).inputValue(), PATIENCE).toBe(ATTACK);
    await page.locator('[data-organization]', { hasText: ATTACK }).waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(await page.title()).not.toBe('attacked');
    await inspect(page, 'settings');
  });

  test('set quiet hours and open countries, and say what the service refuses of them', async () => {
    const tenant = await service.tenant();
    const page = await service.signedInAt('/console/settings', tenant);
    const quiet = part(page, 'Horas de silêncio');
    await quiet.getByLabel('Das').fill('21:30');
    await quiet.getByLabel('Até as').fill('21:30');
    await quiet.getByLabel('Fuso horário').selectOption('America/Manaus');
    await quiet.getByLabel('sms').check();
    await quiet.getByRole('button', { name: 'Salvar' }).click();
    await quiet.getByRole('alert').waitFor();
    await quiet.getByLabel('Até as').fill('07:00');
    await save(page, 'Horas de silêncio');
    expect((await tenant.test.get('/v2/organizations/me/quiet-hours')).body).toEqual({
      inicio: '21:30',
      fim: '07:00',
      timeZone: 'America/Manaus',
      channels: ['sms'],
    });

    const countries = part(page, 'Países');
    await countries.getByLabel('Abertos em SMS').selectOption('only');
    await countries.getByLabel('Países de SMS').and(page.locator('input')).fill('xx');
    await page.keyboard.press('Enter');
    await countries.getByRole('button', { name: 'Salvar' }).click();
    await countries.getByRole('alert').getByText('sms.countries.0').waitFor();
    await inspect(page, 'settings-refused');
    await countries.getByLabel('Países de SMS').and(page.locator('input')).focus();
    await page.keyboard.press('Backspace');
    await countries.getByLabel('Países de SMS').and(page.locator('input')).fill('br');
    await page.keyboard.press('Enter');
    await save(page, 'Países');
    expect((await tenant.test.get('/v2/organizations/me/destinations')).body).toMatchObject({
      sms: { mode: 'only', countries: ['BR'] },
      rcs: { mode: 'all' },
    });
    await page.reload();
    await countries.getByText('BR', { exact: true }).waitFor();
    expect(await quiet.getByLabel('Das').inputValue()).toBe('21:30');
  });

  test('list the sessions of the person alone, and end those that are not the one in use', async () => {
    const tenant = await service.tenant();
    const person = await service.person(tenant, 'support');
    const first = await service.open();
    await service.signIn(first, person);
    const other = await service.open(PHONE);
    await service.signIn(other, person);
    await service.signedIn(tenant, 'owner');
    await first.goto('/console/settings');
    const sessions = part(first, 'Suas sessões');
    await expect.poll(() => sessions.locator('tbody tr').count(), PATIENCE).toBe(2);
    expect(await sessions.getByText('Esta', { exact: true }).count()).toBe(1);
    await sessions.getByRole('button', { name: /^Encerrar a sessão/ }).click();
    await expect.poll(() => sessions.locator('tbody tr').count(), PATIENCE).toBe(1);
    await other.reload();
    await other.getByRole('button', { name: /link/ }).first().waitFor();
    expect(new URL(other.url()).pathname).toBe('/console/sign-in');
    await first.reload();
    await sessions.getByText('Esta', { exact: true }).waitFor();
    expectNoFaults(first);
  });

  test('are read, and not changed, by who may not change them, on a phone too', async () => {
    const tenant = await service.tenant();
    const page = await service.signedInAt('/console/settings', tenant, 'viewer', PHONE);
    await part(page, 'Organização').getByLabel(/^Nome/).waitFor();
    expect(await part(page, 'Organização').getByLabel(/^Nome/).isDisabled()).toBe(true);
    await part(page, 'Países').getByLabel('Abertos em SMS').waitFor();
    expect(await page.getByRole('button', { name: 'Salvar' }).count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await inspect(page, 'settings-phone');
  });
});
