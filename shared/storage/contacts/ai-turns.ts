import * as z from 'zod';
import { CHANNELS } from '../../domain/channels/registry.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { AI_ROLES, type AiTurn } from '../../domain/tracking/ai-turn.ts';
import type { TurnPorts } from '../../domain/tracking/report-turn.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import { fullRows } from '../client/pages.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';
import { takenEvents } from '../webhooks/takers.ts';

/** Turns are kept for 400 days. */
const KEEP_SECONDS = 400 * 24 * 3600;
/** The newest turns of a message that its timeline shows. */
const MAX_OF_MESSAGE = 100;

export const turnRows = defineRow<AiTurn>()({
  attributes: {
    id: id('aiTurn'),
    ...tenant,
    contactId: id('contact'),
    messageId: id('message').optional(),
    channel: z.enum(CHANNELS),
    model: z.string(),
    role: z.enum(AI_ROLES),
    text: z.string().optional(),
    metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    requestHash: z.string(),
    createdAt: time,
  },
  key: (turn) => KEYS.aiTurn(turn.id),
  index: ({ id, contactId, messageId, createdAt }) => ({
    ...INDEX_KEYS.turnsOfContact(contactId, isoTime(createdAt), id),
    ...(messageId === undefined ? {} : INDEX_KEYS.turnsOfMessage(messageId, isoTime(createdAt), id)),
  }),
});

/** Turns in the table of one stage. `raised` receives committed events for early publication; best effort. */
export const turnStore = (
  table: Table,
  raised: (events: readonly DomainEvent[]) => void,
): Pick<TurnPorts, 'readTurn' | 'store'> => ({
  readTurn: (id) => readRow(table, KEYS.aiTurn(id), turnRows.read),

  async store(turn, event) {
    const ttl = Math.ceil(turn.createdAt / 1000) + KEEP_SECONDS;
    const events = await takenEvents(table, turn.organizationId, [event]);
    const { ok } = await table.transact([
      { put: { ...turnRows.write(turn), ttl }, when: ABSENT },
      { check: KEYS.contact(turn.contactId), when: { text: '#org = :org', values: { org: turn.organizationId } } },
      ...events.map(eventWrite),
    ]);
    if (ok) raised(events);
    return ok;
  },
});

/** The newest turns about a message, at most 100. One query of an index, and one read if there are any. */
export const turnsOfMessage = async (table: Table, messageId: Id<'message'>): Promise<AiTurn[]> => {
  const partition = INDEX_KEYS.turnsOfMessage(messageId, '', '').gsi3pk;
  const range = { index: 'gsi3', partition, newestFirst: true, limit: MAX_OF_MESSAGE, only: ['pk', 'sk'] } as const;
  const { rows } = await table.query(range);
  return rows.length === 0 ? [] : (await fullRows(table, rows)).map(turnRows.read);
};
