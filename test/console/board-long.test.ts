import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { mapConcurrently } from '../../shared/domain/core/map-concurrently.ts';
import { use } from '../support/use.ts';
import { column, middle, shown, tile } from './board-kit.ts';
import { DESKTOP } from './browser.ts';
import { expectNoFaults, inspect, made, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());
/** The most that a pipeline has, and a page of cards in each; in the first a few more. */
const STAGES = 20;
const PAGE = 50;
const BEYOND = 10;
/** Of a screen of 1280 by 800, which the tests have: six columns, and in each no more rows than twenty. */
const NEAR = 120;
const WIDTH = 1280;

/** A board of more than a thousand cards; `storedIn`: the titles of a stage, as the service has them. */
const startLongBoard = async () => {
  const tenant = await service.tenant();
  const estagios = [
    ...Array.from({ length: STAGES - 2 }, (_, at) => ({ nome: `Estágio ${at + 1}` })),
    { nome: 'Ganho', tipo: 'ganho' },
    { nome: 'Perdido', tipo: 'perdido' },
  ];
  const pipeline = await made(tenant, '/pipelines', { nome: 'Longo', estagios });
  const numbers = Array.from({ length: STAGES * PAGE + BEYOND }, (_, at) => at);
  await mapConcurrently(numbers, 8, (at) => {
    const stage = pipeline.estagios[at < STAGES * PAGE ? at % STAGES : 0];
    const motivoPerda = stage.tipo === 'perdido' ? { motivoPerda: 'Preço' } : {};
    const titulo = `Negócio ${String(at).padStart(4, '0')}`;
    return made(tenant, '/cards', { pipelineId: pipeline.id, estagioId: stage.id, titulo, ...motivoPerda });
  });
  const storedIn = async (stage: string): Promise<string[]> => {
    const { body } = await tenant.test.get(`/pipelines/${pipeline.id}/board`, { limit: PAGE + BEYOND });
    const { cards } = body.estagios.find(({ nome }: { nome: string }) => nome === stage);
    return cards.map(({ titulo }: { titulo: string }) => titulo);
  };
  return { tenant, path: `/console/pipelines/${pipeline.id}`, storedIn };
};
const { tenant, path, storedIn } = await startLongBoard();
const stored = () => storedIn('Estágio 1');

const open = async () => {
  const page = await service.signedInAt(path, tenant, 'owner', DESKTOP);
  await page.locator('[data-card]').first().waitFor();
  return page;
};
const rendered = (page: Page) => page.locator('[data-card]').count();
const titlesOf = async (page: Page) => (await shown(page))[0] ?? [];
/** The focused card: its title, and its place in the list. */
const focused = (page: Page) =>
  page.evaluate<{ title: string | undefined; place: string | null }>(`(() => {
    const item = document.activeElement?.closest('li');
    return { title: item?.querySelector('p')?.textContent, place: item?.getAttribute('aria-posinset') ?? null };
  })()`);
/** How long a press may take to be announced; the board ignores one while it renders the cards near a new view, so it is then repeated. */
const PRESS_MS = 5000;
/** Where the page announces the lifted card: the number of its stage, and its place. */
const announcedAt = (text: string | null) => {
  const [, stage, place] = /Estágio (\d+), posição (\d+)\./.exec(text ?? '') ?? [];
  return { stage: Number(stage), place: Number(place) };
};
const keyTowards = (at: ReturnType<typeof announcedAt>, stage: number, place: number): string => {
  if (at.stage !== stage) return at.stage < stage ? 'ArrowRight' : 'ArrowLeft';
  return at.place < place ? 'ArrowDown' : 'ArrowUp';
};
/**
 * Moves the lifted card by keys until the page announces it at a place. A loaded machine announces a press late, so that repeated presses may
 * take the card further than asked: each press goes towards the place from where the card is.
 */
const moveTo = async (page: Page, title: string, stage: number, place: number) => {
  const said = page.locator('[id^="rfd-announcement"]');
  const announced = `${title} sobre Estágio ${stage}, posição ${place}.`;
  const step = async () => {
    const now = await said.textContent();
    if (now === announced) return now;
    await page.keyboard.press(keyTowards(announcedAt(now), stage, place));
    const changed = expect.poll(() => said.textContent(), { timeout: PRESS_MS, interval: 20 }).not.toBe(now);
    await changed.catch(() => undefined);
    return said.textContent();
  };
  await expect.poll(step, PATIENCE).toBe(announced);
};

/** The middle, in pixels from the left, of the column that is nearest to the middle of the window. */
const middleColumn = async (page: Page) => {
  const boxes = await Promise.all((await page.locator('[data-stage]').all()).map((box) => box.boundingBox()));
  const middles = boxes.flatMap((box) => (box === null ? [] : [box.x + box.width / 2]));
  const fromMiddle = (x: number) => Math.abs(x - WIDTH / 2);
  return middles.reduce((nearest, x) => (fromMiddle(x) < fromMiddle(nearest) ? x : nearest));
};

