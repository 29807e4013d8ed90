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

/** The domains that cover a value besides itself. */
const valuesAbove = ({ channel, value }: Valued): readonly string[] =>
  coveringValues(channel, value).filter((each) => each !== value);

/** A verified sender has its value, and a pending e-mail one, since SES knows a value once. Who merely asks for a name of SMS has nothing. */
const hasValue = ({ channel, status }: Sender): boolean =>
  status === 'verified' || (channel === 'email' && status === 'pending');
/** Several organizations may have a number, and in the sandbox what was merely used. */
const isShared = ({ channel, value, used }: Sender): boolean => used === true || !isExclusive(channel, value);

/** What is verified below a value, read before the value itself is: `fence` moves with each that is verified meanwhile. */
interface Below {
  readonly fence: number | undefined;
  readonly isForeign: boolean;
}
export const readBelow = async (
  table: Table,
  { channel, value, organizationId }: Valued & Pick<Sender, 'organizationId'>,
): Promise<Below> => {
  // The fence sorts first: a row that the query misses has moved it since.
  const rows = await table.queryAll({ partition: fenceKey(channel, value).pk, consistent: true });
  const fence = rows.find(({ moves }) => moves !== undefined)?.moves;
  return {
    fence: fence === undefined ? undefined : Number(fence),
    isForeign: rows.some(({ org }) => org !== undefined && org !== organizationId),
  };
};

/**
 * Takes a verified value: nobody else's verified sender covers it, and none that it covers is verified for anybody else. Whoever verifies
 * above or below at the same time meets one of these conditions. The fence is last: where it alone fails, the value is read anew.
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

/** The writes that take the value of a sender, if it has its value. `below` is needed where it is verified. */
export const hold = (sender: Sender, below: Below | undefined): WriteOp[] => {
  const { organizationId: org } = sender;
  if (!hasValue(sender)) return [];
  if (isShared(sender)) return [{ put: { ...numberKey(sender), org } }];
  if (below) return takeVerified(sender, below);
  const when = { text: 'attribute_not_exists(#pk) OR #org = :org', values: { org } };
  return [{ put: { ...holderKey(sender), org }, when }];
};

/** The writes of a change of status: a value is taken, verified or let go of. */
export const moveValue = (before: Sender, after: Sender, below: Below | undefined): WriteOp[] => {
  if (!hasValue(after)) return free(before);
  return hasValue(before) && before.status === after.status ? [] : hold(after, below);
};

/** Frees the value of a sender, unless nobody else may have it since it was verified. */
export const free = (sender: Sender): WriteOp[] => {
  if (!hasValue(sender)) return [];
  if (isShared(sender)) return [{ delete: numberKey(sender) }];
  return sender.verifiedAt === undefined ? [{ delete: holderKey(sender) }] : [];
};

/** Whether taking the value needs what is verified below it: names of SMS and agents cover nothing. */
export const needsBelow = (sender: Sender): boolean =>
  sender.status === 'verified' && sender.channel === 'email' && !isShared(sender);

/** The writes that let go of a verified value, for anybody to take. */
export const letGo = (sender: Valued, org: Id<'organization'>): WriteOp[] => [
  { delete: holderKey(sender), when: { text: '#org = :org', values: { org } } },
  ...valuesAbove(sender).map((above): WriteOp => ({ delete: belowKey(sender.channel, above, sender.value) })),
];
