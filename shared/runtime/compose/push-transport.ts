import type { PushTransport } from '../../domain/push/transport.ts';
import { IDLE_MS } from '../../providers/kept-connections.ts';
import type { PushOptions } from '../../providers/push/transport.ts';
import { clock, providerFetch, settings } from './platform.ts';

let opened: Promise<PushTransport> | undefined;

const open = async (): Promise<PushTransport> => {
  if (settings.STAGE === 'test') return (await import('../../domain/push/sandbox.ts')).sandboxTransport;
  const [{ createPushTransport }, { createConnections }] = await Promise.all([
    import('../../providers/push/transport.ts'),
    import('../../providers/webhooks/connections.ts'),
  ]);
  const connections = createConnections({ allowLoopbackHttp: settings.WEBHOOK_LOOPBACK, idleMs: IDLE_MS });
  // Parsed JSON has no undefined, which the schema's type cannot say.
  const services = settings.PUSH_SERVICES as Omit<PushOptions, 'connections'>;
  return createPushTransport({ fetch: providerFetch, now: clock }, { ...services, connections });
};

/** How this stage hands notifications over: to the push services, or in the sandbox to nobody. Loaded at the first send. */
export const pushTransport = (): Promise<PushTransport> => {
  opened ??= open();
  return opened;
};
