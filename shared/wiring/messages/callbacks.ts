import { applyMetaReport } from '../../domain/channels/whatsapp/meta-reports/apply.ts';
import type { CallbackAddress, CallbackPorts } from '../../domain/inbound/callback-ports.ts';
import { applyPreference } from '../../domain/inbound/preferences.ts';
import { answerChallenge, callbackUrl, handleCallback } from '../../domain/inbound/provider-callback.ts';
import type { CallbackRequest } from '../../domain/message/provider-port.ts';
import { advanceSuppressing } from '../../domain/sending/suppression.ts';
import { earlyReceiptStore, earlyReceiptsWork } from '../../storage/messages/early-receipts.ts';
import { keepEngagement } from '../../storage/messages/engagement.ts';
import { interactionRecorder } from '../../storage/messages/interactions.ts';
import { receiptStore, receiptWorkItem } from '../../storage/messages/receipts.ts';
import { suppressionPorts } from '../email/suppression.ts';
import { publishWork, publishWorkAt, settings, table } from '../process/aws.ts';
import { measure } from '../process/observe.ts';
import { addLogFields } from '../process/scope.ts';
import { sendPorts } from '../sending/ports.ts';
import { flowPorts } from '../whatsapp/flows.ts';
import { templatePorts } from '../whatsapp/numbers.ts';
import { readerOf } from './callback-readers.ts';
import { preferencePorts } from './inbound.ts';
import { smsReplyPorts } from './sms-replies.ts';

const receipts = receiptStore(table);
const earlyReceipts = earlyReceiptStore(table);

const ports: CallbackPorts = {
  ...smsReplyPorts,
  readerOf,
  messageStore: {
    ...sendPorts.messageStore,
    advance: advanceSuppressing(sendPorts.messageStore.advance, suppressionPorts),
  },
  addPendingReceipt: receipts.addPendingReceipt,
  enqueueReceipt: (message, receipt) => publishWork([receiptWorkItem(message, receipt)]),
  keepEarlyReceipt: async (of, receipt, times) => {
    const outcome = await earlyReceipts.keepEarlyReceipt(of, receipt, times);
    if (outcome === 'kept') publishWorkAt([earlyReceiptsWork(of)], times.dueAt);
    return outcome;
  },
  raise: (event, engaged) => keepEngagement(table, event, engaged, publishWork),
  interacted: interactionRecorder(table, sendPorts.clock),
  replyPart: async (provider, event) => (await import('./reply-parts.ts')).replyPart(provider, event),
  applyMetaEvent: (tenant, event) =>
    event.about === 'preference'
      ? applyPreference(preferencePorts, tenant, event)
      : applyMetaReport({ ...templatePorts, ...flowPorts }, tenant, event),
  observe: {
    handled: (provider, _kind, effect, count) => measure({ provider, effect }, { Callbacks: count }),
    refused: (provider, cause, detail) => {
      measure({ provider, cause }, { RefusedCallbacks: 1 });
      addLogFields({ provider, cause, detail });
    },
    ignored: (provider, fields) => addLogFields({ provider, ignored: fields.join(',') }),
  },
};

/** A callback as the gateway delivers it: decoded query, lower-case header names, exact body. */
interface ReceivedCallback extends Omit<CallbackRequest, 'url'> {
  readonly query: Readonly<Record<string, readonly string[] | undefined>> | null;
}

/** Handles a provider's callback. */
export const receiveCallback = (address: CallbackAddress, { query, ...request }: ReceivedCallback) =>
  handleCallback(ports, address, { ...request, url: callbackUrl(settings.PUBLIC_URL, address, query) });

/** Answers a provider's challenge that verifies a callback address. */
export const verifyCallback = (address: CallbackAddress, query: Readonly<Record<string, string>>) =>
  answerChallenge(ports, address, query);
