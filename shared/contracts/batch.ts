import * as z from 'zod';
import { V1_CODES, type V1Code } from '../domain/core/errors.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { count, openObject, text } from './common.ts';

/** Messages of one call: docs/spec/bulk.md#bulk-send. */
export const MAX_MESSAGES = 5_000;

const codes = Object.keys(V1_CODES) as [V1Code, ...V1Code[]];

/** The fields that a batch's acceptance and its progress share. */
export const batchTotals = {
  batchId: idSchema(
    'batch',
    'The id of the batch: filters the message list, and `GET /v1/messages/bulk/{batchId}` returns its state.',
  ),
  total: count('Number of requested messages.', 3),
  accepted: count('Number of accepted messages, including those that an earlier call with the same key accepted.', 2),
  rejected: count('Number of refused messages; `errors` lists each.', 1),
};

/** The answer of every call that accepts a batch. */
export const BatchAccepted = openObject('BatchAccepted', 'The totals of a batch, and the refused messages.', {
  ...batchTotals,
  errors: z
    .array(
      z.object({
        index: count('The index of the message in the request, from 0.', 2),
        code: z.enum(codes).meta({ description: 'The /v1 error code.', example: 'invalid_phone' }),
        message: text('What is wrong.'),
      }),
    )
    .meta({ description: 'The refused messages and why, in the order of the request.' }),
});
