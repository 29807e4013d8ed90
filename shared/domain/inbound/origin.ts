import type { ShortLink } from '../links/follow.ts';

export const LINK_SOURCES = ['google', 'meta', 'tiktok', 'outra'] as const;

/** Where somebody who writes came from (interface 2.10); the names are the wire's. */
export interface LinkOrigin {
  readonly fonte: (typeof LINK_SOURCES)[number];
  /** The source's own name, where `fonte` is outra. */
  readonly fonteRotulo?: string;
  readonly campanha?: string;
  readonly grupo?: string;
  readonly anuncio?: string;
  readonly palavraChave?: string;
  /** The code that was found in the text. */
  readonly codigo?: string;
}

/** A short link of the organization whose code stands in a text, with the campaign tag of the message that carried it. */
export interface CodeLink extends Pick<ShortLink, 'code' | 'url'> {
  readonly channel: string;
  readonly campaignId?: string | undefined;
}

/** A short link's code where it stands alone or at the end of its address: a letter of the stage and nine of base62. */
const CODE = /(?<![0-9A-Za-z])[lt][0-9A-Za-z]{9}(?![0-9A-Za-z])/g;
/** Words that look like codes are looked up like codes: no more of them than this, so that a long text costs no more than a short one. */
const MOST_CODES = 8;

/** What may be codes in a text, in order, each once. Whether the organization made them, only its links tell. */
export const codesIn = (text: string | undefined): readonly string[] =>
  text === undefined ? [] : [...new Set(text.match(CODE))].slice(0, MOST_CODES);

/** Parameters that ad platforms append to an address to say which click it was. */
const CLICK_IDS = {
  gclid: 'google',
  gbraid: 'google',
  wbraid: 'google',
  fbclid: 'meta',
  ttclid: 'tiktok',
} as const;
/** What `utm_source` is written as for each platform. */
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
/** The parameters that name each part of a campaign: the UTM ones, and for the ad group, which UTM does not know, the platforms' own. */
const PARTS = {
  campanha: ['utm_campaign'],
  grupo: ['utm_adgroup', 'utm_adset', 'adgroupid', 'adset_id'],
  anuncio: ['utm_content'],
  palavraChave: ['utm_term'],
} as const;
/** The longest value that is kept of a parameter or a referral. */
const LONGEST = 256;

const kept = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, LONGEST).toWellFormed() : undefined;

type Source = Pick<LinkOrigin, 'fonte' | 'fonteRotulo'>;

const sourceOf = (query: URLSearchParams, otherwise: string): Source => {
  const named = kept(query.get('utm_source'));
  const name = named?.toLowerCase() ?? '';
  const known = Object.hasOwn(UTM_SOURCES, name) ? UTM_SOURCES[name] : undefined;
  if (known) return { fonte: known };
  for (const [parameter, fonte] of Object.entries(CLICK_IDS)) if (query.has(parameter)) return { fonte };
  return { fonte: 'outra', fonteRotulo: named ?? otherwise };
};

/** What a short link tells: the parameters of its address, else the message that carried it. */
const linkOrigin = ({ code, url, channel, campaignId }: CodeLink): LinkOrigin => {
  const query = URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams();
  const parts = Object.entries(PARTS).flatMap(([part, names]) => {
    const value = names.map((name) => kept(query.get(name))).find((found) => found !== undefined);
    return value === undefined ? [] : [[part, value] as const];
  });
  const tag = campaignId === undefined ? {} : { campanha: campaignId };
  return { ...sourceOf(query, channel), ...tag, ...Object.fromEntries(parts), codigo: code };
};

/**
 * What the platform says of the ad that somebody came through: the click-to-WhatsApp referral (WhatsApp Cloud API, webhooks: messages,
 * `referral`: source_type ad or post, source_id), or Instagram's (`ad_id`). Both are Meta's own; they name the ad, never its campaign.
 */
const referralOrigin = (referral: Readonly<Record<string, unknown>>): LinkOrigin => {
  const ad = kept(referral.source_type === 'post' ? undefined : (referral.source_id ?? referral.ad_id));
  return { fonte: 'meta', ...(ad === undefined ? {} : { anuncio: ad }) };
};

/**
 * Where a message came from: what the platform says of the ad counts first, and the code in the text adds what the platform does not
 * know. Undefined when neither tells anything: a code that the organization never made is no origin.
 */
export const originOf = (
  link: CodeLink | undefined,
  referral: Readonly<Record<string, unknown>> | undefined,
): LinkOrigin | undefined => {
  const byLink = link && linkOrigin(link);
  if (!referral) return byLink;
  const { fonte: _, fonteRotulo: __, ...rest } = byLink ?? { fonte: 'outra' };
  return { ...rest, ...referralOrigin(referral) };
};
