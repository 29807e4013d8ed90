import type { ShortLink } from '../links/short-link.ts';
import type { LinkOrigin } from '../message/link-origin.ts';

/** A short link whose code was found in a text, with the campaign tag of the message that contained it. */
export interface CodeLink extends Pick<ShortLink, 'code' | 'url'> {
  readonly channel: string;
  readonly campaignId?: string | undefined;
}

/** A short link's code, alone or at the end of its URL: a letter for the stage and nine base62 characters. */
const CODE = /(?<![0-9A-Za-z])[lt][0-9A-Za-z]{9}(?![0-9A-Za-z])/g;
/** Candidates looked up per text: bounds the cost of a long text. */
const MAX_CODES = 8;

/** The distinct candidate codes in a text, in order; a lookup determines which are links of the organization. */
export const codesIn = (text: string | undefined): readonly string[] =>
  text === undefined ? [] : [...new Set(text.match(CODE))].slice(0, MAX_CODES);

/** Click ids that ad platforms append to a URL. */
const CLICK_IDS = {
  gclid: 'google',
  gbraid: 'google',
  wbraid: 'google',
  fbclid: 'meta',
  ttclid: 'tiktok',
} as const;
/** Common values of `utm_source` per ad platform. */
const UTM_SOURCES: Readonly<Record<string, 'google' | 'meta' | 'tiktok'>> = {
  google: 'google',
  googleads: 'google',
  google_ads: 'google',
  adwords: 'google',
  youtube: 'google',
  meta: 'meta',
  facebook: 'meta',
  fb: 'meta',
  instagram: 'meta',
  ig: 'meta',
  tiktok: 'tiktok',
};
/** Parameters of each part of a campaign: UTM's, and the ad platforms' own for the ad group, which UTM lacks. */
const PARTS = {
  campanha: ['utm_campaign'],
  grupo: ['utm_adgroup', 'utm_adset', 'adgroupid', 'adset_id'],
  anuncio: ['utm_content'],
  palavraChave: ['utm_term'],
} as const;
/** Longest stored value of a parameter or a referral, in UTF-16 units. */
const MAX_VALUE_LENGTH = 256;

const trimmed = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, MAX_VALUE_LENGTH).toWellFormed() : undefined;

type Source = Pick<LinkOrigin, 'fonte' | 'fonteRotulo'>;

const sourceOf = (query: URLSearchParams, otherwise: string): Source => {
  const named = trimmed(query.get('utm_source'));
  const name = named?.toLowerCase() ?? '';
  const known = Object.hasOwn(UTM_SOURCES, name) ? UTM_SOURCES[name] : undefined;
  if (known) return { fonte: known };
  for (const [parameter, fonte] of Object.entries(CLICK_IDS)) if (query.has(parameter)) return { fonte };
  return { fonte: 'outra', fonteRotulo: named ?? otherwise };
};

/** The origin by a short link: the parameters of its target, else the message that contained it. */
const linkOrigin = ({ code, url, channel, campaignId }: CodeLink): LinkOrigin => {
  const query = URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams();
  const parts = Object.entries(PARTS).flatMap(([part, names]) => {
    const value = names.map((name) => trimmed(query.get(name))).find((found) => found !== undefined);
    return value === undefined ? [] : [[part, value] as const];
  });
  const tag = campaignId === undefined ? {} : { campanha: campaignId };
  return { ...sourceOf(query, channel), ...tag, ...Object.fromEntries(parts), codigo: code };
};

/**
 * The origin by Meta's referral: click-to-WhatsApp (WhatsApp Cloud API, webhooks: messages, `referral`: source_type ad or post, source_id)
 * or Instagram's (`ad_id`). It names the ad, never the campaign.
 */
const referralOrigin = (referral: Readonly<Record<string, unknown>>): LinkOrigin => {
  const ad = trimmed(referral.source_type === 'post' ? undefined : (referral.source_id ?? referral.ad_id));
  return { fonte: 'meta', ...(ad === undefined ? {} : { anuncio: ad }) };
};

/**
 * Where a conversation came from (docs/spec/inbound.md#where-a-conversation-came-from): the referral takes precedence, the link code adds
 * what it lacks. Undefined without either.
 */
export const originOf = (
  link: CodeLink | undefined,
  referral: Readonly<Record<string, unknown>> | undefined,
): LinkOrigin | undefined => {
  const origin = link && linkOrigin(link);
  if (!referral) return origin;
  const { fonte: _, fonteRotulo: __, ...rest } = origin ?? { fonte: 'outra' };
  return { ...rest, ...referralOrigin(referral) };
};
