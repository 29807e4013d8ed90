import type { Channel, InboundEvent } from '../messages/provider.ts';

/**
 * What a person writes, alone in a message, to be sent nothing more; each with who gave the word its meaning. Closed: a word that is not
 * here changes nothing, since taking somebody out who said something else is an error too.
 */
export const OPT_OUT_WORDS = {
  SAIR: 'the word that short codes in Brazil announce, and that its carriers expect to be honoured',
  PARAR: 'the Portuguese of STOP',
  PARE: 'the same, as an order',
  CANCELAR: 'announced beside SAIR by short-code services in Brazil (cancelling a service)',
  REMOVER: 'LGPD, article 18: the request to be removed, in its plainest word',
  DESCADASTRAR: 'LGPD, article 8, § 5: the withdrawal of consent, as Brazilian mailings word it',
  STOP: 'the universal keyword of carriers (CTIA Messaging Principles and Best Practices, opt-out), taken everywhere',
  UNSUBSCRIBE: 'a universal keyword of carriers beside STOP (CTIA, the same)',
  END: 'a universal keyword of carriers beside STOP (CTIA, the same)',
  QUIT: 'a universal keyword of carriers beside STOP (CTIA, the same)',
  CANCEL: 'a universal keyword of carriers beside STOP (CTIA, the same)',
  REVOKE: 'the words that end consent beside those above (47 CFR 64.1200(a)(10), in force since April 2025)',
  'OPT OUT': 'the same rule; "opt-out" is read alike',
  OPTOUT: 'the same rule, written together',
  STOPALL: 'taken for STOP by carriers and by every large sender',
} as const;
export type OptOutWord = keyof typeof OPT_OUT_WORDS;

/**
 * Where the words count: wherever a contact, or else the sender's own row, keeps the withdrawal. An e-mail has its one-click link, and its quoted
 * text and signature leave no word alone. Push has no answers.
 */
export const OPT_OUT_CHANNELS: ReadonlySet<Channel> = new Set(['sms', 'rcs', 'whatsapp', 'instagram']);

/** No word is longer than this, blanks and marks around it included: a longer text is not read for one. */
const LONGEST_TEXT = 64;
const MARKS = /\p{M}/gu;
const AROUND = /[^\p{L}\p{N}]+/gu;

/**
 * The word that a text consists of; undefined when it says anything else. Case, accents, punctuation, emoji and blanks do not count:
 * "Sair.", " PÁRAR " and "«stop!»" are words, "sair do grupo" is none. Linear in the text.
 */
export const optOutWordIn = (text: string | undefined): OptOutWord | undefined => {
  if (text === undefined || text.length > LONGEST_TEXT) return undefined;
  const word = text.normalize('NFKD').replace(MARKS, '').replace(AROUND, ' ').trim().toUpperCase();
  return Object.hasOwn(OPT_OUT_WORDS, word) ? (word as OptOutWord) : undefined;
};

/** Words that also stand on an organization's own buttons and mean an order, a basket or a chat there. */
const ON_BUTTONS: ReadonlySet<OptOutWord> = new Set(['CANCELAR', 'CANCEL', 'REMOVER', 'END', 'QUIT']);

/** The word by which a message opts its sender out. What somebody pressed was worded by the organization, and counts where it means nothing else. */
export const optOutWordOf = ({ type, text }: Pick<InboundEvent, 'type' | 'text'>): OptOutWord | undefined => {
  const word = optOutWordIn(text);
  return type === 'interactive' && word && ON_BUTTONS.has(word) ? undefined : word;
};
