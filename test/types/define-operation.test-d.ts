import * as z from 'zod';
import { defineOperation } from '../../shared/contracts/define-operation.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { refuse } from '../../shared/domain/core/errors.ts';
import { itemsAs, operation, orNotFound, respond } from '../../shared/runtime/operation.ts';

/**
 * The types that the declaration of an operation gives its handler. The compiler is the test runner: a line below that stops failing makes
 * its `@ts-expect-error` an error.
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
  errors: ['VALIDATION_ERROR'],
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

/** The handler receives the contract's parsed values. */
operation(contract, async ({ actor, params, body, idempotencyKey }) => {
  const parsed: readonly [Actor, string, string, string] = [actor, params.id, body.text, idempotencyKey];
  // @ts-expect-error a field that the body does not have
  const missing = body.other;
  return parsed.length === 4 && missing === undefined ? done : respond(204, undefined);
});

/** The result of a rule, and the reasons why it may fail. */
interface Found {
  readonly key: string;
}
const notFound = () => refuse('NOT_FOUND', 'There is none.');
const conflict = () => refuse('CONFLICT', 'Taken.');
declare const find: () => Promise<Found | undefined>;
declare const rule: () => Promise<Found | ReturnType<typeof notFound>>;
declare const undeclared: () => Promise<Found | ReturnType<typeof conflict>>;
const bodyOf = ({ key }: Found) => ({ id: key, size: key.length });

/** With one success status a rule answers with the body alone, or with what `present` makes the body of; refusals pass by it. */
const single = defineOperation({
  ...contract,
  id: 'probe.single',
  responses: { 201: z.object({ id: z.string(), size: z.int() }) },
});
operation(single, () => ({ id: 'msg_1', size: 1 }));
operation(single, async ({ body }) => (body.text === '' ? notFound() : { id: 'msg_1', size: 1 }));
operation(single, rule, bodyOf);
operation(single, rule, ({ key }) => ({ id: key, size: 1 }));
operation(single, rule, async ({ key }, { params, unmasked }) => ({ id: unmasked ? key : params.id, size: 1 }));
operation(single, rule, (found) => respond(201, bodyOf(found), { 'x-probe': '1' }));
operation(single, () => find().then(orNotFound('There is none.')), bodyOf);

// @ts-expect-error a refusal that the contract does not declare, beside `present`
operation(single, undeclared, bodyOf);
// @ts-expect-error one undeclared refusal among declared ones, beside `present`
operation(single, ({ body }) => (body.text === '' ? rule() : conflict()), bodyOf);
// @ts-expect-error another body from the rule
operation(single, () => ({ id: 'msg_1', size: '1' }));
// @ts-expect-error what the rule finds is no body
operation(single, rule);
// @ts-expect-error another body from `present`
operation(single, rule, ({ key }) => ({ id: key.length, size: 1 }));
// @ts-expect-error a field missing from `present`
operation(single, rule, ({ key }) => ({ id: key }));
// @ts-expect-error nothing from `present`
operation(single, rule, () => undefined);
// @ts-expect-error a status that the contract does not declare, from `present`
operation(single, rule, (found) => respond(200, bodyOf(found)));
// @ts-expect-error `present` for something else than the rule finds
operation(single, rule, ({ name }: { readonly name: string }) => ({ id: name, size: 1 }));
// @ts-expect-error what may be missing, without a word for it
operation(single, find, bodyOf);
// @ts-expect-error with several success statuses a body alone does not determine which
operation(contract, rule, ({ key }) => ({ id: key }));

const neverMissing = defineOperation({ ...single, path: '/probe', request: { body: single.request.body } });
// @ts-expect-error "there is none" where no path names an object and the contract declares no 404
operation(neverMissing, () => find().then(orNotFound('There is none.')), bodyOf);

/** A page keeps what it says besides its items. */
const paged = defineOperation({
  ...contract,
  id: 'probe.paged',
  responses: { 200: z.object({ items: z.array(z.object({ id: z.string() })), total: z.int() }) },
});
declare const page: () => Promise<{ readonly items: readonly Found[]; readonly total: number }>;
declare const totalless: () => Promise<{ readonly items: readonly Found[] }>;
const masked = ({ key }: Found, unmasked: boolean) => ({ id: unmasked ? key : '' });
const nameOf = ({ name }: { readonly name: string }) => ({ id: name });
const asFound = (found: Found) => found;
operation(paged, page, itemsAs(masked));
// @ts-expect-error the view of another item
operation(paged, page, itemsAs(nameOf));
// @ts-expect-error a view of another shape
operation(paged, page, itemsAs(asFound));
// @ts-expect-error a page without its total
operation(paged, totalless, itemsAs(masked));

const base = {
  method: 'GET',
  path: '/probe',
  tag: 'Service',
  summary: 'Probe',
  permission: 'public',
  request: {},
  responses: { 200: z.object({ ok: z.boolean() }) },
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
operation(open, ({ actor }) => {
  const nobody: undefined = actor;
  return { ok: nobody === undefined };
});
