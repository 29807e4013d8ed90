import { type Refusal, refuse } from '../core/errors.ts';
import { jsonBytes } from '../core/json-bytes.ts';
import type { ChannelPlan } from '../message/plan.ts';
import type { SendEnvelope } from '../message/send-request.ts';

/**
 * UTF-8 bytes of JSON that are stored for a message until it is sent, and again for all of its fallbacks: sealed, they still fit an item of
 * the table, which has at most 400 KB (DynamoDB, service quotas).
 */
export const MAX_STORED_BYTES = 256_000;

/** The parts of a plan that a message's own row contains. */
type RowContent = Pick<ChannelPlan, 'content' | 'labels'> & Pick<SendEnvelope, 'metadata'>;

/** The size of the plan's parts in a message's own row, in bytes. */
export const rowBytes = ({ content, labels, metadata }: RowContent): number =>
  jsonBytes(content) + jsonBytes(labels) + jsonBytes(metadata);

/**
 * 422 for content that is too large to be stored until it is sent (docs/spec/sends.md#sizes); `path` is the field that
 * contains it.
 */
export const sizeFault = (
  planned: { readonly plan: RowContent; readonly outbound?: unknown },
  path: 'payload' | 'text' | 'variables',
): Refusal<'VALIDATION_ERROR'> | undefined =>
  Math.max(rowBytes(planned.plan), jsonBytes(planned.outbound)) <= MAX_STORED_BYTES ? undefined : tooLarge(path);

export const tooLarge = (path: string): Refusal<'VALIDATION_ERROR'> =>
  refuse('VALIDATION_ERROR', {
    detail: 'The content is too large to be queued.',
    errors: [{ path, message: `must make a content of at most ${MAX_STORED_BYTES} bytes` }],
  });
