import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { withRetries } from './retries.ts';
import type { Key, Row } from './row.ts';

/** A part of the table: one of `of` segments, from after a row on. */
export interface Segment {
  readonly segment: number;
  readonly of: number;
  readonly after?: Key | undefined;
  /** Rows at most. */
  readonly limit: number;
}

/** A page of a segment's rows, in no order, eventually consistent; without `last` the segment is over. */
export const scanSegment = async (
  client: DynamoDBClient,
  name: string,
  { segment, of, after, limit }: Segment,
): Promise<{ readonly rows: readonly Row[]; readonly last?: Key }> => {
  const input = {
    TableName: name,
    Segment: segment,
    TotalSegments: of,
    Limit: limit,
    ...(after ? { ExclusiveStartKey: marshall({ pk: after.pk, sk: after.sk }) } : {}),
  };
  const { Items = [], LastEvaluatedKey } = await withRetries(() => client.send(new ScanCommand(input)));
  const rows = Items.map((item) => unmarshall(item) as Row);
  return LastEvaluatedKey ? { rows, last: unmarshall(LastEvaluatedKey) as Key } : { rows };
};
