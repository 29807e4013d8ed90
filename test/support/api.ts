import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalStack, LocalStackOptions } from '../../infra/local/local-stack.ts';
import { keyFileOf } from '../../infra/local/stages.ts';
import { rootKeysOf } from '../../infra/operator/root-keys.ts';
import { createOrganization } from '../../infra/provisioning/organizations.ts';
import { ENVIRONMENTS, type Environment } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { localKeyProvider } from '../../shared/providers/keys/local-key-provider.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { creditWallet } from '../../shared/storage/wallet/wallet.ts';
import { callEngine } from './engine-calls.ts';
import { startTestStack, tempDir } from './local-stack.ts';
import { memoryClient } from './memory-table/client.ts';
import { memoryTablesAt, startMemoryEngine } from './memory-table/engine.ts';
import { patient } from './patient-client.ts';
import { checkRoles, watchRoles } from './role-permissions.ts';
import { rowsWith } from './scan.ts';
import { giveSenders } from './senders.ts';
import { isInMemoryByDefault, OVER_DYNAMODB_LOCAL, TEST_LAWS } from './table-engine.ts';
import { takeEvents } from './takers.ts';

/** A parsed JSON body, untyped. */
const parsed = (text: string) => (text === '' ? undefined : JSON.parse(text));

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined when the answer is not JSON. */
  readonly body: ReturnType<typeof parsed>;
}

interface Parts {
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const answerOf = async (response: Response): Promise<Answer> => {
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, text, body: json ? parsed(text) : undefined };
};

const isRaw = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array;

/** A caller of the service with one credential, or with none. */
export const apiClient = (url: string, key?: string) => {
  const call = async (
    method: string,
    path: string,
    { query = {}, body, headers = {} }: Parts = {},
  ): Promise<Answer> => {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const init: RequestInit = {
      method,
      redirect: 'manual',
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
    };
    return answerOf(await fetch(`${url}${path}${search === '' ? '' : `?${search}`}`, init));
  };
  return {
    key,
    call,
    get: (path: string, query: Parts['query'] = {}) => call('GET', path, { query }),
    post: (path: string, body: unknown, headers: Parts['headers'] = {}) => call('POST', path, { body, headers }),
    /** `POST /v2/sms/messages` with a key of its own, unless one is given. */
    send: (fields: Readonly<Record<string, unknown>> = {}, idempotencyKey: string = randomUUID()) =>
      call('POST', '/v2/sms/messages', {
        body: { ...aMessage, ...fields },
        headers: { 'idempotency-key': idempotencyKey },
      }),
  };
};
export type Client = ReturnType<typeof apiClient>;

/** The required fields of a send. */
export const aMessage = { to: '+5511999990005', body: 'Seu pedido saiu.', route: 'premium' } as const;

/** An organization with a client of all scopes in each environment. */
export interface Tenant {
  readonly id: Id<'organization'>;
  readonly live: Client;
  readonly test: Client;
}

/** An event's row; with `publishedAt` once it was published. */
type EventRow = Pick<DomainEvent, 'id' | 'type' | 'env' | 'data'> & { readonly publishedAt?: string };

interface TenantOptions {
  readonly live?: number;
  readonly takesEvents?: boolean;
}

/** The engine in memory, for a service that is not to have another. */
const startEngine = (options: Partial<LocalStackOptions>): ReturnType<typeof startMemoryEngine> | undefined =>
  isInMemoryByDefault() && options.inMemory && !options.env?.DYNAMODB_ENDPOINT ? startMemoryEngine() : undefined;

/**
 * The tables as a test reads and writes them: beside the service and without the SDK, which takes most of the processor time of a call. Those
 * of the service where another engine is named, or stands behind DynamoDB's laws.
 */
const tablesOf = ({ tables, dynamodbEndpoint }: LocalStack, env: LocalStackOptions['env'] = {}) => {
  const inMemory = memoryTablesAt(dynamodbEndpoint);
  if (inMemory) {
    const client = memoryClient(inMemory);
    return {
      tables: { live: new Table(client, tables.live.name), test: new Table(client, tables.test.name) },
      close() {},
    };
  }
  if (OVER_DYNAMODB_LOCAL || TEST_LAWS || env.DYNAMODB_ENDPOINT) return { tables, close() {} };
  const client = patient(tableClient(dynamodbEndpoint));
  const engine = callEngine(client, dynamodbEndpoint, () => true);
  const direct = { live: new Table(client, tables.live.name), test: new Table(client, tables.test.name) };
  const close = () => {
    engine.close();
    client.destroy();
  };
  return { tables: direct, close };
};

