import * as z from 'zod';
import type { SmsProvider, SmsProviderDeclaration } from '../../domain/channels/sms/content.ts';
import type { ProviderEvent } from '../../domain/message/provider-port.ts';
import { e164Of } from '../e164.ts';
import {
  infobipAccountSettings,
  infobipDestination,
  infobipWebhooks,
  queryInfobipStatus,
  sendByInfobip,
} from '../infobip.ts';
import {
  infobipCallbackSettings,
  infobipInstant,
  infobipReceipt,
  infobipReport,
  readInfobipCallback,
} from '../infobip-callbacks.ts';
import { callbacksWith } from '../registry.ts';
import { optionalTextSetting, textSetting } from '../settings.ts';

/** Operator settings of SMS through Infobip. */
export const infobipSettings = z.strictObject({
  apiKey: textSetting('The API key, with the scopes sms:message:send and sms:logs:read.'),
  from: optionalTextSetting('The sender of messages that name none; without it the account default sends.'),
  ...infobipAccountSettings,
});
export type InfobipSettings = z.infer<typeof infobipSettings>;

/** An inbound SMS in the format MO_JSON_2 (docs/api, Receive inbound SMS messages). */
const inbound = z.object({
  messageId: z.string().min(1),
  from: z.string().min(1),
  to: z.string().min(1),
  text: z.string(),
  receivedAt: z.string(),
});
const entry = z.union([infobipReport, inbound]);

const eventsOf = (found: z.infer<typeof entry>, now: number): readonly ProviderEvent[] => {
  if ('status' in found) return [infobipReceipt(found) ?? []].flat();
  return [
    {
      kind: 'reply',
      providerReplyId: found.messageId,
      from: e164Of(found.from),
      to: e164Of(found.to),
      body: found.text,
      at: infobipInstant(found.receivedAt) ?? now,
    },
  ];
};

/**
 * Infobip's SMS API v3 (https://www.infobip.com/docs/api/channels/sms). Our message id is also Infobip's: receipts repeat it, the logs are
 * queried by it, and Infobip refuses a second send with it.
 */
export const infobip: SmsProviderDeclaration<InfobipSettings> = {
  channel: 'sms',
  name: 'infobip',
  settings: infobipSettings,
  create: (settings, io): SmsProvider => ({
    name: 'infobip',
    send: (dispatch) => {
      const { messageId, to, content } = dispatch;
      const sender = content.senderId ?? settings.from;
      return sendByInfobip(settings, io, '/sms/3/messages', messageId, {
        ...(sender ? { sender } : {}),
        destinations: [infobipDestination(to, messageId)],
        content: { text: content.text },
        webhooks: infobipWebhooks(settings, dispatch, ['delivery']),
      });
    },
    queryStatus: (messageId, sentAt) => queryInfobipStatus(settings, io, '/sms/3/logs', messageId, sentAt),
  }),
  callbacks: callbacksWith(infobipCallbackSettings, ({ callbackAuth }, io) => ({
    readCallback: async (request) =>
      readInfobipCallback(callbackAuth, io.now(), request, entry, (found) => eventsOf(found, io.now())),
  })),
};
