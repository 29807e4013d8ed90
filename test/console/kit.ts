import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { type Account, newAccount, personHash } from '../../shared/domain/access/accounts.ts';
import type { AccountRole } from '../../shared/domain/access/roles.ts';
import { newLink } from '../../shared/domain/access/sign-in.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { accountStore } from '../../shared/storage/access/accounts.ts';
import { putLink } from '../../shared/storage/access/sign-in-links.ts';
import { startMessaging, type Tenant, UNHURRIED } from '../support/api.ts';
import { checkRoles } from '../support/role-permissions.ts';
import { startBrowser } from './browser.ts';
import { BETWEEN, faultsOf, PATIENCE_MS, startPages } from './pages.ts';

/** Where `npm run screenshots` writes pages; nowhere in other runs. */
const SCREENSHOTS =
  process.env.CONSOLE_SCREENSHOTS === '1' ? join(import.meta.dirname, '../../docs/console') : undefined;
/** For `expect.poll`: a page is there when the service has answered. */
export const PATIENCE = { timeout: PATIENCE_MS, interval: 100 };
/** How long one test may take, which waits for many pages. */
const TEST_MS = 300_000;
export const SCHEMES = ['light', 'dark'] as const;
/** The text of the axe that the builder uses, in its short form: the other is 1.5 MB, which are sent and compiled for each page. */
const AXE = readFileSync(
  createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
);

/* Code for the page is text: the tests are compiled for Node, which has no document. */
/** Colours on their way from one theme to the other are of neither. A loader turns for ever. */
const END_ANIMATIONS = `
  for (const each of document.getAnimations())
    if (each.effect?.getComputedTiming().endTime !== Infinity) each.finish();
`;

/** The body's markup, and of each element of the page where it is and whether it is seen. */
const LAYOUT = `
  JSON.stringify([document.title, document.body.outerHTML, [...document.querySelectorAll('*')].map((each) => {
    const { x, y, width, height } = each.getBoundingClientRect();
    return [x, y, width, height, each.checkVisibility({ opacityProperty: true, visibilityProperty: true })];
  })]);
`;

/** The environment that the console shows at its first load: its own default is the other one. */
const choosesAtFirst = (env: Environment) =>
  `if (!localStorage.getItem('console-environment')) localStorage.setItem('console-environment', '${env}');`;

/** A path at which the console has no page. */
const NOWHERE = '/console/nowhere';
/**
 * Opens a path of the console; on a page that shows another, as links of that page do: the console is not loaded again, which takes eight
 * times as much processor time. When it returns, the page before is gone.
 */
export const visit = async (page: Page, path: string): Promise<void> => {
  if (new URL(page.url()).pathname === BETWEEN) {
    await page.goto(path);
    return;
  }
  await page.evaluate(`history.pushState(null, '', '${NOWHERE}')`);
  await page.getByRole('heading', { name: 'Página não encontrada', level: 1 }).waitFor();
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
};

/** No error, and nothing that the content security policy refused, since the page was opened. */
export const expectNoFaults = (page: Page): void => expect(faultsOf(page)).toEqual([]);

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

/** Shows the page in a theme. Returns its markup, and where each element is and whether one sees it: whatever rules read besides colours. */
const useScheme = async (page: Page, scheme: (typeof SCHEMES)[number]): Promise<string> => {
  await page.emulateMedia({ colorScheme: scheme });
  return page.evaluate<string>(`document.documentElement.setAttribute('data-mantine-color-scheme', '${scheme}');
    ${END_ANIMATIONS}
    ${LAYOUT}`);
};

/**
 * The builder of an analysis in the page itself, whose frames it does not enter. The builder alone would send axe, half a megabyte, twice
 * for each theme, and open a page to put the results together.
 */
const axeIn = async (page: Page): Promise<AxeBuilder> => {
  expect(await page.locator('iframe:not(.html-preview)').count(), 'frames without axe').toBe(0);
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  return new AxeBuilder({ page, axeSource: 'window.axe.version' }).setLegacyMode();
};

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The rules with these tags that read colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
/** The findings of axe: of all rules, or of those that read colours. */
const findingsIn = async (page: Page, rules: 'all' | 'of colours') => {
  const builder = (await axeIn(page))
    // Every element that passes would be described and sent here, too; and no rule of these tags reads the style sheets as files.
    .options({ reporter: 'no-passes', preload: { assets: ['media'] } })
    // The HTML of templates, in a frame in which no script runs, and axe is one.
    .exclude('.html-preview');
  const { violations } = await (rules === 'all' ? builder.withTags(TAGS) : builder.withRules(COLOUR_RULES)).analyze();
  return violations.map(({ id, nodes }) => ({
    id,
    at: nodes.map(({ target, failureSummary }) => [target, failureSummary]),
  }));
};

