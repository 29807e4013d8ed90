import type { Browser, BrowserContextOptions, CDPSession, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { DESKTOP, PHONE } from './browser.ts';

/** How long a page may take for one answer or act: against pages that hang, since a loaded machine takes many times as long. */
export const PATIENCE_MS = 90_000;
/** Pages of these profiles are used by one test after another; of any other, by one test alone. */
const REUSED: readonly BrowserContextOptions[] = [DESKTOP, PHONE];
/**
 * Where a page is between two tests: a file of the console, without a script. It has the policies of the console's pages, so that the browser
 * keeps the process, and with it the code that was compiled: the next load takes half of the processor time of one in a new process.
 */
export const BETWEEN = '/console/icon.svg';

/** Errors of a page, besides those that the test expects. */
const faults = new WeakMap<Page, string[]>();
/** The calls of a page that the service refused. */
const refusals = new WeakMap<Page, string[]>();
/** The effects of these cannot be taken back, or not be seen: a page whose test calls one is of that test alone. */
const LASTING = [
  'addInitScript',
  'addLocatorHandler',
  'exposeBinding',
  'exposeFunction',
  'newCDPSession',
  'routeWebSocket',
  'setDefaultNavigationTimeout',
  'setDefaultTimeout',
  'setExtraHTTPHeaders',
  'setGeolocation',
  'setHTTPCredentials',
  'setOffline',
] as const;
const MODIFIERS = ['Alt', 'Control', 'Meta', 'Shift'] as const;

/* Code for the page is text: the tests are compiled for Node, which has no document. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) => {
  void window.reportViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile);
});`;
const CLEAR = "localStorage.clear(); sessionStorage.clear(); window.name = '';";
/** Whatever a test may have left in its page, its profile or the browser's emulation that the next could notice. */
const TRACES = `JSON.stringify({
  place: [location.pathname, history.length, window.name],
  stored: [document.cookie, localStorage.length, sessionStorage.length],
  size: [innerWidth, innerHeight, devicePixelRatio, visualViewport.scale, screen.width, screen.height],
  browser: [navigator.userAgent, navigator.languages, navigator.onLine, navigator.maxTouchPoints, new Date(0).toString()],
  media: ['print', '(prefers-color-scheme: light)', '(prefers-reduced-motion: reduce)', '(forced-colors: active)',
    '(prefers-contrast: more)'].map((query) => matchMedia(query).matches),
  functions: [Date, setTimeout, requestAnimationFrame, fetch].map(String),
  globals: Object.getOwnPropertyNames(window).sort(),
})`;

const watch = async (page: Page): Promise<void> => {
  const seen: string[] = [];
  faults.set(page, seen);
  page.on('pageerror', (error) => seen.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    const isRefusal = text.startsWith('Failed to load resource');
    // Of the script below, in the frame in which HTML of people stands: none runs there.
    const isOurs = text.startsWith("Blocked script execution in 'about:srcdoc'");
    if (message.type() === 'error' && !isRefusal && !isOurs) seen.push(`console: ${text}`);
  });
  const refused: string[] = [];
  refusals.set(page, refused);
  page.on('response', (answer) => {
    if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.request().method()} ${answer.url()}`);
  });
  await page.exposeFunction('reportViolation', (what: string) => seen.push(`policy: ${what}`));
  await page.addInitScript({ content: REPORT_VIOLATIONS });
};

/** Errors of a page since its test opened it, and what the content security policy refused. */
export const faultsOf = (page: Page): readonly string[] => faults.get(page) ?? ['This page is not watched.'];

/** How much text of a page stands in a report. */
const REPORTED_CHARACTERS = 3_000;
/** The state of a page in which a test failed: without it, one that waited in vain says only what it waited for. */
const reportOf = async (page: Page): Promise<string> => {
  const text = await page.locator('body').innerText({ timeout: 5_000 }).catch(String);
  const lines = [`Page ${page.url()}`, ...(faults.get(page) ?? []), ...(refusals.get(page) ?? [])];
  return [...lines, text.slice(0, REPORTED_CHARACTERS)].join('\n');
};

type Emitter = Pick<NodeJS.EventEmitter, 'eventNames' | 'listenerCount'>;
/** How many listen to each event of a page and of its profile: one that a test left would notice what the next does. */
const listenersOf = (page: Page): string => {
  const emitters = [page, page.context()].map((each) => each as unknown as Emitter);
  return JSON.stringify(emitters.map((each) => each.eventNames().map((name) => [name, each.listenerCount(name)])));
};
/** Calls `note` whenever a test does something lasting. */
const onLasting = (page: Page, note: () => void): void => {
  for (const each of [page, page.context()] as unknown as Record<string, unknown>[])
    for (const name of LASTING) {
      const act = each[name];
      if (typeof act !== 'function') continue;
      each[name] = (...parts: unknown[]) => {
        note();
        return act.apply(each, parts);
      };
    }
};

/** Leaves the page of a test with all that it keeps. Returns its state: the same after every test that left nothing. */
const leave = async (page: Page, devtools: CDPSession): Promise<string> => {
  const context = page.context();
  await Promise.all([page, context].map((each) => each.unrouteAll({ behavior: 'ignoreErrors' })));
  // Asked whether to leave what is not saved, Playwright answers that it does. What the page called for is cancelled.
  await page.goto(BETWEEN);
  const { origin } = new URL(page.url());
  await Promise.all([
    page.evaluate(CLEAR),
    devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' }),
    devtools.send('Page.resetNavigationHistory'),
    context.clearCookies(),
    context.clearPermissions(),
    page.emulateMedia({ colorScheme: 'light' }),
    page.mouse.up(),
    page.mouse.move(-1, -1),
    ...MODIFIERS.map((key) => page.keyboard.up(key)),
  ]);
  for (const seen of [faults, refusals]) seen.get(page)?.splice(0);
  const [traces, cookies] = await Promise.all([page.evaluate<string>(TRACES), context.cookies()]);
  return [traces, JSON.stringify(cookies), context.pages().length, listenersOf(page)].join('\n');
};

interface Profile {
  readonly page: Page;
  /** Leaves the page of a test; whether it is then as it was before the first. */
  readonly isAsNew: () => Promise<boolean>;
}
const newProfile = async (browser: Browser, options: BrowserContextOptions): Promise<Profile> => {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await watch(page);
  await page.goto(BETWEEN);
  return { page, isAsNew: async () => false };
};
const newReusedProfile = async (browser: Browser, options: BrowserContextOptions): Promise<Profile> => {
  const { page } = await newProfile(browser, options);
  const devtools = await page.context().newCDPSession(page);
  const before = await leave(page, devtools);
  let isSpent = false;
  onLasting(page, () => {
    isSpent = true;
  });
  return { page, isAsNew: async () => !isSpent && (await leave(page, devtools)) === before };
};

/**
 * The pages of a browser. A test has its own until its end, since one that stays open asks the service again and again. Then a later test gets
 * it, if it has become what it was before its first test; any other is closed, as is one whose test failed.
 */
export const startPages = (browser: Browser, baseURL: string) => {
  const free = new Map<BrowserContextOptions, Profile[]>(REUSED.map((options) => [options, []]));
  return async (options: BrowserContextOptions = DESKTOP): Promise<Page> => {
    const pool = free.get(options);
    const start = pool ? newReusedProfile : newProfile;
    const profile = pool?.pop() ?? (await start(browser, { baseURL, ...options }));
    const { page, isAsNew } = profile;
    onTestFinished(async ({ task }) => {
      const hasFailed = task.result?.state === 'fail';
      if (hasFailed) console.error(await reportOf(page));
      if (!hasFailed && (await isAsNew().catch(() => false))) pool?.push(profile);
      else await page.context().close();
    });
    return page;
  };
};
