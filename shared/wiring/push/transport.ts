import type { PushTransport } from '../../domain/channels/push/transport.ts';
import { MAX_IDLE_MS } from '../../providers/keep-alive.ts';
import type { PushOptions } from '../../providers/push/transport.ts';
import { providerIo, settings } from '../process/aws.ts';

let opened: Promise<PushTransport> | undefined;

const open = async (): Promise<PushTransport> => {
  if (settings.STAGE === 'test') return (await import('../../domain/channels/push/sandbox.ts')).sandboxTransport;
  const [{ createPushTransport }, { createConnections }] = await Promise.all([
    import('../../providers/push/transport.ts'),
    import('../../providers/webhooks/connections.ts'),
  ]);
  const connections = createConnections({ allowLoopbackHttp: settings.WEBHOOK_LOOPBACK, idleMs: MAX_IDLE_MS });
  // The schema's optional fields allow undefined, which parsed JSON never contains.
  const services = settings.PUSH_SERVICES as Omit<PushOptions, 'connections'>;
  return createPushTransport(providerIo, { ...services, connections, webPushHosts: settings.WEB_PUSH_HOSTS });
};

/** The transport to the push services, or the sandbox's. Loaded at the first send. */
export const pushTransport = (): Promise<PushTransport> => {
  opened ??= open();
  return opened;
};
