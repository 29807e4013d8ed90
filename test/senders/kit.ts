import type { Caller } from '../../shared/domain/audit/entry.ts';
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
  /** The state of SES; `down`: it does not answer; `absent`: none is set up. */
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
    hasText: async ({ name, value }) => texts.has(`${name} ${value}`),
    remove: async (value) => {
      if (!ses.down) ses.known.delete(value);
      return answer(value);
    },
  };
  /** The TXT records that DNS has. */
  const texts = new Set<string>();
  const enqueued: number[] = [];
  const ports: SenderPorts = {
    clock: () => world.now,
    senders,
    emailIdentities: async () => (ses.absent ? undefined : identities),
    enqueueCheck: ({ nextCheckAt = 0 }) => void enqueued.push(nextCheckAt - world.now),
  };
  /** The owner of a domain sets the record of this registration. */
  const own = ({ records = [] }: Sender) => {
    for (const { type, name, value } of records) if (type === 'TXT') texts.add(`${name} ${value}`);
  };
  return {
    world,
    ses,
    own,
    enqueued,
    ports,
    senders,
    reset() {
      enqueued.length = 0;
      ses.known.clear();
      texts.clear();
      Object.assign(ses, { down: false, absent: false });
    },
    ownerOf: async (): Promise<Caller> => world.organization(),
    registered: async (owner: Caller, value: string): Promise<Sender> =>
      accepted(await createSender(ports, owner, { channel: 'email', value })),
    stored: async ({ organizationId, id }: Sender) => senders.read(organizationId, id),
    stateOf: async ({ organizationId, id }: Sender) => (await senders.read(organizationId, id))?.status,
  };
};
