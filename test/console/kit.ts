import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Account, newAccount, personHash } from '../../shared/domain/access/accounts.ts';
import type { Role } from '../../shared/domain/access/roles.ts';
import { newLink } from '../../shared/domain/access/sign-in.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { accountStore } from '../../shared/storage/access/accounts.ts';
import { putLink } from '../../shared/storage/access/sign-in-links.ts';
import { startMessaging, type Tenant } from '../support/api.ts';
import { checkRoles } from '../support/role-permissions.ts';
import { DESKTOP, startBrowser } from './browser.ts';

/** Where `npm run screenshots` writes pages; nowhere in other runs. */
const SCREENSHOTS =
  process.env.CONSOLE_SCREENSHOTS === '1' ? join(import.meta.dirname, '../../docs/console') : undefined;
/** For `expect.poll`: a page is there when the service has answered. */
export const PATIENCE = { timeout: 30_000, interval: 100 };
export const SCHEMES = ['light', 'dark'] as const;

/** Errors of a page, besides those that the test expects. */
const faults = new WeakMap<Page, string[]>();

/* Code for the page is text: the tests are compiled for Node, which has no document. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) => {
  void window.reportViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile);
});`;
/** Colours on their way from one theme to the other are of neither. A loader turns for ever. */
const END_ANIMATIONS = `Promise.allSettled(
  document.getAnimations().filter((each) => each.effect?.getComputedTiming().endTime !== Infinity).map((each) => each.finished),
).then(() => undefined)`;

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
  await page.exposeFunction('reportViolation', (what: string) => seen.push(`policy: ${what}`));
  await page.addInitScript({ content: REPORT_VIOLATIONS });
};

/** No error, and nothing that the content security policy refused, since the page was opened. */
export const expectNoFaults = (page: Page): void => expect(faults.get(page)).toEqual([]);

/** Markup that would run in every way that a page could let it. */
export const EVIL = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>'"><svg/onload=window.hit=1>{{7*7}}`;

/** Stored markup stands on the page as text, and none of it ran. */
export const expectInert = async (page: Page): Promise<void> => {
  await page.getByText('<img src=x', { exact: false }).first().waitFor();
  expect(await page.evaluate("'hit' in window")).toBe(false);
  expect(await page.locator('img[src="x"], a[href^="javascript:"]').count()).toBe(0);
  expectNoFaults(page);
};

/** The object that an organization's test key creates from this body. */
export const made = async ({ test: client }: Pick<Tenant, 'test'>, path: string, body: unknown) => {
  const answer = await client.post(path, body);
  expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status);
  return answer.body;
};

const useScheme = async (page: Page, scheme: (typeof SCHEMES)[number]): Promise<void> => {
  await page.emulateMedia({ colorScheme: scheme });
  await page.evaluate(`document.documentElement.setAttribute('data-mantine-color-scheme', '${scheme}')`);
  await page.evaluate(END_ANIMATIONS);
};

/**
 * Inspects a page: no finding of axe in either theme, no error, no violation of the content security policy. If screenshots are enabled,
 * writes one per theme under this name.
 */
export const inspect = async (page: Page, name: string): Promise<void> => {
  for (const scheme of SCHEMES) {
    await useScheme(page, scheme);
    const { violations } = await new AxeBuilder({ page })
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
      // The HTML of templates, in a frame in which no script runs, and axe is one.
      .exclude('.html-preview')
      .analyze();
    expect(
      violations.map(({ id, nodes }) => ({
        id,
        at: nodes.map(({ target, failureSummary }) => [target, failureSummary]),
      })),
      `${name}, ${scheme}`,
    ).toEqual([]);
    if (!SCREENSHOTS) continue;
    await mkdir(SCREENSHOTS, { recursive: true });
    await page.evaluate('window.scrollTo(0, 0)');
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${scheme}.png`), animations: 'disabled' });
  }
  expectNoFaults(page);
};

const startWithBrowser = async () => {
  const consoleDir = join(tmpdir(), 'console-dist');
  const [messaging, browser] = await Promise.all([startMessaging({ consoleDir }), startBrowser()]);
  let people = 0;

  /** A person of an organization, and a link that signs the person in. */
  const person = async (tenant: Pick<Tenant, 'id'>, role: Role = 'owner', env: Environment = 'test') => {
    const email = `ana-${++people}@loja.example`;
    const emailHash = personHash(await messaging.vault(env, 'people'), email);
    const fields = { organizationId: tenant.id, name: 'Ana Souza', email, emailHash, role, status: 'active' } as const;
    const account = newAccount(fields, Date.now());
    await accountStore(messaging.tables[env], { byOperator: true }).create(account, undefined);
    return account;
  };
  const linkFor = async (account: Account, env: Environment = 'test'): Promise<string> => {
    const { link, path } = newLink(account, env, Date.now());
    await putLink(messaging.tables[env], link);
    return `${messaging.url}${path}`;
  };

  /** A page of a new browser profile. */
  const open = async (context: BrowserContextOptions = DESKTOP): Promise<Page> => {
    const page = await (await browser.newContext({ baseURL: messaging.url, ...context })).newPage();
    await watch(page);
    return page;
  };
  /** Signs in by a link, as a person does. */
  const signIn = async (page: Page, account: Account, env: Environment = 'test'): Promise<void> => {
    await page.goto(await linkFor(account, env));
    await page.getByRole('button', { name: /Entrar com este link/ }).click();
    await page.locator('[data-organization]').waitFor();
  };
  /** A page with somebody signed in. */
  const signedIn = async (tenant: Pick<Tenant, 'id'>, role: Role = 'owner', context?: BrowserContextOptions) => {
    const page = await open(context);
    await signIn(page, await person(tenant, role));
    return page;
  };

  /** Ends what a file opened. */
  const close = async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    checkRoles();
  };
  return { ...messaging, browser, person, linkFor, open, signIn, signedIn, close };
};

let started: ReturnType<typeof startWithBrowser> | undefined;
/**
 * The service with its console and a Chromium, which the files of one process use one after another: each with organizations of its own. They end
 * with the process, which is ended by a signal.
 */
export const startConsole = (): ReturnType<typeof startWithBrowser> => {
  if (!started) process.once('SIGTERM', () => process.exit());
  started ??= startWithBrowser();
  return started;
};
