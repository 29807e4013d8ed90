import { randomBytes } from 'node:crypto';
import type { CallbackRequest } from '../../../shared/domain/message/provider-port.ts';
import { must, SECRETS, signedByMeta, startMetaApi, TOKEN } from './meta-api.ts';
import type { AcceptedMessage, StandIn, UnderTest } from './stand-in.ts';
import type { WhatsappOutcome } from './whatsapp-kit.ts';

export const PHONE_NUMBER_ID = '106540352242922';
export const WABA_ID = '102290129340398';
const DISPLAY_PHONE = '15550783881';

/** The statuses and codes of the outcomes in the Cloud API (support/error-codes). */
const STATUSES: Readonly<Record<WhatsappOutcome, readonly [status: string, code?: number, title?: string]>> = {
  sent: ['sent'],
  delivered: ['delivered'],
  read: ['read'],
  undeliverable: ['failed', 131026, 'Message undeliverable'],
  window_closed: ['failed', 131047, 'Re-engagement message'],
  blacklisted: ['failed', 131050, 'User has stopped marketing messages'],
  content_rejected: ['failed', 131053, 'Media upload error'],
  invalid_template_variable: ['failed', 132012, 'Parameter format does not match format in the created template'],
  account_locked: ['failed', 131031, 'Business Account locked'],
};

const KINDS = ['image', 'audio', 'video', 'document', 'sticker'];
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  image: ['id', 'caption'],
  audio: ['id', 'voice'],
  video: ['id', 'caption'],
  document: ['id', 'caption', 'filename'],
  sticker: ['id'],
};

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The body's parameters as variables; positional ones by their positions. */
const variablesOf = (parameters: readonly Json[]): Json =>
  Object.fromEntries(
    parameters.map((parameter, place) => {
      must(parameter.type === 'text' && typeof parameter.text === 'string', 'a parameter is no text');
      return [String(parameter.parameter_name ?? place + 1), parameter.text];
    }),
  );

const templatePayload = ({ name, language, components = [] }: Json): Json => {
  must(typeof name === 'string' && /^[a-z0-9_]{1,512}$/.test(name), 'a template without a name');
  const code = isObject(language) ? String(language.code) : '';
  must(/^[a-z]{2,3}(_[A-Z]{2})?$/.test(code), 'a language without a valid code');
  const template = { name, language: code.replace('_', '-') };
  const parts = components as readonly Json[];
  for (const { type } of parts) must(['header', 'body', 'button'].includes(String(type)), 'a component of no type');
  const [first, ...others] = parts;
  if (!first) return { template };
  if (first.type === 'body' && others.length === 0)
    return { template, templateVars: variablesOf(first.parameters as readonly Json[]) };
  return { template: { ...template, components: parts } };
};

const textPayload = ({ body: text }: Json): Json => {
  must(typeof text === 'string' && text.length > 0 && text.length <= 4_096, 'a text that is empty or too long');
  return { text };
};

const mediaPayload = (kind: string, part: Json): Json => {
  must(typeof part.id === 'string', 'media without an id');
  for (const field of Object.keys(part)) must(FIELDS[kind]?.includes(field) ?? false, `${kind} has no ${field}`);
  return { media: { kind, ...part } };
};

const payloadOf = (body: Json): Json => {
  const type = String(body.type);
  const part = body[type];
  if (!isObject(part)) throw new Error(`no part ${type}`);
  if (type === 'text') return textPayload(part);
  if (type === 'template') return templatePayload(part);
  if (KINDS.includes(type)) return mediaPayload(type, part);
  must(type === 'interactive' && typeof part.type === 'string', 'a message of no type');
  return { interactive: part };
};

/** Reads a message of the Cloud API, and checks what Meta would check. */
const read = (body: Json, node: string): Omit<AcceptedMessage, 'providerMessageId'> => {
  must(
    body.messaging_product === 'whatsapp' && body.recipient_type === 'individual',
    'not for an individual on WhatsApp',
  );
  must(typeof body.to === 'string' && /^\+[1-9]\d{4,14}$/.test(body.to), 'a recipient that is no phone');
  const reference = body.biz_opaque_callback_data;
  must(typeof reference === 'string' && reference.length <= 512, 'a reference that is too long');
  must(isObject(body[String(body.type)]), 'a type without its part');
  const payload = payloadOf(body);
  return {
    messageId: String(reference),
    to: String(body.to),
    from: node,
    text: String(payload.text ?? ''),
    callbackUrl: 'https://callbacks.test/callbacks/whatsapp_cloud_api/events',
    content: { payload },
  };
};

