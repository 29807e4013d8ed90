import type { FieldError } from '../../core/errors.ts';
import { parsePhone } from '../../core/phone.ts';
import { checkEndpoint, hostOf } from '../../core/public-address.ts';
import { replaceLinks } from '../../links/find.ts';
import { prepareText } from '../sms/text.ts';
import { codePointLength, RCS_LIMITS, type RcsCard, type RcsContent, type RcsSuggestion } from './content.ts';
import type { RcsRequest } from './request.ts';

/** Text or card and fallback of a send, schema already validated. */
export type RcsBody = Pick<RcsRequest, 'content' | 'fallback'>;

/** A host that is an IP address: the WHATWG parser has already normalized it to four decimals or brackets. */
const IP_LITERAL = /^(?:\d+\.\d+\.\d+\.\d+|.*:.*)$/;
/** Endings that never resolve publicly: test and invalid (RFC 6761, 6.2 and 6.4) and arpa (RFC 3172). */
const NON_PUBLIC_ENDING = /\.(?:arpa|invalid|test)\.?$/;
/** Characters that URL parsers drop, or that make one URL look like another. */
const AMBIGUOUS = /[\p{Cc}\p{Cf}\p{Z}\\]/u;

/** Why a card's image URL is not allowed, or undefined. Carriers fetch it, so it must be https on a public domain. */
export const fileUrlError = (text: string): string | undefined => {
  const error = checkEndpoint(text, { allowLoopbackHttp: false });
  if (error) return error;
  const host = hostOf(new URL(text));
  if (IP_LITERAL.test(host)) return 'must name a public domain, not an IP address';
  return NON_PUBLIC_ENDING.test(host) ? 'must name a public domain' : undefined;
};

/** Why a button's URL is not allowed, or undefined. It opens on the recipient's device: a web page without hidden characters. */
export const openUrlError = (text: string): string | undefined => {
  if (AMBIGUOUS.test(text)) return 'must not contain spaces, control characters, invisible characters or backslashes';
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'must be an http or https address';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  return undefined;
};

const buttonError = (button: RcsSuggestion): { field: string; message: string } | undefined => {
  if (button.kind === 'openUrl') {
    const message = openUrlError(button.url);
    return message ? { field: 'url', message } : undefined;
  }
  if (button.kind === 'call' && !parsePhone(button.phone))
    return { field: 'phone', message: 'must be an existing number in E.164' };
  return undefined;
};

const errorsOfCard = ({ fileUrl, suggestions = [] }: RcsCard): FieldError[] => {
  const file = fileUrl === undefined ? undefined : fileUrlError(fileUrl);
  const buttons = suggestions.flatMap((button, at) => {
    const error = buttonError(button);
    return error ? [{ path: `content.card.suggestions.${at}.${error.field}`, message: error.message }] : [];
  });
  return [...(file ? [{ path: 'content.card.fileUrl', message: file }] : []), ...buttons];
};

/** Errors of a card beyond its schema: URLs and phone numbers. */
export const cardErrors = ({ content: { card } }: RcsBody): FieldError[] => (card ? errorsOfCard(card) : []);

/**
 * Builds the content to send. `shorten` replaces the URLs of the text and of openUrl buttons; not an image's, which is fetched rather than
 * clicked. The fallback is prepared like any SMS.
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

/** Length errors that only appear after preparation: short links or GSM-7 equivalents longer than the original. */
export const lengthErrors = ({ text, fallback }: RcsContent): FieldError[] => [
  ...(text !== undefined && codePointLength(text) > RCS_LIMITS.text
    ? [{ path: 'content.text', message: `must be at most ${RCS_LIMITS.text} characters with its short links` }]
    : []),
  ...(fallback && codePointLength(fallback.text) > RCS_LIMITS.fallback
    ? [{ path: 'fallback.text', message: `must be at most ${RCS_LIMITS.fallback} characters as an SMS writes it` }]
    : []),
];
