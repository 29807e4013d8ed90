import * as z from 'zod';
import type { PayloadContent } from '../../domain/channels/meta/content.ts';
import { looseId } from '../../domain/core/id-schema.ts';
import { idPattern } from '../../domain/core/ids.ts';
import type {
  Dispatch,
  Provider,
  ProviderAccount,
  ProviderAnswer,
  ProviderDeclaration,
  ProviderIo,
} from '../../domain/message/provider-port.ts';
import { refusal } from '../http.ts';
import { graphAnswer } from '../meta/answers.ts';
import { graphSettings, openGraph } from '../meta/graph.ts';
import { answerMetaChallenge, metaWebhookSettings, readMetaWebhook } from '../meta/webhook.ts';
import { callbacksWith } from '../registry.ts';
import { messageBody } from './messaging-api-body.ts';
import { MESSAGING_API_ERRORS } from './messaging-api-codes.ts';
import { instagramEntry, instagramEvents } from './messaging-api-events.ts';

const ownAccount = z.object({
  id: z.string().regex(idPattern('instagramAccount'), 'must be iga_ and 21 letters or digits'),
  organizationId: looseId('organization', z.string().regex(/^org_[0-9A-Za-z]{1,60}$/)),
  accountId: z.string().regex(/^\d{1,32}$/),
});
const account = ownAccount.extend({ accessToken: graphSettings.accessToken }).strict();

/** Operator settings of Instagram. */
export const messagingApiSettings = z.strictObject({
  accounts: z
    .array(account)
    .min(1)
    .describe(
      'The accounts, each of one organization: `id` (iga_ and 21 letters or digits) is the id that messages use, `accountId` its Instagram id and `accessToken` an Instagram user token with instagram_business_manage_messages, or a Page token with instagram_manage_messages.',
    ),
  appSecret: metaWebhookSettings.appSecret,
  verifyToken: metaWebhookSettings.verifyToken,
  baseUrl: z
    .url()
    .default('https://graph.instagram.com')
    .describe("Meta's API for Instagram login; for Page tokens https://graph.facebook.com; or a stand-in."),
  version: graphSettings.version,
  timeoutMs: graphSettings.timeoutMs,
});
export type MessagingApiSettings = z.infer<typeof messagingApiSettings>;

const callbackSettings = z.object({ ...metaWebhookSettings, accounts: z.array(ownAccount) });

const accountsOf = ({ accounts }: z.infer<typeof callbackSettings>): readonly ProviderAccount[] =>
  accounts.map(({ id, organizationId, accountId }) => ({ id, organizationId, account: accountId }));

/** The response to a send. It is posted to `me`, the account of the token or of its Page. */
const sent = z.object({ message_id: z.string().min(1) });

const send = async (
  { accounts, ...access }: MessagingApiSettings,
  io: ProviderIo,
  dispatch: Dispatch<PayloadContent>,
): Promise<ProviderAnswer> => {
  const from = accounts.find(({ id }) => id === dispatch.content.from);
  if (!from) return refusal('sender', 'meta: the message names no account of the settings');
  const graph = openGraph(io, { ...access, accessToken: from.accessToken });
  const reply = await graph.request('POST', 'me/messages', sent, { json: messageBody(dispatch) });
  return graphAnswer(reply, MESSAGING_API_ERRORS, ({ message_id: id }) => id);
};

/**
 * Instagram through Meta's messaging API. A message cannot carry our id: read events refer to the message id in Meta's response. There is
 * no `queryStatus`, so a send whose response was lost stays indeterminate.
 */
export const messagingApi: ProviderDeclaration<PayloadContent, MessagingApiSettings> = {
  channel: 'instagram',
  name: 'instagram_messaging_api',
  settings: messagingApiSettings,
  create: (settings, io): Provider<PayloadContent> => ({
    name: 'instagram_messaging_api',
    accounts: accountsOf(settings),
    send: (dispatch) => send(settings, io, dispatch),
  }),
  callbacks: callbacksWith(callbackSettings, (settings) => ({
    accounts: accountsOf(settings),
    isShared: () => false,
    namesOwnIdOnly: true,
    readCallback: async (request) => readMetaWebhook(settings, request, 'instagram', instagramEntry, instagramEvents),
    answerChallenge: (query) => answerMetaChallenge(settings, query),
  })),
};
