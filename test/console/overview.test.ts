import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  barsOf,
  countsOf,
  dotsOf,
  gridOf,
  heightOf,
  labelledOf,
  linesOf,
  pointAt,
  SHARES,
} from '../../console/src/areas/overview/chart-shapes.ts';
import {
  channelOf,
  channelsIn,
  deliveryRateOf,
  failureRateOf,
  pointsOf,
  queryOf,
  rangeOf,
  rowsOf,
} from '../../console/src/areas/overview/figures.ts';
import type { Tenant } from '../support/api.ts';
import { use } from '../support/use.ts';
import { PHONE } from './browser.ts';
import { EVIL, expectNoFaults, inspect, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());

/** Endings of sandbox recipients: delivered, undelivered, no report. */
const [DELIVERED, UNDELIVERED, SILENT] = ['0005', '0006', '0099'];
const send = async ({ test: client }: Tenant, ending: string): Promise<void> => {
  const { status } = await client.send({ to: `+551199999${ending}` });
  expect(status).toBe(201);
};
const sendRcs = async ({ test: client }: Tenant): Promise<void> => {
  const body = { channel: 'rcs', to: '+5511999990025', text: 'Olá!' };
  const { status } = await client.post('/v1/messages', body, { 'idempotency-key': 'rcs' });
  expect(status).toBe(202);
};
/** The figures of the overview as the page shows them. */
const figure = (page: Page, name: string) => page.locator(`[data-figure="${name}"]`).innerText();
const cells = (page: Page, table: string, row = 0) =>
  page.getByRole('table', { name: table }).locator('tbody tr').nth(row).locator('td').allInnerTexts();
const charts = (page: Page) => page.locator('[data-chart]');
/** The channels that a chart has a picture of, in the order in which they are drawn. */
const drawn = (page: Page, chart: number) =>
  charts(page)
    .nth(chart)
    .locator('.chart-plot > svg > path[data-channel]:not(.chart-dots)')
    .evaluateAll((paths: { readonly dataset: { readonly channel?: string } }[]) =>
      paths.map(({ dataset }) => dataset.channel),
    );
/** Where in a plot an hour or day is, counted from the last. */
const placeOf = async (page: Page, chart: number, { fromEnd, of }: { fromEnd: number; of: number }) => {
  const plot = charts(page).nth(chart).locator('.chart-plot');
  await plot.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return { x: x + (width * (of - fromEnd - 0.5)) / of, y: y + height / 2 };
};
const values = (page: Page, chart: number) => charts(page).nth(chart).locator('[data-value]').allInnerTexts();
const isWide = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

