import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** The smallest environment that a function starts with. Its endpoints do not exist: a call to one fails. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  STAGE: 'test',
  TABLE_NAME: 'messaging-test',
  LIVE_TABLE_NAME: 'messaging-live',
  PUBLIC_URL: 'http://127.0.0.1:9',
  DYNAMODB_ENDPOINT: 'http://127.0.0.1:9',
  SQS_ENDPOINT: 'http://127.0.0.1:9',
  QUEUE_URLS: '{}',
  LOCAL_KEY_FILE: '/nowhere/master.key',
  AWS_REGION: 'sa-east-1',
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
  POWERTOOLS_LOG_LEVEL: 'SILENT',
  POWERTOOLS_METRICS_DISABLED: 'true',
};

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** The path of an operation's handler under `functions/`. */
export const functionPath = ({ id }: OperationContract): string => id.replace('.', '/');

/** The operation's own handler module, started in the fake environment. */
export const loadHandler = async (contract: OperationContract): Promise<Handler> => {
  Object.assign(process.env, ENVIRONMENT);
  const module = (await import(join(ROOT, 'functions', `${functionPath(contract)}.ts`))) as { handler: Handler };
  return module.handler;
};

/** The operation's example event, as committed; a fresh copy each time. */
export const exampleEvent = ({ id }: OperationContract): APIGatewayProxyEvent =>
  JSON.parse(readFileSync(join(ROOT, 'events/requests', `${id}.json`), 'utf8')) as APIGatewayProxyEvent;

const CONTEXT = { awsRequestId: 'none', functionName: 'none', getRemainingTimeInMillis: () => 10_000 } as Context;

export interface Change {
  readonly headers?: Readonly<Record<string, string>>;
  readonly without?: string;
  /** A header that is sent twice. */
  readonly twice?: string;
  readonly scopes?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Query parameters that are given twice, with the same value. */
  readonly repeated?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly anonymous?: true;
  readonly kind?: 'key';
}

const changedHeaders = (event: APIGatewayProxyEvent, { headers, without }: Change) =>
  Object.fromEntries(
    Object.entries({ ...event.headers, ...headers }).filter(([name]) => name.toLowerCase() !== without),
  );

/** The example event with one thing changed. */
export const changed = (contract: OperationContract, change: Change): APIGatewayProxyEvent => {
  const event = exampleEvent(contract);
  const caller = change.anonymous
    ? {}
    : { ...event.requestContext.authorizer, ...(change.kind ? { kind: change.kind } : {}) };
  const query = { ...event.queryStringParameters, ...change.query, ...change.repeated };
  const valuesOf = (name: string) => [query[name] ?? '', ...(change.repeated?.[name] ? [change.repeated[name]] : [])];
  return {
    ...event,
    headers: changedHeaders(event, change),
    multiValueHeaders: { ...event.multiValueHeaders, ...(change.twice ? { [change.twice]: ['a', 'b'] } : {}) },
    requestContext: {
      ...event.requestContext,
      authorizer: change.scopes === undefined ? caller : { ...caller, scopes: change.scopes },
    },
    queryStringParameters: query,
    multiValueQueryStringParameters: Object.fromEntries(Object.keys(query).map((name) => [name, valuesOf(name)])),
    body: change.body ?? event.body,
  };
};

/** Runs the handler as the gateway does. */
export const call = async (contract: OperationContract, change: Change): Promise<APIGatewayProxyResult> =>
  (await loadHandler(contract))(changed(contract, change), CONTEXT);
