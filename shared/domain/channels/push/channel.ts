import { defineChannel } from '../../message/define-channel.ts';
import { maskId } from '../../message/recipient.ts';
import { payloadChannelDefaults } from '../meta/channel-common.ts';
import { storedPayload } from '../meta/content.ts';

export const push = defineChannel<'push', unknown>({
  ...payloadChannelDefaults,
  channel: 'push',
  recipient: 'device',
  providers: [],
  callbackKinds: ['receipts'],
  receivesReplies: false,
  eventOf: { sent: 'message.sent', delivered: 'message.delivered', failed: 'message.failed' },
  templates: 'as_text',
  storedContent: storedPayload,
  mask: maskId,
  planning: () => import('./planning.ts'),
});
