import { vi } from 'vitest';
import { startFauxqs } from '../../infra/local/engines.ts';
import { startMessaging } from '../support/api.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';

/** The service, with a record of what it prints and of what it puts on its queues. Failed queue messages are retried at once. */
export const startRecorded = async () => {
  const printed: string[] = [];
  const toQueues: string[] = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((chunk) => printed.push(String(chunk)) > 0);
  const engine = await startFauxqs();
  const proxy = await startFaultProxy(engine.endpoint);
  proxy.plan(({ action, body }) => void (action.startsWith('SendMessage') && toQueues.push(body)));
  const messaging = await startMessaging({ env: { SQS_ENDPOINT: proxy.endpoint }, retrySeconds: () => 0 });
  const close = async () => {
    await messaging.close();
    await proxy.close();
    await engine.stop();
  };
  return { messaging, engine, printed, toQueues, close };
};
