import { describe, expect, it } from 'vitest';
import { COMMON_PROBLEMS, type OperationContract } from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { PROBLEMS, type ProblemName } from '../../shared/domain/core/errors.ts';
import { problemsOf } from '../../shared/openapi/problems.ts';

/** Statuses that any operation may return besides those that it documents (docs/spec/errors.md#what-every-operation-may-answer). */
const ALWAYS = [400, 401, 403, 413, 415, 429, 500, 503];

/** The success and the errors promised to callers, written independently of the contracts (docs/spec/errors.md#statuses-by-operation). */
const INTERFACE: readonly (readonly [operation: string, success: number, errors: readonly number[]])[] = [
  ['POST /v1/messages', 202, [400, 402, 409, 429]],
  ['GET /v2/sms/messages', 200, [401, 403, 422]],
  ['POST /v2/sms/messages', 201, [400, 401, 402, 403, 409, 412, 422, 429, 502, 503]],
  ['POST /v2/sms/preview', 200, [400, 401, 403, 412, 422]],
  ['GET /v2/sms/messages/{id}', 200, [401, 403, 404]],
  ['GET /v2/sms/replies', 200, [401, 403, 422]],
  ['GET /v2/email/messages', 200, [400, 401, 403]],
  ['POST /v2/email/messages', 201, [400, 401, 402, 403, 412, 422, 502]],
  ['GET /v2/email/messages/{id}', 200, [400, 401, 403, 404]],
  ['GET /v2/rcs/messages', 200, [401, 403]],
  ['POST /v2/rcs/messages', 201, [400, 401, 402, 403, 409, 412, 422, 502, 503]],
  ['GET /v2/rcs/messages/{id}', 200, [401, 403, 404]],
  ['GET /messages', 200, [401, 403]],
  ['POST /numbers/{numberId}/media', 201, [400, 401, 403, 404, 413, 415, 422, 502]],
  ['GET /numbers', 200, [401, 403]],
  ['GET /v2/templates', 200, [400, 401, 403]],
  ['GET /v2/flows', 200, [400, 401, 403]],
  ['POST /v2/push/tokens', 200, [400, 401, 403, 404]],
  ['POST /v2/push/tokens/opt-out', 200, [401, 403, 404]],
  ['POST /v2/push/dispatches/{id}/opened', 200, [401, 403, 404]],
  ['GET /v2/push/messages', 200, [400, 401, 403, 422]],
  ['POST /v2/push/messages', 201, [400, 401, 402, 403, 409, 422]],
  ['GET /v2/push/messages/{id}', 200, [401, 403, 404]],
  ['POST /v2/push/preview', 200, [400, 401, 403]],
  ['GET /v2/exports/whatsapp', 200, [400, 401, 403, 422]],
  ['GET /v2/events', 200, [400, 401, 403]],
  ['GET /webhooks', 200, [401, 403]],
  ['GET /v2/lists', 200, [401, 403]],
  ['POST /v2/lists', 201, [400, 401, 403, 404, 409, 422]],
  ['GET /v2/lists/{id}', 200, [400, 401, 403, 404, 422]],
  ['PATCH /v2/lists/{id}', 200, [400, 401, 403, 404, 409, 422]],
  ['DELETE /v2/lists/{id}', 204, [400, 401, 403, 404, 422]],
  ['POST /v2/lists/{id}/members', 200, [400, 401, 403, 404, 422]],
  ['PUT /v2/lists/{id}/members', 200, [400, 401, 403, 404, 422]],
  ['POST /v2/lists/{id}/members/remove', 200, [400, 401, 403, 404, 422]],
];

/** Additions to those lists, with the rule that requires each. */
const ADDED: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'POST /v1/messages': {
    412: 'docs/spec/sends.md#order-of-checks: a route without a price',
    422: 'docs/spec/errors.md#malformed-recipients: other faults of the body; docs/spec/sends.md#opt-out',
    502: 'docs/spec/operations.md#a-live-send-without-a-provider',
  },
  'POST /v2/email/messages': {
    409: 'docs/spec/email.md#sending-e-mail: a reused key with another body',
  },
};

const nameOf = ({ method, path }: OperationContract): string => `${method} ${path}`;
const statusOf = (name: ProblemName): number => PROBLEMS[name].status;
const inOrder = (statuses: Iterable<number>): number[] => [...new Set(statuses)].sort((a, b) => a - b);

describe.each(INTERFACE)('%s', (operation, success, errors) => {
  it('documents its promised statuses, and beyond them only what every operation may answer', () => {
    const contract = OPERATIONS.find((one) => nameOf(one) === operation);
    const problems = contract ? problemsOf(contract).keys() : [];
    const documented = [...Object.keys(contract?.responses ?? {}).map(Number), ...problems];
    const added = Object.keys(ADDED[operation] ?? {}).map(Number);
    const own = documented.filter((status) => errors.includes(status) || !ALWAYS.includes(status));
    expect(inOrder(own)).toEqual(inOrder([success, ...errors, ...added]));
  });
});

it('an operation that takes JSON documents 422, unless its promised list has none', () => {
  const without = OPERATIONS.filter(({ request, errors }) => request.body && !errors?.includes('VALIDATION_ERROR'));
  const listed = new Set(INTERFACE.flatMap(([operation, , errors]) => (errors.includes(422) ? [] : [operation])));
  expect(without.map(nameOf).filter((operation) => !listed.has(operation))).toEqual([]);
});

it('errors that every operation may return are one closed list', () => {
  expect(inOrder(COMMON_PROBLEMS.map(statusOf))).toEqual(ALWAYS);
});
