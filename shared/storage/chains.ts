import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import type { ChainPorts } from '../domain/messages/chain.ts';
import { type Chain, type ChainStep, type Hop, NO_WAIT } from '../domain/messages/hops.ts';
import { type MessageRecord, missed, reached } from '../domain/messages/message.ts';
import type { DueHint } from '../queues/queues.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import type { Sealer } from './queued.ts';
import type { Table } from './table.ts';

/** A chain outlives its messages' receipts, and nothing longer. */
const KEEP_SECONDS = 30 * 24 * 3600;
const STATES = ['waiting', 'delivered', 'exhausted', 'cancelled'] as const;

const stored = z.object({
  id: z.string(),
  org: z.string(),
  env: z.enum(ENVIRONMENTS),
  hops: z.string(),
  next: z.int(),
  current: z.string(),
  waitUntil: z.int(),
  state: z.enum(STATES),
});

/** The chain that begins with a message, as part of its reservation. */
export const chainWrite = async (sealer: Sealer, chain: Chain, createdAt: number): Promise<WriteOp> => {
  const { organizationId, hops, ...fields } = chain;
  return {
    put: {
      ...KEYS.chain(chain.id),
      ...FINDS.due('fallback', chain.id, chain.waitUntil),
      ...fields,
      org: organizationId,
      hops: await sealer.seal(organizationId, chain.id, JSON.stringify(hops)),
      // Its first message may be scheduled for longer than a chain is kept.
      ttl: Math.ceil(Math.max(createdAt, chain.waitUntil) / 1000) + KEEP_SECONDS,
    },
  };
};

const standsAs = ({ next }: Chain) => ({
  text: '#state = :waiting AND #next = :next',
  values: { waiting: 'waiting', next },
});

/** The step to a hop's message: the chain stands as it was read, and its current message has not arrived; it tells which came after it. */
export const stepWrites = (
  { chain, waitUntil }: ChainStep,
  { id, channel, createdAt }: Pick<MessageRecord, 'id' | 'channel' | 'createdAt'>,
): WriteOp[] => [
  {
    update: KEYS.chain(chain.id),
    set: { next: chain.next + 1, current: id, waitUntil, ...FINDS.due('fallback', chain.id, waitUntil) },
    when: standsAs(chain),
  },
  {
    update: KEYS.message(chain.current),
    append: {
      decisions: [
        { at: createdAt, kind: 'fallback', detail: `hop=${chain.next + 1} channel=${channel} leaves as ${id}` },
      ],
    },
    when: {
      text: 'attribute_exists(#pk) AND NOT #status IN (:delivered, :read, :complained)',
      values: { delivered: 'delivered', read: 'read', complained: 'complained' },
    },
  },
];

/** What a message that has come to `status` means for its chain: over, or to go on at once. Wakes nothing that is over. */
export const chainNews = (message: MessageRecord, at: number): WriteOp[] => {
  const { chainId } = message;
  if (!chainId) return [];
  const key = KEYS.chain(chainId);
  if (message.reason === 'cancelled')
    return [{ update: key, set: { state: 'cancelled' }, remove: ['duePk', 'dueAt', 'hops'] }];
  if (reached(message)) return [{ update: key, set: { state: 'delivered' }, remove: ['duePk', 'dueAt', 'hops'] }];
  return missed(message) ? [{ update: key, set: FINDS.due('fallback', chainId, at) }] : [];
};

/** The hint that a failed message's chain goes on. */
export const chainHints = (message: MessageRecord, status: MessageRecord['status'] | undefined): DueHint[] =>
  message.chainId && status && missed({ ...message, status })
    ? [{ kind: 'fallback', ...KEYS.chain(message.chainId) }]
    : [];

/** Chains in the table of one stage. */
export const chainStore = (
  table: Table,
  sealer: Sealer,
): Pick<ChainPorts, 'readChain' | 'rearm' | 'endChain' | 'skipHop'> => ({
  async readChain(id) {
    const row = await table.get(KEYS.chain(id));
    const parsed = stored.safeParse(row);
    if (!row) return undefined;
    if (!parsed.success) {
      // News of a chain that is over or gone left a due time behind.
      await table.write({
        update: KEYS.chain(id),
        remove: ['duePk', 'dueAt'],
        when: { text: 'attribute_exists(#pk)' },
      });
      return undefined;
    }
    const { org, hops, ...fields } = parsed.data;
    const opened = JSON.parse(await sealer.open(org, id, hops)) as Hop[];
    return { ...fields, organizationId: org, hops: opened } as unknown as Chain;
  },
  async rearm(chain, at) {
    await table.write({
      update: KEYS.chain(chain.id),
      set: { ...FINDS.due('fallback', chain.id, at) },
      when: standsAs(chain),
    });
  },
  async endChain(chain, state) {
    await table.write({
      update: KEYS.chain(chain.id),
      set: { state },
      remove: ['duePk', 'dueAt', 'hops'],
      when: standsAs(chain),
    });
  },
  async skipHop(chain, decision) {
    const { ok } = await table.transact([
      {
        update: KEYS.chain(chain.id),
        set: { next: chain.next + 1, waitUntil: NO_WAIT, ...FINDS.due('fallback', chain.id, decision.at) },
        when: standsAs(chain),
      },
      { update: KEYS.message(chain.id), append: { decisions: [decision] }, when: { text: 'attribute_exists(#pk)' } },
    ]);
    return ok;
  },
});