describe('the overview', () => {
  test('teaches the first send while there is none, and follows what is sent without a reload', async () => {
    const tenant = await service.tenant();
    const page = await service.signedIn(tenant);
    await page.getByRole('heading', { name: 'Nenhuma mensagem neste período' }).waitFor();
    await page.getByText(`curl ${service.url}/v1/messages`).waitFor();
    await inspect(page, 'overview-empty');
    await send(tenant, DELIVERED);
    await expect.poll(() => page.locator('[data-figure="Mensagens"]').count(), PATIENCE).toBe(1);
    await page.getByRole('link', { name: 'Nova mensagem' }).first().click();
    await page.getByRole('heading', { name: 'Nova mensagem', level: 1 }).waitFor();
    expectNoFaults(page);
  });

  test('shows sends, rates, failures and spending by channel, as charts and as a table', async () => {
    const tenant = await service.tenant();
    for (const ending of [DELIVERED, DELIVERED, UNDELIVERED, SILENT]) await send(tenant, ending);
    await sendRcs(tenant);
    const metrics = async () => (await tenant.test.get('/v2/metrics')).body.totals;
    await expect.poll(metrics, PATIENCE).toMatchObject({ total: 5, sent: 5, delivered: 3, read: 1, failed: 1 });
    const { coins } = await metrics();
    const page = await service.signedIn(tenant);
    await charts(page).nth(2).waitFor();
    expect(await figure(page, 'Mensagens')).toMatch(/\b5\b/);
    expect(await figure(page, 'Entregues')).toMatch(/60%[\s\S]*3 de 5 enviadas/);
    expect(await figure(page, 'Falhas')).toMatch(/20%[\s\S]*1 de 5/);
    const spent = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
    expect(await figure(page, 'Gasto no período')).toContain(spent.format(coins / 10_000));
    expect(await cells(page, 'Por que falharam')).toEqual(['carrier_rejected', 'SMS', '1']);
    for (const title of ['Mensagens por canal', 'Taxa de entrega', 'Taxa de falha'])
      await page.getByRole('img', { name: new RegExp(`^Gráfico: ${title} `) }).waitFor();

    const summary = page.locator('summary', { hasText: 'Números dos gráficos' });
    await summary.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Números dos gráficos' }).waitFor();
    const row = async (at: number) => (await cells(page, 'Números dos gráficos', at)).slice(1, 10);
    expect(await row(0)).toEqual(['RCS', '1', '1', '1', '100%', '1', '100%', '0', '0%']);
    expect(await row(1)).toEqual(['SMS', '4', '4', '2', '50%', '0', '0%', '1', '25%']);
    await inspect(page, 'overview-sends');
  });

  test('draws each channel that has sends, and shows its values of a day under a pointer, as the language writes them', async () => {
    const tenant = await service.tenant();
    for (const ending of [DELIVERED, DELIVERED, UNDELIVERED]) await send(tenant, ending);
    await sendRcs(tenant);
    await expect.poll(async () => (await tenant.test.get('/v2/metrics')).body.totals.read, PATIENCE).toBe(1);
    const page = await service.signedIn(tenant);
    await charts(page).nth(2).waitFor();
    for (const chart of [0, 1, 2]) expect(await drawn(page, chart)).toEqual(['sms', 'rcs']);
    const today = { fromEnd: 0, of: 7 };
    const hover = async (chart: number, day: typeof today) => {
      const { x, y } = await placeOf(page, chart, day);
      await page.mouse.move(x, y);
    };
    await hover(0, today);
    await expect.poll(() => values(page, 0), PATIENCE).toEqual(['SMS\n3', 'RCS\n1']);
    await hover(1, today);
    await expect.poll(() => values(page, 1), PATIENCE).toEqual(['SMS\n66,7%', 'RCS\n100%']);
    expect(await values(page, 0)).toEqual([]);
    await hover(1, { ...today, fromEnd: 1 });
    await expect.poll(() => values(page, 1), PATIENCE).toEqual(['SMS\n—', 'RCS\n—']);
    await page.mouse.move(0, 0);
    await expect.poll(() => values(page, 1), PATIENCE).toEqual([]);

    await page.evaluate("localStorage.setItem('console-language', 'en')");
    await page.reload();
    await charts(page).nth(2).waitFor();
    await hover(2, today);
    await expect.poll(() => values(page, 2), PATIENCE).toEqual(['SMS\n33.3%', 'RCS\n0%']);
    await page.getByLabel('Channel', { exact: true }).selectOption({ label: 'RCS' });
    await expect.poll(() => drawn(page, 0), PATIENCE).toEqual(['rcs']);
    expectNoFaults(page);
  });

  test('keeps period and channel in the address, by the keyboard as well', async () => {
    const tenant = await service.tenant();
    await send(tenant, DELIVERED);
    await sendRcs(tenant);
    await expect.poll(async () => (await tenant.test.get('/v2/metrics')).body.totals.total, PATIENCE).toBe(2);
    const page = await service.signedIn(tenant);
    await expect.poll(() => figure(page, 'Mensagens'), PATIENCE).toMatch(/\b2\b/);
    await page.getByRole('radio', { name: '7 dias' }).focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.url(), PATIENCE).toContain('range=24h');
    await page.getByLabel('Canal', { exact: true }).selectOption({ label: 'RCS' });
    await expect.poll(() => figure(page, 'Mensagens'), PATIENCE).toMatch(/\b1\b/);
    await page.reload();
    await expect.poll(() => figure(page, 'Mensagens'), PATIENCE).toMatch(/\b1\b/);
    expect(await page.getByRole('radio', { name: '24 horas' }).isChecked()).toBe(true);
    await page.getByText('Horas no seu fuso.').waitFor();
    await page.getByLabel('Canal', { exact: true }).selectOption({ label: 'Push' });
    await page.getByRole('heading', { name: 'Nenhuma mensagem neste período' }).waitFor();
    expectNoFaults(page);
  });

  test('ignores what an address names that is no period or channel, and runs none of it', async () => {
    const page = await service.entered(await service.tenant());
    const search = new URLSearchParams({ range: EVIL, channel: EVIL });
    await page.goto(`/console/?${search.toString()}`);
    await page.getByRole('heading', { name: 'Nenhuma mensagem neste período' }).waitFor();
    expect(await page.getByRole('radio', { name: '7 dias' }).isChecked()).toBe(true);
    expect(await page.evaluate("'hit' in window")).toBe(false);
    expectNoFaults(page);
  });

  test('shows the problem of metrics that cannot be read, and what the wallet holds all the same', async () => {
    const page = await service.signedIn(await service.tenant());
    const problem = { title: 'Serviço ocupado', status: 422, code: 'VALIDATION_ERROR', requestId: 'req_metrics' };
    const contentType = 'application/problem+json';
    await page.route('**/v2/metrics**', (route) =>
      route.fulfill({ status: 422, contentType, body: JSON.stringify(problem) }),
    );
    await page.reload();
    await page.getByText('req_metrics').waitFor();
    await page.locator('[data-figure="Saldo"]').waitFor();
  });

  test('fits a phone, in English too, for a person who may only read', async () => {
    const tenant = await service.tenant();
    for (const ending of [DELIVERED, UNDELIVERED]) await send(tenant, ending);
    await expect.poll(async () => (await tenant.test.get('/v2/metrics')).body.totals.failed, PATIENCE).toBe(1);
    const page = await service.signedIn(tenant, 'viewer', PHONE);
    await page.evaluate("localStorage.setItem('console-language', 'en')");
    await page.reload();
    await charts(page).nth(2).waitFor();
    await page.locator('summary', { hasText: 'Figures of the charts' }).click();
    await page.getByRole('table', { name: 'Figures of the charts' }).waitFor();
    await page.getByText('Delivery rate').first().waitFor();
    const touch = async () => {
      const { x, y } = await placeOf(page, 0, { fromEnd: 0, of: 7 });
      await page.touchscreen.tap(x, y);
    };
    await touch();
    await expect.poll(() => values(page, 0), PATIENCE).toEqual(['SMS\n2']);
    expect(await isWide(page)).toBeLessThanOrEqual(0);
    await touch();
    await expect.poll(() => values(page, 0), PATIENCE).toEqual([]);
    await inspect(page, 'overview-sends-phone');
  });
});

