import * as z from 'zod';
import type { PayloadContent } from '../../domain/channels/meta/content.ts';
import type {
  Dispatch,
  NumberAccess,
  Provider,
  ProviderAnswer,
  ProviderDeclaration,
  ProviderIo,
  RefusedAnswer,
} from '../../domain/message/provider-port.ts';
import { refusal } from '../http.ts';
import { graphAnswer } from '../meta/answers.ts';
import { appIdSetting, graphSettings, openGraph } from '../meta/graph.ts';
import { answerMetaChallenge, metaWebhookSettings, readMetaWebhook } from '../meta/webhook.ts';
import { callbacksWith } from '../registry.ts';
import { messageBody } from './cloud-api-body.ts';
import { CLOUD_API_ERRORS } from './cloud-api-codes.ts';
import { accountEntry, accountEvents } from './cloud-api-events.ts';

/** Operator settings of WhatsApp. */
export const cloudApiSettings = z.strictObject({
  accessToken: graphSettings.accessToken.describe(
    'The system user token of `phoneNumberId`, with whatsapp_business_messaging. Numbers that organizations connected have their own.',
  ),
  phoneNumberId: z
    .string()
    .regex(/^\d{1,32}$/)
    .optional()
    .describe('The number of messages that name none, by its phone number id; without it they are refused.'),
  appId: appIdSetting,
  appSecret: metaWebhookSettings.appSecret,
  verifyToken: metaWebhookSettings.verifyToken,
  baseUrl: graphSettings.baseUrl,
  version: graphSettings.version,
  timeoutMs: graphSettings.timeoutMs,
});
export type CloudApiSettings = z.infer<typeof cloudApiSettings>;

const callbackSettings = z.object({ ...metaWebhookSettings, phoneNumberId: cloudApiSettings.shape.phoneNumberId });

/** The response to a send; the outcome comes by webhook. */
const sent = z.object({ messages: z.tuple([z.object({ id: z.string().min(1) })]) });

/**
 * Number and token to send with: those of the number that the message names, else the operator's. Refuses if the number was disconnected or
 * its token cannot be read; a message never falls back to another number.
 */
const accessOf = async (
  { phoneNumberId, accessToken }: CloudApiSettings,
  io: ProviderIo,
  numberId: string | undefined,
): Promise<NumberAccess | RefusedAnswer> => {
  if (numberId === undefined)
    return phoneNumberId === undefined
      ? refusal('sender', 'meta: the message names no number, and the settings none either')
      : { phoneNumberId, accessToken };
  try {
    return (await io.numberOf?.(numberId)) ?? refusal('sender', 'meta: the number is not connected any more');
  } catch {
    return refusal('unavailable', 'meta: the access token of the number cannot be read');
  }
};

const send = async (
  settings: CloudApiSettings,
  io: ProviderIo,
  dispatch: Dispatch<PayloadContent>,
): Promise<ProviderAnswer> => {
  const access = await accessOf(settings, io, dispatch.content.from);
  if ('kind' in access) return access;
  const graph = openGraph(io, { ...settings, accessToken: access.accessToken });
  const reply = await graph.request('POST', `${access.phoneNumberId}/messages`, sent, { json: messageBody(dispatch) });
  return graphAnswer(reply, CLOUD_API_ERRORS, ({ messages: [message] }) => message.id);
};

/**
 * WhatsApp through Meta's Cloud API (developers.facebook.com/documentation/business-messaging/whatsapp). Our message id travels as
 * biz_opaque_callback_data and comes back in every status. Meta offers no lookup by it, so there is no `queryStatus`: only a status webhook
 * resolves an uncertain send.
 */
export const cloudApi: ProviderDeclaration<PayloadContent, CloudApiSettings> = {
  channel: 'whatsapp',
  name: 'whatsapp_cloud_api',
  settings: cloudApiSettings,
  create: (settings, io): Provider<PayloadContent> => ({
    name: 'whatsapp_cloud_api',
    send: (dispatch) => send(settings, io, dispatch),
  }),
  callbacks: callbacksWith(callbackSettings, (settings, io) => ({
    isShared: (account) => account === settings.phoneNumberId,
    readCallback: async (request) =>
      readMetaWebhook(settings, request, 'whatsapp_business_account', accountEntry, (entry) =>
        accountEvents(entry, io.now()),
      ),
    answerChallenge: (query) => answerMetaChallenge(settings, query),
  })),
};
