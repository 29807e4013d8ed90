import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, vi } from 'vitest';
import { startCarrier as startService } from '../../infra/local/carrier/start.ts';
import { BIND_LEASE_MS } from '../../shared/domain/smpp/bind.ts';
import { type CarrierSettings, isCarrierBody, signCarrierBody } from '../../shared/domain/smpp/carrier.ts';
import { type SmppCarrierSettings, smppCarrierSettings } from '../../shared/providers/sms/smpp-carrier.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { carrierBinds } from '../../shared/storage/smpp/carrier-binds.ts';
import type { Slot } from '../../shared/storage/smpp/slots.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { listening } from '../support/loopback.ts';
import { PATIENCE } from '../support/patience.ts';
import { type Carrier, startCarrier } from '../support/smpp/carrier-simulator.ts';

export const KEY = 'a key that both sides of a test have';

/** Where callbacks go: what came, and how the next ones are answered. */
export const callbacks = async () => {
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
  onTestFinished(server.close);
  return { ...server, posts, answerWith: (...more: (number | Promise<number>)[]) => void answers.push(...more) };
};

export const settingsOf = (
  carrier: Pick<Carrier, 'port'>,
  over: Partial<SmppCarrierSettings> = {},
): SmppCarrierSettings => ({
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

interface ProcessOptions {
  readonly callbackUrl?: string;
  readonly table?: Table;
  readonly everyMs?: number;
}
const startProcess = async (
  settings: () => CarrierSettings | undefined,
  { callbackUrl = 'http://127.0.0.1:1', table, everyMs = 30 }: ProcessOptions & { readonly table: Table },
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
  onTestFinished(close);
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

/** Processes of the SMPP service, each on a table client of its own, for the tests of one file. */
export const useCarrierProcesses = async () => {
  const { ownTable } = await useContendedTable();
  const serviceOf = (settings: () => CarrierSettings | undefined, options: ProcessOptions = {}) =>
    startProcess(settings, { table: ownTable(), ...options });
  /** A carrier, and one process that has a bind to it. */
  const start = async (over: Partial<SmppCarrierSettings> = {}, options: ProcessOptions = {}) => {
    const carrier = await startCarrier();
    onTestFinished(carrier.close);
    const service = await serviceOf(() => settingsOf(carrier, over), options);
    await vi.waitFor(() => expect(carrier.bound().length).toBeGreaterThan(0), PATIENCE);
    return { carrier, service };
  };
  return { serviceOf, start };
};