/**
 * For a service that is asked for much at once: on a loaded machine a chunk takes longer than 30 s, after which a send is given up, and its
 * process stands still for longer than a call to the table may take.
 */
export const UNHURRIED = { SEND_DEADLINE_SECONDS: '300', TABLE_TIMEOUT_MS: '60000' } as const;

/** The whole service on this machine, with access to its tables. */
export const startMessaging = async (options: Partial<LocalStackOptions> = {}) => {
  const dataDir = await tempDir();
  // One build for the whole run, in the run's own temporary folder, and served from there: Node keeps what it compiled.
  const ofRun = {
    distDir: join(tmpdir(), 'dist'),
    servedDir: process.env.VITEST ? join(tmpdir(), 'served') : undefined,
  };
  // Functions are imported when a test calls them: a file calls those of one environment, or others.
  const ofTests = process.env.VITEST ? { inMemory: true, warm: [] } : {};
  const settings = { dispatchSeconds: 1, ...ofTests, ...ofRun, ...options, dataDir };
  // Not beside measurements, which it would slow down.
  if (process.env.VITEST) await watchRoles();
  const engine = await startEngine(settings);
  const env = engine ? { ...settings.env, DYNAMODB_ENDPOINT: engine.endpoint } : settings.env;
  const localStack = await startTestStack({ ...settings, ...(env ? { env } : {}) });
  const now = () => Date.now();
  const { url } = localStack;
  const { tables, close: closeTables } = tablesOf(localStack, settings.env);

  const credit = (env: Environment, organizationId: Id<'organization'>, coins: number) =>
    creditWallet(tables[env], { organizationId, env, coins, description: 'Credit', now: now() });

  /**
   * Creates an organization; `live`: the coins of its live wallet; `takesEvents`: of every type, by a subscription that never delivers them,
   * so that `eventsOf` finds those of its messages.
   */
  const tenant = async ({ live, takesEvents }: TenantOptions = {}): Promise<Tenant> => {
    const { organizationId: id, keys } = await createOrganization(tables, { name: 'Loja Azul' });
    if (takesEvents) await Promise.all(ENVIRONMENTS.map((env) => takeEvents(tables[env], env, id)));
    if (live !== undefined) await giveSenders(tables.live, id);
    if (live) await credit('live', id, live);
    return { id, live: apiClient(url, keys.live), test: apiClient(url, keys.test) };
  };

  /** A client of the same organization and environment whose key has only these scopes. */
  const limited = async (client: Client, scopes: readonly string[]): Promise<Client> => {
    const { status, body } = await client.post('/v2/api-keys', { name: 'Limited', scopes });
    if (status !== 201) throw new Error(`The key was not created: ${status}`);
    return apiClient(url, body.key);
  };

  /** Every row of a stage that names an organization. */
  const rawRowsOf = (env: Environment, organizationId: string) =>
    rowsWith(localStack.dynamodbEndpoint, tables[env].name, organizationId);

  /** All rows of an organization in a stage, except whether its events are published yet, and when its keys were last used. */
  const rowsOf = async (env: Environment, organizationId: string): Promise<Row[]> =>
    (await rawRowsOf(env, organizationId)).map((row) => {
      if (row.pk.startsWith('KEY#')) return { ...row, lastUsedAt: undefined, lastUsedIp: undefined } as Row;
      if (!row.pk.startsWith('EVT#')) return row;
      const { duePk: _, dueAt: __, publishedAt: ___, ...kept } = row;
      return kept as Row;
    });

  /** The events that an organization's changes raised, oldest first. */
  const eventsOf = async (env: Environment, organizationId: string) => {
    const events = (await rawRowsOf(env, organizationId)).filter(({ pk }) => pk.startsWith('EVT#'));
    events.sort((a, b) => (String(a.createdAt) < String(b.createdAt) ? -1 : 1));
    return events as unknown as EventRow[];
  };

  const provider = localKeyProvider(keyFileOf(dataDir));
  const { vault, createRootKeys } = rootKeysOf(tables, async () => () => provider);
  // As the operator's command does before it creates an organization.
  for (const env of ENVIRONMENTS) await createRootKeys(env);

  const close = async () => {
    closeTables();
    await localStack.close();
    await engine?.close();
    checkRoles();
  };
  const anonymous = apiClient(url);
  return { ...localStack, tables, anonymous, tenant, limited, credit, rowsOf, eventsOf, vault, createRootKeys, close };
};
export type Messaging = Awaited<ReturnType<typeof startMessaging>>;
