import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { partitionPattern, tablePartitions } from '../../infra/build/table-partitions.ts';
import { areaOf } from '../../infra/constructs/operation-function.ts';
import { type Handler, StageFunctions } from '../../infra/local/functions.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';

/*
 * Locally every function uses the table with all rights. Here each write is compared with what the role of its function may write when it is
 * deployed, so that a permission that is missing is seen before.
 */

const ROOT = join(import.meta.dirname, '../..');
/** The areas whose role writes. */
const WRITING = new Set(OPERATIONS.filter(({ uses }) => uses.table === 'write').map(({ id }) => id.split('.')[0]));
const AREAS = new Set(OPERATIONS.map(({ id }) => id.split('.')[0]));

/** Computed once a run: it compiles all functions. */
const partitionsOfRun = async (): Promise<ReadonlyMap<string, readonly string[]>> => {
  const file = join(tmpdir(), 'table-partitions.json');
  if (!existsSync(file)) {
    const own = `${file}.${process.pid}`;
    writeFileSync(own, JSON.stringify([...(await tablePartitions(ROOT))]));
    renameSync(own, file);
  }
  return new Map(JSON.parse(readFileSync(file, 'utf8')) as [string, string[]][]);
};

/** What the role of a function may write. An area's operations share a role; the authorizer writes the last use of keys alone. */
const allowedTo = (partitions: ReadonlyMap<string, readonly string[]>, path: string): ReadonlySet<string> => {
  if (path === 'authorizer') return new Set(['KEY#*']);
  const area = areaOf(path);
  if (!AREAS.has(area)) return new Set(partitions.get(path));
  if (!WRITING.has(area)) return new Set();
  return new Set([...partitions].flatMap(([each, patterns]) => (areaOf(each) === area ? patterns : [])));
};

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

/** Throws for writes, since the last call, that a deployed role would have been refused. */
export const checkRoles = (): void => {
  const found = [...violations];
  violations.clear();
  if (found.length > 0) throw new Error(`Deployed, the role would not allow that ${found.join(', ')}.`);
};

const rememberFunctions = () => {
  const { load, loaded } = StageFunctions.prototype;
  const known = new WeakMap<Handler, Handler>();
  const named = (path: string, handler: Handler): Handler => {
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

const readRequests = (partitions: ReadonlyMap<string, readonly string[]>) => {
  const { request } = http;
  const allowed = new Map<string, ReadonlySet<string>>();
  http.request = ((...input: Parameters<typeof request>) => {
    const made = request(...input);
    const path = invoked.getStore();
    if (path === undefined || !WRITES.test(String(made.getHeader('x-amz-target') ?? ''))) return made;
    const end = made.end.bind(made) as (...args: unknown[]) => typeof made;
    made.end = ((body?: unknown, ...rest: unknown[]) => {
      const mine = allowed.get(path) ?? allowedTo(partitions, path);
      allowed.set(path, mine);
      for (const pk of writtenKeys(Buffer.from(body as Uint8Array).toString('utf8')))
        if (!mine.has(partitionPattern({ pk }))) violations.add(`${path} writes ${partitionPattern({ pk })}`);
      return end(body, ...rest);
    }) as typeof made.end;
    return made;
  }) as typeof request;
  syncBuiltinESMExports();
};

let watching: Promise<void> | undefined;
/** From now on, compares what the functions of this process write with what their roles may write. */
export const watchRoles = (): Promise<void> => {
  watching ??= partitionsOfRun().then((partitions) => {
    rememberFunctions();
    readRequests(partitions);
  });
  return watching;
};
