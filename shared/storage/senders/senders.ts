import * as z from 'zod';
import { asId, type Id } from '../../domain/core/ids.ts';
import {
  comparedValue,
  isExclusive,
  SENDER_CHANNELS,
  SENDER_STATUSES,
  type Sender,
  type SenderChannel,
  type SenderOutcome,
  type SenderStore,
} from '../../domain/senders/sender.ts';
import { countDown, countWithin } from '../access/organizations.ts';
import { INDEX_KEYS, KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion, commit } from '../client/optimistic-commit.ts';
import type { Key, Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';

/** Senders of an organization in a stage: one query reads them all. */
const MAX_SENDERS = 100;

const keyOf = ({ organizationId, channel, value }: Pick<Sender, 'channel' | 'organizationId' | 'value'>): Key =>
  KEYS.sender(organizationId, channel, comparedValue(channel, value));

/** A sender without what its channel's default row says of it. */
type StoredSender = Omit<Sender, 'isDefault'>;
const senderRows = defineRow<StoredSender>()({
  attributes: {
    id: id('sender'),
    organizationId: id('organization'),
    channel: z.enum(SENDER_CHANNELS),
    value: z.string(),
    status: z.enum(SENDER_STATUSES),
    records: z.array(z.object({ type: z.literal('CNAME'), name: z.string(), value: z.string() })).optional(),
    assigned: z.literal(true).optional(),
    verifiedAt: time.optional(),
    checkUntil: time.optional(),
    nextCheckAt: time.optional(),
    version: z.int(),
    createdAt: time,
    updatedAt: time,
  },
  rename: { organizationId: 'org' },
  key: keyOf,
});

/** The row of a sender. */
export const senderRow = ({ isDefault: _, ...sender }: Sender): Row => ({
  ...senderRows.write(sender),
  ...(sender.nextCheckAt === undefined ? {} : INDEX_KEYS.due('check_sender', sender.id, sender.nextCheckAt)),
});

/** The default of a channel. Its sender stays verified: a verified one is deleted, never changed. */
const defaultRows = defineRow<Pick<Sender, 'channel' | 'id' | 'organizationId' | 'value'>>()({
  attributes: {
    id: id('sender'),
    organizationId: id('organization'),
    channel: z.enum(SENDER_CHANNELS),
    value: z.string(),
  },
  rename: { organizationId: 'org' },
  key: ({ organizationId, channel }) => KEYS.defaultSender(organizationId, channel),
});
const isDefaultRow = ({ sk }: Row): boolean => sk.startsWith('DEFAULT#');
const noLongerDefault = ({ organizationId, channel, id }: Sender): WriteOp => ({
  delete: KEYS.defaultSender(organizationId, channel),
  when: { text: '#id = :id', values: { id } },
});

const holderKey = ({ channel, value }: Pick<Sender, 'channel' | 'value'>): Key =>
  KEYS.senderHolder(channel, comparedValue(channel, value));
const numberKey = ({ organizationId, channel, value }: Sender): Key =>
  KEYS.numberHolder(channel, comparedValue(channel, value), organizationId);
/** A verified sender has its value, and a pending e-mail one, since SES knows a value once. Who merely asks for a name of SMS has nothing. */
const hasValue = ({ channel, status }: Sender): boolean =>
  status === 'verified' || (channel === 'email' && status === 'pending');
const hold = (sender: Sender): WriteOp[] => {
  const { channel, value, organizationId } = sender;
  if (!hasValue(sender)) return [];
  if (!isExclusive(channel, value)) return [{ put: { ...numberKey(sender), org: organizationId } }];
  const when = { text: 'attribute_not_exists(#pk) OR #org = :org', values: { org: organizationId } };
  return [{ put: { ...holderKey(sender), org: organizationId }, when }];
};
/** Frees the value of a sender, unless nobody else may have it since it was verified. */
const free = (sender: Sender): WriteOp[] => {
  if (!hasValue(sender)) return [];
  if (!isExclusive(sender.channel, sender.value)) return [{ delete: numberKey(sender) }];
  return sender.verifiedAt === undefined ? [{ delete: holderKey(sender) }] : [];
};

/** The senders of a stage. */
export const senderStore = (table: Table): SenderStore => {
  const list = async (organizationId: Id<'organization'>): Promise<readonly Sender[]> => {
    const { pk: partition } = KEYS.sender(organizationId, '', '');
    const { rows } = await table.query({ partition, consistent: true });
    const defaults = new Set(rows.filter(isDefaultRow).map((row) => defaultRows.read(row).id));
    return rows
      .filter((row) => !isDefaultRow(row))
      .map(senderRows.read)
      .map((sender) => ({ ...sender, isDefault: defaults.has(sender.id) }))
      .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  };
  /** Which is a default is not read: who finds senders by their values does not ask. */
  const readAll = async (keys: readonly Key[]): Promise<readonly Sender[]> =>
    keys.length === 0
      ? []
      : (await table.getMany(keys, { consistent: true })).flatMap((row) =>
          row ? [{ ...senderRows.read(row), isDefault: false }] : [],
        );
  return {
    async create(sender): Promise<SenderOutcome> {
      const also = [countWithin(sender.organizationId, 'senders', MAX_SENDERS), ...hold(sender)];
      const outcome = await commit(table, { row: senderRow(sender), also });
      if (outcome.kind === 'conflict') return { kind: 'taken', own: true };
      if (outcome.kind === 'saved') return outcome;
      return outcome.at === 0 ? { kind: 'limit_reached' } : { kind: 'taken', own: false };
    },
    async change(before, after) {
      const freed = hasValue(after) ? [] : free(before);
      const held = hasValue(before) ? [] : hold(after);
      const { kind } = await commit(table, { row: senderRow(after), over: before.version, also: [...freed, ...held] });
      return kind === 'refused' ? 'taken' : kind;
    },
    async setDefault(sender, isDefault) {
      const { ok } = await table.transact([
        // Its version moves, so that a deletion which saw no default is repeated.
        { update: keyOf(sender), set: { version: sender.version + 1 }, when: atVersion(sender.version) },
        isDefault ? { put: defaultRows.write(sender) } : noLongerDefault(sender),
      ]);
      return ok;
    },
    async defaultOf(organizationId, channel) {
      const row = await table.get(KEYS.defaultSender(organizationId, channel), { eventual: true });
      return row && defaultRows.read(row).value;
    },
    async remove(sender) {
      const { ok } = await table.transact([
        { delete: keyOf(sender), when: atVersion(sender.version) },
        countDown(sender.organizationId, 'senders'),
        ...free(sender),
        ...(sender.isDefault ? [noLongerDefault(sender)] : []),
      ]);
      return ok;
    },
    list,
    read: async (organizationId, wanted) => (await list(organizationId)).find((sender) => sender.id === wanted),
    find: (organizationId, channel, values) =>
      readAll(
        [...new Map(values.map((value) => [comparedValue(channel, value), value])).values()].map((value) =>
          keyOf({ organizationId, channel, value }),
        ),
      ),
    async holders(channel, values) {
      if (values.length === 0) return [];
      const rows = await table.getMany(
        values.map((value) => holderKey({ channel, value })),
        { consistent: true },
      );
      return readAll(
        values.flatMap((value, at) => {
          const organizationId = asId('organization', String(rows[at]?.org ?? ''));
          return organizationId ? [keyOf({ organizationId, channel, value })] : [];
        }),
      );
    },
  };
};

/** The organizations that may send as a value: what is written to it is theirs. One query and one read of their senders. */
export const organizationsWithSender = async (
  table: Table,
  channel: SenderChannel,
  value: string,
): Promise<readonly Id<'organization'>[]> => {
  const { rows } = await table.query({ partition: holderKey({ channel, value }).pk });
  const keys = rows.flatMap(({ org }) => {
    const organizationId = asId('organization', String(org));
    return organizationId ? [keyOf({ organizationId, channel, value })] : [];
  });
  const found = keys.length === 0 ? [] : await table.getMany(keys);
  return found.flatMap((row) => {
    const sender = row && senderRows.read(row);
    return sender?.status === 'verified' ? [sender.organizationId] : [];
  });
};

/** Reads the sender of a due row. */
export const readDueSender = async (table: Table, key: Key): Promise<Sender | undefined> => {
  const row = await table.get(key);
  return row && { ...senderRows.read(row), isDefault: false };
};

/** Lets go of a value, so that another organization may register it. False when nobody has it. For the operator. */
export const releaseValue = async (table: Table, channel: SenderChannel, value: string): Promise<boolean> => {
  const key = holderKey({ channel, value });
  return (await table.write({ delete: key, when: { text: 'attribute_exists(#pk)' } })).ok;
};
