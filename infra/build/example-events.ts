import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent, SQSEvent } from 'aws-lambda';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { ID_PREFIXES, type IdKind, parseId } from '../../shared/domain/core/ids.ts';
import type { QueueName } from '../../shared/queues/queues.ts';
import { QUEUES, type QueueMessage } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { EMPTY_IDENTITY } from '../request-identity.ts';
import { exampleInput } from './example-input.ts';
import { EXAMPLE_VALUES, type ExampleValues } from './example-values.ts';

const ACCOUNT = '123456789012';
const REGION = 'sa-east-1';
const REQUEST_ID = 'req_Yb3LxWm9ZcJd7FgP1sTa4';
const exampleId = <K extends IdKind>(kind: K) => parseId(kind, `${ID_PREFIXES[kind]}_4hJ9sKq2LmN8pRt5VwXz1`);
const MESSAGE_ID = exampleId('message');
const AT = Date.UTC(2026, 2, 2, 14, 5, 9, 120);
const AUTHORIZATION = 'Bearer svc_test_5nH2vKq8RtYb3LxWm9ZcJd7FgP1sTa4UeQo6BiXk';

/** A placeholder of the right shape for a path parameter without an example value. */
const pathValue = (name: string, path: string): string => {
  if (name !== 'id') return 'example';
  return exampleId(path.includes('/sms/') ? 'message' : path.includes('/api-keys/') ? 'apiKey' : 'contact');
};

const pathParameters = (contract: OperationContract, values: ExampleValues): Record<string, string> => {
  const names = [...contract.path.matchAll(/\{(\w+)\+?\}/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [name, values.params?.[name] ?? pathValue(name, contract.path)]));
};

/** The body as API Gateway passes it; null for an operation without one. */
const bodyOf = ({ request }: OperationContract, values: ExampleValues): string | null => {
  if (request.rawBody) return values.rawBody?.text ?? '';
  if (request.stream?.schema) return JSON.stringify(values.body ?? exampleInput(request.stream.schema));
  if (request.stream) return Buffer.from(values.rawBody?.text ?? '').toString('base64');
  if (!request.body) return null;
  return JSON.stringify(values.body ?? exampleInput(request.body));
};

const queryOf = ({ request }: OperationContract, values: ExampleValues): Record<string, string> =>
  values.query ?? (request.query ? (exampleInput(request.query) as Record<string, string>) : {});

/** The authorizer context of a test key, or a session, that holds exactly the operation's scope. */
const callerOf = ({ permission }: OperationContract): Record<string, string> => {
  if (permission === 'public') return {};
  const session = typeof permission !== 'string';
  const credentialId = exampleId(session ? 'session' : 'apiKey');
  return {
    principalId: credentialId,
    organizationId: exampleId('organization'),
    env: 'test',
    credentialId,
    kind: session ? 'session' : 'key',
    ...(session ? { accountId: exampleId('account') } : {}),
    scopes: session ? permission.session : permission,
  };
};

const contentTypeOf = ({ request }: OperationContract, values: ExampleValues): string | undefined =>
  request.body
    ? 'application/json'
    : (values.rawBody?.contentType ?? request.rawBody?.contentType ?? request.stream?.contentTypes[0]);

const headersOf = (contract: OperationContract, values: ExampleValues): Record<string, string> => {
  const contentType = contentTypeOf(contract, values);
  return {
    ...(contract.permission === 'public' ? {} : { Authorization: AUTHORIZATION }),
    ...(contentType ? { 'Content-Type': contentType } : {}),
    ...(contract.idempotency === 'required' ? { 'Idempotency-Key': 'order-1842-shipped' } : {}),
    Host: 'api.example.com',
    'User-Agent': 'example/1.0',
  };
};

const IDENTITY = { ...EMPTY_IDENTITY, sourceIp: '203.0.113.10', userAgent: 'example/1.0' };

