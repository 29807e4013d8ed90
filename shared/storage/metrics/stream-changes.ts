import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { OUTCOME_FIELDS, type Outcome, outcomeOf } from '../../domain/message/outcome.ts';
import { KEYS } from '../access-patterns.ts';
import { type Row, SHAPE } from '../client/row.ts';
import { isInbound } from '../messages/inbound-rows.ts';
import { countedFields } from '../messages/message-rows.ts';
import type { OutcomeChange } from './outcome-counts.ts';

/** An attribute in DynamoDB's own form; its type is checked when it is read. */
const attribute = z.custom<AttributeValue>((value) => typeof value === 'object' && value !== null);
const item = z.record(z.string(), attribute);
/** Lambda names the shard because the mapping has a tumbling window; the last call of a window may have no records. */
const event = z.object({
  shardId: z.string().min(1),
  Records: z.array(
    z.object({
      dynamodb: z.object({
        SequenceNumber: z.string().regex(/^\d{1,40}$/),
        OldImage: item.optional(),
        NewImage: item.optional(),
      }),
    }),
  ),
});
type StreamRecord = z.output<typeof event>['Records'][number]['dynamodb'];

/** A change of a message, with its place in its shard; places sort as strings. */
export interface PlacedChange extends OutcomeChange {
  readonly place: string;
}

/** The changes of messages in a batch of the table's stream, in its order. */
export interface StreamBatch {
  readonly shardId: string;
  readonly changes: readonly PlacedChange[];
  /** The sequence numbers of records that cannot be read. Rejecting them would block the shard, since they would fail at each repeat. */
  readonly unreadable: readonly string[];
}

const { pk: PREFIX, sk: SORT_KEY } = KEYS.message('' as Id<'message'>);
/** The attributes that are read of an image; contents stay compressed. */
const READ = ['pk', 'sk', 'org', 'direction', SHAPE, ...OUTCOME_FIELDS];

const rowOf = (image: z.output<typeof item>): Row =>
  unmarshall(Object.fromEntries(READ.flatMap((name) => (image[name] ? [[name, image[name]]] : [])))) as Row;

const isMessage = (row: Row): boolean => row.pk.startsWith(PREFIX) && row.sk === SORT_KEY && !isInbound(row);

const outcomeIn = (row: Row): Outcome | undefined => outcomeOf(countedFields(row));

/** The change of a record; undefined for a row of another kind, and for a deletion: deleted messages stay counted. */
const changeOf = ({ SequenceNumber, OldImage, NewImage }: StreamRecord): PlacedChange | undefined => {
  const row = NewImage && rowOf(NewImage);
  if (!row || !isMessage(row)) return undefined;
  return {
    place: placeOf(SequenceNumber),
    organizationId: countedFields(row).organizationId,
    before: OldImage && outcomeIn(rowOf(OldImage)),
    after: outcomeIn(row),
  };
};

/** Sequence numbers have up to 40 digits. */
const placeOf = (sequenceNumber: string): string => sequenceNumber.padStart(40, '0');

/** The changes of messages in an event of the table's stream. Throws a ZodError for what is no such event. */
export const readStreamBatch = (given: unknown): StreamBatch => {
  const { shardId, Records } = event.parse(given);
  const changes: PlacedChange[] = [];
  const unreadable: string[] = [];
  for (const { dynamodb } of Records) {
    try {
      const change = changeOf(dynamodb);
      if (change) changes.push(change);
    } catch {
      unreadable.push(dynamodb.SequenceNumber);
    }
  }
  return { shardId, changes, unreadable };
};
