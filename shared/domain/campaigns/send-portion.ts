import { sendEach } from '../bulk/send-each.ts';
import { isRefusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { type Campaign, DEFER_MS, openNumbers, type PauseReason, type Portion } from './campaign.ts';
import { cancelPortion } from './cancel-portion.ts';
import { type Composed, composeAll, entryOf } from './compose.ts';
import { judge, NO_ADDRESS } from './judge.ts';
import { pauseFor } from './lifecycle.ts';
import type { PortionPorts, PortionResult } from './ports.ts';
import { writtenBefore } from './written-before.ts';

/** How long a worker claims a portion, in ms: longer than its function runs, and than a batch stays undecided after a crash. */
export const CLAIM_MS = 90_000;

/** The result of an attempt at a portion: `open` recipients are retried at `retryAt` (ms), or once the campaign resumes. */
interface Attempt {
  readonly sent: Portion['sent'];
  readonly skipped: Portion['skipped'];
  readonly retryAt?: number | undefined;
  readonly pause?: PauseReason | undefined;
  /** Coins of the campaign's `maxCoins`: those that the portion keeps, and those that it returns. */
  readonly allotted: number;
  readonly returned: number;
}

const coinsOf = async (ports: PortionPorts, ids: readonly Id<'message'>[]): Promise<number> => {
  const messages = ids.length === 0 ? [] : await ports.readMessages(ids);
  return messages.reduce((sum, message) => sum + (message?.coins ?? 0), 0);
};

/** The coins that a portion may spend, and whether it needed more. */
class Allotment {
  readonly #portion: Portion;
  allotted: number;
  isShort = false;
  spent = 0;
  constructor(portion: Portion) {
    this.#portion = portion;
    this.allotted = portion.allotted;
  }
  /** Reserves the messages' price from the campaign's `maxCoins`, as far as available. */
  budgetFor(ports: PortionPorts, campaign: Campaign) {
    return async (coins: number, replayed: readonly Id<'message'>[]): Promise<number> => {
      this.spent = await coinsOf(ports, replayed);
      const lacking = Math.max(0, coins - (this.allotted - this.spent));
      const more =
        lacking === 0 ? 0 : await ports.store.allot(campaign, { ...this.#portion, allotted: this.allotted }, lacking);
      if (more === 'lost') return 0;
      this.allotted += more;
      this.isShort = more < lacking;
      return Math.max(0, this.allotted - this.spent);
    };
  }
}

/** Sends to the open recipients, and classifies the refused ones. */
const sendOpen = async (
  ports: PortionPorts,
  campaign: Campaign,
  portion: Portion,
  composed: readonly Composed[],
): Promise<Attempt> => {
  const allotment = new Allotment(portion);
  const budget = campaign.maxCoins === undefined ? undefined : allotment.budgetFor(ports, campaign);
  const entries = composed.map((one) => entryOf(campaign, one));
  const outcome = await sendEach(ports.bulk, campaign, entries, budget);
  const now = ports.clock();
  if (isRefusal(outcome)) {
    const retryAt = now + (outcome.details.retryAfterSeconds ?? 5) * 1000;
    // Messages of an earlier attempt are not known as sent yet: their cost is kept for the next one.
    const { allotted, spent } = allotment;
    return { sent: [], skipped: [], retryAt, allotted: spent, returned: allotted - spent };
  }
  const numberAt = (index: number): number => composed[index]?.number ?? -1;
  const sent = [...outcome.messages].map(([index, messageId]) => [numberAt(index), messageId] as const);
  const triedUntil = portion.triedUntil ?? now + DEFER_MS;
  const judged = judge(outcome.refused, { now, triedUntil, shortOfMaxCoins: allotment.isShort });
  return {
    sent,
    skipped: judged.skipped.map(([index, reason]) => [numberAt(index), reason] as const),
    retryAt: judged.retryAt,
    pause: judged.pause,
    allotted: 0,
    returned: allotment.allotted - allotment.spent - outcome.coins,
  };
};

/** The earliest of some optional times (ms). */
const earliest = (...times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
};

/** The result of an attempt at a claimed portion. */
const attempt = async (
  ports: PortionPorts,
  campaign: Campaign,
  portion: Portion,
): Promise<PortionResult & Pick<Attempt, 'pause'>> => {
  const open = openNumbers(portion);
  const contacts = await ports.contactsOf(campaign.organizationId, open);
  const there = open.flatMap((number) => {
    const contact = contacts.get(number);
    return contact ? [[number, contact] as const] : [];
  });
  const gone = open.filter((number) => !contacts.has(number)).map((number) => [number, 'unknown_contact'] as const);
  const before = await writtenBefore(ports, campaign, there);
  const messages = await composeAll(ports, campaign, before.open);
  const composed = messages.filter((one) => one !== undefined);
  const unaddressed = before.open.flatMap(([number], at) => (messages[at] ? [] : [[number, NO_ADDRESS] as const]));
  const done = await sendOpen(ports, campaign, portion, composed);
  const skipped = [...gone, ...before.skipped, ...unaddressed, ...done.skipped];
  const left = open.length - done.sent.length - skipped.length;
  const now = ports.clock();
  return {
    portion: {
      ...portion,
      sent: [...portion.sent, ...done.sent],
      skipped: [...portion.skipped, ...skipped],
      state: left === 0 ? 'done' : 'open',
      dueAt: earliest(done.retryAt, before.retryAt) ?? now,
      triedUntil: portion.triedUntil ?? now + DEFER_MS,
      allotted: done.allotted,
    },
    skipped: skipped.length,
    returned: done.returned,
    pause: done.pause,
  };
};

const work = async (ports: PortionPorts, campaign: Campaign, portion: Portion): Promise<void> => {
  const now = ports.clock();
  const { dueAt, claimedUntil } = portion;
  if (claimedUntil > now) await ports.portions.postpone(portion, claimedUntil);
  if (dueAt > now || claimedUntil > now) {
    ports.enqueuePortions([{ ...portion, dueAt: Math.max(dueAt, claimedUntil) }]);
    return;
  }
  const claimed = await ports.portions.claim(portion, now, now + CLAIM_MS);
  if (!claimed) return;
  const result: PortionResult & Pick<Attempt, 'pause'> =
    campaign.status === 'cancelled'
      ? await cancelPortion(ports, campaign, claimed)
      : await attempt(ports, campaign, claimed);
  // A worker that has claimed the portion since then detects the pause reason itself.
  if (!(await ports.portions.save(claimed, result))) return;
  if (result.pause) await pauseFor(ports, campaign.id, result.pause, { epoch: campaign.drive?.epoch });
  if (result.portion.state === 'open') ports.enqueuePortions([result.portion]);
  else ports.enqueue(campaign, ports.clock());
};

/**
 * Processes a due portion: sends to its open recipients, each under the key of campaign and contact, and stores the results. Repeats,
 * concurrent workers and crashes have no effect: a recipient that already has a message is a replay. A portion of a paused campaign waits
 * until it is resumed; one of a cancelled campaign cancels its unsent messages.
 */
export const sendPortion = async (ports: PortionPorts, id: Id<'campaign'>, number: number): Promise<void> => {
  const portion = await ports.portions.read(id, number);
  if (!portion) return;
  // Read after the portion, so that a stale pause can't take a portion out of the due index after a resumption made it due.
  const campaign = await ports.store.readById(id);
  const { status } = campaign ?? {};
  if (campaign && status === 'cancelled') return work(ports, campaign, portion);
  if (campaign && status === 'running' && portion.state === 'open') return work(ports, campaign, portion);
  return ports.portions.park(portion);
};
