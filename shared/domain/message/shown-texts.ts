import { maskEmail, maskPhone } from '../core/phone.ts';
import type { MessageRecord } from './message.ts';

/** An e-mail address or a phone in E.164, as texts are filled with it: as it is, percent-encoded in a link, escaped in HTML. No address has more than 254 characters. */
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
 * What a message says, as answers show it. Journeys and campaigns fill the texts of their messages from the contact, so that callers without pii:full see the
 * addresses in them masked (docs/spec/platform.md#masking). What a caller wrote itself is shown as it was written.
 */
export const shownTexts = <T>({ origin }: Pick<MessageRecord, 'origin'>, texts: T, unmasked: boolean): T =>
  unmasked || origin !== 'automation' ? texts : (masked(texts) as T);
