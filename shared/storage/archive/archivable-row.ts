import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import type { ArchivableRow, ArchiveId, ArchiveKind } from '../../domain/archive/ports.ts';
import { asId, type Id } from '../../domain/core/ids.ts';
import type { Vault } from '../../domain/core/secrets.ts';
import { KEYS, MESSAGE_SORT_KEY } from '../access-patterns.ts';
import { time } from '../client/attributes.ts';
import type { Row } from '../client/row.ts';

/** An item in DynamoDB's own form, which keeps numbers and types as they are. */
export type Item = Record<string, AttributeValue>;

const ENGAGEMENT_SORT_KEY = KEYS.engagement('' as Id<'message'>).sk;
const [MESSAGE_PREFIX, REPLY_PREFIX] = [KEYS.message('' as Id<'message'>).pk, KEYS.reply('' as Id<'reply'>).pk];
const text = z.string().min(1).optional();

/** The common attributes of rows that are archived. */
const described = z.object({
  pk: z.string(),
  sk: z.string(),
  org: z.string().min(1),
  createdAt: time,
  direction: z.string().optional(),
  contactId: text,
  fromContactId: text,
  recipientHash: text,
  fromHash: text,
  /** On a row that belongs to a message: the message's subjects. */
  subjects: z.array(z.string()).optional(),
});

/** The kind and id of a row that is archived; undefined for any other. */
export const archiveKindOf = ({ pk, sk, direction }: Row): { kind: ArchiveKind; id: ArchiveId } | undefined => {
  const message = pk.startsWith(MESSAGE_PREFIX) ? asId('message', pk.slice(MESSAGE_PREFIX.length)) : undefined;
  if (message && sk === MESSAGE_SORT_KEY) return { kind: direction === 'inbound' ? 'inbound' : 'message', id: message };
  if (message && sk === ENGAGEMENT_SORT_KEY) return { kind: 'engagement', id: message };
  const reply = pk.startsWith(REPLY_PREFIX) ? asId('reply', pk.slice(REPLY_PREFIX.length)) : undefined;
  return reply && { kind: 'reply', id: reply };
};

/** The archive's token of an organization, a contact or a recipient (blind index): meaningless without the root key `archive`. */
export const subjectToken = (vault: Vault, organizationId: string, subject: string): string =>
  vault.sign('archive-subject', `${organizationId} ${subject}`);

const subjectsOf = (vault: Vault, row: z.output<typeof described>): readonly string[] => {
  const { org, contactId, fromContactId, recipientHash, fromHash, subjects } = row;
  const named = [contactId, fromContactId, recipientHash, fromHash].filter((each) => each !== undefined);
  return subjects ?? ['', ...named].map((subject) => subjectToken(vault, org, subject));
};

/** A row in archivable form; undefined for other kinds. Throws a ZodError for a row of an archived kind that cannot be parsed. */
export const archivableRow = (item: Item, vault: Vault): ArchivableRow | undefined => {
  const row = unmarshall(item) as Row;
  const known = archiveKindOf(row);
  if (!known) return undefined;
  const read = described.parse(row);
  return {
    ...known,
    organizationId: read.org as Id<'organization'>,
    createdAt: read.createdAt,
    subjects: subjectsOf(vault, read),
    image: deflateRawSync(JSON.stringify(item)).toString('base64'),
  };
};

/** The row of an image, as it was in the table. */
export const rowOfImage = (image: string): Row =>
  unmarshall(JSON.parse(inflateRawSync(Buffer.from(image, 'base64')).toString('utf8')) as Item) as Row;