/** The part of the Cloud API that messages need; it also signs Meta's callbacks. */
export interface WhatsappStandIn extends StandIn<WhatsappOutcome> {
  /** The address of callbacks: a flow test sets it before it posts any. */
  endpoint: string;
  /** One signed callback with these changes, each of a field. */
  changes(...changes: readonly { readonly field: string; readonly value: object }[]): CallbackRequest;
  /** A signed inbound message of a WhatsApp id (a phone without its plus) to this number. */
  inbound(from: string, message: object, over?: { readonly name?: string; readonly number?: string }): CallbackRequest;
  /** The value of a change that reports this outcome of these messages. */
  statuses(outcome: WhatsappOutcome, messages: readonly AcceptedMessage[], at?: number): object;
}

const metadata = (number: string) => ({ display_phone_number: DISPLAY_PHONE, phone_number_id: number });
const seconds = (ms: number) => String(Math.floor(ms / 1000));

/** Starts a stand-in; `nodes`: further numbers with their tokens. */
export const startWhatsappStandIn = async (
  now: () => number = Date.now,
  nodes: Readonly<Record<string, string>> = {},
): Promise<WhatsappStandIn> => {
  const { messages, ...server } = await startMetaApi({
    nodes: { [PHONE_NUMBER_ID]: TOKEN, ...nodes },
    read,
    newId: () => `wamid.${randomBytes(24).toString('base64')}`,
    answer: ({ to, providerMessageId }) => ({
      messaging_product: 'whatsapp',
      contacts: [{ input: to, wa_id: to.slice(1) }],
      messages: [{ id: providerMessageId, message_status: 'accepted' }],
    }),
  });
  const statuses: WhatsappStandIn['statuses'] = (outcome, about, at = now()) => {
    const [status, code, title] = STATUSES[outcome];
    return {
      messaging_product: 'whatsapp',
      metadata: metadata(about[0]?.from ?? PHONE_NUMBER_ID),
      statuses: about.map((message) => ({
        id: message.providerMessageId,
        status,
        timestamp: seconds(at),
        recipient_id: message.to.slice(1),
        biz_opaque_callback_data: message.messageId,
        ...(status === 'sent' ? { pricing: { billable: true, pricing_model: 'PMP', category: 'service' } } : {}),
        ...(code ? { errors: [{ code, title, message: title, error_data: { details: 'segredo' } }] } : {}),
      })),
    };
  };
  const standIn: WhatsappStandIn = {
    provider: 'whatsapp_cloud_api',
    ...server,
    messages,
    settings: { accessToken: TOKEN, phoneNumberId: PHONE_NUMBER_ID, baseUrl: server.baseUrl, ...SECRETS },
    endpoint: 'https://callbacks.test/callbacks/whatsapp_cloud_api/events',
    changes: (...changes) =>
      signedByMeta(
        standIn.endpoint,
        JSON.stringify({
          object: 'whatsapp_business_account',
          entry: [{ id: WABA_ID, time: Number(seconds(now())), changes }],
        }),
      ),
    inbound: (from, message, { name = 'Ana Souza', number = PHONE_NUMBER_ID } = {}) =>
      standIn.changes({
        field: 'messages',
        value: {
          messaging_product: 'whatsapp',
          metadata: metadata(number),
          contacts: [{ profile: { name }, wa_id: from }],
          messages: [
            { from, id: `wamid.${randomBytes(24).toString('base64')}`, timestamp: seconds(now()), ...message },
          ],
        },
      }),
    statuses,
    receipt: (message, outcome) => standIn.changes({ field: 'messages', value: statuses(outcome, [message]) }),
    signed: (_, body) => signedByMeta(standIn.endpoint, body),
  };
  return standIn;
};

export const whatsappUnderTest: UnderTest = {
  channel: 'whatsapp',
  name: 'whatsapp_cloud_api',
  start: startWhatsappStandIn,
  refusals: {
    recipient: ['400:131026', '400:131047', '400:131021', '400:131030', '400:131049'],
    content: ['400:132000', '404:132001', '400:132012', '400:131008', '400:131009', '400:131051', '400:100'],
    blacklisted: ['400:131050'],
    throttled: ['429:130429', '400:80007', '429:131056', '429:131048', '400:4', '429:999999'],
    sender: ['403:368', '403:131031', '400:133010', '400:131037', '403:130497'],
    credit: ['402:131042'],
    credentials: ['401:190', '403:10', '403:200', '403:131005', '400:100/33', '401:0'],
    unavailable: ['500:131057', '400:999999'],
  },
  wrongCredentials: { accessToken: 'another' },
  replies: false,
};
