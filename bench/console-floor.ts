import type { Browser, Page, Request } from 'playwright-core';
import { latencies, observe, openBy } from './console-page.ts';
import { ROUNDS } from './record.ts';
import { median } from './report.ts';

/** As many as a page of the console's lists. */
const [ROWS, CELLS] = [50, 6];
const TEXT = 'spring';
const PAUSE_MS = 60;

/** A page without any library: a button that shows a table of rows, and a field whose text is shown beside it. */
const PLAIN = `(() => {
  const made = (name, parent, text = '') => {
    const element = parent.appendChild(document.createElement(name));
    element.textContent = text;
    return element;
  };
  const main = made('main', document.body);
  const shown = made('p', main);
  made('button', main, 'Show').addEventListener('click', () => {
    const body = made('tbody', made('table', main));
    for (let row = 0; row < ${ROWS}; row++) {
      const cells = made('tr', body);
      for (let cell = 0; cell < ${CELLS}; cell++) made('a', made('td', cells), 'Row ' + row + ', cell ' + cell).href = '#' + row;
    }
  });
  made('input', main).addEventListener('input', ({ target }) => { shown.textContent = target.value; });
})()`;

/** How long a browser takes for the same without the console, in ms: medians, and of the interactions the worst. */
export interface BrowserFloor {
  readonly openMs: number;
  readonly medianMs: number;
  readonly worstMs: number;
  readonly count: number;
}

/** What the browser itself takes on this machine, to show a table and to follow keys. */
export const measureBrowserFloor = async (browser: Browser): Promise<BrowserFloor> => {
  const page = await browser.newPage();
  await observe(page);
  const opened: number[] = [];
  const seen: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await page.goto('about:blank');
    await page.evaluate(PLAIN);
    const { ms } = await openBy(page, () => page.getByRole('button').click(), 'tbody tr');
    const typed = await latencies(page, async () => {
      await page.locator('input').click();
      await page.keyboard.type(TEXT, { delay: PAUSE_MS });
    });
    // The first does not count, as of the console's pages.
    if (round > 0) {
      opened.push(ms);
      seen.push(...typed);
    }
  }
  await page.close();
  return { openMs: median(opened), medianMs: median(seen), worstMs: Math.max(...seen), count: seen.length };
};

/** The reading calls that a page makes while something is done, as they can be made again. */
export const recordCalls = async (page: Page, act: () => Promise<unknown>): Promise<readonly Request[]> => {
  const calls: Request[] = [];
  const note = (request: Request) => {
    if (request.resourceType() === 'fetch' && request.method() === 'GET') calls.push(request);
  };
  page.on('request', note);
  await act();
  page.off('request', note);
  return calls;
};

/** How long the same calls take together, made by `fetch` alone in the page, in ms: the median. */
export const measureCalls = async (page: Page, calls: readonly Request[]): Promise<number> => {
  const authorization = calls[0]?.headers().authorization ?? '';
  const urls = calls.map((call) => call.url());
  const again = `(async () => {
    const startedAt = performance.now();
    const headers = { authorization: ${JSON.stringify(authorization)} };
    await Promise.all(${JSON.stringify(urls)}.map(async (url) => (await fetch(url, { headers })).json()));
    return performance.now() - startedAt;
  })()`;
  const taken: number[] = [];
  for (let round = 0; round < ROUNDS; round++) taken.push(await page.evaluate<number>(again));
  return median(taken);
};
