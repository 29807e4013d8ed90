import { maskId } from '../../core/phone.ts';
import { defineChannel } from '../../message/define-channel.ts';
import { payloadChannelDefaults } from '../meta/channel-common.ts';
import type { MetaPlanPorts } from '../meta/compose.ts';
import { storedPayload } from '../meta/content.ts';

export const instagram = defineChannel<'instagram', MetaPlanPorts>({
  ...payloadChannelDefaults,
  channel: 'instagram',
  recipient: 'platform',
  providers: ['instagram_messaging_api'],
  callbackKinds: ['events', 'receipts', 'replies'],
  receivesReplies: true,
  receivedEvent: 'instagram.message.received',
  eventOf: { sent: 'instagram.message.sent', failed: 'instagram.message.failed' },
  templates: 'as_text',
  storedContent: storedPayload,
  erased: ({ from }) => ({ payload: {}, from }),
  mask: maskId,
  // The sandbox has no inbound messages, so its window is not checked.
  windowTerm: (_, env) => (env === 'live' ? 'open' : undefined),
  planning: () => import('./planning.ts'),
});
