import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { use } from '../support/use.ts';
import { DESKTOP, PHONE } from './browser.ts';
import { expectNoFaults, PATIENCE, startConsole } from './kit.ts';
import { faultsOf } from './pages.ts';

const service = await use(startConsole());
const tenant = await service.tenant();

/** Whatever a page shows of its profile to a script of the console. */
const KEPT = `(async () => ({
  stored: [document.cookie, { ...localStorage }, { ...sessionStorage }, (await indexedDB.databases()).length],
  caches: await caches.keys(),
  permission: (await navigator.permissions.query({ name: 'geolocation' })).state,
  isDark: matchMedia('(prefers-color-scheme: dark)').matches,
  page: [window.name, history.length, innerWidth, innerHeight, 'marked' in window],
}))()`;
const NOTHING = {
  stored: ['', {}, {}, 0],
  caches: [],
  permission: 'prompt',
  isDark: false,
  page: ['', 1, 1280, 800, false],
};
/** A page leaves these in its profile. */
const MARK = `(async () => {
  document.cookie = 'mark=1; path=/';
  localStorage.setItem('mark', '1');
  sessionStorage.setItem('mark', '1');
  indexedDB.open('mark');
  await caches.open('mark');
  window.name = 'mark';
  window.marked = true;
  // As an editor with changes that are not saved does.
  addEventListener('beforeunload', (event) => event.preventDefault());
})()`;

/** The page of an earlier test, by which a later one knows it. */
let earlier: Page | undefined;

describe('a page that a test before has used', () => {
  test('was signed in, filled with marks, and left with changes that are not saved', async () => {
    const page = await service.signedInAt('/console/messages', tenant);
    earlier = page;
    await page.getByRole('heading', { name: 'Nenhuma mensagem aqui' }).click();
    await page.route('**/console/marked', (route) => route.fulfill({ body: 'marked' }));
    await page.context().route('**/console/all-marked', (route) => route.fulfill({ body: 'marked' }));
    await page.context().grantPermissions(['geolocation']);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.evaluate("console.error('expected'); location.hash = 'mark'");
    await expect.poll(() => faultsOf(page), PATIENCE).toEqual(['console: expected']);
    await page.evaluate(MARK);
    expect(await page.evaluate(KEPT)).not.toEqual(NOTHING);
    await page.mouse.move(200, 200);
    await page.mouse.down();
    await page.keyboard.down('Shift');
  });

  test('is used by the next, and has nothing of that', async () => {
    const page = await service.open();
    expect(page).toBe(earlier);
    expect(await page.evaluate(KEPT)).toEqual(NOTHING);
    expect(await page.context().cookies()).toEqual([]);
    await page.evaluate(
      "addEventListener('mousemove', ({ buttons, shiftKey }) => { window.held = [buttons, shiftKey]; }); undefined",
    );
    await page.mouse.move(300, 300);
    await expect.poll(() => page.evaluate('window.held'), PATIENCE).toEqual([0, false]);
    for (const path of ['marked', 'all-marked']) {
      await page.goto(`/console/${path}`);
      await page.getByRole('heading', { name: 'Página não encontrada' }).first().waitFor();
    }
    expectNoFaults(page);
  });
});

const other = { width: 900, height: 700 };
const LEAVING: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'another tab': (page) => page.context().newPage(),
  'a script that runs at each load': (page) => page.addInitScript('void 0'),
  'a clock of its own': (page) => page.clock.install(),
  'another size': (page) => page.setViewportSize(other),
  'a medium': (page) => page.emulateMedia({ media: 'print' }),
  'no network': (page) => page.context().setOffline(true),
  'a function for scripts': (page) => page.exposeFunction('marked', () => undefined),
  'a line to the browser': (page) => page.context().newCDPSession(page),
  'someone who listens to it': async (page) => page.on('request', () => undefined),
  'someone who listens to its profile': async (page) => page.context().on('page', () => undefined),
};
describe('a page that a test leaves with', () => {
  let left: Page | undefined;
  describe.each(Object.keys(LEAVING))('%s', (name) => {
    test('is used once', async () => {
      left = await service.open();
      await left.goto('/console/');
      await LEAVING[name]?.(left);
    });

    test('is closed', async () => {
      expect(left?.isClosed()).toBe(true);
      expect(await service.open()).not.toBe(left);
    });
  });
});

test('pages that one test has at the same time, and those of other options, know nothing of each other', async () => {
  const pages = [await service.open(), await service.open(), await service.open(PHONE)];
  const [one] = pages;
  await one?.context().addCookies([{ name: 'mark', value: '1', url: service.url }]);
  for (const page of pages.slice(1)) {
    expect(page.context()).not.toBe(one?.context());
    expect(await page.context().cookies()).toEqual([]);
  }
  expect(await pages[2]?.evaluate('navigator.maxTouchPoints > 0')).toBe(true);
  const english = await service.open({ ...DESKTOP, locale: 'en-GB' });
  expect(await english.evaluate('navigator.language')).toBe('en-GB');
});
