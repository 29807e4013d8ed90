import { randomBytes } from 'node:crypto';
import type { CallbackRequest } from '../../../shared/domain/message/provider-port.ts';
import { ACCOUNT_ID, INSTAGRAM_ACCOUNT, type InstagramOutcome } from './instagram-kit.ts';
import { must, SECRETS, signedByMeta, startMetaApi, TOKEN } from './meta-api.ts';
import type { AcceptedMessage, StandIn, UnderTest } from './stand-in.ts';

export const ORGANIZATION_ID = 'org_4hJ9sKq2LmN8pRt5VwXz1';

type Json = Readonly<Record<string, unknown>>;
interface QuickReply {
  readonly content_type: string;
  readonly title: string;
  readonly payload: string;
}
interface Attachment {
  readonly type: string;
  readonly payload: { readonly url?: string; readonly attachment_id?: string };
}

const mediaOf = ({ type, payload }: Attachment): Json => {
  must(['image', 'audio', 'video', 'file'].includes(type), 'an attachment of no type');
  const { url, attachment_id: id } = payload;
  must((url === undefined) !== (id === undefined), 'an attachment with neither or both of address and id');
  return { kind: type === 'file' ? 'document' : type, ...(url === undefined ? { id } : { url }) };
};

const textOf = (text: unknown): string => {
  must(
    typeof text === 'string' && text.length > 0 && Buffer.byteLength(text) <= 1_000,
    'a text that is empty or too long',
  );
  return String(text);
};

const quickReply = ({ content_type: type, title, payload }: QuickReply) => {
  must(type === 'text' && title.length <= 20 && payload.length <= 1_000, 'a quick reply that is too long');
  return { type: 'reply', reply: { id: payload, title } };
};

const payloadOf = (message: Json): Json => {
  if (message.attachment) return { media: mediaOf(message.attachment as Attachment) };
  const text = textOf(message.text);
  const replies = message.quick_replies as readonly QuickReply[] | undefined;
  if (!replies) return { text };
  must(replies.length > 0 && replies.length <= 13, 'too many quick replies');
  return { interactive: { type: 'button', body: { text }, action: { buttons: replies.map(quickReply) } } };
};

/** Reads a message of the Send API, and checks what Meta would check. */
const read = (body: Json): Omit<AcceptedMessage, 'providerMessageId'> => {
  const to = (body.recipient as { id?: string } | undefined)?.id ?? '';
  must(/^\d{5,32}$/.test(to), 'a recipient that is no id');
  const tagged = body.messaging_type === 'MESSAGE_TAG' && body.tag === 'HUMAN_AGENT';
  must(tagged || (body.messaging_type === 'RESPONSE' && body.tag === undefined), 'a tag that does not match the type');
  const payload = { ...payloadOf(body.message as Json), ...(tagged ? { tag: 'HUMAN_AGENT' } : {}) };
  return {
    messageId: '',
    to,
    from: INSTAGRAM_ACCOUNT,
    text: 'text' in payload ? String(payload.text) : '',
    callbackUrl: 'https://callbacks.test/callbacks/instagram_messaging_api/events',
    content: { payload },
  };
};

/** The part of Instagram's messaging that sending needs; it also signs Meta's callbacks. */
export interface InstagramStandIn extends StandIn<InstagramOutcome> {
  /** The address of callbacks: a flow test sets it before it posts any. */
  endpoint: string;
  /** One signed callback with these items, from a user to an account. */
  items(from: string, account: string, ...items: readonly object[]): CallbackRequest;
}

/** Starts a stand-in; `accounts` are those of the settings. */
export const startInstagramStandIn = async (now: () => number = Date.now): Promise<InstagramStandIn> => {
  const { messages, ...server } = await startMetaApi({
    nodes: { me: TOKEN },
    read,
    newId: () => `aWdfZAG1faXRlb${randomBytes(24).toString('base64url')}`,
    answer: ({ to, providerMessageId }) => ({ recipient_id: to, message_id: providerMessageId }),
  });
  const standIn: InstagramStandIn = {
    provider: 'instagram_messaging_api',
    ...server,
    messages,
    settings: {
      accounts: [{ id: ACCOUNT_ID, organizationId: ORGANIZATION_ID, accountId: INSTAGRAM_ACCOUNT, accessToken: TOKEN }],
      baseUrl: server.baseUrl,
      ...SECRETS,
    },
    endpoint: 'https://callbacks.test/callbacks/instagram_messaging_api/events',
    items: (from, account, ...items) => {
      const messaging = items.map((item) => ({
        sender: { id: from },
        recipient: { id: account },
        timestamp: now(),
        ...item,
      }));
      const body = { object: 'instagram', entry: [{ id: account, time: now(), messaging }] };
      return signedByMeta(standIn.endpoint, JSON.stringify(body));
    },
    receipt: ({ to, from, providerMessageId }) => standIn.items(to, from, { read: { mid: providerMessageId } }),
    signed: (_, body) => signedByMeta(standIn.endpoint, body),
  };
  return standIn;
};

export const instagramUnderTest: UnderTest = {
  channel: 'instagram',
  name: 'instagram_messaging_api',
  start: startInstagramStandIn,
  refusals: {
    recipient: ['400:10/2534022', '400:100/2534014', '400:100/2018001', '400:551/1545041'],
    content: ['400:100'],
    throttled: ['400:613', '400:4', '400:32', '429:999999'],
    sender: ['400:368'],
    credentials: ['401:190', '403:10', '403:200', '400:100/33'],
    unavailable: ['400:999999'],
  },
  wrongCredentials: {
    accounts: [
      { id: ACCOUNT_ID, organizationId: ORGANIZATION_ID, accountId: INSTAGRAM_ACCOUNT, accessToken: 'another' },
    ],
  },
  replies: false,
  unreferenced: true,
};
