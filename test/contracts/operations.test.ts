import type { APIGatewayProxyResult } from 'aws-lambda';
import { expect, it } from 'vitest';
import { COMMON_PROBLEMS, inputProblem, type OperationContract } from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { PROBLEMS, type ProblemName, V1_CODE_OF, V1_CODES } from '../../shared/domain/core/errors.ts';
import { Problem } from '../../shared/openapi/problems.ts';
import { problemType } from '../../shared/runtime/problem.ts';
import { type Change, call, changed } from './support.ts';

/** A value that no answer may contain. */
const SECRET = 'q7Zx9LeakMarker4Tn';

/** A refusal that an operation owes to every caller, before it touches anything. */
interface Guarantee {
  readonly name: string;
  readonly appliesTo: (contract: OperationContract) => boolean;
  readonly change: (contract: OperationContract) => Change;
  readonly problem: (contract: OperationContract) => ProblemName;
}

const isProtected = ({ permission }: OperationContract) => permission !== 'public';
const takesJson = ({ request }: OperationContract) => request.body !== undefined;
/** An absent body is an empty object, where that is enough. */
const needsBody = ({ request }: OperationContract) => request.body?.safeParse({}).success === false;
const bodyWithUnknownField = (contract: OperationContract): string =>
  JSON.stringify({ ...JSON.parse(changed(contract, {}).body ?? '{}'), [`unknown${SECRET}`]: SECRET });

const GUARANTEES: readonly Guarantee[] = [
  {
    name: 'without a credential: 401',
    appliesTo: isProtected,
    change: () => ({ anonymous: true }),
    problem: () => 'UNAUTHORIZED',
  },
  {
    name: 'without the scope: 403',
    appliesTo: isProtected,
    change: () => ({ scopes: '' }),
    problem: () => 'FORBIDDEN',
  },
  {
    name: 'with a key where a session is needed: 403',
    appliesTo: ({ permission }) => typeof permission !== 'string',
    change: () => ({ kind: 'key' }),
    problem: () => 'FORBIDDEN',
  },
  {
    name: 'a body that is no JSON: 400',
    appliesTo: takesJson,
    change: () => ({ body: `{"${SECRET}": ` }),
    problem: () => 'BAD_REQUEST',
  },
  { name: 'no body: 400', appliesTo: needsBody, change: () => ({ body: '' }), problem: () => 'BAD_REQUEST' },
  {
    name: 'another content type: 400',
    appliesTo: takesJson,
    change: () => ({ headers: { 'Content-Type': `text/${SECRET}` } }),
    problem: () => 'BAD_REQUEST',
  },
  {
    name: 'without an Idempotency-Key: 400',
    appliesTo: ({ idempotency }) => idempotency === 'required',
    change: () => ({ without: 'idempotency-key' }),
    problem: () => 'BAD_REQUEST',
  },
  {
    name: 'an Idempotency-Key with a space: 400',
    appliesTo: ({ idempotency }) => idempotency === 'required',
    change: () => ({ headers: { 'Idempotency-Key': `${SECRET} ${SECRET}` } }),
    problem: () => 'BAD_REQUEST',
  },
  {
    name: 'two Idempotency-Keys: 400',
    appliesTo: ({ idempotency }) => idempotency !== undefined,
    change: () => ({ twice: 'Idempotency-Key' }),
    problem: () => 'BAD_REQUEST',
  },
  {
    name: 'a compressed body: 415',
    appliesTo: takesJson,
    change: () => ({ headers: { 'Content-Encoding': 'gzip' } }),
    problem: () => 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    name: 'an unknown field: 422 where documented, else 400',
    appliesTo: takesJson,
    change: (contract) => ({ body: bodyWithUnknownField(contract) }),
    problem: inputProblem,
  },
  {
    name: 'a body that is no object: 422 where documented, else 400',
    appliesTo: takesJson,
    change: () => ({ body: JSON.stringify(SECRET) }),
    problem: inputProblem,
  },
  {
    name: 'a text that no store keeps: 422 where documented, else 400',
    appliesTo: takesJson,
    change: () => ({ body: JSON.stringify({ text: `${SECRET}\u0000` }) }),
    problem: inputProblem,
  },
  {
    name: 'an unknown query parameter: 422 where documented, else 400',
    appliesTo: ({ request }) => request.query !== undefined,
    change: () => ({ query: { [`unknown${SECRET}`]: SECRET } }),
    problem: inputProblem,
  },
];

const expectProblem = (
  contract: OperationContract,
  name: ProblemName,
  { statusCode, headers, body }: APIGatewayProxyResult,
): void => {
  const { status, code, title } = PROBLEMS[name];
  expect(statusCode, body).toBe(status);
  expect(headers?.['content-type']).toBe('application/problem+json');
  const event = changed(contract, {});
  expect(headers?.['x-request-id']).toBe(event.requestContext.requestId);
  expect(headers?.['www-authenticate']).toBe(name === 'UNAUTHORIZED' ? 'Bearer' : undefined);
  const problem = Problem.strict().parse(JSON.parse(body));
  const overview = contract.path.startsWith('/v1/') ? V1_CODE_OF[name] : undefined;
  expect(problem.action).toBe(overview && V1_CODES[overview]);
  expect(problem).toMatchObject({
    status,
    code: overview ?? code,
    title,
    type: problemType(name),
    instance: event.path,
    requestId: event.requestContext.requestId,
  });
  expect(body).not.toContain(SECRET);
  expect([...contract.errors, ...COMMON_PROBLEMS]).toContain(name);
};

const OWED = OPERATIONS.flatMap((contract) =>
  GUARANTEES.filter(({ appliesTo }) => appliesTo(contract)).map(
    (owed) => [contract.id, owed.name, contract, owed] as const,
  ),
);

it.each(OWED)('%s refuses %s', async (_id, _name, contract, { change, problem }) => {
  expectProblem(contract, problem(contract), await call(contract, change(contract)));
});
