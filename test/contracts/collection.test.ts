import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { projectCollection } from '../../shared/openapi/project-document.ts';

const ROOT = join(import.meta.dirname, '../..');
const openapi = readFileSync(join(ROOT, 'openapi.json'), 'utf8');

interface Item {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly header: readonly { readonly key: string; readonly value: string; readonly disabled?: boolean }[];
    readonly body?: { readonly raw: string; readonly options: { readonly raw: { readonly language: string } } };
    readonly url: {
      readonly raw: string;
      readonly path: readonly string[];
      readonly variable?: readonly { readonly key: string }[];
    };
    readonly auth?: { readonly type: string };
  };
}
const collection = JSON.parse(projectCollection(openapi)) as {
  readonly item: readonly { readonly item: readonly Item[] }[];
};
const items = collection.item.flatMap(({ item }) => item);
const requestOf = (name: string) => items.find((item) => item.name === name)?.request;

describe('docs/postman.json', () => {
  it('is that of the contracts: npm run openapi', () => {
    expect(readFileSync(join(ROOT, 'docs/postman.json'), 'utf8')).toBe(projectCollection(openapi));
  });

  it('has each operation once, at its method and path', () => {
    const shown = items.map(({ request }) => `${request.method} /${request.url.path.join('/')}`);
    const all = OPERATIONS.map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
    expect([...shown].sort()).toEqual([...all].sort());
  });

  it('has a variable for each part of a path, and bodies that are JSON where they say so', () => {
    for (const { name, request } of items) {
      const named = request.url.path.filter((part) => part.startsWith(':')).map((part) => part.slice(1));
      expect((request.url.variable ?? []).map(({ key }) => key).sort(), name).toEqual(named.sort());
      if (request.body?.options.raw.language === 'json' && request.body.raw !== '')
        expect(() => JSON.parse(request.body?.raw ?? ''), name).not.toThrow();
    }
  });

  it('sends with the example, a key of idempotency that is new each time, and the credential', () => {
    const send = requestOf('Send a message on any channel');
    expect(JSON.parse(send?.body?.raw ?? '')).toMatchObject({ channel: 'whatsapp', fallback: ['rcs', {}] });
    expect(send?.header).toContainEqual(expect.objectContaining({ key: 'Idempotency-Key', value: '{{$guid}}' }));
    expect(send).not.toHaveProperty('auth');
    expect(requestOf('Check that the service accepts requests')?.auth).toEqual({ type: 'noauth' });
  });
});
