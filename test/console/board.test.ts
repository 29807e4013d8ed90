import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { checkCard } from '../../shared/domain/cards/stalled.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { portsOver } from '../storage/cards-kit.ts';
import { use } from '../support/use.ts';
import { column, middle, shown, startBoard, tile } from './board-kit.ts';
import { DESKTOP, PHONE } from './browser.ts';
import { expectNoFaults, inspect, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());
/** All stages are in sight: a test drags no further than that. */
const WIDE = { ...DESKTOP, viewport: { width: 1920, height: 900 } };
const DAY_MS = 24 * 3_600_000;

/** Drags a card by the mouse to the middle of what is given, and drops it once the page says that it is there: `Negociação, posição 1`. */
const drag = async (page: Page, title: string, to: ReturnType<Page['locator']>, there: string) => {
  const from = await middle(tile(page, title));
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 10, from.y + 10, { steps: 3 });
  await page.locator('[data-dragging]').waitFor();
  const end = await middle(to);
  await page.mouse.move(end.x, end.y, { steps: 8 });
  // Whatever the board draws meanwhile, the mouse moves over what is there now.
  const moveOn = async () => {
    await page.mouse.move(end.x, end.y + 1);
    await page.mouse.move(end.x, end.y);
    return page.getByText(`${title} sobre ${there}.`).count();
  };
  await expect.poll(moveOn, PATIENCE).toBe(1);
  await page.mouse.up();
  await expect.poll(() => page.locator('[data-dragging]').count(), PATIENCE).toBe(0);
};
/** Drags a card into a stage that has none. */
const dragInto = (page: Page, title: string, stage: string) =>
  drag(page, title, column(page, stage).locator('ul'), `${stage}, posição 1`);

describe('pipelines', () => {
  test('are made where there was none, and their stages changed and put in an order', async () => {
    const tenant = await service.tenant();
    const page = await service.signedIn(tenant);
    await page.getByRole('link', { name: 'Pipelines' }).click();
    await page.getByRole('heading', { name: 'Nenhum pipeline ainda' }).waitFor();
    await inspect(page, 'pipelines-empty');
    await page.getByRole('button', { name: 'Novo pipeline' }).click();
    await page.getByLabel('Nome').fill('Vendas');
    await page.getByLabel('Estágios abertos, um por linha').fill('Primeiro\nSegundo');
    await inspect(page, 'pipeline-create');
    await page.getByRole('dialog').getByRole('button', { name: 'Novo pipeline' }).click();
    await page.getByRole('heading', { name: 'Vendas' }).waitFor();
    await page.getByRole('link', { name: 'Estágios' }).click();
    await page.getByRole('button', { name: 'Descer Primeiro' }).click();
    const names = () => page.locator('tbody tr td:first-child').allTextContents();
    await expect.poll(names, PATIENCE).toEqual(['Segundo', 'Primeiro', 'Ganho', 'Perdido']);
    await page.getByRole('button', { name: 'Editar Segundo' }).click();
    await page.getByLabel('Probabilidade (%)').fill('30');
    await page.getByLabel('Data prevista').check();
    await inspect(page, 'stage-edit');
    await page.getByRole('button', { name: 'Salvar' }).click();
    await page.getByRole('cell', { name: '30%' }).waitFor();
    await page.getByRole('button', { name: 'Novo estágio' }).click();
    await page.getByLabel('Nome').fill('Terceiro');
    await page.getByRole('button', { name: 'Salvar' }).click();
    await page.getByRole('cell', { name: 'Terceiro', exact: true }).waitFor();
    await inspect(page, 'stages');
    const { body } = await tenant.test.get('/pipelines');
    expect(body.items[0].estagios).toMatchObject([
      { nome: 'Segundo', probabilidade: 30, camposObrigatorios: ['dataPrevista'] },
      { nome: 'Primeiro' },
      { nome: 'Ganho' },
      { nome: 'Perdido' },
      { nome: 'Terceiro' },
    ]);
    await page.goto('/console/pipelines');
    await page.getByRole('link', { name: 'Vendas' }).waitFor();
    await inspect(page, 'pipelines');
  });

  test('show what their open deals are expected to bring', async () => {
    const { tenant, path } = await startBoard(['A', 'B'], { valor: 1_000 });
    const page = await service.signedInAt(path, tenant);
    await page.getByRole('link', { name: 'Previsão' }).click();
    await page.getByRole('cell', { name: '400,00' }).waitFor();
    await inspect(page, 'forecast');
  });
});

