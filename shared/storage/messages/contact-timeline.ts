import * as z from 'zod';
import { CHANNELS } from '../../domain/channels/registry.ts';
import { decodeCursor, encodeCursor } from '../../domain/core/cursor.ts';
import { type Refusal, refuse } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { ContactItem } from '../../domain/tracking/contact-timeline.ts';
import { KEYS } from '../access-patterns.ts';
import type { CursorRequest } from '../client/cursor-pages.ts';
import { mergeNewest } from '../client/merge-newest.ts';
import { fullRows } from '../client/pages.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { turnRows } from '../contacts/ai-turns.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readStoredMessage } from './inbound-rows.ts';

/** The index sort key of the last entry of the page before: a time and an id, no personal data. */
const position = z.strictObject({ before: z.string() });

const TURN_SORT_KEY = KEYS.aiTurn('' as Id<'aiTurn'>).sk;

/** Everything of a contact that its timeline shows, one partition of an index each. */
const partitionsOf = (contactId: Id<'contact'>): string[] => [
  INDEX_KEYS.turnsOfContact(contactId, '', '').gsi2pk,
  ...CHANNELS.flatMap((channel) => [
    INDEX_KEYS.messagesOfContact(contactId, channel, '', '').gsi2pk,
    INDEX_KEYS.inboundOfContact(contactId, channel, '', '').gsi2pk,
  ]),
];

/** The newest entries of a partition before a sort key; read once, since a page needs no more of it. */
const newestOf = (table: Table, partition: string, before: string | undefined, limit: number) => {
  let isRead = false;
  return async (): Promise<readonly Row[] | undefined> => {
    if (isRead) return undefined;
    isRead = true;
    const sort = before === undefined ? undefined : { text: '#gsi2sk < :before', values: { before } };
    const { rows } = await table.query({
      index: 'gsi2',
      partition,
      sort,
      newestFirst: true,
      only: ['pk', 'sk', 'gsi2sk'],
      limit,
    });
    return rows;
  };
};

const orderOf = (row: Row): string => String(row.gsi2sk);
const itemOf = (row: Row): ContactItem =>
  row.sk === TURN_SORT_KEY ? { turn: turnRows.read(row) } : { message: readStoredMessage(row) };

/** A page of a contact's timeline. */
export interface ContactTimelinePage {
  readonly items: readonly ContactItem[];
  readonly nextCursor?: string;
}

/**
 * A page of the timeline of an organization's contact, newest first: one query for each channel and direction and one for turns, of at most a
 * page each and side by side, and one read of the page's rows, however long the timeline. 400 for a cursor of another list.
 */
export const contactTimelinePage = async (
  table: Table,
  contactId: Id<'contact'>,
  { vault, scope, cursor, limit }: CursorRequest,
): Promise<ContactTimelinePage | Refusal<'BAD_REQUEST'>> => {
  const from = cursor === undefined ? undefined : position.safeParse(decodeCursor(vault, scope, cursor));
  if (from?.success === false)
    return refuse('BAD_REQUEST', {
      detail: 'The cursor is not valid.',
      errors: [{ path: 'cursor', message: 'is no cursor of this list' }],
    });
  const before = from?.data.before;
  const sources = partitionsOf(contactId).map((partition) => newestOf(table, partition, before, limit + 1));
  const found = await mergeNewest(sources, orderOf, 0, limit + 1);
  const keys = found.slice(0, limit);
  const last = found.length > limit ? keys.at(-1) : undefined;
  const rows = await fullRows(table, keys);
  const items = rows.filter((row) => row.org === scope.organizationId).map(itemOf);
  return { items, ...(last ? { nextCursor: encodeCursor(vault, scope, { before: orderOf(last) }) } : {}) };
};
