import type { APIGatewayProxyResult } from 'aws-lambda';
import { expect, it } from 'vitest';
import {
  COMMON_PROBLEMS,
  inputProblem,
  type OperationContract,
  ownProblems,
} from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { PROBLEMS, type ProblemName, V1_CODE_OF, V1_CODES } from '../../shared/domain/core/errors.ts';
import { Problem } from '../../shared/openapi/problems.ts';
import { problemType } from '../../shared/runtime/problem.ts';
import { type Change, call, changed } from './support.ts';

/** A value that no answer may contain. */
const SECRET = 'q7Zx9LeakMarker4Tn';

type Contract = OperationContract;
/** A refusal that an operation guarantees before it reads or writes anything: when, which, and how to provoke it. */
type Guarantee = readonly [
  name: string,
  problem: ProblemName | ((contract: Contract) => ProblemName),
  appliesTo: (contract: Contract) => boolean,
  change: (contract: Contract) => Change,
];

const isProtected = ({ permission }: OperationContract) => permission !== 'public';
const takesJson = ({ request }: OperationContract) => request.body !== undefined;
/** An absent body is an empty object, where that is enough. */
const needsBody = ({ request }: OperationContract) => request.body?.safeParse({}).success === false;
const bodyWithUnknownField = (contract: OperationContract): string =>
  JSON.stringify({ ...JSON.parse(changed(contract, {}).body ?? '{}'), [`unknown${SECRET}`]: SECRET });
const takesQuery = ({ request }: Contract) => request.query !== undefined;
const takesLimit = ({ request }: Contract) => request.query !== undefined && 'limit' in request.query.shape;
const needsKey = ({ idempotency }: Contract) => idempotency === 'required';
const takesKey = ({ idempotency }: Contract) => idempotency !== undefined;
const needsSession = ({ permission }: Contract) => typeof permission !== 'string';
const send = (body: unknown) => () => ({ body: JSON.stringify(body) });
const withHeader = (name: string, value: string) => () => ({ headers: { [name]: value } });

const GUARANTEES: readonly Guarantee[] = [
  ['without a credential: 401', 'UNAUTHORIZED', isProtected, () => ({ anonymous: true })],
  ['without the scope: 403', 'FORBIDDEN', isProtected, () => ({ scopes: '' })],
  ['with a key where a session is required: 403', 'FORBIDDEN', needsSession, () => ({ kind: 'key' })],
  ['a body that is not JSON: 400', 'BAD_REQUEST', takesJson, () => ({ body: `{"${SECRET}": ` })],
  ['no body: 400', 'BAD_REQUEST', needsBody, () => ({ body: '' })],
  ['another content type: 400', 'BAD_REQUEST', takesJson, withHeader('Content-Type', `text/${SECRET}`)],
  ['without an Idempotency-Key: 400', 'BAD_REQUEST', needsKey, () => ({ without: 'idempotency-key' })],
  [
    'an Idempotency-Key with a space: 400',
    'BAD_REQUEST',
    needsKey,
    withHeader('Idempotency-Key', `${SECRET} ${SECRET}`),
  ],
  ['two Idempotency-Keys: 400', 'BAD_REQUEST', takesKey, () => ({ twice: 'Idempotency-Key' })],
  ['a compressed body: 415', 'UNSUPPORTED_MEDIA_TYPE', takesJson, withHeader('Content-Encoding', 'gzip')],
  ['an unknown field: 422 or 400', inputProblem, takesJson, (contract) => ({ body: bodyWithUnknownField(contract) })],
  ['a body that is not an object: 422 or 400', inputProblem, takesJson, send(SECRET)],
  ['a text that cannot be stored: 422 or 400', inputProblem, takesJson, send({ text: `${SECRET}\u0000` })],
  [
    'an unknown query parameter: 422 or 400',
    inputProblem,
    takesQuery,
    () => ({ query: { [`unknown${SECRET}`]: SECRET } }),
  ],
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
  const v1Code = contract.path.startsWith('/v1/') ? V1_CODE_OF[name] : undefined;
  expect(problem.action).toBe(v1Code && V1_CODES[v1Code]);
  expect(problem).toMatchObject({
    status,
    code: v1Code ?? code,
    title,
    type: problemType(name),
    instance: event.path,
    requestId: event.requestContext.requestId,
  });
  expect(body).not.toContain(SECRET);
  expect([...ownProblems(contract), ...COMMON_PROBLEMS]).toContain(name);
};

const REFUSALS = OPERATIONS.flatMap((contract) =>
  GUARANTEES.filter(([, , appliesTo]) => appliesTo(contract)).map(
    ([name, problem, , change]) => [contract.id, name, contract, problem, change] as const,
  ),
);

it.each(REFUSALS)('%s refuses %s', async (_id, _name, contract, problem, change) => {
  const expected = typeof problem === 'string' ? problem : problem(contract);
  expectProblem(contract, expected, await call(contract, change(contract)));
});

it.each(OPERATIONS.filter(takesLimit))(
  '$id refuses a query parameter that is given twice, and says so',
  async (contract) => {
    const answer = await call(contract, { repeated: { limit: '1' } });
    expectProblem(contract, inputProblem(contract), answer);
    expect(JSON.parse(answer.body)).toMatchObject({ errors: [{ path: 'limit', message: 'must be given once' }] });
  },
);

it('every list that is filtered by a person’s address declares it, so that it is no oracle', () => {
  const isTime = (schema: unknown) => {
    const wrapped = schema as { description?: string; unwrap?: () => { description?: string } };
    return /time/i.test(wrapped.description ?? wrapped.unwrap?.().description ?? '');
  };
  const found = OPERATIONS.flatMap((contract: OperationContract) =>
    Object.entries(contract.request.query?.shape ?? {})
      .filter(([name, schema]) => /phone|mail|address|recipient|^(to|from)$/i.test(name) && !isTime(schema))
      .map(([name]) => `${contract.id} ${name}`),
  );
  const declared = OPERATIONS.flatMap(({ id, method, personFilters = [] }: OperationContract) =>
    method === 'GET' ? personFilters.map((name) => `${id} ${name}`) : [],
  );
  expect(declared.toSorted()).toEqual(found.toSorted());
});
