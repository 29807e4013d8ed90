import type { Tenant } from '../../shared/domain/core/actor.ts';
import type { EmailIdentities, IdentityAnswer, Sender, SenderPorts } from '../../shared/domain/senders/sender.ts';
import { createSender } from '../../shared/domain/senders/senders.ts';
import { senderStore } from '../../shared/storage/senders/senders.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

let count = 0;
export const newDomain = () => `dominio-${++count}.example`;

/** Senders in a table, and an SES in memory. */
export const useSenders = async () => {
  const world = await use(startWorld('live'));
  const senders = senderStore(world.table);
  /** What SES knows; `down`: it does not answer; `absent`: none is set up. */
  const ses = { known: new Map<string, 'pending' | 'rejected' | 'verified'>(), down: false, absent: false };
  const answer = (value: string): IdentityAnswer => {
    const status = ses.known.get(value);
    if (ses.down) return { kind: 'unavailable', detail: 'TimeoutError' };
    return status ? { kind: 'done', state: { status } } : { kind: 'absent' };
  };
  const identities: EmailIdentities = {
    create: async (value) => {
      if (ses.known.has(value)) return { kind: 'exists' };
      if (!ses.down) ses.known.set(value, 'pending');
      return answer(value);
    },
    read: async (value) => answer(value),
    remove: async (value) => {
      if (!ses.down) ses.known.delete(value);
      return answer(value);
    },
  };
  const enqueued: number[] = [];
  const ports: SenderPorts = {
    clock: () => world.now,
    senders,
    emailIdentities: async () => (ses.absent ? undefined : identities),
    enqueueCheck: ({ nextCheckAt = 0 }) => void enqueued.push(nextCheckAt - world.now),
  };
  return {
    world,
    ses,
    enqueued,
    ports,
    senders,
    reset() {
      enqueued.length = 0;
      ses.known.clear();
      Object.assign(ses, { down: false, absent: false });
    },
    ownerOf: async (): Promise<Tenant> => ({ ...(await world.organization()), env: 'live' }),
    registered: async (owner: Tenant, value: string): Promise<Sender> =>
      accepted(await createSender(ports, owner, { channel: 'email', value })),
    stored: async ({ organizationId, id }: Sender) => senders.read(organizationId, id),
    stateOf: async ({ organizationId, id }: Sender) => (await senders.read(organizationId, id))?.status,
  };
};
