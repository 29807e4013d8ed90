import type { Page } from 'playwright-core';
import { DESKTOP, startBrowser } from '../test/console/browser.ts';
import { RARE_NAME } from './audience-base.ts';
import { LIST_NAME, LISTS, layOutConsole, MEMBERS, ownersLink, type World } from './console-base.ts';
import { latencies, type Opened, observe, openBy } from './console-page.ts';
import { type Service, startService } from './processes.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, verdict } from './report.ts';

const PROMISED = 1_000_000;
/** How many contacts, and how many messages, the organization has; a whole run has `CONSOLE=1000000`. */
const SIZE = Number(process.env.CONSOLE ?? 10_000);
/** In ms: what a page takes besides its calls, and from an input to the frame that shows what it did. */
const GOAL = { own: 100, interaction: 100 };

const ROWS = '.data-table tbody tr';
const STEPS = '.mantine-Timeline-item';
const inNavigation = (name: string) => (page: Page) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
const firstRow = (page: Page) => page.locator(ROWS).first().getByRole('link').first().click();
const linkTo = (path: string) => (page: Page) => page.locator(`a[href="/console${path}"]`).first().click();

interface Opening {
  readonly what: string;
  /** Where one comes from. */
  readonly from: string;
  readonly press: (page: Page) => Promise<void>;
  /** What shows that it is there. */
  readonly shown: string;
}
export const openingsOf = ({ list, segment, contact }: World): readonly Opening[] => [
  { what: 'messages', from: '/settings', press: inNavigation('Mensagens'), shown: ROWS },
  { what: 'contacts', from: '/settings', press: inNavigation('Contatos'), shown: ROWS },
  { what: `${figure(LISTS)} lists`, from: '/settings', press: inNavigation('Listas'), shown: ROWS },
  { what: 'segments', from: '/settings', press: inNavigation('Segmentos'), shown: ROWS },
  { what: `a list of ${figure(MEMBERS)}`, from: `/lists?q=${LIST_NAME}`, press: linkTo(list), shown: `${ROWS} a[href*="/contacts/"]` },
  { what: 'a segment of all', from: '/segments', press: linkTo(segment), shown: `${ROWS} a[href*="/contacts/"]` },
  { what: 'a conversation', from: '/contacts', press: linkTo(contact), shown: STEPS },
  { what: 'a message', from: '/messages', press: firstRow, shown: STEPS },
];

interface Interaction {
  readonly what: string;
  readonly at: string;
  readonly act: (page: Page) => Promise<void>;
  /** What is there before, and afterwards. */
  readonly ready?: string;
}
const type = (field: (page: Page) => ReturnType<Page['locator']>, text: string) => async (page: Page) => {
  await field(page).click();
  await page.keyboard.type(text, { delay: 60 });
};
const nextPage = (page: Page) => page.getByRole('button', { name: 'Próxima página' }).click();
export const interactionsOf = ({ contact }: World): readonly Interaction[] => [
  { what: 'messages: the next page', at: '/messages', act: nextPage },
  {
    what: 'messages: typing in a filter',
    at: '/messages',
    act: type((page) => page.getByLabel('Campanha'), 'spring'),
  },
  { what: 'messages: opening a row', at: '/messages', act: firstRow },
  { what: 'contacts: typing a search', at: '/contacts', act: type((page) => page.getByRole('searchbox'), RARE_NAME) },
  { what: 'contacts: the next page', at: '/contacts', act: nextPage },
  { what: 'contacts: opening a row', at: '/contacts', act: firstRow },
  {
    what: `${figure(LISTS)} lists: typing a name`,
    at: '/lists',
    act: type((page) => page.getByRole('searchbox'), 'loja 09'),
  },
  { what: 'lists: opening a row', at: '/lists', act: firstRow },
  { what: 'segments: typing a search', at: '/segments', act: type((page) => page.getByRole('searchbox'), 'todos') },
  {
    what: "a segment's builder: typing a value",
    at: '/segments/new',
    act: type((page) => page.getByLabel('Valor'), 'loja-sul'),
    ready: 'fieldset',
  },
  {
    what: 'a conversation: another part',
    at: contact,
    act: (page) => page.getByRole('tab', { name: 'Consentimento' }).click(),
    ready: STEPS,
  },
];

export const goTo = async (page: Page, path: string, ready: string): Promise<void> => {
  await page.goto(`/console${path}`);
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState('networkidle');
};

