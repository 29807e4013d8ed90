import type { SendPorts } from './ports.ts';
import { REUSED_KEY, type Sent } from './send.ts';

/** What stands under a caller's key already; the refusal where another request took it, undefined when it is free. */
export const replayOf = async (
  ports: Pick<SendPorts, 'promise' | 'clock' | 'journal'>,
  organizationId: string,
  key: string,
  hash: string,
): Promise<Sent | typeof REUSED_KEY | undefined> => {
  const promise = await ports.promise(organizationId, key, ports.clock());
  if (!promise) return undefined;
  if (promise.requestHash !== hash) return REUSED_KEY;
  const message = await ports.journal.read(promise.messageId);
  return message && { message, replayed: true };
};
