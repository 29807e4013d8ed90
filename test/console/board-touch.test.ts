import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { use } from '../support/use.ts';
import { column, middle, REQUIRED, shown, startBoard, tile } from './board-kit.ts';
import { PHONE } from './browser.ts';
import { expectNoFaults, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());

/** A finger on the page, as the browser's own input has it. */
const fingerOn = async (page: Page) => {
  const devtools = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove', x: number, y: number) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x, y }] });
  const press = (x: number, y: number) => touch('touchStart', x, y);
  const move = (x: number, y: number) => touch('touchMove', x, y);
  const lift = () => devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  /** Moves sideways by so many px at once: however slow the machine is, the press is no long one. */
  const swipe = (x: number, y: number, distance: number) => {
    const steps = Array.from({ length: 10 }, (_, step) => x + (distance * (step + 1)) / 10);
    return Promise.all([press(x, y), ...steps.map((to) => move(to, y)), lift()]);
  };
  return { press, move, lift, swipe };
};
const openBoard = async (path: string, tenant: Parameters<typeof service.signedIn>[0]) => {
  const page = await service.entered(tenant, 'owner', PHONE);
  await page.goto(path);
  await tile(page, 'A').waitFor();
  return page;
};
const dragging = (page: Page) => page.locator('[data-dragging]');
/** Lifts a card by a long press, moves it to where it is announced to be, and lets it go. */
const drag = async (page: Page, title: string, to: { x: number; y: number }, there: string) => {
  const finger = await fingerOn(page);
  const from = await middle(tile(page, title));
  await finger.press(from.x, from.y);
  await dragging(page).waitFor();
  for (const share of [0.25, 0.5, 0.75, 1])
    await finger.move(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
  const announced = page.getByText(`${title} sobre ${there}.`);
  // While the page scrolls below the finger, the place lies a little lower.
  let polls = 0;
  const moveOn = async () => {
    const y = to.y + (polls++ % 4) * 8;
    const box = await column(page, there.split(',')[0] ?? '').boundingBox();
    const width = page.viewportSize()?.width ?? 0;
    const half = (box?.width ?? 0) / 2;
    const centre = (box?.x ?? 0) + half;
    // In the middle of the screen the board stands still until the card is let go. At an edge it scrolls for as long as the finger moves
    // there, and may have scrolled too far by the next move: then the column lies behind the other edge.
    const still = Math.min(Math.max(centre, width * 0.35), width * 0.65);
    const edge = centre > still ? width - 6 : 6;
    const standsStill = Math.abs(centre - still) < half;
    const x = standsStill ? still : edge;
    await finger.move(x, y);
    await finger.move(x - 1, y);
    // Let go at an edge, the card would fall on what is below the finger by then.
    return standsStill && (await announced.count()) === 1;
  };
  await expect.poll(moveOn, PATIENCE).toBe(true);
  await finger.lift();
  await expect.poll(() => dragging(page).count(), PATIENCE).toBe(0);
};
const scrolled = (page: Page) =>
  page.evaluate<number>('Math.round(document.querySelector("[data-stage]").parentElement.scrollLeft)');
const isInView = async (page: Page, stage: string) => {
  const box = await column(page, stage).boundingBox();
  return box !== null && box.x >= 0 && box.x + box.width <= (page.viewportSize()?.width ?? 0) + 1;
};

describe('the board on a phone', () => {
  test('is changed by touch: a card that is pressed for long goes where it is let go', async () => {
    const { tenant, path, stored } = await startBoard(['A', 'B', 'C'], REQUIRED);
    const page = await openBoard(path, tenant);
    const { x } = await middle(tile(page, 'A'));
    const { y } = await middle(tile(page, 'C'));
    await drag(page, 'A', { x, y: y + 8 }, 'Novo, posição 3');
    await expect.poll(stored, PATIENCE).toEqual([['B', 'C', 'A'], [], [], [], []]);
    const next = await column(page, 'Proposta').boundingBox();
    const into = { x: (next?.x ?? 0) + 60, y: (await middle(tile(page, 'B'))).y };
    await drag(page, 'B', into, 'Proposta, posição 1');
    await expect.poll(stored, PATIENCE).toEqual([['C', 'A'], ['B'], [], [], []]);
    await expect.poll(() => shown(page), PATIENCE).toEqual([['C', 'A'], ['B'], [], [], []]);
    expectNoFaults(page);
  });

  test('is scrolled by touch, on a card too, which stays where it is and is opened by a tap', async () => {
    const { tenant, path, stored } = await startBoard(['A']);
    const page = await openBoard(path, tenant);
    const finger = await fingerOn(page);
    expect(await isInView(page, 'Perdido')).toBe(false);
    const { x, y } = await middle(tile(page, 'A'));
    await finger.swipe(x, y, -140);
    await expect.poll(() => scrolled(page), PATIENCE).toBeGreaterThan(60);
    for (let swipe = 0; swipe < 6; swipe++) await finger.swipe(300, y, -280);
    await expect.poll(() => isInView(page, 'Perdido'), PATIENCE).toBe(true);
    expect(await dragging(page).count()).toBe(0);
    // The page itself does not move sideways.
    expect(await page.evaluate('[document.documentElement.scrollLeft, window.scrollX]')).toEqual([0, 0]);
    for (let swipe = 0; swipe < 6; swipe++) await finger.swipe(60, y, 280);
    await expect.poll(() => scrolled(page), PATIENCE).toBe(0);
    expect(await stored()).toEqual([['A'], [], [], [], []]);
    await tile(page, 'A').tap();
    await page.getByRole('heading', { name: 'A', exact: true }).waitFor();
  });

  test('is scrolled by the keyboard to its last stage and back', async () => {
    const { tenant, path } = await startBoard(['A']);
    const page = await openBoard(path, tenant);
    const isOnBoard = () => page.evaluate<boolean>('document.activeElement?.getAttribute("aria-label") === "Quadro"');
    await page.getByRole('heading', { name: 'Vendas' }).click();
    for (let press = 0; press < 10 && !(await isOnBoard()); press++) await page.keyboard.press('Tab');
    expect(await isOnBoard()).toBe(true);
    const press = (key: string) => async () => {
      await page.keyboard.press(key);
      return isInView(page, key === 'ArrowRight' ? 'Perdido' : 'Novo');
    };
    await expect.poll(press('ArrowRight'), PATIENCE).toBe(true);
    expect(await scrolled(page)).toBeGreaterThan(500);
    await expect.poll(press('ArrowLeft'), PATIENCE).toBe(true);
    expect(await dragging(page).count()).toBe(0);
    expectNoFaults(page);
  });
});
