import type { PayloadContent } from '../../../shared/domain/channels/meta/content.ts';
import { exact as carried, dispatchOf } from './dispatch.ts';
import type { ChannelKit } from './kit.ts';

/** The outcomes that a status of a WhatsApp message can report; the stand-in writes them as Meta does. */
export type WhatsappOutcome =
  | 'sent'
  | 'delivered'
  | 'read'
  | 'undeliverable'
  | 'window_closed'
  | 'blacklisted'
  | 'content_rejected'
  | 'invalid_template_variable'
  | 'account_locked';

/** A WhatsApp message to send. */
export const whatsappDispatch = dispatchOf<PayloadContent>({
  to: '+5511987654321',
  route: 'session',
  content: { payload: { text: 'Olá, código 9182 [conformance]' } },
});

const exact = (what: string, payload: PayloadContent['payload']) => carried(what, { payload });
const media = (kind: string, more: object = {}) => ({ media: { kind, id: '1013859600285441', ...more } });
const template = { name: 'pedido_enviado', language: 'pt-BR' };

/** The buttons and the flow follow examples of the Cloud API's documentation. */
const BUTTONS = {
  type: 'button',
  body: { text: 'Seu pedido 9182 chega amanhã: confirma?' },
  action: {
    buttons: [
      { type: 'reply', reply: { id: 'sim-9182', title: 'Sim' } },
      { type: 'reply', reply: { id: 'nao', title: 'Não' } },
    ],
  },
};
const FLOW = {
  type: 'flow',
  header: { type: 'text', text: 'Agende' },
  body: { text: 'Escolha o horário' },
  action: {
    name: 'flow',
    parameters: {
      flow_message_version: '3',
      flow_token: 'AQAAAAACS5FpgQ_cAAAAAD0QI3s.',
      flow_id: '1',
      flow_cta: 'Agendar',
      flow_action: 'navigate',
      flow_action_payload: { screen: 'HORARIOS', data: { pedido: '9182' } },
    },
  },
};

/** The conformance suite's kit for every provider of WhatsApp. */
export const whatsappKit: ChannelKit = {
  dispatch: whatsappDispatch as ChannelKit['dispatch'],
  exact: [
    exact('the characters that encodings spoil', { text: 'ç€[]{}~\n+&=% ü 🙂 "9182"' }),
    exact('a template without variables', { template }),
    exact('a template with numbered variables, in their order', {
      template,
      templateVars: { 1: 'Ana', 2: '9182', 10: 'dez', 3: 'ü', 4: '4', 5: '5', 6: '6', 7: '7', 8: '8', 9: '9' },
    }),
    exact('a template with named variables', {
      template: { name: 'codigo', language: 'en-US' },
      templateVars: { nome: 'Ana', codigo: '9182' },
    }),
    exact('a template with components of its own', {
      template: {
        ...template,
        components: [
          { type: 'header', parameters: [{ type: 'image', image: { id: '1013859600285441' } }] },
          { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '9182' }] },
        ],
      },
    }),
    exact('an image with its caption', media('image', { caption: 'Pedido 9182 🙂' })),
    exact('a document with caption and name', media('document', { caption: 'Nota', filename: 'nota-9182.pdf' })),
    exact('a voice note', media('audio', { voice: true })),
    exact('a video', media('video')),
    exact('a sticker', media('sticker')),
    exact('reply buttons', { interactive: BUTTONS }),
    exact('a flow', { interactive: FLOW }),
  ],
  outcomes: {
    sent: { status: 'sent' },
    delivered: { status: 'delivered' },
    read: { status: 'read' },
    undeliverable: { status: 'failed', reason: 'undeliverable' },
    window_closed: { status: 'failed', reason: 'window_closed' },
    blacklisted: { status: 'failed', reason: 'blacklisted' },
    content_rejected: { status: 'failed', reason: 'content_rejected' },
    invalid_template_variable: { status: 'failed', reason: 'invalid_template_variable' },
    account_locked: { status: 'failed', reason: 'undeliverable' },
  } satisfies Readonly<Record<WhatsappOutcome, object>>,
  receipt: ({ messageId, to }) => ({ to, reference: messageId, channel: 'WHATSAPP' }),
};
