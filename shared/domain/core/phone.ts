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

const isAssignedBy = (plan: Plan, national: string): boolean => {
  if (!expression(plan[2]).test(national)) return false;
  const types = plan[11];
  if (!types) return true;
  return types.some((type) => {
    const [pattern, lengths] = type || [];
    return (
      Boolean(pattern) && (lengths || plan[3]).includes(national.length) && expression(pattern as string).test(national)
    );
  });
};

/** Countries that share a calling code are tried in the library's order; the first that claims the number decides. */
const isAssignedByAny = (sharing: readonly Plan[], national: string): boolean => {
  for (const plan of sharing) {
    const leadingDigits = sharing.length > 1 && plan[10];
    if (leadingDigits ? new RegExp(`^(?:${leadingDigits})`).test(national) : isAssignedBy(plan, national))
      return isAssignedBy(plan, national);
  }
  return false;
};

const exists = (digits: string): boolean => {
  const { country_calling_codes: codes, countries, nonGeographic } = plans as unknown as Plans;
  for (let length = 1; length <= MAX_CALLING_CODE_LENGTH; length++) {
    const code = digits.slice(0, length);
    const national = digits.slice(length);
    const shared = Object.hasOwn(codes, code) ? codes[code] : undefined;
    if (shared)
      return isAssignedByAny(
        shared.map((country) => countries[country] as Plan),
        national,
      );
    const worldwide = Object.hasOwn(nonGeographic, code) ? nonGeographic[code] : undefined;
    if (worldwide) return isAssignedBy(worldwide, national);
  }
  return false;
};

/**
 * Returns the number if it is strict E.164 in an assigned range of its country, else undefined. Nothing is repaired (spaces, punctuation,
 * full-width digits, direction marks, a trunk zero): a repaired number may be someone else's (docs/spec/platform.md#phone-numbers).
 */
export const parsePhone = (value: string): string | undefined =>
  E164.test(value) && exists(value.slice(1)) ? value : undefined;

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

/** Masks an e-mail address for callers without pii:full: first letter and domain (`m***@example.com`). */
export const maskEmail = (address: string): string => {
  const at = address.lastIndexOf('@');
  if (at < 0) return '***';
  const [first = ''] = address.slice(0, at);
  return `${at > 1 ? first : ''}***${address.slice(at)}`;
};
