/** Routes of an RCS message (interface, 2.7): the first is communication, the second transactional. */
export const RCS_ROUTES = ['easy_rcs', 'easy_otp_rcs'] as const;
export type RcsRoute = (typeof RCS_ROUTES)[number];

/** Where an RCS message may stand (interface, 2.7), and what may have carried it. */
export const RCS_STATUSES = ['queued', 'sent', 'delivered', 'read', 'failed'] as const;
export type RcsStatus = (typeof RCS_STATUSES)[number];
export const RCS_CARRIERS = ['rcs', 'sms'] as const;

/**
 * The most that each part may hold, in characters where nothing else is said. Text, fallback and the number of buttons are the
 * interface's (part 8); the others are what every carrier takes: GSMA RCC.07 and Google's RBM reference, of which AWS End User
 * Messaging repeats the same ("RCS limits and restrictions").
 */
export const RCS_LIMITS = {
  text: 160,
  fallback: 160,
  title: 200,
  description: 2_000,
  fileUrl: 2_000,
  /** Buttons of a card. */
  suggestions: 4,
  label: 25,
  url: 2_048,
  postback: 2_048,
} as const;

/** How long a text is: in Unicode code points, so that an emoji of one code point is one character, and so is an accented letter. */
export const characters = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

/** A button of a card (interface 4.6). `url` is http(s); `phone` is E.164. */
export type RcsSuggestion =
  | { readonly kind: 'openUrl'; readonly label: string; readonly url: string }
  | { readonly kind: 'call'; readonly label: string; readonly phone: string }
  | { readonly kind: 'reply'; readonly label: string; readonly postback?: string | undefined };

/** interface 2.7, card. */
export interface RcsCard {
  readonly title: string;
  readonly description: string;
  /** HTTPS on a public domain. */
  readonly fileUrl?: string | undefined;
  /** At most 4. */
  readonly suggestions?: readonly RcsSuggestion[] | undefined;
}

/** A message as it is to reach the device, with the SMS that leaves instead where the device has no RCS. */
export interface RcsContent {
  /** Exactly one of `text` and `card`. */
  readonly text?: string | undefined;
  readonly card?: RcsCard | undefined;
  readonly fallback?: { readonly text: string; readonly encoding: 'GSM-7' | 'UCS-2' } | undefined;
}
