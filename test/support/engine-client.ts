import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { tableClient } from '../../shared/storage/client/client.ts';
import { callEngine } from './engine-calls.ts';
import { patient } from './patient-client.ts';
import { OVER_DYNAMODB_LOCAL } from './table-engine.ts';

/** A client as another process has it, of the engine or of the laws before it: its connections are its own, and its calls are not signed. */
export const engineClient = (endpoint: string): DynamoDBClient => {
  const client = patient(tableClient(endpoint));
  if (OVER_DYNAMODB_LOCAL) return client;
  const { close } = callEngine(client, endpoint, () => true);
  const destroy = client.destroy.bind(client);
  client.destroy = () => {
    close();
    destroy();
  };
  return client;
};
