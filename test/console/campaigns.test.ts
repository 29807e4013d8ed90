import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { becomes, create, listOf, people } from '../flows/campaigns-kit.ts';
import { use } from '../support/use.ts';
import { PHONE } from './browser.ts';
import { expectNoFaults, inspect, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());

const ATTACK = '<img src=x onerror="document.title=\'attacked\'">';
const rows = (page: Page) => page.locator('tbody tr');
const confirm = async (page: Page, name: string) => {
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
};
const idIn = (page: Page): string => page.url().replace(/.*\//, '');

describe('campaigns', () => {
  test('are written where there was none, with variants, an audience of lists and limits, and changed', async () => {
    const tenant = await service.tenant();
    const ids = await people(tenant, ['0005', '0006', '0007']);
    const all = await listOf(tenant, ids, 'Clientes');
    const few = await listOf(tenant, ids.slice(0, 1), 'Fora');
    const page = await service.signedIn(tenant, 'admin');
    await page.getByRole('link', { name: 'Campanhas' }).click();
    await page.getByRole('heading', { name: 'Nenhuma campanha aqui' }).waitFor();
    await inspect(page, 'campaigns-empty');
    await page.getByRole('link', { name: 'Nova campanha' }).click();
    await page.getByRole('textbox', { name: 'Nome', exact: false }).first().fill('Black Friday');
    const choose = async (label: string, option: string) => {
      await page.getByRole('combobox', { name: label, exact: true }).click();
      await page.getByRole('option', { name: option }).click();
      await page.keyboard.press('Escape');
    };
    await choose('Listas', 'Clientes');
    await choose('Fora quem está nas listas', 'Fora');
    await page.getByText('Variantes', { exact: true }).click();
    const variant = (name: string) => page.getByRole('group', { name: `Variante ${name}` });
    await variant('A').getByLabel('Texto').last().fill('Oi {{contact.name|amigo}}!');
    await variant('B').getByLabel('Texto').last().fill('Olá {{contact.nobody}}');
    await page.getByLabel('No máximo por minuto').fill('600');
    await page.getByRole('button', { name: 'Nova campanha' }).click();
    await page.getByRole('alert').getByText('variants.1.message.text').waitFor();
    await inspect(page, 'campaign-new');
    await variant('B').getByLabel('Texto').last().fill('Olá!');
    await page.getByRole('button', { name: 'Nova campanha' }).click();
    await page.getByRole('heading', { name: 'Black Friday', level: 1 }).waitFor();
    const { body } = await tenant.test.get(`/v2/campaigns/${idIn(page)}`);
    expect(body).toMatchObject({
      status: 'draft',
      audience: { listIds: [all], excludeListIds: [few] },
      perMinute: 600,
      variants: [
        { name: 'A', weight: 50, message: { channel: 'sms', text: 'Oi {{contact.name|amigo}}!' } },
        { name: 'B', weight: 50, message: { channel: 'sms', text: 'Olá!' } },
      ],
    });

    await page.getByRole('link', { name: 'Editar' }).click();
    await page.getByText('Uma mensagem', { exact: true }).click();
    await page.getByLabel('No máximo por minuto').fill('');
    await page.getByRole('button', { name: 'Salvar' }).click();
    await page.getByRole('link', { name: 'Editar' }).waitFor();
    const changed = (await tenant.test.get(`/v2/campaigns/${idIn(page)}`)).body;
    expect(changed).toMatchObject({ message: { channel: 'sms', text: 'Oi {{contact.name|amigo}}!' } });
    expect(changed).not.toHaveProperty('variants');
    expect(changed).not.toHaveProperty('perMinute');
    await page.goto('/console/campaigns');
    await page.getByRole('link', { name: 'Black Friday' }).waitFor();
    await inspect(page, 'campaigns');
  });

  test('show before the start what the start then does: whom they reach, whom they leave out, and the price', async () => {
    const tenant = await service.tenant();
    const ids = await people(tenant, ['0005', '0006', '0007']);
    const [denied] = await people(tenant, ['1005'], { phone: '+5511988887777', optIn: { status: 'denied' } });
    const list = await listOf(tenant, [...ids, String(denied)]);
    const { id } = await create(tenant, { audience: { listIds: [list] } });
    const page = await service.signedInAt(`/console/campaigns/${id}`, tenant);
    const preview = page.getByRole('region', { name: 'Prévia' });
    await preview.locator('[data-sample]').first().waitFor();
    const expected = (await tenant.test.post(`/v2/campaigns/${id}/preview`, {})).body;
    expect(expected).toMatchObject({ reach: 3, excluded: { optedOut: 1 } });
    const figure = (name: string) =>
      preview
        .locator('dt', { hasText: new RegExp(`^${name}$`) })
        .locator('xpath=following-sibling::dd')
        .innerText();
    expect([await figure('Alcança'), await figure('Saíram da lista')]).toEqual(['3', '1']);
    expect(await preview.locator('dd span').first().getAttribute('title')).toBe(
      `${expected.price.coins.toLocaleString('pt-BR')} coins`,
    );
    await inspect(page, 'campaign-preview');
    await page.getByRole('button', { name: 'Iniciar' }).click();
    await page.getByRole('dialog').getByText('Alcança').waitFor();
    await inspect(page, 'campaign-start');
    await page.getByRole('dialog').getByRole('button', { name: 'Iniciar' }).click();
    await page.getByRole('region', { name: 'Andamento' }).waitFor();
    await becomes(tenant, id, { status: 'completed' });
    const { progress } = (await tenant.test.get(`/v2/campaigns/${id}`)).body;
    expect(progress.total).toBe(expected.reach);
    const shown = (name: string) => page.locator(`[data-figure="${name}"]`).innerText();
    await expect.poll(() => shown('delivered'), PATIENCE).toBe(String(progress.delivered));
    await expect.poll(() => shown('failed'), PATIENCE).toBe(String(progress.failed));

    await expect.poll(() => rows(page).count(), PATIENCE).toBe(3);
    await inspect(page, 'campaign');
    await page.getByRole('search').getByLabel('Situação').selectOption('failed');
    await expect.poll(() => rows(page).count(), PATIENCE).toBe(progress.failed);
    await page.getByRole('search').getByLabel('Situação').selectOption('skipped');
    await page.getByRole('heading', { name: 'Ninguém aqui' }).waitFor();
    await page.getByRole('search').getByLabel('Situação').selectOption('delivered');
    await rows(page).first().getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: /Mensagem/ }).waitFor();
    expectNoFaults(page);
  });

  test('are paused, resumed, cancelled and deleted', async () => {
    const tenant = await service.tenant();
    const ids = await people(tenant, ['0005', '0006', '0007', '0005']);
    const page = await service.entered(tenant);
    const { id } = await create(tenant, { audience: { contactIds: ids }, perMinute: 1 });
    await page.goto(`/console/campaigns/${id}`);
    await confirm(page, 'Iniciar');
    await page.getByRole('button', { name: 'Pausar' }).click();
    await page.getByText('Pausada por uma pessoa.').waitFor();
    await becomes(tenant, id, { status: 'paused', pausedBy: { reason: 'operator' } });
    await confirm(page, 'Retomar');
    await page.getByRole('button', { name: 'Pausar' }).waitFor();
    await confirm(page, 'Cancelar campanha');
    await page.getByText('Cancelada', { exact: true }).first().waitFor();
    await becomes(tenant, id, { status: 'cancelled' });
    expect(await page.getByRole('button', { name: 'Pausar' }).count()).toBe(0);

    const draft = await create(tenant, { audience: { contactIds: ids }, name: 'Rascunho' });
    await page.goto(`/console/campaigns/${draft.id}`);
    await confirm(page, 'Apagar');
    await expect.poll(() => page.url(), PATIENCE).toMatch(/\/campaigns$/);
    expect((await tenant.test.get(`/v2/campaigns/${draft.id}`)).status).toBe(404);
    expectNoFaults(page);
  });

  test('show markup in what they hold as text, also on a phone, and no button to who may only read', async () => {
    const tenant = await service.tenant();
    const [id = ''] = await people(tenant, ['0005'], { name: ATTACK });
    const list = await listOf(tenant, [id], ATTACK);
    const campaign = await create(tenant, {
      name: ATTACK,
      message: undefined,
      campaignTag: 'javascript:alert(1)',
      audience: { listIds: [list] },
      variants: [
        { name: ATTACK, weight: 50, message: { channel: 'sms', text: `${ATTACK} {{contact.name}}` } },
        { name: 'B', weight: 50, message: { channel: 'sms', text: ATTACK } },
      ],
    });
    const page = await service.signedInAt('/console/campaigns', tenant, 'viewer', PHONE);
    await page.getByRole('link', { name: ATTACK }).click();
    await page.locator('[data-sample]').waitFor();
    expect(await page.locator('[data-sample]').innerText()).toContain('<img src=x');
    for (const name of ['Iniciar', 'Apagar', 'Cancelar campanha'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    expect(await page.getByRole('link', { name: 'Editar' }).count()).toBe(0);
    const owner = await service.signedInAt(`/console/campaigns/${campaign.id}/edit`, tenant);
    await owner.getByRole('group', { name: 'Variante B' }).waitFor();
    for (const each of [page, owner]) {
      expect(await each.locator('main img').count()).toBe(0);
      expect(await each.locator('a[href^="javascript:"]').count()).toBe(0);
      expect(await each.title()).not.toBe('attacked');
    }
    await inspect(page, 'campaign-phone');
    expectNoFaults(owner);
  });
});
