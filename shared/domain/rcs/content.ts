/** Routes of an RCS message (interface, 2.7): the first is communication, the second transactional. */
export const RCS_ROUTES = ['easy_rcs', 'easy_otp_rcs'] as const;
export type RcsRoute = (typeof RCS_ROUTES)[number];

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
