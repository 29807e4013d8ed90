import { expect } from 'vitest';
import { PROBLEMS, V1_CODES } from '../../shared/domain/core/errors.ts';
import type { Answer } from './api.ts';

interface Expected {
  /** The values that the caller sent, which no problem may repeat. */
  readonly sent?: string;
  /** The paths of `errors`, in their order. */
  readonly errors?: readonly string[];
  readonly meta?: Readonly<Record<string, unknown>>;
}

const CODES = new Map<number, Set<string>>();
for (const { status, code } of Object.values(PROBLEMS)) CODES.set(status, (CODES.get(status) ?? new Set()).add(code));
/** On /v1 the codes of that contract, of any status, each with its action. */
const ofV1 = (path: unknown) => String(path).startsWith('/v1/');

/** Expects a problem document of the status: every documented field, no other, and nothing that was sent. */
export const expectProblem = (answer: Answer, status: number, { sent, errors, meta }: Expected = {}): void => {
  const { body, headers, text } = answer;
  expect({ status: answer.status, type: headers.get('content-type') }).toEqual({
    status,
    type: 'application/problem+json',
  });
  expect(body).toMatchObject({
    type: expect.stringMatching(/^\/docs\/errors\/[a-z-]+$/),
    title: expect.any(String),
    status,
    detail: expect.any(String),
    instance: expect.stringMatching(/^\//),
    code: expect.toSatisfy(
      (code: string) => (ofV1(body.instance) ? code in V1_CODES : CODES.get(status)?.has(code) === true),
      'a code of the status',
    ),
    requestId: headers.get('x-request-id'),
  });
  const known = ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId', 'meta', 'errors'];
  if (ofV1(body.instance)) known.push('action');
  expect(Object.keys(body).filter((field) => !known.includes(field))).toEqual([]);
  if (errors) expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(errors);
  if (meta) expect(body.meta).toEqual(meta);
  if (sent) expect(text).not.toContain(JSON.stringify(sent).slice(1, -1));
};
