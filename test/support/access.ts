import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { ensureTable } from '../../infra/local/resources.ts';
import { keyUses } from '../../shared/domain/access/key-uses.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { authorizer } from '../../shared/runtime/authorizer.ts';
import { credentialReader } from '../../shared/storage/access/credentials.ts';
import { recordKeyUse } from '../../shared/storage/access/key-uses.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { startTableEngine } from './table-engine.ts';

/** The tables of both environments on an engine in memory, with their authorizers. */
export const startAccess = async () => {
  const engine = await startTableEngine();
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const clientAt = (endpoint: string) =>
    new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  const client = clientAt(engine.endpoint);
  const names = { live: 'messaging-live', test: 'messaging-test' } as const;
  await Promise.all(Object.values(names).map((name) => ensureTable(client, name)));
  const tables = { live: new Table(client, names.live), test: new Table(client, names.test) };

  /** Every row of a stage. */
  const rows = async (env: Environment) => {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: names[env], ConsistentRead: true }));
    return Items.map((item) => unmarshall(item));
  };
  /** The response of the stage's authorizer to an Authorization header: its context, or undefined for 401. */
  const authorize = async (env: Environment, header: string | undefined, now = Date.now(), from = '203.0.113.9') => {
    const uses = keyUses(recordKeyUse(tables[env]));
    const credentials = credentialReader(tables[env]);
    const handler = authorizer({ env, credentials, clock: () => now, uses, edge: 'none' });
    const event = {
      type: 'REQUEST',
      methodArn: 'arn:aws:execute-api:us-east-1:000000000000:api/stage/POST/v2/sms/messages',
      headers: header === undefined ? {} : { authorization: header },
      requestContext: { identity: { sourceIp: from } },
    } as unknown as Parameters<typeof handler>[0];
    return handler(event).catch((error: Error) => {
      if (error.message !== 'Unauthorized') throw error;
      return undefined;
    });
  };
  /** The test stage's table through a proxy. */
  const through = (endpoint: string) => {
    const other = clientAt(endpoint);
    return { client: other, table: new Table(other, names.test) };
  };
  const close = async () => {
    client.destroy();
    await engine.stop();
  };
  return { endpoint: engine.endpoint, tables, rows, authorize, through, close };
};
