import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../sdk/typescript/generate/document.ts';
import { generate } from '../../sdk/typescript/generate/main.ts';
import { placeOf, propertyOf } from '../../sdk/typescript/generate/names.ts';
import type { Messaging } from '../../sdk/typescript/src/index.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { clientOf, json } from './kit.ts';

const ROOT = join(import.meta.dirname, '../..');
const document: OpenApiDocument = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'));

/** Operations for browsers and providers: pages, redirects, callbacks. */
const FOR_OTHERS = /^(?:links|unsubscribe|callbacks)\.|^sessions\.page$|^meta\.docs/;

type Methods = Readonly<Record<string, Readonly<Record<string, (...args: unknown[]) => PromiseLike<unknown>>>>>;

const call = (messaging: Messaging, id: string, args: readonly unknown[]) => {
  const { group, method } = placeOf(id);
  const operation = (messaging as unknown as Methods)[propertyOf(group)]?.[method];
  if (!operation) throw new Error(`${id} has no method.`);
  return operation.call((messaging as unknown as Methods)[propertyOf(group)], ...args);
};

describe('the generated part of the SDK', () => {
  it('matches openapi.json (else: npm run sdk)', async () => {
    for (const [path, content] of Object.entries(await generate(document)))
      expect(readFileSync(join(ROOT, path), 'utf8').split('\n'), path).toEqual(content.split('\n'));
  }, 180_000);

  it.each(OPERATIONS.filter(({ id }) => !FOR_OTHERS.test(id)).map((contract) => [contract.id, contract] as const))(
    '%s is called as its contract says: method, path, body, query, key and credential',
    async (id, contract) => {
      const { messaging, sent } = clientOf([json(200, { items: [], total: 0, lastSequence: 0 })]);
      const parameters = [...contract.path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => `the ${name}`);
      const { body, stream, query, rawBody } = contract.request;
      const input = stream && !stream.schema ? { contentType: 'image/png', data: new Uint8Array([1, 2]) } : { a: 1 };
      const args = [...parameters, ...(body || stream || rawBody ? [input] : []), ...(query ? [{ given: 'yes' }] : [])];
      await call(messaging, id, args);

      const path = parameters.reduce(
        (text, value) => text.replace(/\{[^}]+\}/, encodeURIComponent(value)),
        contract.path,
      );
      expect(sent).toEqual([
        expect.objectContaining({
          method: contract.method,
          url: `https://messaging.example${path}${query ? '?given=yes' : ''}`,
        }),
      ]);
      const [{ headers, body: text }] = sent as [(typeof sent)[number]];
      expect(text === '').toBe(args.length === parameters.length + (query ? 1 : 0));
      expect('idempotency-key' in headers).toBe(contract.idempotency !== undefined);
      expect(headers.authorization).toBe(contract.permission === 'public' ? undefined : 'Bearer svc_test_key');
    },
  );
});
