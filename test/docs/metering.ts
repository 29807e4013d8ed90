import { setTimeout as pause } from 'node:timers/promises';
import { type CountingProxy, startCountingProxy } from '../../bench/counting-proxy.ts';
import { type Engine, startDynoxide, startFauxqs } from '../../infra/local/engines.ts';
import type { LocalStackOptions } from '../../infra/local/local-stack.ts';
import { setUpProvider } from '../flows/support.ts';
import { type Messaging, startMessaging } from '../support/api.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { type InfobipStandIn, startInfobipStandIn } from '../support/providers/infobip-stand-in.ts';

/** Consumption: request units and round trips of the table, and queue messages. */
export interface Metered {
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly trips: number;
  readonly messages: number;
}

/** Between the calls of work that no queue message stands for. */
const QUIET_MS = 500;
interface Sent {
  readonly DelaySeconds?: number;
}
const messagesIn = (body: string): readonly Sent[] => {
  const call = JSON.parse(body) as Sent & { readonly Entries?: readonly Sent[] };
  return call.Entries ?? [call];
};

/** The service behind counting proxies of the table and the queues. The dispatcher runs once, at the start. */
export const startMetered = async (options: Partial<Pick<LocalStackOptions, 'port' | 'env'>> = {}) => {
  const [tables, queues]: Engine[] = await Promise.all([startDynoxide(), startFauxqs()]);
  if (!tables || !queues) throw new Error('An engine did not start.');
  const meter: CountingProxy = await startCountingProxy(tables.endpoint);
  const queueProxy = await startFaultProxy(queues.endpoint);
  let messages = 0;
  /** Messages that consumers have not finished, except those that wait for a time. */
  let underWay = 0;
  /** Resolves when messages may reach their consumers: work that is counted without them is over. */
  let consumed = Promise.resolve();
  queueProxy.plan(({ action, body }) => {
    if (action === 'ReceiveMessage') return { kind: 'hold_answer', until: () => consumed };
    if (action.startsWith('SendMessage')) {
      const sent = messagesIn(body);
      messages += sent.length;
      underWay += sent.filter(({ DelaySeconds = 0 }) => DelaySeconds === 0).length;
    }
    if (action.startsWith('DeleteMessage')) underWay = Math.max(0, underWay - messagesIn(body).length);
    return undefined;
  });
  const env = { ...options.env, DYNAMODB_ENDPOINT: meter.endpoint, SQS_ENDPOINT: queueProxy.endpoint };
  const messaging: Messaging = await startMessaging({ ...options, env, dispatchSeconds: 3_600 });
  const provider: InfobipStandIn = await startInfobipStandIn();
  const { settings } = provider;
  await setUpProvider(messaging, 'sms', 'infobip', settings);

  /** Waits until the consumers are done, however slow the machine is, and the table has not been called for a while in which this process ran. */
  const quiet = async (): Promise<void> => {
    let [seen, stood] = [-1, false];
    while (underWay > 0 || stood || seen !== meter.taken().trips) {
      seen = meter.taken().trips;
      const startedAt = performance.now();
      await pause(QUIET_MS);
      stood = performance.now() - startedAt > 1.5 * QUIET_MS;
    }
  };
  const counted = async (work: () => Promise<unknown>): Promise<Metered> => {
    meter.reset();
    messages = 0;
    await work();
    const { writeUnits, readUnits, trips } = meter.taken();
    return { writeUnits, readUnits, trips, messages };
  };
  /** The consumption of work: with its consumers, or of itself alone, so that a consumer waits until it is over. */
  const metered = async (work: () => Promise<unknown>, withConsumers = false): Promise<Metered> => {
    if (withConsumers) return counted(() => work().then(quiet));
    const { promise, resolve } = Promise.withResolvers<void>();
    consumed = promise;
    return counted(work).finally(resolve);
  };
  const close = async () => {
    await messaging.close();
    await provider.close();
    await Promise.all([meter.close(), queueProxy.close()]);
    await Promise.all([tables.stop(), queues.stop()]);
  };
  return { messaging, provider, metered, quiet, close };
};
