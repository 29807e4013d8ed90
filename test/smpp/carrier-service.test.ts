import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startCarrier as startService } from '../../infra/local/carrier/start.ts';
import { BIND_LEASE_MS } from '../../shared/domain/smpp/bind.ts';
import { type CarrierSettings, isCarrierBody, signCarrierBody } from '../../shared/domain/smpp/carrier.ts';
import { type SmppCarrierSettings, smppCarrierSettings } from '../../shared/providers/sms/smpp-carrier.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { carrierBinds } from '../../shared/storage/smpp/carrier-binds.ts';
import type { Slot } from '../../shared/storage/smpp/slots.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { listening } from '../support/loopback.ts';
import { octetsOf, textOf } from '../support/smpp/carrier-octets.ts';
import { type Carrier, startCarrier } from '../support/smpp/carrier-simulator.ts';

const { ownTable } = await useContendedTable();
const KEY = 'a key that both sides of a test have';
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Where callbacks go: what came, and how the next ones are answered. */
const callbacks = async () => {
  const posts: { readonly path: string; readonly body: string; readonly isOurs: boolean }[] = [];
  const answers: (number | Promise<number>)[] = [];
  const take = async (request: IncomingMessage) => {
    const body = await text(request);
    const headers = request.headers as Record<string, string>;
    posts.push({
      path: request.url ?? '',
      body,
      isOurs: isCarrierBody(KEY, 'callback', { headers, body }, Date.now()),
    });
    return answers.shift() ?? 200;
  };
  const server = await listening(
    createServer((request, response) => void take(request).then((status) => response.writeHead(status).end())),
  );
  ends.push(server.close);
  return { ...server, posts, answerWith: (...more: (number | Promise<number>)[]) => void answers.push(...more) };
};

const settingsOf = (carrier: Pick<Carrier, 'port'>, over: Partial<SmppCarrierSettings> = {}): SmppCarrierSettings => ({
  ...smppCarrierSettings.parse({
    host: '127.0.0.1',
    port: carrier.port,
    systemId: 'carrier-user',
    password: 'secret',
    throughput: 1_000,
    serviceKey: KEY,
    serviceUrl: 'http://127.0.0.1:1',
  }),
  ...over,
});

/** A process of the SMPP service, on the table of its own process. */
const serviceOf = async (
  settings: () => CarrierSettings | undefined,
  {
    callbackUrl = 'http://127.0.0.1:1',
    table = ownTable(),
    everyMs = 30,
  }: { callbackUrl?: string; table?: Table; everyMs?: number } = {},
) => {
  const slots = carrierBinds(table);
  const news: Readonly<Record<string, unknown>>[] = [];
  const faults: string[] = [];
  const now = () => Date.now();
  const ask = async (event: { kind: string; binds: number; bindId: string; at: string; slot: Slot }) => {
    const until = now() + BIND_LEASE_MS;
    switch (event.kind) {
      case 'set_up': {
        const found = settings();
        return found && { settings: found, callbackUrl };
      }
      case 'take':
        return slots.take(event.binds, event, { now: now(), until });
      case 'keep':
        return slots.keep(event.slot, until);
      case 'free':
        return slots.free(event.slot);
      default:
        return (await slots.held(now())).flatMap(({ at }) => at ?? []);
    }
  };
  const running = await startService(
    { port: 0, host: '127.0.0.1', address: '127.0.0.1' },
    {
      stage: 'live',
      invoke: (_stage, _name, event) => ask(event as Parameters<typeof ask>[0]),
      onFault: (_, error) => faults.push((error as Error).message),
      onNews: (line) => news.push(line),
      everyMs,
      retry: { firstMs: 10, maxMs: 50 },
    },
  );
  const close = running.close;
  ends.push(close);
  const url = `http://127.0.0.1:${running.port}`;
  const post = (path: string, body: string, headers: Readonly<Record<string, string>>) =>
    fetch(`${url}${path}`, { method: 'POST', headers: { ...headers }, body });
  const call = async (purpose: 'status' | 'submit', content: object): Promise<{ kind: string; id?: string }> => {
    const body = JSON.stringify(content);
    const response = await post(`/carrier/${purpose}`, body, signCarrierBody(KEY, purpose, body, Date.now()));
    return (await response.json()) as { kind: string; id?: string };
  };
  let sent = 0;
  const send = (over: object = {}) =>
    call('submit', {
      messageId: `msg_${running.port}_${++sent}`,
      to: '+5511987654321',
      text: 'Oi',
      waitMs: 5_000,
      ...over,
    });
  return { ...running, close, url, post, call, send, news, faults, slots };
};
const start = async (over: Partial<SmppCarrierSettings> = {}, options: Parameters<typeof serviceOf>[1] = {}) => {
  const carrier = await startCarrier();
  ends.push(carrier.close);
  const service = await serviceOf(() => settingsOf(carrier, over), options);
  await vi.waitFor(() => expect(carrier.bound().length).toBeGreaterThan(0), { timeout: 10_000 });
  return { carrier, service };
};

