import { maskId } from '../../core/phone.ts';
import { defineChannel } from '../../message/define-channel.ts';
import { payloadChannelDefaults } from '../meta/channel-common.ts';
import { type PushPlanPorts, storedPush } from './content.ts';
import { isAudience } from './message.ts';

export const push = defineChannel<'push', PushPlanPorts>({
  ...payloadChannelDefaults,
  channel: 'push',
  recipient: 'device',
  providers: [],
  callbackKinds: ['receipts'],
  receivesReplies: false,
  eventOf: { sent: 'message.sent', failed: 'message.failed' },
  templates: 'as_text',
  fansOut: true,
  storedContent: storedPush,
  erased: (content) => ({ ...content, payload: { title: '', body: '' } }),
  mask: (to) => (isAudience(to) ? to : maskId(to)),
  planning: () => import('./planning.ts'),
});
