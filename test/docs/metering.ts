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

/** Consumers receive a queue message well within this time. */
const QUIET_MS = 500;
const messagesIn = (body: string): number => (JSON.parse(body) as { Entries?: unknown[] }).Entries?.length ?? 1;

/** The service behind counting proxies of the table and the queues. The dispatcher runs once, at the start. */
export const startMetered = async (options: Partial<Pick<LocalStackOptions, 'port' | 'env'>> = {}) => {
  const [tables, queues]: Engine[] = await Promise.all([startDynoxide(), startFauxqs()]);
  if (!tables || !queues) throw new Error('An engine did not start.');
  const meter: CountingProxy = await startCountingProxy(tables.endpoint);
  const queueProxy = await startFaultProxy(queues.endpoint);
  let messages = 0;
  queueProxy.plan(({ action, body }) => {
    if (action.startsWith('SendMessage')) messages += messagesIn(body);
    return undefined;
  });
  const env = { ...options.env, DYNAMODB_ENDPOINT: meter.endpoint, SQS_ENDPOINT: queueProxy.endpoint };
  const messaging: Messaging = await startMessaging({ ...options, env, dispatchSeconds: 3_600 });
  const provider: InfobipStandIn = await startInfobipStandIn();
  const { settings } = provider;
  await setUpProvider(messaging, 'sms', 'infobip', settings);

  /** Waits until the table has not been called for a while: the consumers are done. */
  const quiet = async (): Promise<void> => {
    for (let seen = -1; seen !== meter.taken().trips; await pause(QUIET_MS)) seen = meter.taken().trips;
  };
  /** The consumption of work, including its consumers if requested. */
  const metered = async (work: () => Promise<unknown>, withConsumers = false): Promise<Metered> => {
    meter.reset();
    messages = 0;
    await work();
    if (withConsumers) await quiet();
    const { writeUnits, readUnits, trips } = meter.taken();
    return { writeUnits, readUnits, trips, messages };
  };
  const close = async () => {
    await messaging.close();
    await provider.close();
    await Promise.all([meter.close(), queueProxy.close()]);
    await Promise.all([tables.stop(), queues.stop()]);
  };
  return { messaging, provider, metered, quiet, close };
};
