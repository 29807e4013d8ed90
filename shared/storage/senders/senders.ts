import * as z from 'zod';
import { operatorEntry } from '../../domain/audit/entry.ts';
import { asId, type Id } from '../../domain/core/ids.ts';
import {
  comparedValue,
  RECORD_TYPES,
  SENDER_CHANNELS,
  SENDER_STATUSES,
  type Sender,
  type SenderChannel,
  type SenderOutcome,
  type SenderStore,
} from '../../domain/senders/sender.ts';
import { countDown, createWithin } from '../access/limits.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { id, time } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion, commit } from '../client/optimistic-commit.ts';
import type { Key, Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';
import { free, hold, holderKey, letGo, moveValue, needsBelow, readBelow } from './holders.ts';

/** Senders of an organization in a stage: one query reads them all. */
const MAX_SENDERS = 100;

const keyOf = ({ organizationId, channel, value }: Pick<Sender, 'channel' | 'organizationId' | 'value'>): Key =>
  KEYS.sender(organizationId, channel, comparedValue(channel, value));

/** A sender without its channel's default flag, which is in another row. */
type StoredSender = Omit<Sender, 'isDefault'>;
const senderRows = defineRow<StoredSender>()({
  attributes: {
    id: id('sender'),
    organizationId: id('organization'),
    channel: z.enum(SENDER_CHANNELS),
    value: z.string(),
    status: z.enum(SENDER_STATUSES),
    records: z.array(z.object({ type: z.enum(RECORD_TYPES), name: z.string(), value: z.string() })).optional(),
    assigned: z.literal(true).optional(),
    used: z.literal(true).optional(),
    verifiedAt: time.optional(),
    checkUntil: time.optional(),
    nextCheckAt: time.optional(),
    version: z.int(),
    createdAt: time,
    updatedAt: time,
  },
  key: keyOf,
});

/** The row of a sender. */
export const senderRow = ({ isDefault: _, ...sender }: Sender): Row => ({
  ...senderRows.write(sender),
  ...(sender.nextCheckAt === undefined ? {} : INDEX_KEYS.due('check_sender', sender.id, sender.nextCheckAt)),
});

/** The default of a channel. Its sender stays verified: a verified one is only ever deleted. */
const defaultRows = defineRow<Pick<Sender, 'channel' | 'id' | 'organizationId' | 'value'>>()({
  attributes: {
    id: id('sender'),
    organizationId: id('organization'),
    channel: z.enum(SENDER_CHANNELS),
    value: z.string(),
  },
  key: ({ organizationId, channel }) => KEYS.defaultSender(organizationId, channel),
});
const isDefaultRow = ({ sk }: Row): boolean => sk.startsWith('DEFAULT#');
const noLongerDefault = ({ organizationId, channel, id }: Sender): WriteOp => ({
  delete: KEYS.defaultSender(organizationId, channel),
  when: { text: '#id = :id', values: { id } },
});

/** Whether the failed condition is the fence's, the last one when acquiring a verified value. */
const isFence = (below: unknown, held: readonly WriteOp[], at: number): boolean =>
  below !== undefined && at === held.length - 1;

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
  /** The default flag is not read: lookups by value don't need it. */
  const readAll = async (keys: readonly Key[]): Promise<readonly Sender[]> =>
    keys.length === 0
      ? []
      : (await table.getMany(keys, { consistent: true })).flatMap((row) =>
          row ? [{ ...senderRows.read(row), isDefault: false }] : [],
        );
  return {
    async create(sender, entry): Promise<SenderOutcome> {
      const below = needsBelow(sender) ? await readBelow(table, sender) : undefined;
      if (below?.isForeign) return { kind: 'taken', own: false };
      const held = hold(sender, below);
      const save = async (count: WriteOp): Promise<SenderOutcome> => {
        const also = [count, ...held, ...auditWrites(entry)];
        const outcome = await commit(table, { row: senderRow(sender), also });
        if (outcome.kind === 'conflict') return { kind: 'taken', own: true };
        if (outcome.kind === 'saved') return outcome;
        if (outcome.at === 0) return { kind: 'limit_reached' };
        return isFence(below, held, outcome.at - 1) ? { kind: 'conflict' } : { kind: 'taken', own: false };
      };
      const limit = { organizationId: sender.organizationId, counted: 'senders', max: MAX_SENDERS } as const;
      return createWithin(table, limit, sender.id, save, ({ kind }) => kind === 'limit_reached');
    },
    async change(before, after, entry) {
      const below = needsBelow(after) && before.status !== 'verified' ? await readBelow(table, after) : undefined;
      if (below?.isForeign) return 'taken';
      const moved = moveValue(before, after, below);
      const also = [...moved, ...auditWrites(entry)];
      const outcome = await commit(table, { row: senderRow(after), over: before.version, also });
      if (outcome.kind !== 'refused') return outcome.kind;
      return isFence(below, moved, outcome.at) ? 'conflict' : 'taken';
    },
    async setDefault(sender, isDefault, entry) {
      const { ok } = await table.transact([
        // The version is incremented, so that a deletion which saw no default is retried.
        { update: keyOf(sender), set: { version: sender.version + 1 }, when: atVersion(sender.version) },
        isDefault ? { put: defaultRows.write(sender) } : noLongerDefault(sender),
        ...auditWrites(entry),
      ]);
      return ok;
    },
    async defaultOf(organizationId, channel) {
      const row = await table.get(KEYS.defaultSender(organizationId, channel), { eventual: true });
      return row && defaultRows.read(row).value;
    },
    async remove(sender, entry) {
      const { ok } = await table.transact([
        { delete: keyOf(sender), when: atVersion(sender.version) },
        countDown(sender.organizationId, 'senders', sender.id),
        ...free(sender),
        ...(sender.isDefault ? [noLongerDefault(sender)] : []),
        ...auditWrites(entry),
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
    hasForeignBelow: async (organizationId, channel, value) =>
      channel === 'email' && (await readBelow(table, { organizationId, channel, value })).isForeign,
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

/** The organizations that may send as a value: they own messages to it. One query and one read of their senders. */
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
export const readDueSender = (table: Table, key: Key): Promise<Sender | undefined> =>
  readRow(table, key, (row) => ({ ...senderRows.read(row), isDefault: false }));

/** Releases a value, so that another organization may register it. False if it is not taken. For the operator. */
export const releaseValue = async (
  table: Table,
  channel: SenderChannel,
  value: string,
  now: number,
): Promise<boolean> => {
  const key = holderKey({ channel, value });
  const org = asId('organization', String((await table.get(key))?.org ?? ''));
  if (org === undefined) return false;
  const entry = operatorEntry(org, { action: 'sender.released', object: org, at: now, details: { channel } });
  return (await table.transact([...letGo({ channel, value }, org), ...auditWrites(entry)])).ok;
};
