import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** Sends bodies to a queue, in batches. */
export const sendBodies = async (sqs: SQSClient, QueueUrl: string, bodies: readonly string[]): Promise<void> => {
  for (let start = 0; start < bodies.length; start += 10) {
    const Entries = bodies.slice(start, start + 10).map((MessageBody, at) => ({ Id: String(at), MessageBody }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  }
};
