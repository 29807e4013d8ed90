import { isRefusal, refuse } from '../../core/errors.ts';
import type { ChannelPlanning } from '../../message/define-channel.ts';
import { recipientIdOf } from '../../message/recipient.ts';
import { payloadOf } from '../meta/compose.ts';
import { fitsPushLimit, PUSH_TOO_LARGE, rateKindOf } from './message.ts';
import { notificationOf } from './notification.ts';
import { pushPayloadSchema } from './payload-schema.ts';

type Planning = ChannelPlanning<'push', unknown>;

const tooLong = refuse('VALIDATION_ERROR', {
  detail: 'The notification is longer than push services take.',
  errors: [{ path: 'text', message: PUSH_TOO_LARGE }],
});

export const payloadSchema: Planning['payloadSchema'] = () => pushPayloadSchema;

/** Plans a push to one device, priced by kind like any push message. 422 if it is too large (docs/spec/push.md#sending-to-one-device). */
export const plan: Planning['plan'] = async (_, __, request) => {
  const { type } = request;
  const to = recipientIdOf(request.to);
  if (isRefusal(to)) return to;
  const content = { payload: payloadOf(request) };
  const notification = notificationOf(content);
  if (notification && !fitsPushLimit(notification)) return tooLong;
  return {
    plan: { channel: 'push', route: rateKindOf(notification ?? {}), to, type, content, requiresConsent: true },
  };
};
