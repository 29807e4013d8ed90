import plans from 'libphonenumber-js/max/metadata';

/**
 * Phone numbers, judged by Google's numbering plans as libphonenumber-js ships them. The plans are read here: a strict E.164 number
 * needs none of the library's parsing, guessing and formatting, and the verdict is that of its /max build, which the test holds
 * this to. Minified in a bundle: this 156 KB; /max 194 KB; /mobile 136 KB, but it refuses landlines; /min 121 KB and the library's
 * core with the same plans 122 KB, but both take numbers that nobody has been assigned (old 8-digit Brazilian mobiles, nine in
 * ten random Chinese ones). A bundle that only masks carries no plans.
 */

/** A pattern of national numbers and the lengths it takes; without lengths, those of its plan. */
type NumberType = readonly [pattern?: string, lengths?: readonly number[]];
/** One country's plan: the places that matter of the array that libphonenumber-js documents in METADATA.md. */
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

/** E.164: a plus, a country code and at most fifteen ASCII digits in all. */
const E164 = /^\+[1-9][0-9]{4,14}$/;
const LONGEST_CALLING_CODE = 3;

const expressions = new Map<string, RegExp>();
const expression = (pattern: string): RegExp => {
  let compiled = expressions.get(pattern);
  if (!compiled) {
    compiled = new RegExp(`^(?:${pattern})$`);
    expressions.set(pattern, compiled);
  }
  return compiled;
};

const assigns = (plan: Plan, national: string): boolean => {
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

/** Countries that share a calling code come in the order of the library; the first that claims the number decides. */
const assignedBy = (sharing: readonly Plan[], national: string): boolean => {
  for (const plan of sharing) {
    const leading = sharing.length > 1 && plan[10];
    if (leading ? new RegExp(`^(?:${leading})`).test(national) : assigns(plan, national))
      return assigns(plan, national);
  }
  return false;
};

const exists = (digits: string): boolean => {
  const { country_calling_codes: codes, countries, nonGeographic } = plans as unknown as Plans;
  for (let length = 1; length <= LONGEST_CALLING_CODE; length++) {
    const code = digits.slice(0, length);
    const national = digits.slice(length);
    const shared = Object.hasOwn(codes, code) ? codes[code] : undefined;
    if (shared)
      return assignedBy(
        shared.map((country) => countries[country] as Plan),
        national,
      );
    const worldwide = Object.hasOwn(nonGeographic, code) ? nonGeographic[code] : undefined;
    if (worldwide) return assigns(worldwide, national);
  }
  return false;
};

/**
 * The number, when it is strict E.164 and lies in an assigned range of its country; else undefined. Nothing is repaired: spaces,
 * punctuation, full-width digits, direction marks and a trunk zero are all refused (reliability: a repaired number may be
 * someone else's).
 */
export const parsePhone = (value: string): string | undefined =>
  E164.test(value) && exists(value.slice(1)) ? value : undefined;

/** Where an E.164 number belongs for prices and filters (interface 4.1): Brazil or elsewhere. */
export const phoneRegion = (e164: string): 'BR' | 'INTL' => (e164.startsWith('+55') ? 'BR' : 'INTL');

const HIDDEN = '****';
/**
 * A phone as it is shown without pii:full: the last four digits and what stands before the four hidden ones, which is the country
 * and the area (`+55119****1234`, `+5511****5678`). A short number shows less of both ends, since four digits are always hidden;
 * what is no E.164 number shows at most its last four characters.
 */
export const maskPhone = (phone: string): string => {
  if (!E164.test(phone)) return HIDDEN + (phone.length >= 8 ? phone.slice(-4) : '');
  const head = Math.max(2, phone.length - 8);
  const tail = Math.max(0, Math.min(4, phone.length - head - HIDDEN.length));
  return phone.slice(0, head) + HIDDEN + (tail === 0 ? '' : phone.slice(-tail));
};

/** An e-mail address as it is shown without pii:full: the first letter and the domain (`m***@example.com`). */
export const maskEmail = (address: string): string => {
  const at = address.lastIndexOf('@');
  if (at < 0) return '***';
  const [first = ''] = address.slice(0, at);
  return `${at > 1 ? first : ''}***${address.slice(at)}`;
};
