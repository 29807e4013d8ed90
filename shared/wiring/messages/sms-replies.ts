import { ownersOf } from '../../domain/inbound/accounts.ts';
import type { CallbackEffect, SmsReplyPorts } from '../../domain/inbound/callback-ports.ts';
import { applySharedStop } from '../../domain/inbound/preferences.ts';
import { handleSmsReply } from '../../domain/inbound/provider-callback.ts';
import { receiveInbound } from '../../domain/inbound/receive.ts';
import type { ReplyEvent } from '../../domain/message/provider-port.ts';
import { readLastSent } from '../../storage/messages/last-sent.ts';
import { receiptStore } from '../../storage/messages/receipts.ts';
import { table } from '../process/aws.ts';
import { sendPorts } from '../sending/ports.ts';
import { accountPorts } from './callback-readers.ts';
import { inboundPorts, preferencePorts, replyPorts } from './inbound.ts';

/** Ports for replies from any provider. */
export const smsReplyPorts: SmsReplyPorts = {
  ...replyPorts,
  messageStore: sendPorts.messageStore,
  ownersOf: ownersOf(accountPorts),
  correlate: receiptStore(table).correlate,
  globalRecipientHash: sendPorts.globalRecipientHash,
  lastSent: readLastSent(table),
  optOut: (tenant, stop) => applySharedStop(preferencePorts, tenant, stop),
  inbound: (tenant, event, last) => receiveInbound(inboundPorts, tenant, event, last),
};

/** Handles a reply assembled from parts: all organizations share the accounts of providers that deliver parts. */
export const takeReply = (provider: string, event: ReplyEvent): Promise<CallbackEffect> =>
  handleSmsReply(smsReplyPorts, { channel: 'sms', provider }, event);
