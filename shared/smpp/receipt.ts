import { readReceiptDate, writeReceiptDate } from './time.ts';

/** message_state (5.2.28) and its word in the text of a receipt (Appendix B). */
export const MESSAGE_STATES = {
  ENROUTE: 1,
  DELIVRD: 2,
  EXPIRED: 3,
  DELETED: 4,
  UNDELIV: 5,
  ACCEPTD: 6,
  UNKNOWN: 7,
  REJECTD: 8,
} as const;
export type ReceiptState = keyof typeof MESSAGE_STATES;

/** The content of a delivery receipt's text (Appendix B). Moments are ms. */
export interface Receipt {
  readonly id: string;
  readonly submitted?: number;
  readonly done?: number;
  readonly state: ReceiptState;
  /** The error code: three digits when written. */
  readonly error: string;
  /** The start of the message's text. */
  readonly text: string;
}

const MAX_TEXT = 20;

/** The text of a receipt for one message, delivered or not. Dates are in UTC. */
export const writeReceipt = (
  { id, submitted = 0, done = 0, state, error, text }: Receipt,
  { seconds = false }: { readonly seconds?: boolean } = {},
): string =>
  [
    `id:${id}`,
    'sub:001',
    `dlvrd:${state === 'DELIVRD' ? '001' : '000'}`,
    `submit date:${writeReceiptDate(submitted, seconds)}`,
    `done date:${writeReceiptDate(done, seconds)}`,
    `stat:${state}`,
    `err:${error}`,
    `text:${Array.from(text).slice(0, MAX_TEXT).join('')}`,
  ].join(' ');

const WORDS = ['submit date:', 'done date:', 'dlvrd:', 'stat:', 'text:', 'sub:', 'err:', 'id:'];
/** Alternative words that carriers use. */
const STATES: Readonly<Record<string, ReceiptState>> = {
  ...Object.fromEntries(Object.keys(MESSAGE_STATES).map((state) => [state, state as ReceiptState])),
  DELIVERED: 'DELIVRD',
  UNDELIVERABLE: 'UNDELIV',
  UNDELIVERED: 'UNDELIV',
  FAILED: 'UNDELIV',
  ACCEPTED: 'ACCEPTD',
  REJECTED: 'REJECTD',
};

const wordAt = (lower: string, at: number): string | undefined =>
  at === 0 || lower[at - 1] === ' ' ? WORDS.find((word) => lower.startsWith(word, at)) : undefined;

/** The values by their keywords, in any order and case; everything after `text:` is text. One pass over the text. */
const valuesOf = (text: string): Map<string, string> => {
  const lower = text.toLowerCase();
  const values = new Map<string, string>();
  let open: { readonly word: string; readonly from: number } | undefined;
  const close = (end: number) => {
    if (open && !values.has(open.word)) values.set(open.word, text.slice(open.from, end).trim());
  };
  for (let at = 0; at < text.length && open?.word !== 'text:'; at++) {
    const word = wordAt(lower, at);
    if (!word) continue;
    close(at);
    open = { word, from: at + word.length };
    at += word.length - 1;
  }
  close(text.length);
  return values;
};

/**
 * Parses the text of a receipt in carriers' variants: with or without text, seconds, counts, in any case. Undefined without an id or a
 * known state; an unreadable date is absent.
 */
export const readReceipt = (text: string): Receipt | undefined => {
  const values = valuesOf(text);
  const id = values.get('id:');
  const state = Object.entries(STATES).find(([word]) => word === values.get('stat:')?.toUpperCase())?.[1];
  if (!id || !state) return undefined;
  const submitted = readReceiptDate(values.get('submit date:') ?? '');
  const done = readReceiptDate(values.get('done date:') ?? '');
  return {
    id,
    state,
    error: values.get('err:') ?? '',
    text: values.get('text:') ?? '',
    ...(submitted === undefined ? {} : { submitted }),
    ...(done === undefined ? {} : { done }),
  };
};
