import { maskId, maskPhone } from '../../core/phone.ts';
import { defineChannel } from '../../message/define-channel.ts';
import { payloadChannelDefaults } from '../meta/channel-common.ts';
import { storedPayload } from '../meta/content.ts';
import type { WhatsappPlanPorts } from './plan-ports.ts';
import { isUserId } from './user-id.ts';

export const whatsapp = defineChannel<'whatsapp', WhatsappPlanPorts>({
  ...payloadChannelDefaults,
  channel: 'whatsapp',
  recipient: 'phone',
  senderKind: (from) => (isUserId(from) ? 'platform' : 'phone'),
  providers: ['whatsapp_cloud_api'],
  callbackKinds: ['events', 'receipts', 'replies'],
  receivesReplies: true,
  eventOf: {
    sent: 'message.sent',
    delivered: 'message.delivered',
    read: 'message.read',
    failed: 'message.failed',
  },
  templates: 'own',
  storedContent: storedPayload,
  erased: ({ from }) => ({ payload: {}, from }),
  mask: (address) => (isUserId(address) ? maskId(address) : maskPhone(address)),
  windowTerm: (type) => (type === 'template' ? 'not-needed' : 'open'),
  planning: () => import('./planning.ts'),
});
