import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { QUEUES, type QueueMessage, type QueueName } from '../queues/queues.ts';
import { logger, measure } from './observe.ts';
import { inScope } from './scope.ts';

/**
 * Makes the Lambda handler of a queue's consumer. Each record is parsed against the queue's schema and handled alone: one
 * that throws is reported as failed and comes again, up to the dead-letter queue, while the others are acknowledged.
 * The work must tolerate repeats and any order.
 */
export const consumer = <Q extends QueueName>(queue: Q, handle: (message: QueueMessage<Q>) => Promise<void>) => {
  const processor = new BatchProcessor(EventType.SQS);
  const work = async (record: SQSRecord): Promise<void> => {
    const sentAt = Number(record.attributes?.SentTimestamp ?? Number.NaN);
    if (Number.isFinite(sentAt)) measure({ queue }, { QueueAge: Math.max(0, Date.now() - sentAt) });
    try {
      const message = QUEUES[queue].message.parse(JSON.parse(record.body)) as QueueMessage<Q>;
      await inScope(() => handle(message));
    } catch (error) {
      measure({ queue }, { ConsumerFailures: 1 });
      logger.error('consumer failed', {
        queue,
        recordId: record.messageId,
        fault: error instanceof Error ? error.name : 'not an Error',
        reason: error instanceof Error && error.name !== 'ZodError' ? error.message : 'the message does not parse',
      });
      throw error;
    }
  };
  return (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
    processPartialResponse(event, work, processor, { context, throwOnFullBatchFailure: false });
};