const contextOf = ({ method, path }: Pick<OperationContract, 'method' | 'path'>, actualPath: string) => ({
  accountId: ACCOUNT,
  apiId: 'a1b2c3d4e5',
  domainName: 'api.example.com',
  domainPrefix: 'api',
  extendedRequestId: 'JJbxwFVfIAMF5rw=',
  httpMethod: method,
  identity: IDENTITY,
  path: actualPath,
  protocol: 'HTTP/1.1',
  requestId: REQUEST_ID,
  requestTime: '02/Mar/2026:14:05:09 +0000',
  requestTimeEpoch: AT,
  resourceId: 'ab12cd',
  resourcePath: path,
  stage: 'test',
});

const listed = (single: Readonly<Record<string, string>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(single).map(([name, value]) => [name, [value]]));
const orNull = <T extends object>(values: T): T | null => (Object.keys(values).length > 0 ? values : null);

/** An event of API Gateway's REST proxy integration (payload version 1.0) that the operation accepts. */
export const requestEvent = (contract: OperationContract): APIGatewayProxyEvent => {
  const values = EXAMPLE_VALUES[contract.id] ?? {};
  const params = pathParameters(contract, values);
  const path = contract.path.replace(/\{(\w+)\+?\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const [headers, query] = [headersOf(contract, values), queryOf(contract, values)];
  return {
    resource: contract.path,
    path,
    httpMethod: contract.method,
    headers,
    multiValueHeaders: listed(headers),
    queryStringParameters: orNull(query),
    multiValueQueryStringParameters: orNull(listed(query)),
    pathParameters: orNull(params),
    stageVariables: null,
    requestContext: { ...contextOf(contract, path), authorizer: callerOf(contract) },
    body: bodyOf(contract, values),
    isBase64Encoded: contract.request.stream !== undefined && !contract.request.stream.schema,
  };
};

/** An event of API Gateway's REQUEST authorizer. */
export const authorizerEvent = (): Omit<APIGatewayRequestAuthorizerEvent, 'requestContext'> & {
  requestContext: object;
} => {
  const headers = { Authorization: AUTHORIZATION, Host: 'api.example.com' };
  return {
    type: 'REQUEST',
    methodArn: `arn:aws:execute-api:${REGION}:${ACCOUNT}:a1b2c3d4e5/test/GET/v2/wallet`,
    resource: '/v2/wallet',
    path: '/v2/wallet',
    httpMethod: 'GET',
    headers,
    multiValueHeaders: listed(headers),
    pathParameters: null,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    stageVariables: null,
    requestContext: contextOf({ method: 'GET', path: '/v2/wallet' }, '/v2/wallet'),
  };
};

/** One message per queue. */
const MESSAGES: { readonly [Q in QueueName]: QueueMessage<Q> } = {
  send: { kind: 'send_message', ...KEYS.message(MESSAGE_ID) },
  critical: { kind: 'send_message', ...KEYS.message(MESSAGE_ID) },
  bulk: { kind: 'send_chunk', ...KEYS.batchChunk(exampleId('batch'), 0) },
  push: { kind: 'send_push', ...KEYS.message(MESSAGE_ID) },
  outcome: { kind: 'sandbox_outcome', ...KEYS.message(MESSAGE_ID) },
  events: { kind: 'publish_event', ...KEYS.event(exampleId('event')) },
  webhook: { kind: 'deliver_webhook', ...KEYS.delivery(exampleId('delivery')) },
  'critical-webhook': { kind: 'deliver_webhook', ...KEYS.delivery(exampleId('delivery')) },
  backlog: {
    kind: 'drain_backlog',
    ...KEYS.webhook(exampleId('organization'), exampleId('webhook')),
  },
};

/** An SQS event with one message, as Lambda receives it. */
export const queueEvent = (queue: QueueName): SQSEvent => ({
  Records: [
    {
      messageId: '059f36b4-87a3-44ab-83d2-661975830a7d',
      receiptHandle: 'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a',
      body: JSON.stringify(MESSAGES[queue]),
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: String(AT),
        SenderId: 'AIDAIENQZJOLO23YVJ4VO',
        ApproximateFirstReceiveTimestamp: String(AT + 1),
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: `arn:aws:sqs:${REGION}:${ACCOUNT}:messaging-test-${QUEUES[queue].name}`,
      awsRegion: REGION,
    },
  ],
});
