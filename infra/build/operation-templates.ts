import type { OperationNames } from './operation-names.ts';

const CONTRACT_HEAD = `import * as z from 'zod';
import { defineOperation } from './define-operation.ts';
`;

const contract = ({ id, path, tag, scope, variable, schema }: OperationNames): string => `
export const ${schema} = z
  .strictObject({ text: z.string().min(1).max(100).meta({ description: 'A text.', example: 'example' }) })
  .meta({ id: '${schema}', description: 'What to do.' });

export const ${schema}Result = z
  .object({ text: z.string().meta({ description: 'The text.', example: 'example' }) })
  .meta({ id: '${schema}Result', description: 'What was done.' });

export const ${variable} = defineOperation({
  id: '${id}',
  route: 'POST ${path}',
  tag: '${tag}',
  summary: 'Describe ${id} in one line',
  permission: '${scope}',
  body: ${schema},
  answer: ${schema}Result,
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'none' },
});
`;

/** `shared/domain/core`, as a rule in a folder of the domain imports it. */
const coreFrom = (ruleFolder: string): string =>
  `${ruleFolder
    .split('/')
    .map(() => '..')
    .join('/')}/core`;

/** A file of an operation whose rule is in a folder of the domain. */
type Template = (names: OperationNames, ruleFolder: string) => string;

const rule: Template = ({ id, variable }, ruleFolder) => `import type { Actor } from '${coreFrom(ruleFolder)}/actor.ts';
import { type Refusal, refuse } from '${coreFrom(ruleFolder)}/errors.ts';

/** The rule of ${id}: a plain function over what it is given. */
export const ${variable} = (_actor: Actor, input: { readonly text: string }): { text: string } | Refusal<'VALIDATION_ERROR'> =>
  input.text.trim() === ''
    ? refuse('VALIDATION_ERROR', { detail: 'The body violates the contract.', errors: [{ path: 'text', message: 'must not be blank' }] })
    : { text: input.text };
`;

const handler: Template = (
  { area, verb, variable },
  ruleFolder,
) => `import { ${variable} as contract } from '../../shared/contracts/${area}.ts';
import { ${variable} } from '../../shared/domain/${ruleFolder}/${verb}.ts';
import { operation } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, ({ actor, body }) => ${variable}(actor, body));
`;

const test: Template = ({ id, verb, variable }, ruleFolder) => `import { expect, it } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { ${variable} } from '../../shared/domain/${ruleFolder}/${verb}.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';

const actor: Actor = {
  organizationId: newId('organization'),
  env: 'test',
  credentialId: newId('apiKey'),
  kind: 'key',
  scopes: new Set(),
};

it('${id} returns what was requested', () => {
  expect(${variable}(actor, { text: 'example' })).toEqual({ text: 'example' });
});

it('${id} refuses a blank text', () => {
  expect(isRefusal(${variable}(actor, { text: ' ' }))).toBe(true);
});
`;

/**
 * The files of a new operation, by their path from the root. The contract's is the part to append where the area exists; `ruleFolder` is
 * the folder of the domain that the rule goes to.
 */
export const operationFiles = (names: OperationNames, ruleFolder: string) => ({
  contract: { path: `shared/contracts/${names.area}.ts`, head: CONTRACT_HEAD, text: contract(names) },
  others: new Map([
    [`shared/domain/${ruleFolder}/${names.verb}.ts`, rule(names, ruleFolder)],
    [`functions/${names.area}/${names.verb}.ts`, handler(names, ruleFolder)],
    [`test/domain/${names.area}-${names.verb}.test.ts`, test(names, ruleFolder)],
  ]),
});
