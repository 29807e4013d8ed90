import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { journeysOf, line, sms } from '../flows/journeys-kit.ts';
import { use } from '../support/use.ts';
import { node, nodes, outline, panel } from './journey-page.ts';
import { expectNoFaults, inspect, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());

/** As many steps one after another, each a message. */
const messages = (count: number) => line(...Array.from({ length: count }, (_, at) => sms(`passo_${at}`, `Oi ${at}`)));
/** Whether a step of the drawing is within the canvas. */
const isShown = async (page: Page, key: string): Promise<boolean> => {
  const [inner, outer] = await Promise.all(
    [node(page, key), page.locator('.journey-canvas')].map((each) => each.boundingBox()),
  );
  return inner && outer ? inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height : false;
};
/** Marks the rendered elements of each step, in the drawing and in the list, by the properties that React gave them. */
const MARK_RENDERED = `(() => {
  const propsOf = (element) => element[Object.keys(element).find((name) => name.startsWith('__reactProps$'))];
  const rendered = () => new Map([...document.querySelectorAll('.journey-node, [data-outline]')].map((each) =>
    [each.dataset.step ?? 'outline ' + each.dataset.outline, propsOf(each)]));
  const before = rendered();
  window.renderedAgain = () => [...rendered()].filter(([name, props]) => before.get(name) !== props).map(([name]) => name);
  return before.size;
})()`;

describe('the drawing of a journey', () => {
  test('of many steps opens at the beginning, and shows the step that is chosen in the list', async () => {
    const tenant = await service.tenant();
    const { create } = journeysOf(tenant.test);
    const { id } = await create(messages(60));
    const page = await service.signedInAt(`/console/journeys/${id}`, tenant);
    await node(page, 'passo_0').waitFor();
    expect(await isShown(page, 'passo_0')).toBe(true);
    expect(await nodes(page).count()).toBeLessThan(20);
    expect(await page.locator('[data-outline]').count()).toBe(60);
    await outline(page, 'passo_45').getByRole('button').click();
    await node(page, 'passo_45').waitFor();
    expect(await isShown(page, 'passo_45')).toBe(true);
    await panel(page, 'passo_45').waitFor();
    await page.getByRole('button', { name: 'Mostrar tudo' }).click();
    await expect.poll(() => nodes(page).count(), PATIENCE).toBeGreaterThan(20);
    await inspect(page, 'journey-long');
  });

  test('renders no other step again for a key that is typed in the text of one', async () => {
    const tenant = await service.tenant();
    const { create } = journeysOf(tenant.test);
    const { id } = await create(messages(12));
    const page = await service.signedInAt(`/console/journeys/${id}`, tenant);
    await outline(page, 'passo_3').getByRole('button').click();
    const text = panel(page, 'passo_3').getByLabel('Texto da mensagem');
    // The first change adds the buttons that save it; the second is a key like any other.
    await text.press('End');
    await text.press('!');
    await node(page, 'passo_3').getByText('Oi 3!').waitFor();
    expect(await page.evaluate(MARK_RENDERED)).toBe(24);
    await text.press('?');
    await node(page, 'passo_3').getByText('Oi 3!?').waitFor();
    expect(await page.evaluate('window.renderedAgain()')).toEqual(['passo_3']);
    expectNoFaults(page);
  });

  test('that cannot be loaded is said to have failed', async () => {
    const tenant = await service.tenant();
    const { create } = journeysOf(tenant.test);
    const { id } = await create(messages(1));
    const page = await service.open();
    await page.route('**/assets/canvas-*.js', (route) => route.abort());
    await service.signIn(page, await service.person(tenant));
    await page.goto(`/console/journeys/${id}`);
    await page.getByRole('heading', { name: 'Esta página falhou', level: 1 }).waitFor();
  });
});
