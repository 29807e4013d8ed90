import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Tenant } from '../support/api.ts';
import { deliver } from '../support/providers/stand-in.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { cell, PAGE, tableUnder } from './cost-page.ts';
import { documentedUnder } from './cost-table.ts';
import { type Metered, startMetered } from './metering.ts';

const PHONE = '+5511987654321';
/** A recipient without a sandbox report, so that only the send is counted. */
const SILENT = '+5511999990099';
type Service = Awaited<ReturnType<typeof startMetered>>;
let service: Service;
let tenant: Tenant;
/** Another, with a webhook. */
let subscriber: Tenant;

const live = (fields: Readonly<Record<string, unknown>> = {}) => tenant.live.send({ to: PHONE, ...fields });
const last = () => {
  const message = service.provider.messages.at(-1);
  if (!message) throw new Error('The provider accepted nothing.');
  return message;
};
const preview = (body: Readonly<Record<string, unknown>>) =>
  tenant.test.post('/v1/messages/preview', { channel: 'sms', to: SILENT, text: 'Oi', ...body });

const DAY_MS = 24 * 3_600_000;
const AROUND = { from: new Date(Date.now() - DAY_MS).toISOString(), to: new Date(Date.now() + DAY_MS).toISOString() };

let turn = 0;
interface Options {
  /** Preparation that is not counted. */
  readonly first?: () => unknown;
  /** The work of its consumers is counted, too. */
  readonly withConsumers?: true;
}
/** The rows of the page's first table, in its order: name, work, options. */
const ROWS: readonly (readonly [row: string, run: () => Promise<unknown>, options?: Options])[] = [
  ['Send, live, route otp', () => live({ route: 'otp' })],
  ['Send, live, route premium', () => live()],
  ['Send, live, premium, one tracked link', () => live({ body: 'Veja https://example.com/a', trackLinks: true })],
  [
    'Send that the provider refuses',
    // The text makes the message's row clearly larger than a kilobyte, with its refusal.
    () => live({ route: 'otp', body: 'Seu pedido saiu para entrega e chega hoje, até as 18 horas.' }),
    { first: () => service.provider.script({ refuse: '8:REJECTED' }) },
  ],
  ['Send without a certain answer', () => live({ route: 'otp' }), { first: () => service.provider.script('reset') }],
  [
    'Receipt of a live send, applied',
    () => deliver(service.provider.receipt(last(), 'delivered')),
    { first: () => live(), withConsumers: true },
  ],
  [
    'Reply, with its inbound message',
    () => deliver(service.provider.reply(last(), `Sim ${turn}`)),
    { withConsumers: true },
  ],
  ['Send, sandbox, route otp', () => tenant.test.send({ to: SILENT, route: 'otp' })],
  ['Send, sandbox, route premium', () => tenant.test.send({ to: SILENT }, `replayed-${turn}`)],
  ['Send repeated with its key', () => tenant.test.send({ to: SILENT }, 'replayed-1')],
  ['Preview of a send', () => preview({})],
  [
    'Preview of a send with two fallbacks',
    () => preview({ fallback: ['rcs', { channel: 'email', to: 'ana@example.com' }] }),
  ],
  ['Read a message', () => tenant.test.get(`/v2/sms/messages/${sent.id}`)],
  ['List of messages, 50 a page', () => tenant.test.get('/v2/sms/messages', { limit: 50 })],
  ['Read the wallet', () => tenant.test.get('/v2/wallet')],
  ['Metrics of a day, by the hour', () => tenant.test.get('/v2/metrics')],
  ['Ledger, 50 lines', () => tenant.test.get('/v2/wallet/entries', { limit: 50 })],
  ['Create a contact', () => tenant.test.post('/contacts', { phone: `+551198765100${turn}` }), { withConsumers: true }],
  [
    'Record an event of a contact, with its attribution',
    () =>
      tenant.test.post('/v2/events', { name: 'compra', eventId: `pedido-${turn}`, contact: { externalId: 'cliente' } }),
    {
      first: async () => {
        if (turn > 0) return;
        const contact = { phone: PHONE, externalId: 'cliente' };
        const { id: contactId } = (await tenant.test.post('/contacts', contact)).body;
        await tenant.test.send({ to: SILENT, contactId });
      },
    },
  ],
  ['List of events of customers', () => tenant.test.get('/v2/events', AROUND)],
  ['Export of SMS, 50 a page', () => tenant.test.get('/v2/exports/messages', { ...AROUND, channel: 'sms', limit: 50 })],
  ['Add a contact to a static list', () => tenant.test.post(members, { externalIds: [`loja:${turn}`] })],
  [
    'Make a static list of 1,000 contacts',
    () => tenant.test.call('PUT', members, { body: { externalIds: externalIds.slice(turn) } }),
  ],
  [
    'Follow a tracked link, with its event',
    () => service.messaging.anonymous.get(`/r/${link}`),
    { withConsumers: true },
  ],
  [
    'Create a contact, with its event delivered to one webhook',
    () => tenant.test.post('/contacts', { phone: `+551198765200${turn}` }),
    {
      first: async () => {
        if (turn === 0) await tenant.test.post('/webhooks', { url: receiver.url, events: ['contact.created'] });
      },
      withConsumers: true,
    },
  ],
  [
    'Receipt of a live send, applied, with its event delivered to one webhook',
    () => deliver(service.provider.receipt(last(), 'delivered')),
    {
      first: async () => {
        if (turn === 0) await subscriber.live.post('/webhooks', { url: receiver.url, events: ['sms.delivered'] });
        await subscriber.live.send({ to: PHONE, route: 'otp' });
      },
      withConsumers: true,
    },
  ],
];
/** The response of the metered endpoint: an attempt's row, with request and response, is then well within its second kilobyte. */
const ANSWER = 'thanks'.padEnd(500);
let receiver: Receiver;
let sent = { id: '' };
let link = '';
/** The path of a static list's members, and who may be in it. */
let members = '';
const externalIds = Array.from({ length: 1_000 }, (_, at) => `loja:${at}`);

