import { isRefusal } from '../errors.ts';
import { messageEvent } from './events.ts';
import { type Chain, type Hop, NO_WAIT } from './hops.ts';
import { type Decision, type MessageRecord, missed, reached } from './message.ts';
import { type Planned, requestHash } from './plan.ts';
import type { SendPorts } from './ports.ts';
import { reserveMessage } from './send.ts';

export interface ChainPorts extends SendPorts {
  readonly readChain: (id: string) => Promise<Chain | undefined>;
  /** Looks again at this moment (ms). */
  readonly rearm: (chain: Chain, at: number) => Promise<void>;
  readonly endChain: (chain: Chain, state: Exclude<Chain['state'], 'waiting'>) => Promise<void>;
  /** Leaves the next hop out and tells why on the first message. False when the chain moved meanwhile. */
  readonly skipHop: (chain: Chain, decision: Decision) => Promise<boolean>;
  readonly plan: (chain: Chain, hop: Hop, key: string, hash: string) => Promise<Planned>;
  readonly hintSend: (messageId: string, at: number) => void;
  readonly hintChain: (id: string, at: number) => void;
}

/** When a message whose hold is open is looked at again, in ms. */
const LOOK_AGAIN_MS = 5_000;

const skip = async (ports: ChainPorts, chain: Chain, why: string): Promise<void> => {
  const now = ports.clock();
  const detail = `hop=${chain.next + 1} channel=${chain.hops[chain.next]?.channel} left out: ${why}`;
  if (await ports.skipHop(chain, { at: now, kind: 'fallback', detail })) ports.hintChain(chain.id, now);
};

/** Reserves the next hop's message; leaves the hop out when it is refused. */
const takeHop = async (ports: ChainPorts, chain: Chain, hop: Hop): Promise<void> => {
  const now = ports.clock();
  // No caller can write a line break into a key: a hop's promise is its own.
  const key = `hop\n${chain.id}\n${chain.next}`;
  const hash = requestHash('hop', { chain: chain.id, next: chain.next });
  const planned = await ports.plan(chain, hop, key, hash);
  if (isRefusal(planned)) return skip(ports, chain, planned.details.detail);
  const following = chain.hops[chain.next + 1];
  const reserved = await reserveMessage(
    ports,
    chain,
    { ...planned.plan, chainId: chain.id, maxCoins: hop.maxCoins },
    {
      status: 'queued',
      at: now,
      body: planned.body,
      step: { chain, waitUntil: now + (following?.afterMs ?? 0) },
    },
    (message) => [messageEvent('message.queued', message, now)],
  );
  if (!isRefusal(reserved)) {
    ports.hintSend(reserved.message.id, now);
    return following && ports.hintChain(chain.id, now + following.afterMs);
  }
  if (reserved.details.meta?.code !== 'OVERTAKEN') await skip(ports, chain, reserved.details.detail);
};

/** When an unfinished message has to be looked at again, in ms; undefined when its hop is over. */
const waitsUntil = (current: MessageRecord, chain: Chain, now: number): number | undefined => {
  if (missed(current) && current.hold !== 'open') return undefined;
  if (current.status === 'queued') return Math.max(current.deadline, now) + LOOK_AGAIN_MS;
  if (current.hold === 'open') return now + LOOK_AGAIN_MS;
  if (chain.waitUntil === NO_WAIT) return undefined;
  // It is waited for from the moment that it left: what deferred or forced it moves the end of the wait.
  const leftAt = current.sentAt ?? current.createdAt;
  const moved = leftAt + (chain.hops[chain.next]?.afterMs ?? 0) - chain.waitUntil;
  const until = Math.abs(moved) < LOOK_AGAIN_MS ? chain.waitUntil : chain.waitUntil + moved;
  return until > now ? until : undefined;
};

/**
 * Goes on with a chain whose time has come, or whose message failed. The step is one transaction with the hold of its message, under
 * the condition that the current message has not arrived: a delivery and a step can never both win.
 */
export const goOn = async (ports: ChainPorts, id: string): Promise<void> => {
  const chain = await ports.readChain(id);
  if (chain?.state !== 'waiting') return;
  const current = await ports.journal.read(chain.current);
  if (!current) return ports.endChain(chain, 'exhausted');
  if (reached(current)) return ports.endChain(chain, 'delivered');
  const until = waitsUntil(current, chain, ports.clock());
  if (until !== undefined) {
    await ports.rearm(chain, until);
    return ports.hintChain(chain.id, until);
  }
  const hop = chain.hops[chain.next];
  return hop ? takeHop(ports, chain, hop) : ports.endChain(chain, 'exhausted');
};
