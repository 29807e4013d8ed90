import { replaceLinks } from '../links/find.ts';
import { parsePhone } from '../phone.ts';
import { prepareText } from '../sms/text.ts';
import { checkEndpoint, hostOf } from '../webhooks/address.ts';
import { characters, RCS_LIMITS, type RcsCard, type RcsContent, type RcsSuggestion } from './content.ts';

/** What a send says (interface 4.6), its shape and its sizes already checked. */
export interface RcsBody {
  readonly content: Pick<RcsContent, 'text' | 'card'>;
  readonly fallback?: { readonly text: string } | undefined;
}
/** What is wrong with a body, and where. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

/** A host that is a number: the WHATWG parser has by then written every spelling of one as four decimals or in brackets. */
const IP_LITERAL = /^(?:\d+\.\d+\.\d+\.\d+|.*:.*)$/;
/** Names that no public resolver ever answers for: of tests and mistakes (RFC 6761, 6.2 and 6.4), and of infrastructure (RFC 3172). */
const UNRESOLVED = /\.(?:arpa|invalid|test)\.?$/;
/** Characters that parsers of addresses drop, or that show one address as another. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Z}\\]/u;

/** What is wrong with the address of a card's image: it is fetched by strangers, so it lies on a public domain, by https. */
export const fileUrlFault = (text: string): string | undefined => {
  const fault = checkEndpoint(text, { allowLoopbackHttp: false });
  if (fault) return fault;
  const host = hostOf(new URL(text));
  if (IP_LITERAL.test(host)) return 'must name a public domain, not an address of numbers';
  return UNRESOLVED.test(host) ? 'must name a public domain' : undefined;
};

/** What is wrong with the address that a button opens on the recipient's own device: a web page, with nothing hidden in it. */
export const openUrlFault = (text: string): string | undefined => {
  if (UNSEEN.test(text)) return 'must not contain spaces, control characters, invisible characters or backslashes';
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'must be an http or https address';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  return undefined;
};

const buttonFault = (button: RcsSuggestion): { field: string; message: string } | undefined => {
  if (button.kind === 'openUrl') {
    const message = openUrlFault(button.url);
    return message ? { field: 'url', message } : undefined;
  }
  if (button.kind === 'call' && !parsePhone(button.phone))
    return { field: 'phone', message: 'must be an existing number in E.164' };
  return undefined;
};

const cardFaults = ({ fileUrl, suggestions = [] }: RcsCard): Fault[] => {
  const file = fileUrl === undefined ? undefined : fileUrlFault(fileUrl);
  const buttons = suggestions.flatMap((button, at) => {
    const fault = buttonFault(button);
    return fault ? [{ path: `content.card.suggestions.${at}.${fault.field}`, message: fault.message }] : [];
  });
  return [...(file ? [{ path: 'content.card.fileUrl', message: file }] : []), ...buttons];
};

/** What is wrong with a body beyond its shape: the addresses and numbers of its card. */
export const bodyFaults = ({ content: { card } }: RcsBody): Fault[] => (card ? cardFaults(card) : []);

/**
 * The content as it leaves. `shorten` stands a short link in the place of each address of the text and of each openUrl button,
 * and of nothing else: an image is fetched, not clicked. The fallback is an SMS, written as SMS are: in GSM-7 wherever its
 * characters have plain equivalents.
 */
export const prepareRcs = ({ content, fallback }: RcsBody, shorten?: (url: string) => string): RcsContent => {
  const { text, card } = content;
  const tracked = (button: RcsSuggestion): RcsSuggestion =>
    shorten && button.kind === 'openUrl' ? { ...button, url: shorten(button.url) } : button;
  const sms = fallback && prepareText(fallback.text);
  return {
    ...(text === undefined ? {} : { text: shorten ? replaceLinks(text, shorten).text : text }),
    ...(card ? { card: { ...card, ...(card.suggestions ? { suggestions: card.suggestions.map(tracked) } : {}) } } : {}),
    ...(sms ? { fallback: { text: sms.text, encoding: sms.encoding } } : {}),
  };
};

/** What is too long only as it leaves: a text whose short links are longer than its own, a fallback whose plain equivalents are. */
export const preparedFaults = ({ text, fallback }: RcsContent): Fault[] => [
  ...(text !== undefined && characters(text) > RCS_LIMITS.text
    ? [{ path: 'content.text', message: `must be at most ${RCS_LIMITS.text} characters with its short links` }]
    : []),
  ...(fallback && characters(fallback.text) > RCS_LIMITS.fallback
    ? [{ path: 'fallback.text', message: `must be at most ${RCS_LIMITS.fallback} characters as an SMS writes it` }]
    : []),
];