/** A page of each opening, of a document of its own: nothing is kept of the one before but the files. The first does not count. */
const measureOpening = async (page: Page, { from, press, shown }: Opening) => {
  const opened: Opened[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await goTo(page, from, 'main h1');
    opened.push(await openBy(page, () => press(page), shown));
  }
  const [first, ...rest] = opened;
  const of = (value: (each: Opened) => number) => median(rest.map(value));
  return {
    firstMs: first?.ms ?? Number.NaN,
    ms: of(({ ms }) => ms),
    callsMs: of(({ callsMs }) => callsMs),
    ownMs: of(({ ms, callsMs }) => ms - callsMs),
    slowest: rest.at(-1)?.slowest ?? { path: '—', ms: Number.NaN },
  };
};

const measureInteraction = async (page: Page, { at, act, ready = ROWS }: Interaction) => {
  const seen: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await goTo(page, at, ready);
    seen.push(...(await latencies(page, () => act(page))));
  }
  return { count: seen.length, medianMs: median(seen), worstMs: Math.max(...seen) };
};

/** A page of a browser of its own, with the owner signed in. */
const signedIn = async (service: Service) => {
  const browser = await startBrowser();
  const baseURL = `http://127.0.0.1:${service.running.port}`;
  const page = await (await browser.newContext({ ...DESKTOP, baseURL })).newPage();
  await observe(page);
  await page.goto(await ownersLink(service), { timeout: 300_000 });
  await page.getByRole('button', { name: /Entrar com este link/ }).click();
  await page.locator('[data-organization]').waitFor();
  return { page, close: () => browser.close() };
};

const measure = async () => {
  const service = await startService({ inMemory: true, env: { DISPATCH_SECONDS: '60000' } });
  try {
    const world = await layOutConsole(service, SIZE);
    const { page, close } = await signedIn(service);
    try {
      const pages: ({ readonly what: string } & Awaited<ReturnType<typeof measureOpening>>)[] = [];
      for (const opening of openingsOf(world)) {
        const measured = { what: opening.what, ...(await measureOpening(page, opening)) };
        console.log('console:', measured);
        pages.push(measured);
      }
      const interactions: ({ readonly what: string } & Awaited<ReturnType<typeof measureInteraction>>)[] = [];
      for (const interaction of interactionsOf(world)) {
        const measured = { what: interaction.what, ...(await measureInteraction(page, interaction)) };
        console.log('console:', measured);
        interactions.push(measured);
      }
      return { pages, interactions };
    } finally {
      await close();
    }
  } finally {
    await service.stop();
  }
};

const scale =
  SIZE < PROMISED ? ` **Scaled down**: ${figure(SIZE)} of ${figure(PROMISED)} (\`CONSOLE=${PROMISED}\`).` : '';
const HOW = `An organization with ${figure(SIZE)} contacts and as many messages in a local service, whose engine is in memory, and its console in a Chromium on the same machine. A page is opened by its link, from a
document that holds nothing but the page before; from the press until its rows are there. What it takes besides its calls is its own: its files, its script, and calls that wait for others' answers. Medians of ${ROUNDS}; the
first does not count. An interaction's latency is the browser's own (Event Timing): from the input to the next frame, in steps of 8 ms, 16 at least; each key is one.${scale}`;

/** What the console's pages wait for over a large base, and how soon they follow the person. */
export const benchConsole = async (): Promise<Section> => {
  const { pages, interactions } = await measure();
  const openings = pages.map(({ what, firstMs, ms, callsMs, ownMs, slowest }) => ({
    Page: what,
    'ms, first': figure(firstMs),
    ms: figure(ms),
    'ms of its calls': figure(callsMs),
    'ms of its own': figure(ownMs),
    'Slowest call': `${slowest.path}, ${figure(slowest.ms)} ms`,
  }));
  const answers = interactions.map(({ what, count, medianMs, worstMs }) => ({
    Interaction: what,
    Count: figure(count),
    'ms, median': figure(medianMs),
    'ms, worst': figure(worstMs),
  }));
  return {
    title: 'The console',
    verdicts: [
      ...pages.map(({ what, ownMs }) => verdict(`Opening ${what}: besides its calls`, ownMs, '≤', GOAL.own, ' ms')),
      ...interactions.map(({ what, worstMs }) =>
        verdict(`The slowest of ${what}`, worstMs, '<', GOAL.interaction, ' ms'),
      ),
    ],
    text: [HOW, columns(openings), columns(answers)].join('\n\n'),
  };
};
