import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { use } from '../support/use.ts';
import { expectNoFaults, made, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());
const tenant = await service.tenant();
const contact = await made(tenant, '/contacts', { phone: '+5511999990001', name: 'Ana' });
const everybody = [{ field: 'channel', operator: 'has', value: 'whatsapp' }];
const segment = await made(tenant, '/v2/segments', { name: 'Todos', filters: everybody });

/** The paths of a page's calls, and of the files that it loads. */
const requestsOf = (page: Page) => {
  const paths: string[] = [];
  page.on('request', (request) => paths.push(new URL(request.url()).pathname));
  return paths;
};
/** A page of contacts whose further files wait until `release` is called. */
const openWithHeldFiles = async () => {
  const page = await service.signedInAt('/console/segments', tenant);
  const link = page.getByRole('link', { name: 'Todos' });
  await link.waitFor();
  const { promise, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/assets\/segment-page/, async (route) => {
    await promise;
    await route.continue();
  });
  return { page, link, release, requests: requestsOf(page) };
};

describe('a page that a link leads to', () => {
  test('has its calls made while its files are loaded', async () => {
    const { page, link, release, requests } = await openWithHeldFiles();
    await link.click();
    const calls = () => requests.filter((path) => path.startsWith(`/v2/segments/${segment.id}`));
    await expect.poll(calls, PATIENCE).toEqual([`/v2/segments/${segment.id}`, `/v2/segments/${segment.id}/contacts`]);
    release();
    await page.getByRole('heading', { name: 'Todos', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Ana', exact: true }).waitFor();
    // Once: the page takes what was asked for.
    expect(calls()).toHaveLength(2);
    expectNoFaults(page);
  });

  test('has its files loaded and nothing called when one points at the link', async () => {
    const { page, link, release, requests } = await openWithHeldFiles();
    release();
    await link.hover();
    await expect.poll(() => requests.some((path) => path.includes('/segment-page')), PATIENCE).toBe(true);
    await page.waitForLoadState('networkidle');
    expect(requests.filter((path) => path.startsWith('/v2/segments/'))).toEqual([]);
  });

  test('is opened by the keyboard and left by the way back, in the same document', async () => {
    const page = await service.signedInAt('/console/contacts', tenant);
    const link = page.getByRole('link', { name: 'Ana', exact: true });
    await link.waitFor();
    await page.evaluate('window.same = true');
    await link.press('Enter');
    await page.getByRole('heading', { name: 'Ana', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/contacts/${contact.id}`);
    await page.goBack();
    await link.waitFor();
    expect(await page.evaluate('window.same')).toBe(true);
    expectNoFaults(page);
  });

  test('is opened in a tab of its own where the person wants that', async () => {
    const page = await service.signedInAt('/console/contacts', tenant);
    const link = page.getByRole('link', { name: 'Ana', exact: true });
    await link.waitFor();
    const tabs = () =>
      page
        .context()
        .pages()
        .filter((tab) => tab !== page);
    // A click is lost if the list is drawn again between its press and its release: the person would click again.
    const clicked = async () => {
      await link.click({ modifiers: ['ControlOrMeta'] });
      await page.waitForTimeout(1_000);
      return tabs().length;
    };
    await expect.poll(clicked, PATIENCE).toBeGreaterThan(0);
    const [other] = tabs();
    // Read by a script: Playwright does not always notice that a tab has loaded which it did not open itself, and a locator waits until it does.
    const headings = () =>
      other?.evaluate<string[]>("[...document.querySelectorAll('h1')].map((each) => each.innerText)");
    await expect.poll(headings, PATIENCE).toEqual(['Ana']);
    expect(new URL(page.url()).pathname).toBe('/console/contacts');
  });

  test('has none of its calls made for a person who may not read it', async () => {
    const page = await service.signedInAt('/console/operator', tenant, 'operator');
    await page.locator('[data-organization]').waitFor();
    const requests = requestsOf(page);
    await page.goto('/console/contacts');
    await page.getByRole('heading', { name: 'Seu papel não permite isto' }).first().waitFor();
    expect(requests.filter((path) => path === '/contacts' || path === '/v2/lists')).toEqual([]);
  });
});
