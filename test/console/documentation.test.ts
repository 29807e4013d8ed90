import { describe, expect, test } from 'vitest';
import { use } from '../support/use.ts';
import { PHONE } from './browser.ts';
import { expectNoFaults, inspect, startConsole } from './kit.ts';

const service = await use(startConsole());

describe('the reference', () => {
  test('shows an operation with its fields, and loads nothing from another host', async () => {
    const page = await service.open();
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).origin));
    await page.goto('/docs');
    await page.locator('[id="link-post-/v1/messages"]').click();
    await page.getByRole('heading', { name: 'Send a message on any channel' }).waitFor();
    await page.getByText('Idempotency-Key').first().waitFor();
    expectNoFaults(page);
    expect([...hosts]).toEqual([service.url]);
  });

  test('leads to the guides, which lead back', async () => {
    const page = await service.open();
    await page.goto('/docs');
    await page.getByRole('link', { name: 'Guides' }).click();
    await page.getByRole('heading', { level: 1, name: 'Guides' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Your first message' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your first message' }).waitFor();
    await inspect(page, 'guide');
    expect(await page.getByRole('link', { name: 'API reference' }).getAttribute('href')).toBe('/docs');
    expectNoFaults(page);
  });

  test('and the guides need no sideways scrolling on a phone', async () => {
    const page = await service.open(PHONE);
    for (const path of ['/docs/guides/overview', '/docs/guides/first-message', '/docs/guides/webhooks']) {
      await page.goto(path);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBeLessThanOrEqual(0);
    }
  });
});