const NOW = Date.parse('2026-11-26T15:20:00Z');
const figures = (channel: 'sms' | 'push', total: number, sent: number, delivered: number) =>
  ({ channel, total, sent, delivered, read: 0, failed: total - delivered, coins: 10 }) as const;

describe('the figures of the charts', () => {
  const rates = { deliveryRate: null, readRate: null, failureRate: null } as const;
  const [sms, push] = [figures('sms', 4, 2, 1), figures('push', 1, 0, 0)];
  const totals = { total: 5, sent: 2, delivered: 1, read: 0, failed: 4, coins: 20, ...rates };
  const metrics = {
    env: 'test',
    granularity: 'day',
    timeZone: 'America/Sao_Paulo',
    from: '2026-11-24T03:00:00.000Z',
    to: '2026-11-26T03:00:00.000Z',
    totals,
    channels: [push, sms].map((each) => ({ ...each, ...rates })),
    failures: [],
    items: [
      { start: '2026-11-24T03:00:00.000Z', end: '2026-11-25T03:00:00.000Z', channels: [] },
      { start: '2026-11-25T03:00:00.000Z', end: '2026-11-26T03:00:00.000Z', channels: [push, sms] },
    ],
  } as const;
  const given = {
    ...metrics,
    channels: [...metrics.channels],
    failures: [],
    items: metrics.items.map((item) => ({ ...item, channels: [...item.channels] })),
  };
  const label = ({ start }: { readonly start: string }) => start.slice(8, 10);

  test('are 0 for counts of nothing, and absent for rates of nothing', () => {
    expect(pointsOf(given, label, ({ total }) => total, 0)).toEqual([
      { label: '24', sms: 0, push: 0 },
      { label: '25', sms: 4, push: 1 },
    ]);
    expect(pointsOf(given, label, deliveryRateOf, null)).toEqual([
      { label: '24', sms: null, push: null },
      { label: '25', sms: 0.5, push: null },
    ]);
    expect(pointsOf(given, label, failureRateOf, null)[1]).toEqual({ label: '25', sms: 0.75, push: 1 });
  });

  test('are drawn as bars on one another, up to a round number', () => {
    const [points, channels] = [pointsOf(given, label, ({ total }) => total, 0), channelsIn(given)];
    const scale = countsOf(points, channels);
    expect(scale).toEqual({ top: 5, marks: [0, 1, 2, 3, 4, 5] });
    expect(barsOf(points, channels, scale)).toEqual([
      { channel: 'sms', path: 'M575 1000V200h350V1000Z' },
      { channel: 'push', path: 'M575 200V0h350V200Z' },
    ]);
    expect(countsOf([], [])).toEqual({ top: 1, marks: [0, 1] });
    expect(countsOf([{ label: 'a', sms: 3_217 }], ['sms'])).toEqual({
      top: 4_000,
      marks: [0, 1_000, 2_000, 3_000, 4_000],
    });
    expect(gridOf({ top: 2, marks: [0, 1, 2] })).toBe('M0 1000H1000M0 500H1000M0 0H1000');
  });

  test('are drawn as lines with gaps, in which a value alone is a dot, and none beyond the axis', () => {
    const points = [0.5, 0.25, null, 1, null, 1.7].map((sms, at) => ({ label: String(at), sms }));
    const lines = linesOf(points, ['sms'], SHARES);
    expect(lines).toEqual([{ channel: 'sms', path: 'M83.33 500L250 750M583.33 0M916.67 0' }]);
    expect(dotsOf(lines)).toEqual([{ channel: 'sms', path: 'M83.33 500h0M250 750h0M583.33 0h0M916.67 0h0' }]);
    expect([0, 0.4, 1, 1.7].map((value) => heightOf(SHARES, value))).toEqual([0, 0.4, 1, 1]);
  });

  test('are labelled at equal distances, and found by their place in the picture', () => {
    const points = Array.from({ length: 24 }, (_, at) => ({ label: String(at) }));
    expect(labelledOf(points, 'hour')).toEqual([0, 6, 12, 18]);
    expect(labelledOf(points, 'day')).toEqual([0, 3, 6, 9, 12, 15, 18, 21]);
    expect(labelledOf(points.slice(0, 7), 'day')).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect([-0.1, 0, 0.5, 0.999, 1].map((share) => pointAt(points, share))).toEqual([undefined, 0, 12, 23, undefined]);
  });

  test('are in the table once for each channel of a day, newest first', () => {
    expect(rowsOf(given).map(({ start, channel, total }) => [start, channel, total])).toEqual([
      ['2026-11-25T03:00:00.000Z', 'push', 1],
      ['2026-11-25T03:00:00.000Z', 'sms', 4],
    ]);
  });

  test('are of 24 hours, 7 days or 30 days, the present one included', () => {
    expect(queryOf('24h', undefined, NOW)).toEqual({ granularity: 'hour', from: '2026-11-25T16:20:00.000Z' });
    expect(queryOf('7d', 'sms', NOW)).toEqual({ granularity: 'day', channel: 'sms', from: '2026-11-20T15:20:00.000Z' });
    expect(queryOf('30d', undefined, NOW)).toEqual({ granularity: 'day', from: '2026-10-28T15:20:00.000Z' });
    expect([rangeOf('30d'), rangeOf('1y'), channelOf('sms'), channelOf('fax')]).toEqual([
      '30d',
      '7d',
      'sms',
      undefined,
    ]);
  });
});
