import * as z from 'zod';

/** RCS routes: communication and transactional (docs/spec/rcs.md#rcs-routes). */
export const RCS_ROUTES = ['easy_rcs', 'easy_otp_rcs'] as const;
export type RcsRoute = (typeof RCS_ROUTES)[number];

/** Statuses of an RCS message (docs/spec/rcs.md#rcs-statuses), and what may have carried it (docs/spec/rcs.md#which-channel-carried-it). */
export const RCS_STATUSES = ['queued', 'sent', 'delivered', 'read', 'failed'] as const;
export type RcsStatus = (typeof RCS_STATUSES)[number];
export const RCS_CARRIERS = ['rcs', 'sms'] as const;

/**
 * Maximum sizes, in characters unless noted. Text, fallback and the number of buttons are our API's limits
 * (docs/spec/rcs.md#content-and-cards); the others are what every carrier accepts: GSMA RCC.07 and Google's RBM reference, repeated by AWS
 * End User Messaging ("RCS limits and restrictions").
 */
export const RCS_LIMITS = {
  text: 160,
  /** Ten segments of GSM-7. */
  fallback: 1_520,
  title: 200,
  description: 2_000,
  fileUrl: 2_000,
  /** Buttons per card. */
  suggestions: 4,
  label: 25,
  url: 2_048,
  postback: 2_048,
} as const;

/** Length in Unicode code points, so that emoji of one code point and accented letters count one. */
export const codePointLength = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

/** A card's button. `url` is http(s); `phone` is E.164. */
const suggestion = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('openUrl'), label: z.string(), url: z.string() }),
  z.object({ kind: z.literal('call'), label: z.string(), phone: z.string() }),
  z.object({ kind: z.literal('reply'), label: z.string(), postback: z.string().optional() }),
]);
export type RcsSuggestion = Readonly<z.output<typeof suggestion>>;

/** A card (docs/spec/rcs.md#content-and-cards). */
const card = z.object({
  title: z.string(),
  description: z.string(),
  /** HTTPS on a public domain. */
  fileUrl: z.string().optional(),
  /** Up to RCS_LIMITS.suggestions. */
  suggestions: z.array(suggestion).optional(),
});
export type RcsCard = Readonly<z.output<typeof card>>;

/** The message as the device receives it, and the SMS sent instead if the device has no RCS. */
export const storedRcs = z.object({
  /** Exactly one of `text` and `card`. */
  text: z.string().optional(),
  card: card.optional(),
  fallback: z.object({ text: z.string(), encoding: z.enum(['GSM-7', 'UCS-2']) }).optional(),
  /** The organization's own agent; absent for the one that the stage's provider is set up with. */
  senderId: z.string().optional(),
});
export type RcsContent = Readonly<z.output<typeof storedRcs>>;

declare module '../../message/channel.ts' {
  interface ChannelContents {
    rcs: RcsContent;
  }
}
