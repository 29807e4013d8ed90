import * as z from 'zod';

/** RCS routes: communication and transactional (docs/spec/rcs.md#rcs-routes). */
export const RCS_ROUTES = ['easy_rcs', 'easy_otp_rcs'] as const;
export type RcsRoute = (typeof RCS_ROUTES)[number];

/** Statuses of an RCS message (docs/spec/rcs.md#rcs-statuses), and what may have carried it (docs/spec/rcs.md#what-carried-it). */
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
export type RcsSuggestion =
  | { readonly kind: 'openUrl'; readonly label: string; readonly url: string }
  | { readonly kind: 'call'; readonly label: string; readonly phone: string }
  | { readonly kind: 'reply'; readonly label: string; readonly postback?: string | undefined };

/** A card (docs/spec/rcs.md#content-and-cards). */
export interface RcsCard {
  readonly title: string;
  readonly description: string;
  /** HTTPS on a public domain. */
  readonly fileUrl?: string | undefined;
  /** Up to RCS_LIMITS.suggestions. */
  readonly suggestions?: readonly RcsSuggestion[] | undefined;
}

/** The message as the device receives it, and the SMS sent instead if the device has no RCS. */
export interface RcsContent {
  /** Exactly one of `text` and `card`. */
  readonly text?: string | undefined;
  readonly card?: RcsCard | undefined;
  readonly fallback?: { readonly text: string; readonly encoding: 'GSM-7' | 'UCS-2' } | undefined;
  /** The organization's own agent; absent for the one that the stage's provider is set up with. */
  readonly senderId?: string | undefined;
}

declare module '../../message/channel.ts' {
  interface ChannelContents {
    rcs: RcsContent;
  }
}

const suggestion = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('openUrl'), label: z.string(), url: z.string() }),
  z.object({ kind: z.literal('call'), label: z.string(), phone: z.string() }),
  z.object({ kind: z.literal('reply'), label: z.string(), postback: z.string().optional() }),
]);

/** Parses stored content. */
export const storedRcs: z.ZodType<RcsContent> = z.object({
  text: z.string().optional(),
  card: z
    .object({
      title: z.string(),
      description: z.string(),
      fileUrl: z.string().optional(),
      suggestions: z.array(suggestion).optional(),
    })
    .optional(),
  fallback: z.object({ text: z.string(), encoding: z.enum(['GSM-7', 'UCS-2']) }).optional(),
  senderId: z.string().optional(),
});
