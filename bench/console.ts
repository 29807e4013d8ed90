import type { Page, Request } from 'playwright-core';
import { DESKTOP, startBrowser } from '../test/console/browser.ts';
import { type Interaction, interactionsOf, type Opening, openingsOf, ROWS } from './console-acts.ts';
import { layOutConsole, ownersLink } from './console-base.ts';
import { type BrowserFloor, measureBrowserFloor, measureCalls, recordCalls } from './console-floor.ts';
import { latencies, type Opened, observe, openBy } from './console-page.ts';
import { type Service, startService } from './processes.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, verdict } from './report.ts';

const PROMISED = 1_000_000;
/** How many contacts, and how many messages, the organization has; a whole run has `CONSOLE=1000000`. */
const SIZE = Number(process.env.CONSOLE ?? 10_000);
/** `PAGES=board`: the openings and interactions whose names match this alone, for work on one page; a record has all of them. */
const PAGES = process.env.PAGES ?? '';
const isChosen = ({ what }: { readonly what: string }): boolean => new RegExp(PAGES).test(what);
/** In ms: what a page takes besides its calls, and from an input to the frame that shows what it did. */
const GOAL = { own: 100, interaction: 100 };

const goTo = async (page: Page, path: string, ready: string): Promise<void> => {
  await page.goto(`/console${path}`);
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState('networkidle');
};

/** A page of each opening, of a document of its own: nothing is kept of the one before but the files. The first does not count. */
const measureOpening = async (page: Page, { what, from, press, shown }: Opening) => {
  const opened: Opened[] = [];
  let calls: readonly Request[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await goTo(page, from, 'main h1');
    calls = await recordCalls(page, async () => opened.push(await openBy(page, () => press(page), shown)));
  }
  const [first, ...rest] = opened;
  const of = (value: (each: Opened) => number) => median(rest.map(value));
  return {
    what,
    firstMs: first?.ms ?? Number.NaN,
    ms: of(({ ms }) => ms),
    callsMs: of(({ callsMs }) => callsMs),
    ownMs: of(({ ms, callsMs }) => ms - callsMs),
    aloneMs: await measureCalls(page, calls),
    slowest: rest.at(-1)?.slowest ?? { path: '—', ms: Number.NaN },
  };
};

const measureInteraction = async (page: Page, { what, at, act, ready = ROWS }: Interaction) => {
  const seen: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await goTo(page, at, ready);
    seen.push(...(await latencies(page, () => act(page))));
  }
  return { what, count: seen.length, medianMs: median(seen), worstMs: Math.max(...seen) };
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
  return { browser, page };
};

/** What of each list is measured, one after another, and said at once. */
const each = async <T, R>(all: readonly T[], measureOne: (one: T) => Promise<R>): Promise<R[]> => {
  const measured: R[] = [];
  for (const one of all) {
    measured.push(await measureOne(one));
    console.log('console:', measured.at(-1));
  }
  return measured;
};

const measure = async () => {
  const service = await startService({ inMemory: true, env: { DISPATCH_SECONDS: '60000' } });
  try {
    const world = await layOutConsole(service, SIZE);
    const { browser, page } = await signedIn(service);
    try {
      const floor = await measureBrowserFloor(browser);
      console.log('console: the browser alone', floor);
      const pages = await each(openingsOf(world).filter(isChosen), (opening) => measureOpening(page, opening));
      const interactions = await each(interactionsOf(world).filter(isChosen), (interaction) =>
        measureInteraction(page, interaction),
      );
      return { floor, pages, interactions };
    } finally {
      await browser.close();
    }
  } finally {
    await service.stop();
  }
};
type Measured = Awaited<ReturnType<typeof measure>>;

const scale =
  SIZE < PROMISED ? ` **Scaled down**: ${figure(SIZE)} of ${figure(PROMISED)} (\`CONSOLE=${PROMISED}\`).` : '';
const part = PAGES === '' ? '' : ` **In part**: what matches \`PAGES=${PAGES}\`.`;
const HOW = `An organization with ${figure(SIZE)} contacts and as many messages in a local service, whose engine is in memory, and its console in a Chromium on the same machine, which draws without a
graphics card: all share its cores. A page is opened by its link, from a document that holds nothing but the page before; from the press until what it is opened for is there. What it takes besides its calls is its own:
its files, its script, and calls that wait for others' answers. Beside it, the same calls made by \`fetch\` alone. Medians of ${ROUNDS}; the first does not count. An interaction's latency is the browser's own
(Event Timing): from the input to the next frame, in steps of 8 ms, 16 at least; each key is one. The floor of both is a page without any library that shows a table of as many rows, and a field.${scale}${part}`;

const times = (value: number, floor: number): string => `${figure(value / floor)}×`;

const openingRows = (pages: Measured['pages'], floor: BrowserFloor) => [
  ...pages.map(({ what, firstMs, ms, callsMs, aloneMs, ownMs, slowest }) => ({
    Page: what,
    'ms, first': figure(firstMs),
    ms: figure(ms),
    'ms of its calls': figure(callsMs),
    'the same calls alone': figure(aloneMs),
    'ms of its own': figure(ownMs),
    'of the floor': times(ownMs, floor.openMs),
    'Slowest call': `${slowest.path}, ${figure(slowest.ms)} ms`,
  })),
  {
    Page: 'floor: a table by script',
    'ms, first': '—',
    ms: figure(floor.openMs),
    'ms of its calls': '—',
    'the same calls alone': '—',
    'ms of its own': figure(floor.openMs),
    'of the floor': '1×',
    'Slowest call': '—',
  },
];

const interactionRows = (interactions: Measured['interactions'], floor: BrowserFloor) =>
  [...interactions, { what: 'floor: typing in a field', ...floor }].map(({ what, count, medianMs, worstMs }) => ({
    Interaction: what,
    Count: figure(count),
    'ms, median': figure(medianMs),
    'ms, worst': figure(worstMs),
    'worst, of the floor': times(worstMs, floor.worstMs),
  }));

/** What the console's pages wait for over a large base, and how soon they follow the person. */
export const benchConsole = async (): Promise<Section> => {
  const { floor, pages, interactions } = await measure();
  return {
    title: 'The console',
    verdicts: [
      ...pages.map(({ what, ownMs }) => verdict(`Opening ${what}: besides its calls`, ownMs, '≤', GOAL.own, ' ms')),
      ...interactions.map(({ what, worstMs }) =>
        verdict(`The slowest of ${what}`, worstMs, '<', GOAL.interaction, ' ms'),
      ),
    ],
    text: [HOW, columns(openingRows(pages, floor)), columns(interactionRows(interactions, floor))].join('\n\n'),
  };
};
