import type { Page } from 'playwright-core';

/* Code for the page is text: these files are compiled for Node, which has no document. */
/** Keeps when what was waited for came, and the latency of each interaction, from its input to the next frame. */
const OBSERVE = `(() => {
  window.bench = { interactions: [], shownAt: undefined, startedAt: undefined };
  new PerformanceObserver((list) => {
    for (const { interactionId, duration, name } of list.getEntries())
      if (interactionId > 0) window.bench.interactions.push({ interactionId, duration, name });
  }).observe({ type: 'event', buffered: true, durationThreshold: 16 });
  addEventListener('click', () => { window.bench.startedAt ??= performance.now(); }, { capture: true });
  performance.setResourceTimingBufferSize(10_000);
})()`;
/** Waits in the page, so that nothing of the test's own way there is in the figure. */
const UNTIL_SHOWN = (selector: string) => `new Promise((resolve) => {
  const look = () => {
    if (document.querySelector(${JSON.stringify(selector)}) === null) return requestAnimationFrame(look);
    window.bench.shownAt = performance.now();
    resolve(undefined);
  };
  look();
})`;

/** A call of the service, in ms of the page's clock. */
interface Call {
  readonly path: string;
  readonly from: number;
  readonly until: number;
}
/** How long a page took, in ms: in all, with any of its calls on their way, and the slowest of these. */
export interface Opened {
  readonly ms: number;
  readonly callsMs: number;
  readonly slowest: { readonly path: string; readonly ms: number };
}

/** How much of the time any of the calls was on its way. */
const together = (calls: readonly Call[]): number => {
  let [sum, last] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, until } of [...calls].sort((a, b) => a.from - b.from)) {
    sum += Math.max(0, until - Math.max(from, last));
    last = Math.max(last, until);
  }
  return sum;
};

/** Begins to observe a page, before it is opened. */
export const observe = async (page: Page): Promise<void> => {
  await page.addInitScript({ content: OBSERVE });
};

/** Follows a link of the console, until what it leads to is shown. */
export const openBy = async (page: Page, press: () => Promise<void>, selector: string): Promise<Opened> => {
  await page.evaluate('window.bench.startedAt = undefined');
  const gone = `for (const each of document.querySelectorAll(${JSON.stringify(selector)})) each.setAttribute("data-before", "")`;
  await page.evaluate(gone);
  const shown = page.evaluate(UNTIL_SHOWN(`${selector}:not([data-before])`));
  await press();
  await shown;
  const { startedAt, shownAt, calls } = await page.evaluate<{ startedAt: number; shownAt: number; calls: Call[] }>(
    `({
      ...window.bench,
      calls: performance.getEntriesByType('resource')
        .filter(({ initiatorType, name }) => initiatorType === 'fetch' && !name.includes('/console/'))
        .map(({ name, startTime, responseEnd }) => ({ path: new URL(name).pathname, from: startTime, until: responseEnd })),
    })`,
  );
  // A call that is answered later, as of a figure beside, did not keep what is shown.
  const own = calls.filter(({ from, until }) => from >= startedAt && until > 0 && until <= shownAt);
  const slowest = own.toSorted((a, b) => b.until - b.from - (a.until - a.from))[0];
  return {
    ms: shownAt - startedAt,
    callsMs: together(own),
    slowest: { path: slowest?.path ?? '—', ms: slowest ? slowest.until - slowest.from : 0 },
  };
};

/** The latency of what one does meanwhile, in ms: an interaction each, the longest of its events. Shorter ones than 16 ms count as that. */
export const latencies = async (page: Page, act: () => Promise<void>): Promise<number[]> => {
  await page.evaluate('window.bench.interactions = []');
  await act();
  // What has been presented is observed in a task of its own.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)))');
  const seen = await page.evaluate<{ interactionId: number; duration: number }[]>('window.bench.interactions');
  const longest = new Map<number, number>();
  for (const { interactionId, duration } of seen)
    longest.set(interactionId, Math.max(duration, longest.get(interactionId) ?? 0));
  return longest.size === 0 ? [16] : [...longest.values()];
};
