import type { Id } from '../core/ids.ts';
import { isFailed, type MessageRecord, type MessageStatus } from './message.ts';

/**
 * What is counted of the messages of a journey's step or a campaign, each message once (docs/spec/sends.md#counts): how many were accepted, ended
 * without being sent, and of these were replaced, were sent, and reached each further state; and the coins that they hold and that were captured. Accepted messages that are
 * neither sent nor unsent are still on their way.
 */
export const MESSAGE_COUNTS = [
  'accepted',
  'unsent',
  'replaced',
  'sent',
  'delivered',
  'read',
  'clicked',
  'failed',
  'coinsHeld',
  'coinsCaptured',
] as const;
export type MessageCounts = Readonly<Partial<Record<(typeof MESSAGE_COUNTS)[number], number>>>;

/** What a message is counted for. `stepId` is empty for what is counted of a journey as a whole. */
export type Counted =
  | { readonly journeyId: Id<'journey'>; readonly stepId: string }
  | { readonly campaignId: Id<'campaign'> };

/** What a message is counted for; undefined for one that neither a journey nor a campaign sent. */
export const countedOf = ({ journey, campaign }: Pick<MessageRecord, 'journey' | 'campaign'>): Counted | undefined => {
  if (journey) return { journeyId: journey.journeyId, stepId: journey.stepId };
  return campaign && { campaignId: campaign };
};

type Priced = Pick<MessageRecord, 'coins'>;

/** A message is accepted. */
export const countsOfAcceptance = ({ coins }: Priced): MessageCounts => ({ accepted: 1, coinsHeld: coins });

/** Its provider took it; `captured` coins of its price are kept. */
export const countsOfSettlement = ({ coins }: Priced, captured: number = coins): MessageCounts => ({
  sent: 1,
  coinsHeld: -coins,
  coinsCaptured: captured,
});

/** Its hold is released. `withdrawn`: its batch was refused as a whole, as if it had never been accepted. */
export const countsOfRelease = ({ coins }: Priced, withdrawn = false): MessageCounts =>
  withdrawn ? { accepted: -1, coinsHeld: -coins } : { unsent: 1, failed: 1, coinsHeld: -coins };

/** Another message took its place before it left. */
export const countsOfWithdrawal = ({ coins }: Priced): MessageCounts => ({
  unsent: 1,
  replaced: 1,
  coinsHeld: -coins,
});

const DELIVERED: ReadonlySet<MessageStatus> = new Set(['delivered', 'read', 'complained']);
/** 1 where something becomes true, -1 where it was and is no longer, else 0. */
const turn = (before: boolean, after: boolean): number => Number(after) - Number(before);

/**
 * A receipt moves a resolved message to another status, or coins go back. A status that skips others counts them, too: what is read was
 * delivered. What a later receipt disproves counts no more: a delivered e-mail that bounces, a failed message that is read.
 */
export const countsOfAdvance = (
  { status: before, hold }: Pick<MessageRecord, 'status' | 'hold'>,
  after: MessageStatus = before,
  refund = 0,
): MessageCounts => {
  const delivered = turn(DELIVERED.has(before), DELIVERED.has(after));
  // It was given up, and its provider had taken it all the same.
  const late = hold === 'released' && delivered > 0 ? 1 : 0;
  return {
    sent: late,
    unsent: -late,
    delivered,
    read: Number(after === 'read' && before !== 'read'),
    failed: turn(isFailed({ status: before }), isFailed({ status: after })),
    coinsCaptured: -refund,
  };
};