describe('a message', () => {
  it.each([
    ['+5511400009999', { ton: 1, npi: 1, address: '5511400009999' }],
    ['28000', { ton: 3, npi: 0, address: '28000' }],
    ['LOJA 24h', { ton: 5, npi: 0, address: 'LOJA 24h' }],
    [undefined, { ton: 0, npi: 0, address: '' }],
  ])('of the sender %s says its type of number and plan', async (from, source) => {
    const { carrier, service } = await start({ serviceType: 'WAP' });
    expect(await service.send({ from })).toEqual({ kind: 'accepted', id: carrier.accepted[0]?.id });
    expect(carrier.submits[0]).toMatchObject({
      serviceType: 'WAP',
      source,
      destination: { ton: 1, npi: 1, address: '5511987654321' },
    });
  });

  it('says the types and plans that the operator set instead', async () => {
    const { carrier, service } = await start({ source: { ton: 2, npi: 8 }, destination: { ton: 0, npi: 0 } });
    await service.send({ from: '28000' });
    expect(carrier.submits[0]).toMatchObject({ source: { ton: 2, npi: 8 }, destination: { ton: 0, npi: 0 } });
  });

  it('whose sender or text does not fit is not sent, for certain', async () => {
    const { carrier, service } = await start();
    expect(await service.send({ from: 'ЖЖ' })).toEqual({ kind: 'unsendable' });
    expect(await service.send({ text: 'ж'.repeat(17_100) })).toEqual({ kind: 'unsendable' });
    expect(carrier.submits).toEqual([]);
  });

  it('that is repeated, also at once, is submitted once and answered alike', async () => {
    const { carrier, service } = await start();
    const answers = await Promise.all(Array.from({ length: 5 }, () => service.send({ messageId: 'msg_same' })));
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([carrier.accepted[0]?.id]));
    expect(carrier.submits).toHaveLength(1);
  });

  it('that is answered too late is unknown first, and found when it is asked for', async () => {
    const { carrier, service } = await start();
    carrier.script('accept_and_hang');
    expect(await service.send({ messageId: 'msg_late', waitMs: 100 })).toEqual({ kind: 'unknown', why: 'timeout' });
    expect(await service.call('status', { messageId: 'msg_late' })).toMatchObject({ kind: 'unknown' });
    carrier.answerHeld();
    await vi.waitFor(async () =>
      expect(await service.call('status', { messageId: 'msg_late' })).toEqual({
        kind: 'accepted',
        id: carrier.accepted[0]?.id,
      }),
    );
    expect(await service.call('status', { messageId: 'msg_other' })).toMatchObject({ kind: 'unknown' });
  });

  it('in parts goes out over a transmitter, while a receiver is bound beside it', async () => {
    const { carrier, service } = await start({ bindType: 'transmitter_receiver' });
    await vi.waitFor(() => expect(carrier.bound()).toHaveLength(2));
    expect(
      carrier
        .bound()
        .map(({ command }) => command)
        .sort(),
    ).toEqual([1, 2]);
    const long = 'a'.repeat(400);
    expect(await service.send({ text: long })).toMatchObject({ kind: 'accepted', id: carrier.accepted[2]?.id });
    expect(carrier.submits.map(textOf).join('')).toBe(long);
  });
});

describe('what is called without proof', () => {
  it('is refused, and nothing is sent', async () => {
    const { carrier, service } = await start();
    const body = JSON.stringify({ messageId: 'msg_1', to: '+5511987654321', text: 'Oi', waitMs: 100 });
    const proof = signCarrierBody(KEY, 'submit', body, Date.now());
    const statusOf = async (path: string, sent: string, headers: Readonly<Record<string, string>>) =>
      (await service.post(path, sent, headers)).status;
    expect(await statusOf('/carrier/submit', body, {})).toBe(401);
    expect(await statusOf('/carrier/submit', body.replace('Oi', 'Ei'), proof)).toBe(401);
    expect(await statusOf('/carrier/submit', body, signCarrierBody(`${KEY}.`, 'submit', body, Date.now()))).toBe(401);
    expect(await statusOf('/carrier/submit', body, signCarrierBody(KEY, 'status', body, Date.now()))).toBe(401);
    expect(await statusOf('/carrier/submit', body, signCarrierBody(KEY, 'submit', body, Date.now() - 301_000))).toBe(
      401,
    );
    expect(await statusOf('/carrier/other', body, proof)).toBe(404);
    const odd = '{"messageId":"msg_1"}';
    expect(await statusOf('/carrier/submit', odd, signCarrierBody(KEY, 'submit', odd, Date.now()))).toBe(400);
    expect(await statusOf('/carrier/submit', 'a'.repeat(200_000), proof)).toBe(413);
    expect((await fetch(`${service.url}/health`)).status).toBe(204);
    expect(carrier.submits).toEqual([]);
  });

  it('has nobody to call where no carrier is set up', async () => {
    const service = await serviceOf(() => undefined);
    const body = '{}';
    const { status } = await service.post('/carrier/submit', body, signCarrierBody(KEY, 'submit', body, Date.now()));
    expect(status).toBe(503);
  });
});