describe('a board of a thousand cards', () => {
  test('renders the cards near the view alone, and says the place of each among all', async () => {
    const page = await open();
    const [first = '', ...others] = await stored();
    expect(await rendered(page)).toBeLessThanOrEqual(NEAR);
    const place = (title: string) => page.locator('li', { hasText: title });
    expect(await place(first).getAttribute('aria-posinset')).toBe('1');
    expect(await place(first).getAttribute('aria-setsize')).toBe(String(PAGE + BEYOND));
    expect(await column(page, 'Estágio 1').locator('[data-total]').textContent()).toBe(String(PAGE + BEYOND));
    await inspect(page, 'board-long');
    // At the other end of the page, and of the board.
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
    await place(others[PAGE - 2] ?? '').waitFor();
    await expect.poll(() => tile(page, first).count(), PATIENCE).toBe(0);
    expect(await rendered(page)).toBeLessThanOrEqual(NEAR);
    await column(page, 'Perdido').scrollIntoViewIfNeeded();
    await expect.poll(() => column(page, 'Perdido').locator('[data-card]').count(), PATIENCE).toBeGreaterThan(0);
    expect(await column(page, 'Estágio 1').locator('[data-card]').count()).toBe(0);
    expect(await rendered(page)).toBeLessThanOrEqual(NEAR);
    expectNoFaults(page);
  });

  test('has more of a stage when the person wants them', async () => {
    const page = await open();
    const all = await stored();
    const more = column(page, 'Estágio 1').getByRole('button', { name: 'Mais negócios' });
    await more.click();
    await expect.poll(() => more.count(), PATIENCE).toBe(0);
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
    await tile(page, all.at(-1) ?? '').waitFor();
    expect((await titlesOf(page)).slice(-BEYOND)).toEqual(all.slice(-BEYOND));
    expect(await rendered(page)).toBeLessThanOrEqual(NEAR);
  });

  test('keeps the focus on a card whose page is scrolled away', async () => {
    const page = await open();
    const [first = '', second = '', , , fifth = ''] = await stored();
    await tile(page, first).focus();
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
    await expect.poll(() => tile(page, fifth).count(), PATIENCE).toBe(0);
    expect(await focused(page)).toEqual({ title: first, place: '1' });
    await page.keyboard.press('Tab');
    expect(await focused(page)).toEqual({ title: second, place: '2' });
  });

  test('is moved by the keyboard far below, further than the view, and announces each place', async () => {
    const page = await open();
    const before = await stored();
    await tile(page, before[0] ?? '').focus();
    for (let place = 2; place <= 46; place++) {
      await page.keyboard.press('Tab');
      await expect.poll(() => focused(page), PATIENCE).toEqual({ title: before[place - 1], place: String(place) });
    }
    const title = before[45] ?? '';
    await page.keyboard.press('Space');
    await page.getByText(`${title} está na mão: Estágio 1, posição 46.`).waitFor({ state: 'attached' });
    for (let place = 45; place >= 20; place--) await moveTo(page, title, 1, place);
    for (let place = 21; place <= 24; place++) await moveTo(page, title, 1, place);
    await page.keyboard.press('Space');
    const after = before.toSpliced(45, 1).toSpliced(23, 0, title);
    await expect.poll(stored, PATIENCE).toEqual(after);
    await expect.poll(() => focused(page), PATIENCE).toEqual({ title, place: '24' });
    expect(await page.locator('[data-dragging]').count()).toBe(0);
    expectNoFaults(page);
  });

  test('is moved by the keyboard from far below into the next column', async () => {
    const page = await open();
    const before = await stored();
    const title = before[45] ?? '';
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
    await tile(page, title).focus();
    await page.keyboard.press('Space');
    await page.getByText(`${title} está na mão: Estágio 1, posição 46.`).waitFor({ state: 'attached' });
    await moveTo(page, title, 2, 46);
    await page.keyboard.press('Space');
    await expect.poll(stored, PATIENCE).toEqual(before.toSpliced(45, 1));
    await expect.poll(() => column(page, 'Estágio 2').locator('[data-total]').textContent(), PATIENCE).toBe('51');
    await expect.poll(() => focused(page), PATIENCE).toEqual({ title, place: '46' });
    expectNoFaults(page);
  });

  test('is dragged by the mouse to a stage beyond the view, and lands where the page announces it', async () => {
    const page = await open();
    const [title = ''] = await stored();
    const said = page.locator('[id^="rfd-announcement"]');
    const from = await middle(tile(page, title));
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 10, from.y + 10, { steps: 3 });
    await page.locator('[data-dragging]').waitFor();
    // At its edge the board scrolls for as long as the mouse moves there.
    const overAt = (x: number) => async () => {
      await page.mouse.move(x, from.y + 100);
      await page.mouse.move(x - 2, from.y + 100);
      return (await said.textContent()) ?? '';
    };
    await expect.poll(overAt(WIDTH - 30), PATIENCE).toMatch(/sobre Estágio (8|9|1\d), posição \d+\./);
    // Away from the edge it stands still sooner or later, and a place in the window may then lie between two columns.
    const overMiddle = async () => overAt(await middleColumn(page))();
    await expect.poll(overMiddle, PATIENCE).toMatch(/sobre Estágio \d+, posição [2-9]\./);
    await page.mouse.up();
    await expect.poll(() => said.textContent(), PATIENCE).toContain('solto em');
    const [, stage, place] = /solto em (.+), posição (\d+)\./.exec((await said.textContent()) ?? '') ?? [];
    await expect.poll(async () => (await storedIn(stage ?? ''))[Number(place) - 1], PATIENCE).toBe(title);
    expectNoFaults(page);
  });
});