describe('the board', () => {
  test('is changed by the mouse: a card goes where it is dropped, and stays there', async () => {
    const { tenant, path, stored } = await startBoard(['A', 'B', 'C']);
    const page = await service.signedInAt(path, tenant, 'owner', WIDE);
    await expect.poll(() => shown(page), PATIENCE).toEqual([['A', 'B', 'C'], [], [], [], []]);
    await inspect(page, 'board');
    await dragInto(page, 'B', 'Negociação');
    await expect.poll(() => shown(page), PATIENCE).toEqual([['A', 'C'], [], ['B'], [], []]);
    await expect.poll(stored, PATIENCE).toEqual([['A', 'C'], [], ['B'], [], []]);
    await drag(page, 'C', tile(page, 'A'), 'Novo, posição 1');
    await expect.poll(stored, PATIENCE).toEqual([['C', 'A'], [], ['B'], [], []]);
    await expect.poll(() => column(page, 'Negociação').locator('[data-total]').textContent(), PATIENCE).toBe('1');
    await page.reload();
    await expect.poll(() => shown(page), PATIENCE).toEqual([['C', 'A'], [], ['B'], [], []]);
    expectNoFaults(page);
  });

  test("can be moved with the keyboard alone, and announces the card's position", async () => {
    const { tenant, path, card, stored } = await startBoard(['A', 'B']);
    const page = await service.signedInAt(path, tenant, 'owner', WIDE);
    await tile(page, 'A').focus();
    await page.keyboard.press('Space');
    await page.getByText('A está na mão: Novo, posição 1.').waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowDown');
    await page.getByText('A sobre Novo, posição 2.').waitFor({ state: 'attached' });
    await page.keyboard.press('Space');
    await expect.poll(stored, PATIENCE).toEqual([['B', 'A'], [], [], [], []]);
    await expect.poll(() => page.locator('[data-dragging]').count(), PATIENCE).toBe(0);
    // Taken back, it is where it was.
    await tile(page, 'A').focus();
    await page.keyboard.press('Space');
    await page.getByText('A está na mão: Novo, posição 2.').waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowRight');
    await page.getByText('A sobre Proposta', { exact: false }).waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('[data-dragging]').count(), PATIENCE).toBe(0);
    await expect.poll(() => shown(page), PATIENCE).toEqual([['B', 'A'], [], [], [], []]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'A', exact: true }).waitFor();
    expect((await card(0)).status).toBe('aberto');
    expectNoFaults(page);
  });

  test('names the fields that a stage requires, takes them, and then moves the card', async () => {
    const { tenant, path, card, stored } = await startBoard(['A']);
    const page = await service.signedInAt(path, tenant, 'owner', WIDE);
    await tile(page, 'A').waitFor();
    await dragInto(page, 'A', 'Proposta');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Faltam campos para entrar em Proposta').waitFor();
    expect(await dialog.locator('li').allTextContents()).toEqual(['Valor', 'origem']);
    await expect.poll(() => shown(page), PATIENCE).toEqual([['A'], [], [], [], []]);
    await inspect(page, 'board-missing-fields');
    await dialog.getByLabel('Valor').fill('1500.5');
    await dialog.getByLabel('Atributos').fill('origem = feira');
    await dialog.getByRole('button', { name: 'Preencher e mover' }).click();
    await expect.poll(stored, PATIENCE).toEqual([[], ['A'], [], [], []]);
    await expect.poll(() => shown(page), PATIENCE).toEqual([[], ['A'], [], [], []]);
    expect(await card(0)).toMatchObject({ valor: 1500.5, atributos: { origem: 'feira' } });
  });

  test('gives a card back that the service refuses to move, and says why', async () => {
    const { tenant, path, pipeline } = await startBoard(['A']);
    const page = await service.signedInAt(path, tenant, 'owner', WIDE);
    await tile(page, 'A').waitFor();
    expect((await tenant.test.post(`/pipelines/${pipeline.id}/archive`, undefined)).status).toBe(200);
    await dragInto(page, 'A', 'Negociação');
    await page.getByRole('dialog').getByText('A voltou ao lugar').waitFor();
    await page.getByRole('dialog').getByText(/^req_/).waitFor();
    await expect.poll(() => shown(page), PATIENCE).toEqual([['A'], [], [], [], []]);
  });

  test('requires a reason before a card is lost', async () => {
    const { tenant, path, card } = await startBoard(['A']);
    const page = await service.signedInAt(path, tenant, 'owner', WIDE);
    await tile(page, 'A').waitFor();
    await dragInto(page, 'A', 'Perdido');
    await page.getByLabel('Motivo da perda').waitFor();
    expect((await card(0)).status).toBe('aberto');
    await page.getByLabel('Motivo da perda').fill('Preço');
    await page.getByRole('button', { name: 'Marcar como perdido' }).click();
    await expect.poll(() => card(0), PATIENCE).toMatchObject({ status: 'perdido', motivoPerda: 'Preço' });
    await dragInto(page, 'A', 'Novo');
    await expect.poll(() => card(0), PATIENCE).toMatchObject({ status: 'aberto' });
    await dragInto(page, 'A', 'Ganho');
    await expect.poll(() => card(0), PATIENCE).toMatchObject({ status: 'ganho' });
  });

  test('marks what stands still, takes new deals, and can be read on a phone', async () => {
    const { tenant, path, cards, stored } = await startBoard(['A']);
    const { cards: store, pipelines } = portsOver(service.tables.test, Date.now);
    const clock = () => Date.now() + 2 * DAY_MS;
    const ports = { clock, store: store.store, pipelines: pipelines.store, enqueueSweep: () => {} };
    await checkCard(ports, cards[0]?.id as Id<'card'>);
    const page = await service.signedInAt(path, tenant, 'owner', PHONE);
    await tile(page, 'A').getByText('Parado').waitFor();
    await page.getByRole('button', { name: 'Novo negócio' }).click();
    await page.getByLabel('Título').fill('B');
    await page.getByLabel('Valor').fill('10.25');
    await page.getByRole('dialog').getByRole('button', { name: 'Novo negócio' }).click();
    await tile(page, 'B').getByText('R$ 10,25').waitFor();
    expect(await stored()).toEqual([['A', 'B'], [], [], [], []]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await inspect(page, 'board-phone');
  });

  test('shows all cards of a stage that has more than a screen shows, in their order, as the page is scrolled', async () => {
    const titles = Array.from({ length: 35 }, (_, at) => `Negócio ${at + 1}`);
    const { tenant, path } = await startBoard(titles);
    const page = await service.signedInAt(path, tenant);
    const seen: string[] = [];
    const scroll = async () => {
      const [inView = []] = await shown(page);
      seen.push(...inView.filter((title) => !seen.includes(title)));
      await page.evaluate('window.scrollBy(0, 300)');
      return seen;
    };
    await expect.poll(scroll, PATIENCE).toEqual(titles);
    expectNoFaults(page);
  });

  test('keeps its cards where they are for a viewer', async () => {
    const { tenant, path } = await startBoard(['A']);
    const page = await service.signedInAt(path, tenant, 'viewer');
    await tile(page, 'A').focus();
    await page.keyboard.press('Space');
    expect(await page.locator('[data-dragging]').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Novo negócio' }).count()).toBe(0);
    await inspect(page, 'board-viewer');
  });
});
