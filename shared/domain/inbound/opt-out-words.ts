import type { Channel } from '../message/channel.ts';
import type { InboundEvent } from '../message/provider-port.ts';

/**
 * Words that opt a person out when a message consists of nothing else (docs/spec/inbound.md#opt-out-words), each with its source. The list
 * is closed: opting somebody out who meant something else is an error too.
 */
export const OPT_OUT_WORDS = {
  SAIR: 'the word that short codes in Brazil announce, and that its carriers expect to be honoured',
  PARAR: 'the Portuguese of STOP',
  PARE: 'the same, as an order',
  CANCELAR: 'announced alongside SAIR by short-code services in Brazil (cancelling a service)',
  REMOVER: 'LGPD, article 18: the request to be removed, in its plainest word',
  DESCADASTRAR: 'LGPD, article 8, § 5: the withdrawal of consent, as Brazilian mailings word it',
  STOP: 'the universal keyword of carriers (CTIA Messaging Principles and Best Practices, opt-out), taken everywhere',
  UNSUBSCRIBE: 'a universal keyword of carriers alongside STOP (CTIA, the same)',
  END: 'a universal keyword of carriers alongside STOP (CTIA, the same)',
  QUIT: 'a universal keyword of carriers alongside STOP (CTIA, the same)',
  CANCEL: 'a universal keyword of carriers alongside STOP (CTIA, the same)',
  REVOKE: 'the words that end consent besides those above (47 CFR 64.1200(a)(10), in force since April 2025)',
  'OPT OUT': 'the same rule; "opt-out" is read alike',
  OPTOUT: 'the same rule, written together',
  STOPALL: 'taken for STOP by carriers and by every large sender',
} as const;
export type OptOutWord = keyof typeof OPT_OUT_WORDS;

/**
 * Channels on which the words count. E-mail has one-click unsubscribe, and quoted text and signatures surround any word; push has no
 * replies.
 */
export const OPT_OUT_CHANNELS: ReadonlySet<Channel> = new Set(['sms', 'rcs', 'whatsapp', 'instagram']);

/** Texts longer than this, in UTF-16 units, are not checked for a word. */
const MAX_WORD_LENGTH = 64;
const MARKS = /\p{M}/gu;
const SEPARATORS = /[^\p{L}\p{N}]+/gu;

/**
 * The opt-out word that a text consists of; undefined for any other text. Case, accents, punctuation, emoji and blanks are ignored:
 * "Sair.", " PÁRAR " and "«stop!»" match, "sair do grupo" does not. Linear time.
 */
export const optOutWordIn = (text: string | undefined): OptOutWord | undefined => {
  if (text === undefined || text.length > MAX_WORD_LENGTH) return undefined;
  const word = text.normalize('NFKD').replace(MARKS, '').replace(SEPARATORS, ' ').trim().toUpperCase();
  return Object.hasOwn(OPT_OUT_WORDS, word) ? (word as OptOutWord) : undefined;
};

/** Words that on an organization's own buttons usually refer to an order, a cart or a chat. */
const AMBIGUOUS_ON_BUTTONS: ReadonlySet<OptOutWord> = new Set(['CANCELAR', 'CANCEL', 'REMOVER', 'END', 'QUIT']);

/** The word by which a message opts its sender out. A pressed button was labelled by the organization: ambiguous words do not count there. */
export const optOutWordOf = ({ type, text }: Pick<InboundEvent, 'type' | 'text'>): OptOutWord | undefined => {
  const word = optOutWordIn(text);
  return type === 'interactive' && word && AMBIGUOUS_ON_BUTTONS.has(word) ? undefined : word;
};