/**
 * Inspects a page: no finding of axe in either theme, no error, no violation of the content security policy. Where the second theme changes
 * colours alone, the rules that read none would find what they found in the first. If screenshots are enabled, writes one per theme under this name.
 */
export const inspect = async (page: Page, name: string): Promise<void> => {
  let before: string | undefined;
  for (const scheme of SCHEMES) {
    const layout = await useScheme(page, scheme);
    const isAsBefore = async () => layout === before && (await page.evaluate<string>(LAYOUT)) === before;
    if (layout === before) expect(await findingsIn(page, 'of colours'), `${name}, ${scheme}`).toEqual([]);
    if (!(await isAsBefore())) expect(await findingsIn(page, 'all'), `${name}, ${scheme}`).toEqual([]);
    before = layout;
    if (!SCREENSHOTS) continue;
    await mkdir(SCREENSHOTS, { recursive: true });
    await page.evaluate('window.scrollTo(0, 0)');
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${scheme}.png`), animations: 'disabled' });
  }
  expectNoFaults(page);
};

const startWithBrowser = async () => {
  const consoleDir = join(tmpdir(), 'console-dist');
  const [messaging, browser] = await Promise.all([
    startMessaging({ consoleDir, retrySeconds: () => 1, streamSeconds: 1, env: UNHURRIED }),
    startBrowser(),
  ]);
  let people = 0;

  /** A person of an organization, and a link that signs the person in. */
  const person = async (tenant: Pick<Tenant, 'id'>, role: AccountRole = 'owner', env: Environment = 'test') => {
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

  const open = startPages(browser, messaging.url);
  /** Signs in as the page of a link does, but without loading it: by its request, whose cookie is put into the browser. */
  const enter = async (page: Page, account: Account, env: Environment = 'test'): Promise<void> => {
    const [, token] = (await linkFor(account, env)).split('#');
    const answer = await messaging.anonymous.call('POST', '/sessions', {
      query: { env },
      body: { token, cookie: true },
      headers: { origin: messaging.url },
    });
    expect(answer.status, answer.text).toBe(201);
    const [, name = '', value = ''] = /^([^=]+)=([^;]+);/.exec(answer.headers.get('set-cookie') ?? '') ?? [];
    const { hostname: domain } = new URL(messaging.url);
    const attributes = { path: '/', secure: true, httpOnly: true, sameSite: 'Strict' } as const;
    await page.context().addCookies([{ name, value, domain, ...attributes }]);
    await page.evaluate(choosesAtFirst(env));
  };
  /** Signs in by a link, as a person does. */
  const signIn = async (page: Page, account: Account, env: Environment = 'test'): Promise<void> => {
    await page.goto(await linkFor(account, env));
    await page.getByRole('button', { name: /Entrar com este link/ }).click();
    await page.locator('[data-organization]').waitFor();
  };
  /** A page with somebody signed in, which shows nothing yet. */
  const entered = async (tenant: Pick<Tenant, 'id'>, role: AccountRole = 'owner', context?: BrowserContextOptions) => {
    const page = await open(context);
    await enter(page, await person(tenant, role));
    return page;
  };
  /** A page at a path of the console with somebody signed in. */
  const signedInAt = async (path: string, ...somebody: Parameters<typeof entered>): Promise<Page> => {
    const page = await entered(...somebody);
    await page.goto(path);
    return page;
  };
  /** A page with somebody signed in, at the overview. */
  const signedIn = async (tenant: Pick<Tenant, 'id'>, role: AccountRole = 'owner', context?: BrowserContextOptions) => {
    const page = await signedInAt('/console/', tenant, role, context);
    await page.locator('[data-organization]').waitFor();
    return page;
  };

  const close = async (): Promise<void> => checkRoles();
  return { ...messaging, browser, person, linkFor, open, signIn, entered, signedIn, signedInAt, close };
};

let started: ReturnType<typeof startWithBrowser> | undefined;
/**
 * The service with its console and a Chromium, which the files of one process use one after another: each with organizations of its own. They end
 * with the process, which is ended by a signal.
 */
export const startConsole = (): ReturnType<typeof startWithBrowser> => {
  vi.setConfig({ testTimeout: TEST_MS });
  if (!started) process.once('SIGTERM', () => process.exit());
  started ??= startWithBrowser();
  return started;
};
