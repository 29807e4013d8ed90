import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exampleFiles } from '../../infra/build/example-files.ts';
import { listFunctions } from '../../infra/build/sources.ts';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { isScope } from '../../shared/domain/core/scopes.ts';
import { QUEUE_NAMES, QUEUES } from '../../shared/queues/queues.ts';
import { exampleEvent, functionPath, ROOT } from './support.ts';

const ids = OPERATIONS.map(({ id }) => id).sort();
const namesIn = (folder: string, end: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(end))
    .map((name) => name.slice(0, -end.length))
    .sort();

const exportedContracts = async (): Promise<string[]> => {
  const modules = namesIn('shared/contracts', '.ts').filter((name) => name !== 'index');
  const found: string[] = [];
  for (const name of modules) {
    const exported: unknown[] = Object.values((await import(join(ROOT, 'shared/contracts', `${name}.ts`))) as object);
    for (const value of exported)
      if (typeof value === 'object' && value !== null && 'permission' in value && 'id' in value)
        found.push((value as OperationContract).id);
  }
  return found.sort();
};

describe('the list of operations', () => {
  it('has every exported contract, once', async () => {
    expect(ids).toEqual(await exportedContracts());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has one operation per method and path', () => {
    const routes = OPERATIONS.map(({ method, path }) => `${method} ${path.replaceAll(/\{[^}]+\}/g, '{}')}`);
    expect(routes.length - new Set(routes).size, routes.sort().join('\n')).toBe(0);
  });

  it('has a handler for each operation, and no other handler', async () => {
    const machinery = /^(?:authorizer$|consumers\/|schedules\/|smpp-service\/|streams\/)/;
    const handlers = listFunctions(join(ROOT, 'functions')).filter((path) => !machinery.test(path));
    expect(handlers.sort()).toEqual(OPERATIONS.map(functionPath).sort());
  });

  it('has a consumer for each queue, and no other consumer', () => {
    const consumers = Object.values(QUEUES).map(({ consumer }) => consumer);
    expect(namesIn('functions/consumers', '.ts')).toEqual(consumers.sort());
  });

  it('has an example event for each operation and queue, and no other', () => {
    expect(namesIn('events/requests', '.json')).toEqual(ids);
    expect(namesIn('events/sqs', '.json')).toEqual([...QUEUE_NAMES].sort());
  });
});

describe.each(OPERATIONS.map((contract) => [contract.id, contract] as const))('%s', (_, contract) => {
  it('describes exactly the parameters of its path', () => {
    const named = [...contract.path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name);
    expect(Object.keys(contract.request.params?.shape ?? {}).sort()).toEqual(named.sort());
  });

  it('requires a scope that exists', () => {
    const { permission } = contract;
    const scope = typeof permission === 'string' ? permission : permission.session;
    expect(permission === 'public' || isScope(scope)).toBe(true);
  });

  it('accepts its example event', () => {
    const event = exampleEvent(contract);
    const { params, query, body } = contract.request;
    expect([event.httpMethod, event.resource]).toEqual([contract.method, contract.path]);
    if (params) expect(params.safeParse(event.pathParameters ?? {}).error).toBeUndefined();
    if (query) expect(query.safeParse(event.queryStringParameters ?? {}).error).toBeUndefined();
    if (body) expect(body.safeParse(JSON.parse(event.body ?? 'null')).error).toBeUndefined();
  });
});

describe('example events', () => {
  it.each(QUEUE_NAMES)('the message of %s is accepted by its consumer', (queue) => {
    const { Records } = JSON.parse(readFileSync(join(ROOT, 'events/sqs', `${queue}.json`), 'utf8'));
    expect(QUEUES[queue].message.safeParse(JSON.parse(Records[0].body)).error).toBeUndefined();
  });

  it('match the contracts (else: node infra/build/write-examples.ts)', () => {
    for (const [name, text] of exampleFiles(OPERATIONS)) {
      const file = join(ROOT, 'events', name);
      expect(existsSync(file) ? readFileSync(file, 'utf8') : '', relative(ROOT, file)).toBe(text);
    }
  });
});
