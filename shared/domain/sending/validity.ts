import type { MessageRecord } from '../message/message.ts';
import type { RefusedAnswer } from '../message/provider-port.ts';

/** Whether a message's validity has ended, so that it must not be sent. */
export const isExpired = ({ validUntil }: Pick<MessageRecord, 'validUntil'>, now: number): boolean =>
  validUntil !== undefined && validUntil <= now;

/** The refusal of an expired message. */
export const EXPIRED: RefusedAnswer = {
  kind: 'refused',
  cause: 'content',
  reason: 'expired',
  detail: 'its validity has ended',
  notCalled: true,
};
