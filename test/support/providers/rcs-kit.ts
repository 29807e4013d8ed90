import type { RcsContent } from '../../../shared/domain/channels/rcs/content.ts';
import { dispatchOf } from './dispatch.ts';
import type { ChannelKit } from './kit.ts';

/** The outcomes that a receipt of an RCS message can report; each stand-in writes them as its provider does. */
export type RcsOutcome =
  | 'sent'
  | 'delivered'
  | 'read'
  | 'no_rcs'
  | 'carrier_rejected'
  | 'blacklisted'
  | 'expired'
  | 'delivered_by_sms'
  | 'failed_by_sms';

/** An RCS message to send. */
export const rcsDispatch = dispatchOf<RcsContent>({
  to: '+5511987654321',
  route: 'easy_rcs',
  content: { text: 'Olá, código 9182 [conformance]' },
});

export const CARD = {
  title: 'Pedido 9182',
  description: 'Chega amanhã:\n“ç€[]{}~” & <b>ü</b> 🙂',
  fileUrl: 'https://cdn.example.com.br/pedido.png?largura=600&x=1',
  suggestions: [
    { kind: 'openUrl', label: 'Acompanhar', url: 'https://loja.example.com.br/p?id=9182&a=b#c' },
    { kind: 'call', label: 'Ligar', phone: '+551140001234' },
    { kind: 'reply', label: 'Confirmar', postback: 'action:confirm:9182' },
    { kind: 'reply', label: 'Não', postback: 'não' },
  ],
} as const satisfies RcsContent['card'];

const carried = (content: RcsContent) => {
  const { fallback, ...rest } = content;
  return { content: { ...rest, ...(fallback ? { fallback: { text: fallback.text } } : {}) } };
};
const exact = (what: string, content: RcsContent) => ({ what, content, carried: carried(content) });
const { fileUrl: _, ...WITHOUT_IMAGE } = CARD;
const failed = (reason: string, via: 'rcs' | 'sms' = 'rcs') => ({ status: 'failed', reason, via });

const OUTCOMES: Readonly<Record<RcsOutcome, object>> = {
  sent: { status: 'sent' },
  delivered: { status: 'delivered', via: 'rcs' },
  read: { status: 'read', via: 'rcs' },
  no_rcs: failed('no_rcs'),
  carrier_rejected: failed('carrier_rejected'),
  blacklisted: failed('blacklisted'),
  expired: failed('expired'),
  delivered_by_sms: { status: 'delivered', via: 'sms' },
  failed_by_sms: failed('invalid_number', 'sms'),
};

/** The conformance suite's kit for every provider of RCS. */
export const rcsKit: ChannelKit = {
  dispatch: rcsDispatch as ChannelKit['dispatch'],
  exact: [
    exact('the characters that encodings spoil', { text: 'ç€[]{}~\n+&=% ü 🙂' }),
    exact('a card with its image and buttons of every kind', { card: CARD }),
    exact('a card without an image', { card: WITHOUT_IMAGE }),
    exact('a card without buttons', { card: { title: 'Pedido 9182', description: 'Chega amanhã' } }),
    exact('the text for devices without RCS', {
      text: 'Olá, código 9182',
      fallback: { text: 'Codigo 9182: {nao responda}', encoding: 'GSM-7' },
    }),
    exact('a card and the text for devices without RCS', {
      card: CARD,
      fallback: { text: 'Pedido 9182 ❤', encoding: 'UCS-2' },
    }),
  ],
  outcomes: OUTCOMES,
  receipt: ({ messageId, to }) => ({ to, reference: messageId }),
};
