import type { Id } from '../../domain/core/ids.ts';
import {
  comparedValue,
  coveringValues,
  isExclusive,
  type Sender,
  type SenderChannel,
} from '../../domain/senders/sender.ts';
import { KEYS } from '../access-patterns.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Key } from '../client/row.ts';
import type { Table } from '../client/table.ts';

type Valued = Pick<Sender, 'channel' | 'value'>;

export const holderKey = ({ channel, value }: Valued): Key => KEYS.senderHolder(channel, comparedValue(channel, value));
const numberKey = ({ organizationId, channel, value }: Sender): Key =>
  KEYS.numberHolder(channel, comparedValue(channel, value), organizationId);
const belowKey = (channel: SenderChannel, above: string, value: string): Key =>
  KEYS.senderBelow(channel, comparedValue(channel, above), comparedValue(channel, value));
const fenceKey = (channel: SenderChannel, above: string): Key =>
  KEYS.senderBelow(channel, comparedValue(channel, above), '');

/** The parent domains that cover a value. */
const valuesAbove = ({ channel, value }: Valued): readonly string[] =>
  coveringValues(channel, value).filter((each) => each !== value);

/**
 * Verified senders hold their value exclusively, and so do pending e-mail ones, since SES registers a value once. A pending SMS sender name
 * holds nothing.
 */
const hasValue = ({ channel, status }: Sender): boolean =>
  status === 'verified' || (channel === 'email' && status === 'pending');
/** Numbers may be shared, and in the sandbox so may values that were merely used. */
const isShared = ({ channel, value, used }: Sender): boolean => used === true || !isExclusive(channel, value);

/** Verified values below a domain, read before the domain is acquired: `fence` changes with each one verified meanwhile. */
interface Below {
  readonly fence: number | undefined;
  readonly isForeign: boolean;
}
export const readBelow = async (
  table: Table,
  { channel, value, organizationId }: Valued & Pick<Sender, 'organizationId'>,
): Promise<Below> => {
  // The fence sorts first: any row that the query misses has changed it since.
  const rows = await table.queryAll({ partition: fenceKey(channel, value).pk, consistent: true });
  const fence = rows.find(({ moves }) => moves !== undefined)?.moves;
  return {
    fence: fence === undefined ? undefined : Number(fence),
    isForeign: rows.some(({ org }) => org !== undefined && org !== organizationId),
  };
};

/**
 * Acquires a verified value. Conditions: no verified sender of another organization covers it or is covered by it. Concurrent verifications
 * above or below conflict on one of these conditions. The fence is last: if only it fails, the value is read again.
 */
const takeVerified = ({ channel, value, organizationId: org }: Sender, { fence }: Below): WriteOp[] => [
  {
    put: { ...holderKey({ channel, value }), org, verified: true },
    when: { text: 'attribute_not_exists(#pk) OR #org = :org', values: { org } },
  },
  ...valuesAbove({ channel, value }).flatMap((above): WriteOp[] => [
    {
      check: holderKey({ channel, value: above }),
      when: { text: 'attribute_not_exists(#pk) OR #org = :org OR attribute_not_exists(#verified)', values: { org } },
    },
    { put: { ...belowKey(channel, above, value), org } },
    { update: fenceKey(channel, above), add: { moves: 1 } },
  ]),
  {
    check: fenceKey(channel, value),
    when: fence === undefined ? ABSENT : { text: '#moves = :fence', values: { fence } },
  },
];

/** The writes that acquire the value of a sender, if it holds one. `below` is needed if it is verified. */
export const hold = (sender: Sender, below: Below | undefined): WriteOp[] => {
  const { organizationId: org } = sender;
  if (!hasValue(sender)) return [];
  if (isShared(sender)) return [{ put: { ...numberKey(sender), org } }];
  if (below) return takeVerified(sender, below);
  const when = { text: 'attribute_not_exists(#pk) OR #org = :org', values: { org } };
  return [{ put: { ...holderKey(sender), org }, when }];
};

/** The writes of a change of status: a value is acquired, verified or released. */
export const moveValue = (before: Sender, after: Sender, below: Below | undefined): WriteOp[] => {
  if (!hasValue(after)) return free(before);
  return hasValue(before) && before.status === after.status ? [] : hold(after, below);
};

/** Releases the value of a sender, unless it stays reserved because it was verified. */
export const free = (sender: Sender): WriteOp[] => {
  if (!hasValue(sender)) return [];
  if (isShared(sender)) return [{ delete: numberKey(sender) }];
  return sender.verifiedAt === undefined ? [{ delete: holderKey(sender) }] : [];
};

/** Whether acquiring the value requires what is verified below it: SMS names and agents cover nothing. */
export const needsBelow = (sender: Sender): boolean =>
  sender.status === 'verified' && sender.channel === 'email' && !isShared(sender);

/** The writes that release a verified value, for anybody to acquire. */
export const letGo = (sender: Valued, org: Id<'organization'>): WriteOp[] => [
  { delete: holderKey(sender), when: { text: '#org = :org', values: { org } } },
  ...valuesAbove(sender).map((above): WriteOp => ({ delete: belowKey(sender.channel, above, sender.value) })),
];
