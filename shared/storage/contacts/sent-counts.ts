import * as z from 'zod';
import type { Erasure } from '../../domain/contacts/erase.ts';
import type { SentCounts } from '../../domain/contacts/frequency.ts';
import type { SweepOutcome } from '../../domain/core/clear-links.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import type { CountedSend } from '../../domain/sending/frequency.ts';
import { KEYS } from '../access-patterns.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';

/** The attribute of an hour's count: separate, so that a send that was never sent can be subtracted without reading the others. */
const nameOf = (hour: number): string => `h${hour}`;
const HOUR = /^h(\d+)$/;
const versionRow = z.object({ version: z.int().default(0) });

/** The counts in a contact's row; none without a row. */
export const parseSentCounts = (row: Row | undefined): SentCounts => ({
  version: versionRow.parse(row ?? {}).version,
  byHour: new Map(
    Object.entries(row ?? {}).flatMap(([name, sends]): [number, number][] => {
      const hour = HOUR.exec(name)?.[1];
      return hour === undefined ? [] : [[Number(hour), z.int().parse(sends)]];
    }),
  ),
});

/** The send counts of contacts, in order. One consistent read each, 100 per round trip. */
export const readSentCounts = async (table: Table, ids: readonly Id<'contact'>[]): Promise<SentCounts[]> =>
  (await table.getMany(ids.map(KEYS.sentToContact), { consistent: true })).map(parseSentCounts);

/** Condition: nothing was counted since. */
const isUnchanged = (version: number): Condition =>
  version === 0 ? { text: 'attribute_not_exists(#version)' } : { text: '#version = :version', values: { version } };

/** Counts sends, in the transaction that reserves them: two write units for a contact with up to about 90 counted hours. */
export const countWrite = ({ contactId, hour, sends, version, stale }: CountedSend): WriteOp => ({
  update: KEYS.sentToContact(contactId),
  add: { [nameOf(hour)]: sends, version: 1 },
  remove: stale.map(nameOf),
  when: isUnchanged(version),
});

/** Subtracts a send that was certainly never sent, in the transaction that ends its hold. */
export const uncountWrites = ({
  contactId,
  countedHour,
}: Pick<MessageRecord, 'contactId' | 'countedHour'>): WriteOp[] =>
  contactId === undefined || countedHour === undefined
    ? []
    : [{ update: KEYS.sentToContact(contactId), add: { [nameOf(countedHour)]: -1, version: 1 } }];

/**
 * Adds the counts of a merged contact to the surviving one, in the transaction that merges them; `gone` as it was read (`readSentCounts`).
 * Condition: nothing was counted since. A later subtraction applies to the contact that the message then refers to.
 */
export const uniteSentWrites = (goneId: Id<'contact'>, gone: SentCounts, staysId: Id<'contact'>): WriteOp[] => {
  if (gone.version === 0) return [{ check: KEYS.sentToContact(goneId), when: isUnchanged(0) }];
  const add = Object.fromEntries([...gone.byHour].map(([hour, sends]) => [nameOf(hour), sends]));
  return [
    { update: KEYS.sentToContact(staysId), add: { ...add, version: 1 } },
    { delete: KEYS.sentToContact(goneId), when: isUnchanged(gone.version) },
  ];
};

/** Deletes the send counts of a person. A message that ends later recreates a row, which the next pass deletes. */
export const eraseSentCounts =
  (table: Table) =>
  async ({ contactId }: Erasure): Promise<SweepOutcome> => {
    await table.write({ delete: KEYS.sentToContact(contactId) });
    return 'done';
  };
