import * as z from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { optionalText, text } from '../contracts/common.ts';
import { COMMON_PROBLEMS, type OperationContract, ownProblems } from '../contracts/define-operation.ts';
import { PROBLEMS, type ProblemName, V1_CODES } from '../domain/core/errors.ts';
import { PROBLEM_GUIDE } from './problem-guide.ts';

const NAMES = Object.keys(PROBLEMS) as [ProblemName, ...ProblemName[]];
const typeOf = (name: ProblemName): string => `/docs/errors/${name.toLowerCase().replaceAll('_', '-')}`;

/** The body of every error: docs/spec/errors.md#problem-documents. */
export const Problem = z
  .object({
    type: text('The address of the page that explains the error.', typeOf('NOT_FOUND')),
    title: text('The kind of error, in words.', PROBLEMS.NOT_FOUND.title),
    status: z.int().meta({ description: 'The status of the answer.', example: 404 }),
    detail: text('What is wrong here. Never repeats a value that was sent.', 'There is no such SMS.'),
    instance: text('The path that was called.', '/v2/sms/messages/msg_4hJ9sKq2LmN8pRt5VwXz1'),
    code: z
      .enum([...new Set(NAMES.map((name): string => PROBLEMS[name].code)), ...Object.keys(V1_CODES)])
      .meta({ description: 'The stable code, for clients to act on. Lower-case on /v1.', example: 'NOT_FOUND' }),
    requestId: text('Finds the call in the logs.', 'req_Yb3LxWm9ZcJd7FgP1sTa4'),
    action: optionalText('On /v1: what the caller should do.'),
    meta: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .optional()
      .meta({ description: 'Sub-codes, `code` or `motivo`, and related ids.' }),
    errors: z
      .array(
        z.object({
          path: text('The field, as a dotted path.', 'to'),
          message: text('What is wrong there.', 'must be an existing number in E.164'),
        }),
      )
      .optional()
      .meta({ description: 'For validation: every field that violates the contract.' }),
  })
  .meta({ id: 'Problem', description: 'An error (RFC 7807).' });

const pascal = (name: string): string =>
  name.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
/** Name of a problem's response under `components`. */
export const responseName = (name: ProblemName): string => pascal(name);

/** Whether Retry-After is always present: with 429 and 503, but with 409 only while the first request with the key is running. */
const RETRY_AFTER: Partial<Record<ProblemName, boolean>> = {
  RATE_LIMITED: true,
  SERVICE_UNAVAILABLE: true,
  CONFLICT: false,
};

export const REQUEST_ID_HEADER = { $ref: '#/components/headers/RequestId' } as const;
const requestId = {
  description: 'Finds the call in the logs; quote it when you report a problem.',
  schema: { type: 'string' },
} as const;
const retryAfter = (required: boolean) =>
  ({
    description: 'After how many seconds to repeat the request.',
    required,
    schema: { type: 'integer', minimum: 0 },
  }) as const;
const challenge = {
  description: 'The authentication scheme: `Bearer`.',
  schema: { type: 'string' },
} as const;
export const HEADERS = { RequestId: requestId } as const;

const problemResponse = (name: ProblemName): ZodOpenApiResponseObject => {
  const { status, code, title } = PROBLEMS[name];
  const required = RETRY_AFTER[name];
  const { meaning } = PROBLEM_GUIDE[name];
  return {
    description: meaning,
    headers: {
      'x-request-id': REQUEST_ID_HEADER,
      ...(required === undefined ? {} : { 'Retry-After': retryAfter(required) }),
      ...(name === 'UNAUTHORIZED' ? { 'WWW-Authenticate': challenge } : {}),
    },
    content: {
      'application/problem+json': {
        schema: Problem,
        example: {
          type: typeOf(name),
          title,
          status,
          detail: meaning,
          instance: '/v2/sms/messages',
          code,
          requestId: 'req_Yb3LxWm9ZcJd7FgP1sTa4',
        },
      },
    },
  };
};

/** The problems of an operation by status: its own and the common ones. A public operation never answers 401 unless it declares that. */
export const problemsOf = (contract: OperationContract): ReadonlyMap<number, ProblemName> => {
  const own = ownProblems(contract);
  const names = new Set<ProblemName>([...own, ...COMMON_PROBLEMS]);
  if (contract.permission === 'public' && !own.has('UNAUTHORIZED')) names.delete('UNAUTHORIZED');
  return new Map(
    [...names].map((name): [number, ProblemName] => [PROBLEMS[name].status, name]).sort(([a], [b]) => a - b),
  );
};

/** Response components of all problems that the operations can answer with. */
export const problemResponses = (
  operations: readonly OperationContract[],
): Record<string, ZodOpenApiResponseObject> => {
  const used = new Set(operations.flatMap((contract) => [...problemsOf(contract).values()]));
  return Object.fromEntries(
    NAMES.filter((name) => used.has(name)).map((name) => [responseName(name), problemResponse(name)]),
  );
};
