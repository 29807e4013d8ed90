import { type DynamoDBClient, ScanCommand, type ScanCommandOutput } from '@aws-sdk/client-dynamodb';
import { GRACE_MS } from '../../shared/queues/dispatch-shard.ts';

/**
 * Whether a dispatcher would find any row of a stage's table due at a time (ms). One dispatch queries over a hundred partitions of the due
 * index; on one machine, where it runs every few seconds, one pass over the whole index is enough to see that nothing is due. Only for
 * local tables: on AWS such a pass would read all rows that are not due yet.
 */
export const hasDueRows = async (
  client: DynamoDBClient,
  table: string,
  now = Date.now() - GRACE_MS,
): Promise<boolean> => {
  let startKey: ScanCommandOutput['LastEvaluatedKey'];
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: table,
        IndexName: 'due',
        Select: 'COUNT',
        FilterExpression: '#due <= :now AND begins_with(#partition, :dispatched)',
        ExpressionAttributeNames: { '#due': 'dueAt', '#partition': 'duePk' },
        ExpressionAttributeValues: { ':now': { N: String(now) }, ':dispatched': { S: 'DUE#' } },
        ExclusiveStartKey: startKey,
      }),
    );
    if (page.Count) return true;
    startKey = page.LastEvaluatedKey;
  } while (startKey);
  return false;
};

/** Whether an engine is on this machine. */
export const isLoopback = (endpoint: string): boolean =>
  ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(endpoint).hostname);
