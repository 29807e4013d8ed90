import { describe, expect, test } from 'vitest';
import { isTransient } from '../../shared/storage/client/retries.ts';

const fault = (fields: object): Error => Object.assign(new Error('refused'), fields);
const cancelled = (...codes: readonly (string | undefined)[]): Error =>
  fault({ name: 'TransactionCanceledException', CancellationReasons: codes.map((Code) => ({ Code })) });
/** An answer of a server with this status, which the SDK read as an error. */
const answered = (status: number): Error => fault({ name: 'Unknown', $metadata: { httpStatusCode: status } });
const unread = (fields: object): Error => Object.assign(new SyntaxError('Unexpected token'), fields);

describe('a call is tried again', () => {
  test.each([
    'InternalServerError',
    'ItemCollectionSizeLimitExceededException',
    'LimitExceededException',
    'ProvisionedThroughputExceededException',
    'RequestLimitExceeded',
    'ServiceUnavailable',
    'ThrottlingException',
    'TimeoutError',
    'TransactionConflictException',
    'TransactionInProgressException',
  ])('after %s', (name) => {
    expect(isTransient(fault({ name }))).toBe(true);
  });

  test.each([
    ['whose parts were all in order', cancelled('None', undefined)],
    ['for a conflict', cancelled('None', 'TransactionConflict')],
    ['for lack of throughput', cancelled('ThrottlingError', 'ProvisionedThroughputExceeded')],
    ['without reasons', fault({ name: 'TransactionCanceledException' })],
  ])('after a cancelled transaction %s', (_, error) => {
    expect(isTransient(error)).toBe(true);
  });

  test.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ETIMEDOUT', 'HPE_INVALID_CONSTANT'])(
    'after a connection that failed with %s',
    (code) => {
      expect(isTransient(fault({ code }))).toBe(true);
    },
  );

  test('after any error of the operating system', () => {
    expect(isTransient(fault({ code: 'EMFILE', syscall: 'socket' }))).toBe(true);
  });

  test.each([429, 500, 503, 599])('after an unknown error with status %i', (status) => {
    expect(isTransient(answered(status))).toBe(true);
  });

  test('after an answer that is not JSON', () => {
    expect(isTransient(unread({ $response: { statusCode: 200 } }))).toBe(true);
  });
});

describe('a call is not tried again', () => {
  test.each([
    ['for a condition', cancelled('None', 'ConditionalCheckFailed')],
    ['for a bad item beside a conflict', cancelled('TransactionConflict', 'ValidationError')],
    ['for its size', cancelled('ItemCollectionSizeLimitExceeded')],
  ])('after a transaction that was cancelled %s', (_, error) => {
    expect(isTransient(error)).toBe(false);
  });

  test.each([
    'AccessDeniedException',
    'ConditionalCheckFailedException',
    'ResourceNotFoundException',
    'ValidationException',
  ])('after %s', (name) => {
    expect(isTransient(fault({ name, $metadata: { httpStatusCode: 400 } }))).toBe(false);
  });

  test.each([200, 400, 404, 428, 430, 499])('after an unknown error with status %i', (status) => {
    expect(isTransient(answered(status))).toBe(false);
  });

  test('after an error of the program itself', () => {
    expect(isTransient(unread({}))).toBe(false);
    expect(isTransient(new TypeError('undefined is not a function'))).toBe(false);
    expect(isTransient('text')).toBe(false);
  });
});
