import type { InboundEvent } from '../messages/provider.ts';

/** The longest text that is kept, in UTF-16 units: 255 parts of an SMS are 39,015 characters. */
const TEXT_LENGTH = 40_000;
/** The most that the rest may take as JSON, in UTF-16 units: a row holds 400 KB, and an event carries the content again. */
const REST_LENGTH = 64_000;
/** The table nests 32 levels; the row and the payload take some of them. */
const DEEPEST = 20;
/** The longest profile name. */
const NAME_LENGTH = 200;

/** A number attribute of the table takes no whole number that is not exact, and nothing as small. */
const plainNumber = (value: number): number | string => {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return String(value);
  return Math.abs(value) < 1e-130 ? 0 : value;
};

const plain = (value: unknown, depth: number): unknown => {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number') return plainNumber(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return null;
  if (Array.isArray(value)) return value.map((each) => plain(each, depth + 1));
  // The table knows no attribute without a name.
  const named = Object.entries(value).filter(([key]) => key !== '');
  return Object.fromEntries(named.map(([key, each]) => [key.toWellFormed(), plain(each, depth + 1)]));
};

/**
 * What an inbound message says, in a form that the table and every reader of JSON can hold: lone surrogates are replaced, and what is
 * too long or too deep is cut, since a message that could not be kept would be called back for ever. The text is otherwise unaltered.
 */
export const inboundPayload = ({ text, payload }: InboundEvent): Readonly<Record<string, unknown>> => {
  const kept = plain(payload, 0) as Record<string, unknown>;
  const rest = JSON.stringify(kept).length <= REST_LENGTH ? kept : {};
  return text === undefined ? rest : { ...rest, text: text.slice(0, TEXT_LENGTH).toWellFormed() };
};

/** A profile's name as it is kept; undefined for one that says nothing. */
export const profileNameOf = ({ channel, profileName }: InboundEvent): string | undefined => {
  if (channel !== 'whatsapp') return undefined;
  const name = profileName
    ?.replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, NAME_LENGTH)
    .toWellFormed();
  return name === '' ? undefined : name;
};
