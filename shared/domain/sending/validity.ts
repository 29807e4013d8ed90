import type { MessageRecord } from '../message/message.ts';
import type { RefusedAnswer } from '../message/provider-port.ts';

/** Whether a message is past the moment until which it is of use: it does not leave any more. */
export const isExpired = ({ validUntil }: Pick<MessageRecord, 'validUntil'>, now: number): boolean =>
  validUntil !== undefined && validUntil <= now;

/** Why such a message fails. */
export const EXPIRED: RefusedAnswer = {
  kind: 'refused',
  cause: 'content',
  reason: 'expired',
  detail: 'its validity has ended',
  notCalled: true,
};
