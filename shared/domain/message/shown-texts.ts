import { maskEmail, maskPhone } from '../core/phone.ts';
import type { MessageRecord } from './message.ts';

/**
 * An e-mail address or an E.164 phone as it appears in texts: plain, percent-encoded in a link, escaped in HTML. No
 * address has more than 254 characters.
 */
const ADDRESSES =
  /((?:[\w.+'-]|%2B|&#39;){1,254})(@|%40)([\w-]{1,63}(?:\.[\w-]{1,63}){1,8})|(\+|%2B)([1-9]\d{6,14})(?!\d)/gi;

const maskedText = (text: string): string =>
  text.replaceAll(
    ADDRESSES,
    (_, local: string | undefined, at: string, domain: string, plus: string, digits: string) =>
      local === undefined ? plus + maskPhone(`+${digits}`).slice(1) : maskEmail(`${local}@${domain}`).replace('@', at),
  );

const masked = (value: unknown): unknown => {
  if (typeof value === 'string') return maskedText(value);
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, masked(each)]));
};

/**
 * A message's text as responses show it. Journeys and campaigns fill their texts from the contact, so addresses in them
 * are masked for callers without pii:full (docs/spec/platform.md#masking). Text that the caller wrote is shown
 * unchanged.
 */
export const shownTexts = <T>({ origin }: Pick<MessageRecord, 'origin'>, texts: T, unmasked: boolean): T =>
  unmasked || origin !== 'automation' ? texts : (masked(texts) as T);
