import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { projectDocument } from '../../shared/openapi/project-document.ts';
import { ROOT } from './support.ts';

interface Documented {
  readonly operationId: string;
  readonly security: readonly unknown[];
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string; readonly description?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
  readonly 'x-required-scope'?: string;
}
const committed = readFileSync(join(ROOT, 'openapi.json'), 'utf8');
const document = JSON.parse(committed) as {
  readonly paths: Record<string, Record<string, Documented>>;
  readonly components: { readonly responses: Record<string, { readonly headers: object; readonly content: object }> };
};
const documented = Object.values(document.paths).flatMap((path) => Object.values(path));

describe('openapi.json', () => {
  it('matches the contracts (else: npm run openapi)', () => {
    expect(projectDocument(ROOT).split('\n')).toEqual(committed.split('\n'));
  });

  it('documents every operation, once', () => {
    expect(documented.map(({ operationId }) => operationId).sort()).toEqual(OPERATIONS.map(({ id }) => id).sort());
  });

  it('names the scope of every operation that needs a credential, and none elsewhere', () => {
    for (const { operationId, security, 'x-required-scope': scope } of documented) {
      const permission = OPERATIONS.find(({ id }) => id === operationId)?.permission;
      expect(security.length === 0, operationId).toBe(permission === 'public');
      expect(scope !== undefined, operationId).toBe(permission !== 'public');
    }
  });

  it('describes every parameter and gives an example of every JSON body', () => {
    for (const { operationId, parameters = [], requestBody } of documented) {
      for (const parameter of parameters)
        expect(parameter.$ref ?? parameter.description, `${operationId} ${parameter.name}`).toBeTruthy();
      const json = requestBody?.content['application/json'];
      if (json) expect(json.example, operationId).toBeDefined();
    }
  });

  it('has names and titles of one line in every body: none of blanks alone, and none with a control character', () => {
    const named = documented.flatMap(({ operationId, requestBody }) => {
      const example = requestBody?.content['application/json']?.example as
        | Readonly<Record<string, unknown>>
        | undefined;
      const { request } = OPERATIONS.find(({ id }) => id === operationId) ?? {};
      const schema = (request as OperationContract['request'] | undefined)?.body;
      const fields = ['name', 'nome', 'titulo'].filter((field) => typeof example?.[field] === 'string');
      return schema ? fields.map((field) => ({ operationId, field, example, schema })) : [];
    });
    expect(named.length).toBeGreaterThan(20);
    const accepted = named.flatMap(({ operationId, field, example, schema }) =>
      ['', ' ', 'A\u0000', 'A\nB']
        .filter((name) => schema.safeParse({ ...example, [field]: name }).success)
        .map((name) => `${operationId} ${JSON.stringify(name)}`),
    );
    // A person's name comes from other systems: blanks are stored as they are.
    expect(accepted).toEqual(['contacts.create " "', 'contacts.change " "']);
  });

  it('gives every body of text an example, and those in JSON are accepted by the schema of their operation', () => {
    const bytes = /^(?:application\/octet-stream|audio\/|image\/|video\/|application\/(?!json|x-www)|text\/plain)/;
    for (const { operationId, requestBody } of documented) {
      const { request } = OPERATIONS.find(({ id }) => id === operationId) ?? {};
      const schema = (request as OperationContract['request'] | undefined)?.body;
      for (const [type, { example }] of Object.entries(requestBody?.content ?? {})) {
        if (!bytes.test(type)) expect(example, `${operationId} ${type}`).toBeDefined();
        if (type === 'application/json' && schema) expect(schema.safeParse(example).error, operationId).toBeUndefined();
      }
    }
  });

  it('describes the JSON of a flow in whole, in requests and in answers', () => {
    const { schemas } = JSON.parse(committed).components;
    const named = ({ $ref = '' }: { $ref?: string }) => schemas[$ref.split('/').at(-1) ?? ''];
    for (const shape of [named(schemas.Flow.properties.flowJson), named(schemas.CreateFlow.properties.flowJson)]) {
      expect(Object.keys(shape.properties)).toEqual(['version', 'data_api_version', 'routing_model', 'screens']);
      const screen = shape.properties.screens.items.properties;
      expect(Object.keys(screen).toSorted()).toEqual([
        'data',
        'id',
        'layout',
        'refresh_on_back',
        'sensitive',
        'success',
        'terminal',
        'title',
      ]);
      expect(Object.keys(screen.layout.properties)).toEqual(['type', 'children']);
    }
  });

  it('has Retry-After on every 429 and 503, and problem documents for errors', () => {
    const { RateLimited, ServiceUnavailable } = document.components.responses;
    for (const response of [RateLimited, ServiceUnavailable]) expect(response?.headers).toHaveProperty('Retry-After');
    for (const { content } of Object.values(document.components.responses))
      expect(Object.keys(content)).toEqual(['application/problem+json']);
  });

  it('passes redocly without an error or a warning', async () => {
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const lint = ['node_modules/@redocly/cli/bin/cli.js', 'lint', 'openapi.json', '--format=json'];
    const { stdout } = await promisify(execFile)(process.execPath, lint, { cwd: ROOT, env }).catch(
      (error: { stdout: string }) => error,
    );
    const { totals, problems } = JSON.parse(stdout);
    expect(totals, JSON.stringify(problems, null, 1).slice(0, 4000)).toMatchObject({ errors: 0, warnings: 0 });
  }, 180_000);
});
