import * as z from 'zod';
import { CHANNELS } from '../../domain/channels/registry.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { InboundMessage, StoredMessage } from '../../domain/message/inbound-message.ts';
import { LINK_SOURCES } from '../../domain/message/link-origin.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { messageRows } from './message-rows.ts';

const text = z.string().exactOptional();

/** Inbound messages, with the index entries of their lists. */
export const inboundRows = defineRow<InboundMessage>()({
  attributes: {
    id: id('message'),
    ...tenant,
    direction: z.literal('inbound'),
    channel: z.enum(CHANNELS),
    type: z.enum(['text', 'media', 'interactive']),
    status: z.literal('delivered'),
    from: z.string(),
    fromHash: z.string(),
    to: z.string(),
    payload: z.record(z.string(), z.unknown()),
    contactId: id('contact').optional(),
    numberId: id('number').optional(),
    instagramAccountId: z.string().optional(),
    inReplyTo: id('message').optional(),
    origemDoLink: z
      .object({
        fonte: z.enum(LINK_SOURCES),
        fonteRotulo: text,
        campanha: text,
        grupo: text,
        anuncio: text,
        palavraChave: text,
        codigo: text,
      })
      .optional(),
    providerMessageId: z.string(),
    sentAt: time,
    createdAt: time,
    decisions: z.array(
      z.object({ at: z.int(), kind: z.enum(['receipt', 'contact', 'window', 'consent']), detail: z.string() }),
    ),
  },
  key: (message) => KEYS.message(message.id),
  index(message) {
    const { organizationId: org, id, channel, contactId, fromHash } = message;
    const createdAt = isoTime(message.createdAt);
    return {
      ...INDEX_KEYS.inboundOf(org, channel, createdAt, id),
      ...INDEX_KEYS.inboundFrom(org, fromHash, channel, createdAt, id),
      ...(contactId ? INDEX_KEYS.inboundOfContact(contactId, channel, createdAt, id) : {}),
    };
  },
});

/** Removes the person from an inbound message, once: sender, content, and the index entries of that person. */
export const erasedInboundWrite = ({ id }: InboundMessage, at: number): WriteOp => ({
  update: KEYS.message(id),
  set: { ...inboundRows.set({ from: '', fromHash: '', payload: {} }), erasedAt: isoTime(at) },
  remove: ['contactId', 'origemDoLink', 'gsi2pk', 'gsi2sk', 'gsi4pk', 'gsi4sk'],
  when: { text: 'attribute_exists(#pk) AND attribute_not_exists(#erasedAt)' },
});

/** Whether a message's row is an inbound one's. */
export const isInbound = (row: Row): boolean => row.direction === 'inbound';

/** Reads the row of a message of either direction. */
export const readStoredMessage = (row: Row): StoredMessage =>
  isInbound(row) ? inboundRows.read(row) : messageRows.read(row);

/** A message that was sent, of its row; undefined if there is none, or it was received. */
export const sentMessageOf = (row: Row | undefined): MessageRecord | undefined =>
  row && !isInbound(row) ? messageRows.read(row) : undefined;