describe('what the carrier delivers', () => {
  const RECEIPT = {
    source: '5511987654321',
    destination: '28000',
    esmClass: 4,
    short: Buffer.from('id:7 stat:DELIVRD err:000'),
  };
  const SAID = { kind: 'receipt', id: '7', state: 'DELIVRD', error: '000', phone: '+5511987654321' };
  const MESSAGE = { source: '5511987654321', destination: '28000', ...octetsOf('SIM, é claro') };

  it('is answered once it was handed over, never before', async () => {
    const where = await callbacks();
    const { carrier } = await start({}, { callbackUrl: where.url });
    const held = Promise.withResolvers<number>();
    where.answerWith(held.promise);
    let answered = false;
    const answer = carrier.deliver(RECEIPT).then((status) => {
      answered = true;
      return status;
    });
    await vi.waitFor(() => expect(where.posts).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(answered).toBe(false);
    held.resolve(200);
    expect(await answer).toBe(0);
    expect(where.posts[0]).toMatchObject({ path: '/receipts', isOurs: true });
    expect(JSON.parse(where.posts[0]?.body ?? '')).toEqual(SAID);
  });

  it('is to be repeated where it could not be handed over', async () => {
    const where = await callbacks();
    const { carrier, service } = await start({}, { callbackUrl: where.url });
    where.answerWith(503, 403, 200);
    expect([await carrier.deliver(RECEIPT), await carrier.deliver(RECEIPT), await carrier.deliver(RECEIPT)]).toEqual([
      0x64, 0x64, 0,
    ]);
    expect(service.faults).toEqual(['callback: HTTP 503', 'callback: HTTP 403']);
    await where.close();
    expect(await carrier.deliver(RECEIPT)).toBe(0x64);
  });

  it('and cannot be read is passed over, so that what follows is not held up', async () => {
    const where = await callbacks();
    const { carrier, service } = await start({}, { callbackUrl: where.url });
    expect(await carrier.deliver({ ...RECEIPT, short: Buffer.from('delivered!') })).toBe(0);
    expect(await carrier.deliver({ ...MESSAGE, dataCoding: 4 })).toBe(0);
    expect(where.posts).toEqual([]);
    expect(service.faults).toHaveLength(2);
  });

  it('by a person has an id of its own, which a repeat of one that was not answered shares', async () => {
    const where = await callbacks();
    const { carrier } = await start({}, { callbackUrl: where.url });
    const idOf = (at: number) => JSON.parse(where.posts[at]?.body ?? '').id;
    where.answerWith(503);
    for (const status of [0x64, 0, 0]) expect(await carrier.deliver(MESSAGE)).toBe(status);
    expect(where.posts[0]).toMatchObject({ path: '/replies', isOurs: true });
    expect(JSON.parse(where.posts[0]?.body ?? '')).toMatchObject({
      from: '+5511987654321',
      to: '28000',
      text: 'SIM, é claro',
    });
    expect(idOf(1)).toBe(idOf(0));
    // The person wrote the same again.
    expect(idOf(2)).not.toBe(idOf(1));
  });

  it('and whose response was lost with its connection is known again', async () => {
    const where = await callbacks();
    const { carrier } = await start({}, { callbackUrl: where.url });
    expect(await carrier.deliver(MESSAGE)).toBe(0);
    carrier.drop();
    await vi.waitFor(() => expect([carrier.binds.length, carrier.bound().length]).toEqual([2, 1]));
    expect(await carrier.deliver(MESSAGE)).toBe(0);
    expect(await carrier.deliver(MESSAGE)).toBe(0);
    const [first, repeat, another] = where.posts.map(({ body }) => JSON.parse(body).id);
    expect(repeat).toBe(first);
    expect(another).not.toBe(first);
  });
});

describe('several processes', () => {
  it('hold as many binds together as are set up, each message leaves once, and who has none passes it on', async () => {
    const carrier = await startCarrier();
    ends.push(carrier.close);
    const settings = () => settingsOf(carrier, { binds: 2 });
    const processes = await Promise.all(Array.from({ length: 4 }, () => serviceOf(settings)));
    await vi.waitFor(() => expect(carrier.bound()).toHaveLength(2), { timeout: 20_000 });
    const sent = await Promise.all(processes.flatMap((one) => Array.from({ length: 5 }, () => one.send())));
    expect(sent.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(20);
    expect(carrier.submits).toHaveLength(20);
    expect(carrier.binds).toHaveLength(2);
    expect(processes.reduce((sum, { service }) => sum + service.binds, 0)).toBe(2);
  });

  it('take over the binds of one that ends, which says unbind first', async () => {
    const { carrier, service: first } = await start();
    const second = await serviceOf(() => settingsOf(carrier));
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(carrier.binds).toHaveLength(1);
    carrier.log();
    await first.close();
    expect(carrier.log()).toContain('6 0');
    await vi.waitFor(() => expect(carrier.bound()).toHaveLength(1), { timeout: 10_000 });
    expect(await second.send()).toMatchObject({ kind: 'accepted' });
    expect(carrier.binds).toHaveLength(2);
  });

  it('find a late response wherever the message was submitted', async () => {
    const { carrier, service: first } = await start();
    const second = await serviceOf(() => settingsOf(carrier));
    await second.send({ messageId: 'msg_there' });
    expect(carrier.accepted).toHaveLength(1);
    expect(await second.call('status', { messageId: 'msg_there' })).toEqual({
      kind: 'accepted',
      id: carrier.accepted[0]?.id,
    });
    expect(await first.call('status', { messageId: 'msg_there' })).toMatchObject({ kind: 'accepted' });
  });

  it('where none has a bind say so, for certain', async () => {
    const carrier = await startCarrier();
    ends.push(carrier.close);
    const service = await serviceOf(() => settingsOf(carrier, { binds: 0 }));
    expect(await service.send()).toEqual({ kind: 'unbound' });
  });
});

describe('TLS', () => {
  const cert = readFileSync(join(import.meta.dirname, '../support/smpp/loopback-test-only.cert.pem'), 'utf8');
  const key = readFileSync(join(import.meta.dirname, '../support/smpp/loopback-test-only.key.pem'), 'utf8');

  it('binds to a carrier whose certificate is known, and to no other', async () => {
    const carrier = await startCarrier({ tls: { cert, key } });
    ends.push(carrier.close);
    let settings = settingsOf(carrier, { tls: true });
    const service = await serviceOf(() => settings);
    await vi.waitFor(() => expect(service.news).toContainEqual(expect.objectContaining({ news: 'unreachable' })), {
      timeout: 10_000,
    });
    expect(await service.send({ waitMs: 50 })).toEqual({ kind: 'unbound' });
    settings = settingsOf(carrier, { tls: true, tlsCa: cert });
    await vi.waitFor(() => expect(carrier.bound()).toHaveLength(1), { timeout: 10_000 });
    expect(await service.send()).toMatchObject({ kind: 'accepted' });
    settings = settingsOf(carrier, { tls: true, tlsCa: cert, host: 'carrier.localhost' });
    await vi.waitFor(() => expect(carrier.bound()).toHaveLength(0), { timeout: 10_000 });
    expect(await service.send({ waitMs: 50 })).toEqual({ kind: 'unbound' });
    expect(carrier.binds).toHaveLength(1);
  });
});

describe('settings', () => {
  it('that change end the binds and make others; without any there are none', async () => {
    const carrier = await startCarrier();
    const other = await startCarrier({ systemId: 'another' });
    ends.push(carrier.close, other.close);
    let settings: SmppCarrierSettings | undefined;
    const service = await serviceOf(() => settings);
    expect(service.service.binds).toBe(0);
    settings = settingsOf(carrier);
    await vi.waitFor(() => expect(carrier.bound()).toHaveLength(1), { timeout: 10_000 });
    settings = settingsOf(other, { systemId: 'another' });
    await vi.waitFor(() => expect(other.bound()).toHaveLength(1), { timeout: 10_000 });
    expect(carrier.bound()).toHaveLength(0);
    settings = undefined;
    await vi.waitFor(() => expect(other.bound()).toHaveLength(0), { timeout: 10_000 });
    expect(await service.slots.held(Date.now())).toEqual([]);
  });

  it('of a bind that is refused are told, with the status', async () => {
    const carrier = await startCarrier({ password: 'another' });
    ends.push(carrier.close);
    const service = await serviceOf(() => settingsOf(carrier));
    await vi.waitFor(() =>
      expect(service.news).toContainEqual(expect.objectContaining({ news: 'refused', status: 0x0e })),
    );
    expect(await service.send({ waitMs: 100 })).toEqual({ kind: 'unbound', status: 0x0e });
  });
});
