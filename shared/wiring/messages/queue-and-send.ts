import type { PreviewPorts } from '../../domain/api/v1-send.ts';
import { channelOf } from '../../domain/channels/registry.ts';
import { parseAddress } from '../../domain/core/email-address.ts';
import { asId } from '../../domain/core/ids.ts';
import type { QueuedFallback } from '../../domain/message/fallback.ts';
import type { QueuedMessage } from '../../domain/message/message.ts';
import type { AnswerPorts, SubmitPorts } from '../../domain/sending/accept.ts';
import { type AdvanceFallbackPorts, advanceFallback } from '../../domain/sending/advance-fallback.ts';
import { senderOfMessage } from '../../domain/sending/named-sender.ts';
import { type SendQueuedPorts, sendQueued } from '../../domain/sending/send-queued.ts';
import { withSuppressionLookup } from '../../domain/sending/suppression.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { heirOf } from '../../storage/contacts/heirs.ts';
import { consentFaultOf, contactRecipient } from '../../storage/contacts/recipient-eligibility.ts';
import { fallbackStore, fallbackWorkItem } from '../../storage/messages/fallbacks.ts';
import { platformUserOf } from '../../storage/messages/platform-user.ts';
import { queuedStore } from '../../storage/messages/queued.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { earliestSendAt } from '../access/settings.ts';
import { suppressionPorts } from '../email/suppression.ts';
import { publishWorkAt, settings, table } from '../process/aws.ts';
import { senderChecks } from '../senders/checks.ts';
import { precheckPorts, previewContext } from '../sending/eligibility.ts';
import { messageWorkItem } from '../sending/message-work-item.ts';
import { sealer, sendPorts } from '../sending/ports.ts';
import { answeredBalance } from '../wallet/funds.ts';
import { quotePorts } from '../wallet/quote.ts';
import { deferByNumberRate } from '../whatsapp/number-rate.ts';
import { plan } from './plan.ts';

const enqueueSend = (message: QueuedMessage, at: number) =>
  publishWorkAt([messageWorkItem('send_message', message)], at);

const enqueueFallback = (fallback: QueuedFallback, at: number) => publishWorkAt([fallbackWorkItem(fallback)], at);

/** A contact's address, for sends that name none. */
const recipientOf: SubmitPorts['recipientOf'] = ({ organizationId }, contactId, channel) =>
  channelOf(channel).recipient === 'platform'
    ? platformUserOf(table, organizationId, contactId, channel)
    : contactRecipient(table, organizationId, contactId, channel);

/** The contact of a recipient, for fallbacks of sends without a contact. A push device is identified by its contact's id, if any. */
const contactAt: SubmitPorts['contactAt'] = async ({ organizationId }, channel, to) => {
  const { recipient: kind } = channelOf(channel);
  if (kind === 'device') return asId('contact', to);
  const address = kind === 'email' ? (parseAddress(to) ?? to) : to;
  // Loaded by the first send that needs it, to keep it out of other sends' cold starts.
  const { holderOf } = await import('../../storage/messages/inbound.ts');
  const hash = await sendPorts.recipientHashOf(organizationId, kind, address);
  return (await holderOf(table, organizationId, { channel, kind, hash })).contactId;
};

export const submitPorts: SubmitPorts & AnswerPorts = {
  ...sendPorts,
  ...precheckPorts,
  answeredBalance,
  plan,
  enqueueSend,
  enqueueFallback,
  recipientOf,
  contactAt,
};

/** A preview has no reservation that verifies the volume, so it reads one with the true price instead of an estimate. */
export const previewPorts: PreviewPorts = {
  ...submitPorts,
  volume: quotePorts.volume,
  previewContext,
};

const queued = queuedStore(table, sealer);

export const sendQueuedPorts: SendQueuedPorts = {
  ...sendPorts,
  ...queued,
  contentOf: withSuppressionLookup(queued.contentOf, suppressionPorts),
  consentNow: (message, requiresConsent) => consentFaultOf(table, message, requiresConsent),
  maySendAs: async (message) => {
    const named = senderOfMessage(message);
    return named === undefined || senderChecks.mayUseSender(message, named.channel, named.value);
  },
  earliestSendAt: ({ organizationId, channel }, now) => earliestSendAt(organizationId, channel, now),
  numberRateDeferral: deferByNumberRate,
  fanOut: {
    provider: settings.STAGE === 'test' ? 'sandbox_provider' : 'push_services',
    // Loaded by the first push, to keep its queries out of other sends' cold starts.
    start: async (message) => (await import('../push/send.ts')).startPush(message),
  },
  enqueueSend,
};

const advanceFallbackPorts: AdvanceFallbackPorts = {
  ...sendPorts,
  ...fallbackStore(table, sealer),
  plan,
  recipientOf,
  heirOf: async ({ organizationId }, contactId) => {
    const heir = await heirOf(table, contactId);
    return heir?.organizationId === organizationId ? heir.id : undefined;
  },
  enqueueSend,
  enqueueFallback,
};

/**
 * Processes a work item of a queued message, a fallback or a sign-in mail. Safe under repeats and reordering. `onAccountRefused`: notifies
 * the message's journey or campaign.
 */
export const processSendItem = async (
  item: WorkItem,
  { onAccountRefused }: Required<Pick<SendQueuedPorts, 'onAccountRefused'>>,
): Promise<void> => {
  if (item.kind === 'mail_sign_in') return (await import('../access/sign-in-links.ts')).processSignInMail(item);
  const id = PARSE_KEY.message(item);
  return item.kind === 'fallback'
    ? advanceFallback(advanceFallbackPorts, id)
    : sendQueued({ ...sendQueuedPorts, onAccountRefused }, id);
};
