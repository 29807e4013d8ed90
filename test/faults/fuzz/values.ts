const LONE = 'QXLONE';
const TOKEN = 'QXTOKEN';
const MANY = 20_000;
/** Values that a field does not expect; texts contain the canary. */
export const oddValues = (canary: string): unknown[] => [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  Number.MIN_VALUE,
  [],
  {},
  [[canary]],
  { [`${canary}-key`]: canary },
  '',
  canary,
  `${canary}\r\nX-Injected: 1`,
  `${canary}\u0000`,
  `${canary}${LONE}`,
  `\u202e${canary}\u200f`,
  '+５５１１９９９９９０００５',
  '+5511999990005\u200f',
  `＜script＞${canary}`,
  `'; DROP TABLE messages; --${canary}`,
  `\${jndi:ldap://${canary}}{{7*7}}%s%n`,
  `=cmd|'/c calc'!A1${canary}`,
  `${canary}${'a'.repeat(MANY)}!`,
  `${'http://'.repeat(2_000)}${canary}`,
  `https://${'(('.repeat(3_000)}${'.'.repeat(3_000)}${canary}`,
  `a${'\u0301'.repeat(5_000)}${canary}`,
  '👩‍👩‍👧‍👦'.repeat(900),
  `${'+'.repeat(50)}${'5'.repeat(60)}`,
  `${TOKEN}1e400`,
  `${TOKEN}-1e400`,
  `${TOKEN}9007199254740993`,
  `${TOKEN}1e-400`,
  `${TOKEN}-0`,
];

const list = (text: string) => text.split('|');

export const OWN_WORDS = list('__proto__|constructor|prototype|toString|hasOwnProperty||$where|a.b|ﬁ|0');

/** The JSON text of a value, with the tokens that JSON.stringify would not write. */
export const jsonText = (value: unknown): string =>
  (JSON.stringify(value) ?? '').replace(new RegExp(`"${TOKEN}([^"]*)"`, 'g'), '$1').replaceAll(LONE, '\\ud800');

export const ODD_TYPES = [
  ...list(
    'text/plain|application/xml|application/jsonp|application/json; charset=utf-16|application/json;;;|image/png|*/*',
  ),
  ...list('multipart/form-data; boundary=x|application/x-www-form-urlencoded|'),
  `${'a'.repeat(4_000)}/json`,
];
export const ODD_KEYS = [
  ...list(`| |a b|é|\t|__proto__|{"a":1}|%00|' OR 1=1 --`),
  ...[255, 256, 6_000].map((length) => 'x'.repeat(length)),
];

export const ODD_QUERY = [
  ...list(
    '%00|%zz|%|%ED%A0%80|%C3%28|%F0%9F%99%82|%0d%0aX: 1|１０|-1|1e3|0x10| 5|5 |0|200|201|100000|100001|NaN|Infinity',
  ),
  ...list('2026-02-30T00:00:00Z|2026-01-01|+010000-01-01T00:00:00Z|9999-12-31T23:59:59Z|0000-01-01T00:00:00Z'),
  ...list(`__proto__|[object Object]|+5511999990005|'|../../etc/passwd|BR|delivered|`),
  '9'.repeat(400),
  'x'.repeat(4_000),
].map((value) => (/^[\x21-\x7e]*$/.test(value) ? value : encodeURIComponent(value)));
/** Names of query parameters. */
export const ODD_NAMES = list('__proto__|constructor|limit[]|limit[a]|x||%zz|%00');

/** Parts of a path. */
export const ODD_PATHS = [
  ...list(`%00|%|%zz|%2e%2e%2f|%ED%A0%80|%F0%9F%99%82|null|__proto__|constructor|%25|a%2Fb|;|:|@|*|$|'|%22|%0a|msg_|~`),
  'x'.repeat(129),
  'x'.repeat(3_000),
];

/** Bodies. */
export const ODD_DOCUMENTS = list(
  `| |null|[]|{}|1|"x"|undefined|{'a':1}|{"a":1,}|\ufeff{}|{"a":NaN}|[1e400]|{"__proto__":{"polluted":1}}`,
);
