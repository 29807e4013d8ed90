import plans from 'libphonenumber-js/max/metadata';

/**
 * Validates phone numbers against Google's numbering plans as shipped by libphonenumber-js. The plans are read directly: strict E.164 needs
 * none of the library's parsing and formatting, and a test checks that the verdict equals its /max build. Minified size in a bundle: this
 * 156 KB; /max 194 KB; /mobile 136 KB, but it rejects landlines; /min 121 KB and the library's core with the same plans 122 KB, but both
 * accept unassigned numbers (old 8-digit Brazilian mobiles, nine in ten random Chinese numbers). A bundle that only masks numbers contains
 * no plans.
 */

/** A pattern of national numbers and their lengths; without lengths, those of the plan apply. */
type NumberType = readonly [pattern?: string, lengths?: readonly number[]];
/** One country's plan: the fields that we read of the array documented in libphonenumber-js's METADATA.md. */
type Plan = {
  readonly 2: string;
  readonly 3: readonly number[];
  readonly 10?: string | 0;
  readonly 11?: readonly (NumberType | 0)[];
};
interface Plans {
  readonly country_calling_codes: Readonly<Record<string, readonly string[]>>;
  readonly countries: Readonly<Record<string, Plan>>;
  readonly nonGeographic: Readonly<Record<string, Plan>>;
}

const PLANS = plans as unknown as Plans;
const planOf = (country: string): Plan => PLANS.countries[country] as Plan;

/** E.164: a plus, a country code, at most fifteen ASCII digits in all. */
const E164 = /^\+[1-9][0-9]{4,14}$/;
const MAX_CALLING_CODE_LENGTH = 3;

const expressions = new Map<string, RegExp>();
const expression = (pattern: string): RegExp => {
  let compiled = expressions.get(pattern);
  if (!compiled) {
    compiled = new RegExp(`^(?:${pattern})$`);
    expressions.set(pattern, compiled);
  }
  return compiled;
};

const isOfType = (plan: Plan, type: number, national: string): boolean => {
  const [pattern, lengths] = plan[11]?.[type] || [];
  return (
    pattern !== undefined &&
    pattern !== '' &&
    (lengths || plan[3]).includes(national.length) &&
    expression(pattern).test(national)
  );
};

const isAssignedBy = (plan: Plan, national: string): boolean => {
  if (!expression(plan[2]).test(national)) return false;
  return !plan[11] || plan[11].some((_, type) => isOfType(plan, type, national));
};

/** Where a number belongs in the plans. */
interface Place {
  readonly callingCode: string;
  /** Undefined for a worldwide network, which belongs to no country. */
  readonly country: string | undefined;
  readonly plan: Plan;
  readonly national: string;
}

/** Countries that share a calling code are tried in the library's order; the first that claims the number decides. */
const countryOf = (sharing: readonly string[], national: string): string | undefined => {
  for (const country of sharing) {
    const plan = planOf(country);
    const leadingDigits = sharing.length > 1 && plan[10];
    if (leadingDigits ? expression(`(?:${leadingDigits}).*`).test(national) : isAssignedBy(plan, national))
      return isAssignedBy(plan, national) ? country : undefined;
  }
  return undefined;
};

const placeOf = (digits: string): Place | undefined => {
  const { country_calling_codes: codes, nonGeographic } = PLANS;
  for (let length = 1; length <= MAX_CALLING_CODE_LENGTH; length++) {
    const callingCode = digits.slice(0, length);
    const national = digits.slice(length);
    const sharing = Object.hasOwn(codes, callingCode) ? codes[callingCode] : undefined;
    if (sharing) {
      const country = countryOf(sharing, national);
      return country === undefined ? undefined : { callingCode, country, plan: planOf(country), national };
    }
    const plan = Object.hasOwn(nonGeographic, callingCode) ? nonGeographic[callingCode] : undefined;
    if (plan) return isAssignedBy(plan, national) ? { callingCode, country: undefined, plan, national } : undefined;
  }
  return undefined;
};

/**
 * Returns the number if it is strict E.164 in an assigned range of its country, else undefined. Nothing is repaired (spaces, punctuation,
 * full-width digits, direction marks, a trunk zero): a repaired number may be someone else's (docs/spec/platform.md#phone-numbers).
 */
export const parsePhone = (value: string): string | undefined =>
  E164.test(value) && placeOf(value.slice(1)) ? value : undefined;

/** Number types of a plan, by their place in the library's metadata. */
const PREMIUM_RATE = 3;
const PERSONAL = 4;
const PAGER = 7;
const SHARED_COST = 9;
const REVENUE_SHARING = [PREMIUM_RATE, SHARED_COST, PERSONAL, PAGER];

/** The origin of a number according to the numbering plans. */
export interface NumberOrigin {
  /** Digits, without the plus: `55`. */
  readonly callingCode: string;
  /**
   * ISO 3166 alpha-2; undefined for a worldwide network (satellite, universal numbers), which belongs to no country.
   */
  readonly country: string | undefined;
  /** True in ranges whose holder may earn a share of the fees: premium rate, shared cost, personal numbers, pagers. */
  readonly sharesRevenue: boolean;
}

/** The origin of an E.164 number; undefined if it is in no assigned range. */
export const numberOrigin = (e164: string): NumberOrigin | undefined => {
  const place = placeOf(e164.slice(1));
  if (!place) return undefined;
  const { callingCode, country, plan, national } = place;
  return { callingCode, country, sharesRevenue: REVENUE_SHARING.some((type) => isOfType(plan, type, national)) };
};

/** The region of an E.164 number, for prices and filters: Brazil or elsewhere (docs/spec/platform.md#phone-numbers). */
export const phoneRegion = (e164: string): 'BR' | 'INTL' => (e164.startsWith('+55') ? 'BR' : 'INTL');

const HIDDEN = '****';
/**
 * Masks a phone for callers without pii:full: country and area, four hidden digits, the last four (`+55119****1234`, `+5511****5678`). Four
 * digits are always hidden, so a short number shows less of both ends; anything that is not E.164 shows at most its last four characters
 * (docs/spec/platform.md#masking).
 */
export const maskPhone = (phone: string): string => {
  if (!E164.test(phone)) return HIDDEN + (phone.length >= 8 ? phone.slice(-4) : '');
  const head = Math.max(2, phone.length - 8);
  const tail = Math.max(0, Math.min(4, phone.length - head - HIDDEN.length));
  return phone.slice(0, head) + HIDDEN + (tail === 0 ? '' : phone.slice(-tail));
};

/** Masks an id that is neither phone nor e-mail address: shows its ends only. */
export const maskId = (id: string): string => (id.length <= 6 ? HIDDEN : `${id.slice(0, 2)}${HIDDEN}${id.slice(-4)}`);

/** Masks an e-mail address for callers without pii:full: first letter and domain (`m***@example.com`). */
export const maskEmail = (address: string): string => {
  const at = address.lastIndexOf('@');
  if (at < 0) return '***';
  const [first = ''] = address.slice(0, at);
  return `${at > 1 ? first : ''}***${address.slice(at)}`;
};

/** Masks a person's address on any channel. An address that is already masked stays unchanged. */
export const maskAddress = (address: string): string => {
  if (address.includes('@')) return maskEmail(address);
  if (address.includes(HIDDEN)) return address;
  return address.startsWith('+') ? maskPhone(address) : maskId(address);
};
