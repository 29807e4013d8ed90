import { expect, it } from 'vitest';
import { awsFailure, clientCache } from '../../shared/providers/aws.ts';
import { NOW } from '../support/providers/kit.ts';

const TABLE = {
  errors: { LimitExceededException: 'credit' },
  reasons: { TOO_LONG: 'content' },
  fields: { destination: 'recipient' },
} as const;
const fault = (name: string, over: object = {}) => Object.assign(new Error('to +5511900000000'), { name, ...over });
const read = (...of: Parameters<typeof fault>) => awsFailure(fault(...of), NOW, TABLE);

it('calls a known error a refusal, with the Retry-After of the response', () => {
  expect(read('LimitExceededException', { $response: { headers: { 'retry-after': '7' } } })).toEqual({
    kind: 'refused',
    cause: 'credit',
    detail: 'aws LimitExceededException',
    retryAfterSeconds: 7,
  });
});

it.each([500, 503])('calls a known error unknown when it came with HTTP %i', (httpStatusCode) => {
  expect(read('ThrottlingException', { $metadata: { httpStatusCode } })).toEqual({
    kind: 'unknown',
    detail: 'aws ThrottlingException',
  });
});

it.each(['InternalServerException', 'TimeoutError', 'AbortError'])('calls %s unknown', (name) => {
  expect(read(name)).toMatchObject({ kind: 'unknown' });
});

it.each([
  [{ Reason: 'TOO_LONG' }, 'content'],
  [{ Fields: [{ Name: 'Destination' }] }, 'recipient'],
  [{ Fields: [{ Name: 'destination.toAddresses[0]' }] }, 'recipient'],
  [{ Fields: [{ Name: 'destinationOfTheFuture' }] }, 'credit'],
  [{ Reason: 'a sentence, with +5511900000000' }, 'credit'],
])('derives the cause from the details of an error where it has any: %j is %s', (over, cause) => {
  const answer = read('LimitExceededException', over);
  expect(answer).toMatchObject({ kind: 'refused', cause });
  expect(JSON.stringify(answer)).not.toContain('5511');
});

it('keeps one client per region and timeout, and few of them', () => {
  const clientOf = clientCache<object>();
  const by = (region: string, timeoutMs = 100) => clientOf({ region, timeoutMs }, () => ({}));
  const first = by('a');
  expect(by('a')).toBe(first);
  expect(by('a', 200)).not.toBe(first);
  expect(by('b')).not.toBe(first);
  for (let at = 0; at < 8; at++) by(`c${at}`);
  expect(by('a')).not.toBe(first);
});
