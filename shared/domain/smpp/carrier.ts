import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';

/*
 * Between the adapter of a carrier, which runs in functions, and the SMPP service, which holds the binds to the carrier: what either posts to
 * the other. Both sides have the key from the provider's settings.
 */

/** How long a signature is taken for (ms), either way of its moment. */
const SIGNATURE_MS = 300_000;
const SIGNATURE = 'x-smpp-signature';
const TIMESTAMP = 'x-smpp-timestamp';
/** What a signed body is for: a signature of one is none of another. */
export type CarrierPurpose = 'callback' | 'status' | 'submit';
/** Where the SMPP service takes what is for it. */
export const CARRIER_PATHS = { submit: '/carrier/submit', status: '/carrier/status' } as const;

const signature = (key: string, purpose: CarrierPurpose, at: string, body: string): string =>
  `sha256=${createHmac('sha256', key).update(`${purpose}.${at}.${body}`).digest('hex')}`;

/** The headers that prove a body. `now` in ms. */
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

/** Whether a body was signed with the key, for this, and lately. Header names are lower-case. */
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
  /** Ours: a repeat of it within ten minutes is answered as the first was. */
  messageId: z.string().min(1).max(64),
  /** E.164. */
  to: z.string().regex(/^\+\d{3,15}$/),
  from: z.string().min(1).max(20).optional(),
  text: z.string().min(1).max(20_000),
  /** How long the answer may take, in ms. */
  waitMs: z.int().min(0).max(60_000),
});
export type CarrierSubmit = z.infer<typeof carrierSubmit>;

/** Asks for what became of a message that was submitted. */
export const carrierStatus = z.strictObject({ messageId: z.string().min(1).max(64) });

/** What became of a message. All but `accepted` and `unknown` are certain: the carrier has nothing of it. */
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

/** What the carrier delivered, as the SMPP service calls it back. */
export const carrierCallback = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('receipt'),
    /** As the carrier wrote it. */
    id: z.string().min(1),
    state: z.enum(CARRIER_STATES),
    error: z.string().optional(),
    network: z.strictObject({ network: z.int(), code: z.int() }).optional(),
    phone: z.string(),
  }),
  z.strictObject({
    kind: z.literal('message'),
    /** Of this delivery: a repeat of one that was not answered has the same. */
    id: z.string().min(1),
    from: z.string().min(1),
    to: z.string(),
    text: z.string(),
    /** When it came, in ms. */
    at: z.int(),
  }),
  /** Of a message that a person wrote. */
  z.strictObject({
    kind: z.literal('part'),
    from: z.string().min(1),
    to: z.string(),
    /** How the reference is written, and the reference: it tells the messages between two numbers apart. */
    reference: z.string().regex(/^(8|16|sar)-\d{1,5}$/),
    total: z.int().min(2).max(255),
    number: z.int().min(1).max(255),
    coding: z.int(),
    bytes: z.base64(),
  }),
]);
export type CarrierCallback = z.infer<typeof carrierCallback>;

/** A type and a plan of numbers (TON and NPI) of addresses; absent: by the address itself. */
interface NumberPlan {
  readonly ton?: number | undefined;
  readonly npi?: number | undefined;
}

/** What the SMPP service has to know of the carrier; `shared/providers/sms/smpp-carrier.ts` says what each is. */
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
