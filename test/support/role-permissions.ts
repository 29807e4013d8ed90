import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { partitionPattern } from '../../infra/build/table-partitions.ts';
import { type Handler, StageFunctions } from '../../infra/local/functions.ts';
import type { RootKey } from '../../shared/domain/core/secrets.ts';
import { onceARun, partitionsOfRun } from './once-a-run.ts';

/*
 * Locally every function uses the table with all rights. Here each write, and each root key that is opened, is compared with what the role of its
 * function may do when it is deployed, so that a permission that is missing is seen before.
 */

/** The partitions that a role may write, and the root keys that it may open. */
interface Permissions {
  readonly partitions: readonly string[];
  readonly rootKeys: readonly string[];
}
type Allowed = Readonly<Record<string, Permissions>>;

/**
 * The permissions of each function's role, by the function's path. An area's operations share a role; only the authorizer writes the last
 * use of keys. The contracts are imported when needed: they are slow to load.
 */
const computeAllowed = async (): Promise<Allowed> => {
  const { OPERATIONS } = await import('../../shared/contracts/index.ts');
  const { CONSUMER_ROOT_KEYS, SMPP_SERVICE_ROOT_KEYS } = await import('../../infra/constructs/grants.ts');
  const { ARCHIVER, ARCHIVER_GRANTS } = await import('../../infra/constructs/row-archiver.ts');
  const partitions = await partitionsOfRun();
  const areas = new Set(OPERATIONS.map(({ id }) => id.split('.')[0]));
  const writing = new Set(OPERATIONS.filter(({ uses }) => uses.table === 'write').map(({ id }) => id.split('.')[0]));
  const areaOf = (path: string) => path.split('/')[0];
  const allowedTo = (path: string, own: readonly string[]): readonly string[] => {
    if (path === 'authorizer') return ['KEY#*'];
    if (!areas.has(areaOf(path))) return own;
    if (!writing.has(areaOf(path))) return [];
    return partitions.flatMap(([each, patterns]) => (areaOf(each) === areaOf(path) ? patterns : []));
  };
  const rootKeysOf = (path: string): readonly RootKey[] => {
    if (path === ARCHIVER) return ARCHIVER_GRANTS.rootKeys ?? [];
    if (areaOf(path) === 'smpp-service') return SMPP_SERVICE_ROOT_KEYS;
    return areaOf(path) === 'consumers'
      ? (CONSUMER_ROOT_KEYS[path.slice('consumers/'.length) as keyof typeof CONSUMER_ROOT_KEYS] ?? [])
      : OPERATIONS.flatMap(({ id, uses }) => (id.split('.')[0] === areaOf(path) ? (uses.rootKeys ?? []) : []));
  };
  return Object.fromEntries(
    partitions.map(([path, own]) => [path, { partitions: allowedTo(path, own), rootKeys: rootKeysOf(path) }]),
  );
};

const allowedOfRun = (): Promise<Allowed> => onceARun('role-permissions', computeAllowed);

interface Keyed {
  readonly Key?: { readonly pk: { readonly S: string } };
  readonly Item?: { readonly pk: { readonly S: string } };
}
interface WriteRequest extends Keyed {
  readonly TransactItems?: readonly Readonly<Record<string, Keyed>>[];
  readonly RequestItems?: Readonly<Record<string, readonly Readonly<Record<string, Keyed>>[]>>;
}
const WRITES = /\.(?:TransactWriteItems|BatchWriteItem|PutItem|UpdateItem|DeleteItem)$/;

/** The partition keys that a request to DynamoDB writes or checks. */
const writtenKeys = (body: string): string[] => {
  const request = JSON.parse(body) as WriteRequest;
  const listed = [...(request.TransactItems ?? []), ...Object.values(request.RequestItems ?? {}).flat()];
  return [request, ...listed.flatMap((item) => Object.values(item))].flatMap(({ Key, Item }) => {
    const key = Key ?? Item;
    return key ? [key.pk.S] : [];
  });
};

const invoked = new AsyncLocalStorage<string>();
const violations = new Set<string>();

/** Throws for writes and opened root keys, since the last call, that a deployed role would have been refused. */
export const checkRoles = (): void => {
  const found = [...violations];
  violations.clear();
  if (found.length > 0) throw new Error(`Deployed, the role would not allow that ${found.join(', ')}.`);
};

/** Knows the service's functions while they run; those of a test's own have no role. */
const rememberFunctions = (allowed: Allowed) => {
  const { load, loaded } = StageFunctions.prototype;
  const known = new WeakMap<Handler, Handler>();
  const named = (path: string, handler: Handler): Handler => {
    if (!Object.hasOwn(allowed, path)) return handler;
    const wrapped = known.get(handler) ?? ((event, context) => invoked.run(path, () => handler(event, context)));
    known.set(handler, wrapped);
    return wrapped;
  };
  StageFunctions.prototype.load = async function (path) {
    return named(path, await load.call(this, path));
  };
  StageFunctions.prototype.loaded = function (path) {
    const handler = loaded.call(this, path);
    return handler && named(path, handler);
  };
};

const readRequests = (allowed: Allowed) => {
  const { request } = http;
  const sets = new Map(Object.entries(allowed).map(([path, { partitions }]) => [path, new Set(partitions)]));
  http.request = ((...input: Parameters<typeof request>) => {
    const made = request(...input);
    const path = invoked.getStore();
    if (path === undefined || !WRITES.test(String(made.getHeader('x-amz-target') ?? ''))) return made;
    const end = made.end.bind(made) as (...args: unknown[]) => typeof made;
    made.end = ((body?: unknown, ...rest: unknown[]) => {
      for (const pk of writtenKeys(Buffer.from(body as Uint8Array).toString('utf8')))
        if (!sets.get(path)?.has(partitionPattern({ pk })))
          violations.add(`${path} writes ${partitionPattern({ pk })}`);
      return end(body, ...rest);
    }) as typeof made.end;
    return made;
  }) as typeof request;
  syncBuiltinESMExports();
};

const readRootKeys = (allowed: Allowed) => {
  subscribe('messaging:root-key', (name) => {
    const path = invoked.getStore();
    if (path !== undefined && !allowed[path]?.rootKeys.includes(String(name)))
      violations.add(`${path} opens the root key ${String(name)}`);
  });
};

let watching: Promise<void> | undefined;
/** From now on, compares what the functions of this process do with what their roles may do. */
export const watchRoles = (): Promise<void> => {
  watching ??= allowedOfRun().then((allowed) => {
    rememberFunctions(allowed);
    readRequests(allowed);
    readRootKeys(allowed);
  });
  return watching;
};
