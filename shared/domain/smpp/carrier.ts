import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';

/*
 * The protocol between the adapter of a carrier, which runs in functions, and the SMPP service, which holds the binds to the carrier: the
 * bodies that each posts to the other. Both have the key from the provider's settings.
 */

/** How far the time of a signature may be off, in either direction (ms). */
const SIGNATURE_MS = 300_000;
const SIGNATURE = 'x-smpp-signature';
const TIMESTAMP = 'x-smpp-timestamp';
/** The purpose of a signed body: a signature for one is invalid for another. */
export type CarrierPurpose = 'callback' | 'status' | 'submit';
/** The paths of the SMPP service. */
export const CARRIER_PATHS = { submit: '/carrier/submit', status: '/carrier/status' } as const;

const signature = (key: string, purpose: CarrierPurpose, at: string, body: string): string =>
  `sha256=${createHmac('sha256', key).update(`${purpose}.${at}.${body}`).digest('hex')}`;

/** The headers that authenticate a body. `now` in ms. */
export const signCarrierBody = (
  key: string,
  purpose: CarrierPurpose,
  body: string,
  now: number,
): Readonly<Record<string, string>> => ({
  'content-type': 'application/json',
  [TIMESTAMP]: String(now),
  [SIGNATURE]: signature(key, purpose, String(now), body),
});

/** Whether a body was recently signed with the key for this purpose. Header names are lower-case. */
export const isCarrierBody = (
  key: string,
  purpose: CarrierPurpose,
  { headers, body }: { readonly headers: Readonly<Record<string, string | undefined>>; readonly body: string },
  now: number,
): boolean => {
  const at = headers[TIMESTAMP] ?? '';
  if (!/^\d{13}$/.test(at) || Math.abs(now - Number(at)) > SIGNATURE_MS) return false;
  const [given, expected] = [headers[SIGNATURE] ?? '', signature(key, purpose, at, body)].map((text) =>
    Buffer.from(text),
  ) as [Buffer, Buffer];
  return given.length === expected.length && timingSafeEqual(given, expected);
};

/** A message to submit. */
export const carrierSubmit = z.strictObject({
  /** Our id: a repeat within ten minutes gets the same answer. */
  messageId: z.string().min(1).max(64),
  /** E.164. */
  to: z.string().regex(/^\+\d{3,15}$/),
  from: z.string().min(1).max(20).optional(),
  text: z.string().min(1).max(20_000),
  /** The deadline of the answer, in ms. */
  waitMs: z.int().min(0).max(60_000),
});
export type CarrierSubmit = z.infer<typeof carrierSubmit>;

/** Queries the result of a submitted message. */
export const carrierStatus = z.strictObject({ messageId: z.string().min(1).max(64) });

/** The result of a message. All but `accepted` and `unknown` are certain: the carrier does not have the message. */
export const carrierResult = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('accepted'), id: z.string().min(1) }),
  z.strictObject({ kind: z.literal('refused'), status: z.int() }),
  z.strictObject({ kind: z.literal('unbound'), status: z.int().optional() }),
  z.strictObject({ kind: z.literal('busy') }),
  z.strictObject({ kind: z.literal('unsendable') }),
  z.strictObject({ kind: z.literal('unknown'), why: z.string() }),
]);
export type CarrierResult = z.infer<typeof carrierResult>;

export const CARRIER_STATES = [
  'ENROUTE',
  'DELIVRD',
  'EXPIRED',
  'DELETED',
  'UNDELIV',
  'ACCEPTD',
  'UNKNOWN',
  'REJECTD',
] as const;

/** A delivery from the carrier, as the SMPP service posts it back. */
export const carrierCallback = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('receipt'),
    /** In the carrier's notation. */
    id: z.string().min(1),
    state: z.enum(CARRIER_STATES),
    error: z.string().optional(),
    network: z.strictObject({ network: z.int(), code: z.int() }).optional(),
    phone: z.string(),
  }),
  z.strictObject({
    kind: z.literal('message'),
    /** The id of this delivery: a retry without a response has the same. */
    id: z.string().min(1),
    from: z.string().min(1),
    to: z.string(),
    text: z.string(),
    /** When it arrived, in ms. */
    at: z.int(),
  }),
  /** For a reply. */
  z.strictObject({
    kind: z.literal('part'),
    from: z.string().min(1),
    to: z.string(),
    /** The form of the reference and its value: it distinguishes the messages between two numbers. */
    reference: z.string().regex(/^(8|16|sar)-\d{1,5}$/),
    total: z.int().min(2).max(255),
    number: z.int().min(1).max(255),
    coding: z.int(),
    bytes: z.base64(),
  }),
]);
export type CarrierCallback = z.infer<typeof carrierCallback>;

/** Type and plan of numbers (TON and NPI) of addresses; absent: derived from the address. */
interface NumberPlan {
  readonly ton?: number | undefined;
  readonly npi?: number | undefined;
}

/** The carrier's settings that the SMPP service needs; `shared/providers/sms/smpp-carrier.ts` documents each. */
export interface CarrierSettings {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly tlsCa?: string | undefined;
  readonly systemId: string;
  readonly password: string;
  readonly systemType: string;
  readonly addressRange: string;
  readonly bindType: 'transceiver' | 'transmitter_receiver';
  readonly binds: number;
  readonly window: number;
  readonly throughput: number;
  readonly throttledSeconds: number;
  readonly enquireSeconds: number;
  readonly source: NumberPlan;
  readonly destination: NumberPlan;
  readonly serviceType: string;
  readonly longText: 'payload' | 'sar' | 'udh';
  readonly serviceKey: string;
}
