import type { OperationNames } from './operation-names.ts';

const CONTRACT_HEAD = `import * as z from 'zod';
import { defineOperation } from './define-operation.ts';
`;

const contract = ({ id, path, tag, scope, variable, schema }: OperationNames): string => `
export const ${schema} = z
  .strictObject({ name: z.string().min(1).max(100).meta({ description: 'A name.', example: 'example' }) })
  .meta({ id: '${schema}', description: 'What to do.' });

export const ${schema}Result = z
  .object({ name: z.string().meta({ description: 'The name.', example: 'example' }) })
  .meta({ id: '${schema}Result', description: 'What was done.' });

export const ${variable} = defineOperation({
  id: '${id}',
  method: 'POST',
  path: '${path}',
  tag: '${tag}',
  summary: 'Describe ${id} in one line',
  permission: '${scope}',
  request: { body: ${schema} },
  responses: { 200: ${schema}Result },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'VALIDATION_ERROR'],
  uses: { table: 'none' },
});
`;

const rule = ({ id, variable }: OperationNames): string => `import type { Actor } from '../actor.ts';
import { type Refusal, refuse } from '../errors.ts';

/** The rule of ${id}: a plain function over what it is given. */
export const ${variable} = (_actor: Actor, wish: { readonly name: string }): { name: string } | Refusal<'VALIDATION_ERROR'> =>
  wish.name.trim() === ''
    ? refuse('VALIDATION_ERROR', { detail: 'The body breaks the contract.', errors: [{ path: 'name', message: 'must not be blank' }] })
    : { name: wish.name };
`;

const handler = ({
  area,
  verb,
  variable,
}: OperationNames): string => `import { ${variable} as contract } from '../../shared/contracts/${area}.ts';
import { ${variable} } from '../../shared/domain/${area}/${verb}.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const done = ${variable}(actor, body);
  return isRefusal(done) ? done : respond(200, done);
});
`;

const test = ({ id, area, verb, variable }: OperationNames): string => `import { expect, it } from 'vitest';
import type { Actor } from '../../shared/domain/actor.ts';
import { ${variable} } from '../../shared/domain/${area}/${verb}.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { newId } from '../../shared/domain/ids.ts';

const actor: Actor = {
  organizationId: newId('organization'),
  env: 'test',
  credentialId: 'key',
  kind: 'key',
  scopes: new Set(),
};

it('${id} answers with what was asked for', () => {
  expect(${variable}(actor, { name: 'example' })).toEqual({ name: 'example' });
});

it('${id} refuses a blank name', () => {
  expect(isRefusal(${variable}(actor, { name: ' ' }))).toBe(true);
});
`;

/** The files of a new operation, by their path from the root. The contract's is the part to append where the area exists. */
export const operationFiles = (names: OperationNames) => ({
  contract: { path: `shared/contracts/${names.area}.ts`, head: CONTRACT_HEAD, text: contract(names) },
  others: new Map([
    [`shared/domain/${names.area}/${names.verb}.ts`, rule(names)],
    [`functions/${names.area}/${names.verb}.ts`, handler(names)],
    [`test/domain/${names.area}-${names.verb}.test.ts`, test(names)],
  ]),
});
