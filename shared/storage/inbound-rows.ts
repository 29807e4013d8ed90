import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import type { InboundMessage } from '../domain/inbound/message.ts';
import { LINK_SOURCES } from '../domain/inbound/origin.ts';
import type { MessageRecord } from '../domain/messages/message.ts';
import { CHANNELS } from '../domain/messages/provider.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import { parseMessage } from './message-rows.ts';
import type { Row } from './table.ts';

const time = z.iso.datetime().transform((text) => Date.parse(text));
const optionalText = z.string().optional();

const stored = z.object({
  id: z.string(),
  org: z.string(),
  env: z.enum(ENVIRONMENTS),
  direction: z.literal('inbound'),
  channel: z.enum(CHANNELS),
  type: z.enum(['text', 'media', 'interactive']),
  status: z.literal('delivered'),
  from: z.string(),
  fromHash: z.string(),
  to: z.string(),
  payload: z.record(z.string(), z.unknown()),
  contactId: optionalText,
  numberId: optionalText,
  instagramAccountId: optionalText,
  inReplyTo: optionalText,
  origemDoLink: z
    .object({
      fonte: z.enum(LINK_SOURCES),
      fonteRotulo: optionalText,
      campanha: optionalText,
      grupo: optionalText,
      anuncio: optionalText,
      palavraChave: optionalText,
      codigo: optionalText,
    })
    .optional(),
  providerMessageId: z.string(),
  sentAt: time,
  createdAt: time,
  decisions: z.array(
    z.object({ at: z.int(), kind: z.enum(['receipt', 'contact', 'window', 'consent']), detail: z.string() }),
  ),
});

/** Reads an inbound message's row; every field is checked. */
export const parseInbound = (row: Row): InboundMessage => {
  const { org, ...fields } = stored.parse(row);
  return { ...fields, organizationId: org } as unknown as InboundMessage;
};

/** Whether a message's row is of one that came in. */
export const isInbound = (row: Row): boolean => row.direction === 'inbound';

/** Reads the row of a message of either direction. */
export const parseStored = (row: Row): MessageRecord | InboundMessage =>
  isInbound(row) ? parseInbound(row) : parseMessage(row);

/** An inbound message's row, with the index entries that its lists need. */
export const inboundRow = (message: InboundMessage) => {
  const { organizationId: org, ...fields } = message;
  const { id, channel, contactId, fromHash } = message;
  const createdAt = isoTime(message.createdAt);
  return {
    ...fields,
    ...KEYS.message(id),
    ...FINDS.inboundOf(org, channel, createdAt, id),
    ...FINDS.inboundFrom(org, fromHash, channel, createdAt, id),
    ...(contactId ? FINDS.inboundOfContact(contactId, channel, createdAt, id) : {}),
    org,
    sentAt: isoTime(message.sentAt),
    createdAt,
  };
};