const documented = documentedUnder('What an operation consumes');
const measured = new Map<string, Metered>();
let logBytes = 0;

/** The minimum of three runs, after one that fills the caches of prices, settings, routes and breakers. Now and then one makes a contact's change due. */
const measure = async (...[row, run, { first, withConsumers } = {}]: (typeof ROWS)[number]): Promise<void> => {
  const runs: Metered[] = [];
  for (turn = 0; turn <= 3; turn++) {
    await first?.();
    runs.push(await service.metered(run, withConsumers));
  }
  const [least] = runs.slice(1).sort((a, b) => a.trips - b.trips || a.writeUnits - b.writeUnits);
  if (least) measured.set(row, least);
};

const logSize = async (): Promise<number> => {
  await pause(150);
  return statSync(join(service.messaging.dataDir, 'functions.log')).size;
};
/** The bytes that one live send and its receipt log. */
const measureLog = async (): Promise<void> => {
  const before = await logSize();
  for (let at = 0; at < 10; at++) {
    await live();
    await deliver(service.provider.receipt(last(), 'delivered'));
  }
  await service.quiet();
  logBytes = ((await logSize()) - before) / 10;
};

beforeAll(async () => {
  [service, receiver] = await Promise.all([startMetered(), startReceiver(ANSWER)]);
  tenant = await service.messaging.tenant({ live: 10_000_000 });
  subscriber = await service.messaging.tenant({ live: 10_000_000 });
  for (let at = 0; at < 60; at++) sent = (await tenant.test.send({ to: SILENT, route: 'otp' })).body;
  await live({ body: 'Veja https://example.com/a', trackLinks: true });
  link = String((await service.messaging.rowsOf('live', tenant.id)).find(({ pk }) => pk.startsWith('LINK#'))?.code);
  const contact = (externalId: string, at: number) => ({
    ...KEYS.externalId(tenant.id, externalId),
    org: tenant.id,
    number: at,
  });
  await service.messaging.tables.test.putMany(externalIds.map(contact));
  members = `/v2/lists/${(await tenant.test.post('/v2/lists', { name: 'Clientes VIP' })).body.id}/members`;
  // An uncertain send is queried later, which would be counted in a later measurement.
  const isLast = ([row]: (typeof ROWS)[number]) => row === 'Send without a certain answer';
  for (const row of ROWS.filter((each) => !isLast(each))) await measure(...row);
  await measureLog();
  for (const row of ROWS.filter(isLast)) await measure(...row);
}, 300_000);
afterAll(async () => {
  await service?.close();
  await receiver?.close();
});

describe('the figures of docs/cost.md', () => {
  test('for request units, round trips and queue messages match the running service', () => {
    expect(documented).toEqual(Object.fromEntries(measured));
  });

  test('for an event with its delivery equal the difference that one webhook makes', () => {
    const stated =
      /An event with its delivery to a webhook that answers half a kilobyte takes ([\d.]+) write units, ([\d.]+) read units, (\d+) round trips\s+and (\d+) queue messages/
        .exec(PAGE)
        ?.slice(1)
        .map(Number);
    const [without, beside] = ['Create a contact', 'Create a contact, with its event delivered to one webhook'].map(
      (row) => documented[row],
    );
    const more = (of: keyof Metered) => (beside?.[of] ?? Number.NaN) - (without?.[of] ?? Number.NaN);
    expect(stated).toEqual([more('writeUnits'), more('readUnits'), more('trips'), more('messages')]);
  });

  test('for log bytes are within 20 % of what a send and its receipt write', () => {
    const stated = Number(/writes about ([\d,]+) bytes of log/.exec(PAGE)?.[1]?.replaceAll(',', ''));
    expect(Math.abs(logBytes - stated) / stated, `${logBytes} bytes were written`).toBeLessThan(0.2);
  });
});

describe('the example of docs/cost.md', () => {
  /** By variable: USD. */
  const prices = () => new Map(tableUnder('Prices').map((row) => [row[0] ?? '', cell(row, 2)]));

  test('has quantity times price in each line', () => {
    for (const [item, quantity, variable, usd] of tableUnder('A million live sends')) {
      if (item?.startsWith('Sum')) continue;
      const price = prices().get(variable ?? '');
      expect([item, (Number(quantity?.replaceAll(',', '')) * (price ?? Number.NaN)).toFixed(2)]).toEqual([item, usd]);
    }
  });

  test('sums to its last line, and takes its request units from the first table', () => {
    const rows = tableUnder('A million live sends');
    const sum = rows.slice(0, -1).reduce((total, row) => total + cell(row, 3), 0);
    expect(sum.toFixed(2)).toBe(rows.at(-1)?.[3]);
    const parts = ['Send, live, route otp', 'Receipt of a live send, applied'].map((row) => documented[row]);
    const units = (of: 'writeUnits' | 'readUnits') =>
      parts.reduce((total, part) => total + (part?.[of] ?? Number.NaN), 0);
    expect(rows.slice(0, 2).map((row) => cell(row, 1))).toEqual([units('writeUnits'), units('readUnits')]);
  });
});
