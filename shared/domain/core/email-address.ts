/** Maximum length of the local part and of the whole address, in characters (RFC 5321, 4.5.3.1.1 and 4.5.3.1.3 with erratum 1690). */
const MAX_LOCAL_LENGTH = 64;
export const MAX_ADDRESS_LENGTH = 254;
const MAX_LABEL_LENGTH = 63;
/** Maximum length of a display name, in characters: even encoded it fits into a header line of 998 octets. */
export const MAX_NAME_LENGTH = 128;
/** Maximum length of `from`: a quoted name and its address. */
export const MAX_MAILBOX_LENGTH = 2 * MAX_NAME_LENGTH + MAX_ADDRESS_LENGTH + 5;
/** Maximum length of a subject, in characters (RFC 5322, 2.1.1: a line has at most 998). */
export const MAX_SUBJECT_LENGTH = 998;

/** A dot-atom's atom (RFC 5322, 3.2.3). Amazon SES supports neither quoted nor non-ASCII local parts. */
const ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** Characters allowed in a domain before it is converted to ASCII: letters, combining marks, digits, hyphens and dots. */
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;
/** Characters that end a header line or change how it reads: controls, line and paragraph separators, bidi overrides. */
const HEADER_UNSAFE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Converts a domain to lower-case ASCII (RFC 5890), or undefined. Look-alikes such as full-width characters are rejected, not repaired. */
export const parseDomain = (text: string): string | undefined => {
  if (text.length > MAX_ADDRESS_LENGTH || !DOMAIN.test(text) || text.normalize('NFKC') !== text) return undefined;
  const last = text.slice(text.lastIndexOf('.') + 1);
  // A numeric last label would be parsed as an IPv4 address.
  if (/^\d/.test(last)) return undefined;
  const domain = URL.parse(`http://${text}`)?.hostname;
  const labels = domain?.split('.') ?? [];
  return labels.length >= 2 && labels.every((label) => label.length <= MAX_LABEL_LENGTH && LABEL.test(label))
    ? domain
    : undefined;
};

/**
 * Normalizes an address; undefined if it is invalid. Accepts the subset of RFC 5321 and 5322 that Amazon SES supports: an ASCII dot-atom
 * and a domain of at least two labels. The domain becomes lower-case ASCII; the local part is kept as is.
 */
export const parseAddress = (text: string): string | undefined => {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(0, at));
  if (local.length > MAX_LOCAL_LENGTH || !local.split('.').every((atom) => ATOM.test(atom))) return undefined;
  const domain = parseDomain(text.slice(at + 1));
  const address = `${local}@${domain}`;
  return domain !== undefined && address.length <= MAX_ADDRESS_LENGTH ? address : undefined;
};

/** An address with an optional display name. */
export interface Mailbox {
  readonly name?: string | undefined;
  readonly address: string;
}

/** Parses a display name: bare, or a quoted string (RFC 5322, 3.2.4). */
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

/** Parses `address` or `Name <address>` (RFC 5322, 3.4); undefined if it is neither, too long, or could break the header. */
export const parseMailbox = (text: string): Mailbox | undefined => {
  if (text.length > MAX_MAILBOX_LENGTH || HEADER_UNSAFE.test(text) || !text.isWellFormed()) return undefined;
  const open = text.lastIndexOf('<');
  if (open < 0) {
    const address = parseAddress(text);
    return address === undefined ? undefined : { address };
  }
  if (!text.endsWith('>')) return undefined;
  const address = parseAddress(text.slice(open + 1, -1));
  const name = parseName(text.slice(0, open).trim());
  if (address === undefined || name === undefined || name.length > MAX_NAME_LENGTH) return undefined;
  return name === '' ? { address } : { name, address };
};

/** Punctuation around an address in a text. */
const AROUND_ADDRESS = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

/** Characters that a reader does not see, such as zero-width spaces and soft hyphens. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/**
 * Characters that domain names treat as a dot (UTS 46, 2.3) and readers see as one; NFKC maps the half-width form to
 * this one.
 */
const IDEOGRAPHIC_STOP = /\u3002/g;
/** Text that readers take for an address, valid or not: a Cyrillic `\u0435` looks like the `e` of another's address. */
const ADDRESS_SHAPE = /^[^@]+@[^@]+\.[^@]+$/;

/**
 * The addresses that a reader sees in a text: look-alikes (full-width, small) as ASCII, invisible characters removed.
 * Includes words that only resemble an address, unchanged.
 */
export const addressesIn = (text: string): readonly string[] =>
  text
    .normalize('NFKC')
    .replaceAll(INVISIBLE, '')
    .replaceAll(IDEOGRAPHIC_STOP, '.')
    .split(/[\s,;:<>()[\]"]+/)
    .map((word) => word.replaceAll(AROUND_ADDRESS, ''))
    .flatMap((word) => parseAddress(word) ?? (ADDRESS_SHAPE.test(word) ? word : []));

/** Bytes of text per encoded word: as base64 with 12 characters of framing it stays within 75 (RFC 2047, 2). */
const MAX_WORD_OCTETS = 45;

/** Encodes non-ASCII text as encoded words that never split a character (RFC 2047, 4.1). */
const encodedWords = (text: string): string => {
  const words: string[] = [''];
  for (const character of text) {
    const word = words.at(-1) ?? '';
    if (Buffer.byteLength(word + character) > MAX_WORD_OCTETS) words.push(character);
    else words[words.length - 1] = word + character;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
};

/** Formats a mailbox for a header: the name quoted, or as encoded words if it is not ASCII. */
export const formatMailbox = ({ name, address }: Mailbox): string => {
  if (name === undefined) return address;
  // Clients would decode a name that looks like an encoded word, so it is encoded itself.
  const plain = /^[\x20-\x7e]*$/.test(name) && !name.includes('=?');
  return `${plain ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : encodedWords(name)} <${address}>`;
};

/**
 * Why a text is not a valid subject, as a sentence after the field's name; undefined if it is valid. A line break would start another
 * header (docs/spec/errors.md#hostile-input).
 */
export const subjectError = (text: string): string | undefined => {
  if (text.trim() === '') return 'must not be empty';
  if (text.length > MAX_SUBJECT_LENGTH) return `must have at most ${MAX_SUBJECT_LENGTH} characters`;
  return HEADER_UNSAFE.test(text) ? 'must be one line without control characters' : undefined;
};

/** Why a text is not a valid sender, as a sentence after the field's name; undefined if it is valid. */
export const mailboxError = (text: string): string | undefined =>
  parseMailbox(text)
    ? undefined
    : 'must be an e-mail address, or a name and an address as `Name <address>`, on one line';
