import { describe, expect, test } from 'vitest';
import { use } from '../support/use.ts';
import { DESKTOP, PHONE } from './browser.ts';
import { expectNoFaults, inspect, startConsole } from './kit.ts';

const service = await use(startConsole());
const SEND = '/docs?page=v1.send';

describe('the reference', () => {
  test('leads from its start to an operation with its fields, and loads nothing from another host', async () => {
    const page = await service.open();
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).origin));
    await page.goto('/docs');
    await inspect(page, 'reference');
    await page.getByRole('navigation').getByRole('link', { name: 'All channels' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Send a message on any channel' }).click();
    await page.getByRole('heading', { level: 1, name: 'Send a message on any channel' }).waitFor();
    expect(page.url()).toBe(`${service.url}${SEND}`);
    await page.getByRole('rowheader', { name: 'Idempotency-Key' }).waitFor();
    await page.getByText('Fields of fallback').first().click();
    await page.locator('[id="body.fallback.channel"]').waitFor();
    await inspect(page, 'reference-operation');
    await page.locator('.problems a').first().click();
    await page.getByRole('heading', { name: 'What to do' }).waitFor();
    await inspect(page, 'reference-problem');
    expect([...hosts]).toEqual([service.url]);
  });

  test('finds an operation by words of its name and path, with the keyboard alone', async () => {
    const page = await service.open();
    await page.goto('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('send /v1/messages');
    await page.getByRole('status').filter({ hasText: 'found' }).waitFor();
    const found = page.getByRole('list', { name: 'Found' }).getByRole('link');
    expect(await found.first().getAttribute('href')).toMatch(/^\/docs\?page=/);
    await inspect(page, 'reference-search');
    await page.getByRole('searchbox').press('ControlOrMeta+a');
    await page.keyboard.type('any channel v1.send');
    await page
      .getByRole('status')
      .filter({ hasText: /^1 found$/ })
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.href.endsWith(SEND));
    await page.getByRole('searchbox').fill('no operation is called this');
    await page
      .getByRole('status')
      .filter({ hasText: /^0 found$/ })
      .waitFor();
    expectNoFaults(page);
  });

  test('copies an example call', async () => {
    const page = await service.open({ ...DESKTOP, permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(SEND);
    const calls = page.getByRole('complementary', { name: 'Example calls' });
    await calls.getByRole('button', { name: 'Copy' }).first().click();
    await calls.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(await calls.locator('pre').first().textContent());
    expect(copied).toContain('curl -X POST "$URL/v1/messages"');
    expectNoFaults(page);
  });

  test('is read without scripts as well', async () => {
    const page = await service.browser.newPage({ ...DESKTOP, baseURL: service.url, javaScriptEnabled: false });
    await page.goto('/docs');
    await page.getByRole('navigation').getByRole('link', { name: 'All operations' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Send a message on any channel' }).click();
    await page.getByText('Fields of fallback').first().click();
    await page.locator('[id="body.fallback.channel"]').waitFor();
    expect(await page.getByRole('search').count()).toBe(0);
    await page.context().close();
  });

  test('leads to the guides, which lead back', async () => {
    const page = await service.open();
    await page.goto('/docs');
    await page.getByRole('banner').getByRole('link', { name: 'Guides' }).click();
    await page.getByRole('heading', { level: 1, name: 'Guides' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Your first message' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your first message' }).waitFor();
    await inspect(page, 'guide');
    expect(await page.getByRole('link', { name: 'API reference' }).getAttribute('href')).toBe('/docs');
    expectNoFaults(page);
  });

  test('and the guides need no sideways scrolling on a phone', async () => {
    const page = await service.open(PHONE);
    const names = ['v1.send', 'journeys.change', 'contacts.export', 'messages.list', 'all', 'schema.SegmentFilterTree'];
    const guides = ['overview', 'first-message', 'webhooks'].map((name) => `/docs/guides/${name}`);
    for (const path of ['/docs', ...names.map((name) => `/docs?page=${name}`), ...guides]) {
      await page.goto(path);
      await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBeLessThanOrEqual(0);
    }
    await page.goto(SEND);
    await page.getByRole('link', { name: 'Menu' }).click();
    await page.getByRole('searchbox').waitFor();
    await inspect(page, 'reference-phone');
  });
});
