/** The longest local part and the longest address, in characters (RFC 5321, 4.5.3.1.1 and 4.5.3.1.3 with its erratum 1690). */
const LOCAL_LENGTH = 64;
export const ADDRESS_LENGTH = 254;
const LABEL_LENGTH = 63;
/** The longest name before an address, in characters: encoded, it still fits a header line's 998 octets. */
export const NAME_LENGTH = 128;
/** The longest `from`: a quoted name and its address. */
export const MAILBOX_LENGTH = 2 * NAME_LENGTH + ADDRESS_LENGTH + 5;
/** The longest subject, in characters (RFC 5322, 2.1.1: a line has at most 998). */
export const SUBJECT_LENGTH = 998;

/** An atom with dots (RFC 5322, 3.2.3). Quoted local parts and those beyond ASCII are not carried by Amazon SES. */
const ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** What a domain may be written with before it is made ASCII: letters, their marks, digits, hyphens and dots. */
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;
/** What ends a header's line or changes how it reads: controls, line and paragraph separators, direction overrides. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/**
 * A domain in ASCII and lower case (RFC 5890), or undefined. Nothing is repaired: full-width characters and others that only look like
 * the ones that are meant are refused.
 */
const parseDomain = (text: string): string | undefined => {
  if (text.length > ADDRESS_LENGTH || !DOMAIN.test(text) || text.normalize('NFKC') !== text) return undefined;
  const last = text.slice(text.lastIndexOf('.') + 1);
  // A number in the last place would be read as an IPv4 address.
  if (/^\d/.test(last)) return undefined;
  const domain = URL.parse(`http://${text}`)?.hostname;
  const labels = domain?.split('.') ?? [];
  return labels.length >= 2 && labels.every((label) => label.length <= LABEL_LENGTH && LABEL.test(label))
    ? domain
    : undefined;
};

/**
 * An address as it is stored and sent, or undefined when it is none: the subset of RFC 5321 and 5322 that Amazon SES carries, which is a
 * dot-atom of ASCII and a domain of two labels or more. The domain is lower-cased and made ASCII; the local part stays as it is.
 */
export const parseAddress = (text: string): string | undefined => {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(0, at));
  if (local.length > LOCAL_LENGTH || !local.split('.').every((atom) => ATOM.test(atom))) return undefined;
  const domain = parseDomain(text.slice(at + 1));
  const address = `${local}@${domain}`;
  return domain !== undefined && address.length <= ADDRESS_LENGTH ? address : undefined;
};

/** An address with the name that is shown for it. */
export interface Mailbox {
  readonly name?: string | undefined;
  readonly address: string;
}

/** A name as it was written before an address: bare, or as a quoted string (RFC 5322, 3.2.4). */
const parseName = (text: string): string | undefined => {
  const quoted = text.length >= 2 && text.startsWith('"') && text.endsWith('"');
  if (!quoted) return /["<>]/.test(text) ? undefined : text;
  let name = '';
  for (let at = 1; at < text.length - 1; at++) {
    if (text[at] === '"') return undefined;
    if (text[at] === '\\' && ++at === text.length - 1) return undefined;
    name += text[at];
  }
  return name.trim();
};

/** `address`, or `Name <address>` (RFC 5322, 3.4); undefined when it is neither, is too long or would break its header. */
export const parseMailbox = (text: string): Mailbox | undefined => {
  if (text.length > MAILBOX_LENGTH || UNPRINTABLE.test(text) || !text.isWellFormed()) return undefined;
  const open = text.lastIndexOf('<');
  if (open < 0) {
    const address = parseAddress(text);
    return address === undefined ? undefined : { address };
  }
  if (!text.endsWith('>')) return undefined;
  const address = parseAddress(text.slice(open + 1, -1));
  const name = parseName(text.slice(0, open).trim());
  if (address === undefined || name === undefined || name.length > NAME_LENGTH) return undefined;
  return name === '' ? { address } : { name, address };
};

/** Octets of text in one encoded word: with its frame of 12 characters, base64 keeps it within 75 (RFC 2047, 2). */
const WORD_OCTETS = 45;

/** A text beyond ASCII as encoded words (RFC 2047, 4.1): each holds whole characters. */
const encodedWords = (text: string): string => {
  const words: string[] = [''];
  for (const character of text) {
    const word = words.at(-1) ?? '';
    if (Buffer.byteLength(word + character) > WORD_OCTETS) words.push(character);
    else words[words.length - 1] = word + character;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
};

/** A mailbox as a header carries it: the name quoted, or as encoded words where it is not ASCII. */
export const formatMailbox = ({ name, address }: Mailbox): string => {
  if (name === undefined) return address;
  // What looks like an encoded word would be decoded: it is encoded, so that it reads as it was written.
  const plain = /^[\x20-\x7e]*$/.test(name) && !name.includes('=?');
  return `${plain ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : encodedWords(name)} <${address}>`;
};

/** What keeps a text from being a subject, in words; undefined when nothing does (reliability: a line break would begin another header). */
export const subjectFault = (text: string): string | undefined => {
  if (text.trim() === '') return 'must not be empty';
  if (text.length > SUBJECT_LENGTH) return `must have at most ${SUBJECT_LENGTH} characters`;
  return UNPRINTABLE.test(text) ? 'must be one line without control characters' : undefined;
};

/** What keeps a text from being a sender, in words; undefined when nothing does. */
export const mailboxFault = (text: string): string | undefined =>
  parseMailbox(text)
    ? undefined
    : 'must be an e-mail address, or a name and an address as `Name <address>`, on one line';
