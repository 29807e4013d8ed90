import * as z from 'zod';
import { defineOperation } from '../../shared/contracts/define-operation.ts';
import type { Actor } from '../../shared/domain/actor.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

/**
 * What the declaration of an operation holds its handler to. The compiler is the test runner: a line below that stops
 * failing makes its `@ts-expect-error` an error.
 */
const contract = defineOperation({
  id: 'probe.send',
  method: 'POST',
  path: '/probe/{id}',
  tag: 'Service',
  summary: 'Probe',
  permission: 'sms:send',
  idempotency: 'required',
  request: { params: z.object({ id: z.string() }), body: z.strictObject({ text: z.string() }) },
  responses: { 201: z.object({ id: z.string() }), 204: null },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  uses: { table: 'none' },
});
const done = respond(201, { id: 'msg_1' });

/** A declared success, an empty success, a declared refusal and a common one compile. */
operation(contract, async () => done);
operation(contract, async () => respond(204, undefined));
operation(contract, async () => refuse('NOT_FOUND', 'There is none.'));
operation(contract, async () => refuse('SERVICE_UNAVAILABLE', 'Not now.'));

// @ts-expect-error a refusal that the contract does not declare
operation(contract, async () => refuse('CONFLICT', 'Taken.'));
// @ts-expect-error one undeclared refusal among declared outcomes
operation(contract, async ({ body }) => (body.text === '' ? refuse('PAYMENT_REQUIRED', 'No balance.') : done));
// @ts-expect-error a status that the contract does not declare
operation(contract, async () => respond(200, { id: 'msg_1' }));
// @ts-expect-error a declared status without its body
operation(contract, async () => respond(201, undefined));
// @ts-expect-error a declared status with another body
operation(contract, async () => respond(201, { id: 1 }));
// @ts-expect-error a body where none is declared
operation(contract, async () => respond(204, { id: 'msg_1' }));
// @ts-expect-error nothing at all
operation(contract, async () => undefined);

/** What the handler receives is what the contract parsed. */
operation(contract, async ({ actor, params, body, idempotencyKey }) => {
  const parsed: readonly [Actor, string, string, string] = [actor, params.id, body.text, idempotencyKey];
  // @ts-expect-error a field that the body does not have
  const missing = body.other;
  return parsed.length === 4 && missing === undefined ? done : respond(204, undefined);
});

const base = {
  method: 'GET',
  path: '/probe',
  tag: 'Service',
  summary: 'Probe',
  permission: 'public',
  request: {},
  responses: { 200: z.object({ ok: z.boolean() }) },
  errors: [],
  uses: { table: 'none' },
} as const;
// @ts-expect-error a permission that is no scope
defineOperation({ ...base, id: 'probe.scope', permission: 'sms:everything' });
// @ts-expect-error a problem that is not in the closed list
defineOperation({ ...base, id: 'probe.problem', errors: ['TEAPOT'] });
const nowhere = { table: 'none', queues: ['nowhere'] } as const;
// @ts-expect-error a queue that does not exist
defineOperation({ ...base, id: 'probe.queue', uses: nowhere });
// @ts-expect-error a path that does not begin at the root
defineOperation({ ...base, id: 'probe.path', path: 'probe' });

/** A public operation has no caller. */
const open = defineOperation({ ...base, id: 'probe.open' });
operation(open, async ({ actor }) => {
  const nobody: undefined = actor;
  return respond(200, { ok: nobody === undefined });
});
