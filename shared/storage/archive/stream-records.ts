import { createHash } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { ArchivableRow } from '../../domain/archive/ports.ts';
import type { Vault } from '../../domain/core/secrets.ts';
import { archivableRow } from './archivable-row.ts';

/** The common fields of a table stream's records. */
const event = z.object({
  Records: z.array(
    z.looseObject({
      eventName: z.enum(['INSERT', 'MODIFY', 'REMOVE']),
      userIdentity: z.object({ type: z.string(), principalId: z.string() }).nullish(),
    }),
  ),
});
/** An attribute in DynamoDB's own form; its type is checked as it is read. */
const attribute = z.custom<AttributeValue>((value) => typeof value === 'object' && value !== null);
/** A row that DynamoDB deleted because its TTL expired. */
const expired = z.object({
  dynamodb: z.object({
    SequenceNumber: z.string().min(1),
    OldImage: z.record(z.string(), attribute),
  }),
});
const isExpiry = ({ eventName, userIdentity }: z.output<typeof event>['Records'][number]): boolean =>
  eventName === 'REMOVE' && userIdentity?.type === 'Service' && userIdentity.principalId === 'dynamodb.amazonaws.com';

/** The archivable rows of a stream batch, and the batch's name, which is the same when it is repeated. */
export interface ArchivableBatch {
  readonly rows: readonly ArchivableRow[];
  readonly name: string;
}

/** The archivable rows of an event. Throws a ZodError if the event or one of its rows cannot be parsed. */
export const readBatch = (given: unknown, vault: Vault): ArchivableBatch => {
  const records = event
    .parse(given)
    .Records.filter(isExpiry)
    .map((each) => expired.parse(each).dynamodb);
  const hash = createHash('sha256');
  for (const { SequenceNumber } of records) hash.update(`${SequenceNumber}\n`);
  return {
    rows: records.flatMap(({ OldImage }) => archivableRow(OldImage, vault) ?? []),
    name: hash.digest('base64url').slice(0, 32),
  };
};

/** Lambda's record of a failed batch, which contains the event as text. */
const failed = z.object({
  payload: z.union([z.string().transform((text): unknown => JSON.parse(text)), z.looseObject({})]),
});

/** The event of a batch on which the archiver failed. Throws a SyntaxError or a ZodError for anything else. */
export const readFailed = (bytes: Uint8Array): unknown =>
  failed.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))).payload;
