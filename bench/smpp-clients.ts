import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../infra/local/engines.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import {
  bindSmpp,
  type SmppClient,
  type SmppClientOptions,
  type SmppCredentials,
} from '../test/support/smpp-client.ts';
import type { LoadPlan, LoadResult } from './load.ts';
import { ended, type Measured, type Service, startService } from './processes.ts';
import { responseCounter } from './response-counter.ts';

/** Requests of a bind that are without a response at any time. */
export const WINDOW = 32;
/** What is submitted, and sent over HTTP beside it. */
export const TEXT = 'Your order is on its way.';
/** Binds that are asked for at once: an address has ten attempts, which those that succeed give back. */
const BINDING = 8;

/** The service with SMPP on a port of its own. */
export const startSmppService = async (): Promise<Service & { readonly smppPort: number }> => {
  const smppPort = await freePort();
  const service = await startService({ env: { SMPP_PORT: String(smppPort), SMPP_CARRIER_PORT: 'off' } });
  return { ...service, smppPort };
};

/** An account of the service's organization, in test. */
export const newAccount = async (
  { client }: Service,
  maxBinds: number,
): Promise<SmppCredentials & { readonly id: string }> => {
  const made = await client.post('/v2/smpp/accounts', { name: 'Bench', route: 'premium', maxBinds, window: WINDOW });
  if (made.status !== 201) throw new Error(made.text);
  return made.body;
};

/** The bare server. It needs no engine. */
export const startSmppFloor = async (): Promise<Measured> => {
  const child = fork(join(import.meta.dirname, 'smpp-floor.ts'));
  const [port] = (await once(child, 'message')) as [number];
  return { port, pid: child.pid ?? 0, enginePid: 0, stop: () => ended(child) };
};

/** Binds once with each of these. */
export const bindAll = (
  port: number,
  credentials: readonly SmppCredentials[],
  options: SmppClientOptions = {},
): Promise<SmppClient[]> => mapConcurrently(credentials, BINDING, (each) => bindSmpp(port, each, options));

export const unbindAll = async (clients: readonly SmppClient[]): Promise<void> => {
  await Promise.all(clients.map(({ session }) => session.unbind()));
};

/** Keeps the window of each bind full of submit_sm to a destination; what is refused ends its part of the load. */
export const submitLoad = async (
  clients: readonly SmppClient[],
  destinationAddr: string,
  timing: Pick<LoadPlan, 'measureMs' | 'warmMs'>,
): Promise<LoadResult> => {
  const counter = responseCounter(timing);
  const shortMessage = Buffer.from(TEXT);
  const submitOn = async ({ submit }: SmppClient) => {
    while (!counter.isOver()) {
      const startedAt = performance.now();
      const status = await submit({ destinationAddr, shortMessage }).then(
        () => 'ESME_ROK',
        ({ message }: Error) => message,
      );
      counter.note(status, performance.now() - startedAt);
      if (status !== 'ESME_ROK') return;
    }
  };
  await Promise.all(clients.flatMap((client) => Array.from({ length: WINDOW }, () => submitOn(client))));
  return { ...counter.result(), trace: [] };
};
