import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A part of the SDK's request handler that its types leave out. */
interface HttpClientConfig {
  updateHttpClientConfig(name: string, ms: number): void;
}

/** A client that waits for two minutes for an answer: its time-outs have tests of their own; elsewhere they would fail on a busy machine. */
export const patient = (client: DynamoDBClient): DynamoDBClient => {
  const { requestHandler } = client.config as unknown as { requestHandler: HttpClientConfig };
  for (const name of ['connectionTimeout', 'requestTimeout']) requestHandler.updateHttpClientConfig(name, 120_000);
  return client;
};
