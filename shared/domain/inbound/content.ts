import type { InboundEvent } from '../message/provider-port.ts';

/** Longest stored text, in UTF-16 units: an SMS of 255 parts has 39,015 characters. */
const MAX_TEXT_LENGTH = 40_000;
/** Largest stored payload as JSON, in UTF-16 units: a DynamoDB item holds 400 KB, and the event repeats the content. */
const MAX_PAYLOAD_LENGTH = 64_000;
/** DynamoDB nests at most 32 levels, of which row and payload take some. */
const MAX_DEPTH = 20;
/** Longest stored profile name, in UTF-16 units. */
const MAX_NAME_LENGTH = 200;

/** DynamoDB numbers have 38 digits and a minimum of 1E-130: unsafe integers become text, smaller numbers 0. */
const storableNumber = (value: number): number | string => {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return String(value);
  return Math.abs(value) < 1e-130 ? 0 : value;
};

const storable = (value: unknown, depth: number): unknown => {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number') return storableNumber(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => storable(each, depth + 1));
  // DynamoDB does not allow empty attribute names.
  const named = Object.entries(value).filter(([key]) => key !== '');
  return Object.fromEntries(named.map(([key, each]) => [key.toWellFormed(), storable(each, depth + 1)]));
};

/**
 * The content of an inbound message in a form that can be stored and written as JSON: lone surrogates are replaced, and content that is too
 * long or too deep is dropped, since a provider would otherwise repeat the callback forever. The text is otherwise unaltered.
 */
export const inboundPayload = ({ text, payload }: InboundEvent): Readonly<Record<string, unknown>> => {
  const kept = storable(payload, 0) as Record<string, unknown>;
  const rest = JSON.stringify(kept).length <= MAX_PAYLOAD_LENGTH ? kept : {};
  return text === undefined ? rest : { ...rest, text: text.slice(0, MAX_TEXT_LENGTH).toWellFormed() };
};

/** The WhatsApp profile name to store; undefined when it is empty. */
export const profileNameOf = ({ channel, profileName }: InboundEvent): string | undefined => {
  if (channel !== 'whatsapp') return undefined;
  const name = profileName
    ?.replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed();
  return name === '' ? undefined : name;
};
