import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { exampleBody, pathNames, queryNames } from './requests.ts';
import type { WireRequest } from './wire.ts';

/** A source of chance that a seed repeats: mulberry32. */
export const chanceOf = (seed: number) => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    below: (limit: number) => Math.floor(next() * limit),
    pick: <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T,
  };
};
export type Chance = ReturnType<typeof chanceOf>;

/** A request on its way to be spoilt. Body and query are text, since much of what is sent is not even JSON. */
interface Draft {
  readonly contract: OperationContract;
  readonly canary: string;
  method: string;
  path: string;
  query: string[];
  headers: [string, string][];
  body: unknown;
  /** What goes out in place of the body's JSON. */
  raw?: string | Buffer;
}

export interface FuzzCase extends WireRequest {
  readonly contract: OperationContract;
  /** What was done to a valid request, in words. */
  readonly spoilt: readonly string[];
  /** Stands in odd values and nowhere else: no answer and no log may repeat it. */
  readonly canary: string;
}

const LONE = 'QXLONE';
const TOKEN = 'QXTOKEN';
const MANY = 20_000;
/** Values that a field does not expect; texts carry the canary. */
const oddValues = (canary: string): unknown[] => [
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
  { [canary]: canary },
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

const OWN_WORDS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '', '$where', 'a.b', 'ﬁ', '0'];
const setOwn = (target: object, name: string, value: unknown) => Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });

/** The JSON text of a value, with the tokens that JSON.stringify would not write. */
const jsonText = (value: unknown): string =>
  (JSON.stringify(value) ?? '').replace(new RegExp(`"${TOKEN}([^"]*)"`, 'g'), '$1').replaceAll(LONE, '\\ud800');

/** A place anywhere inside a body: the object or list, and the field. */
const somewhere = (chance: Chance, root: object): [object, string] => {
  let at = root;
  for (;;) {
    const fields = Object.keys(at);
    const field = fields.length === 0 ? 'x' : chance.pick(fields);
    const inner = (at as Record<string, unknown>)[field];
    if (typeof inner !== 'object' || inner === null || chance.next() < 0.4) return [at, field];
    at = inner;
  }
};

type Spoil = (draft: Draft, chance: Chance) => string;
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const SPOIL_BODY: readonly Spoil[] = [
  (draft, chance) => {
    if (!isObject(draft.body)) return 'nothing';
    const [target, field] = somewhere(chance, draft.body);
    setOwn(target, field, chance.pick(oddValues(draft.canary)));
    return `odd value at ${field}`;
  },
  (draft, chance) => {
    if (!isObject(draft.body)) return 'nothing';
    const [target] = somewhere(chance, draft.body);
    const name = chance.pick([...OWN_WORDS, 'extra']);
    setOwn(target, name, chance.pick<unknown>([{ polluted: draft.canary }, { prototype: { polluted: true } }, ...oddValues(draft.canary)]));
    return `extra field ${name}`;
  },
  (draft, chance) => {
    if (!isObject(draft.body)) return 'nothing';
    const [target, field] = somewhere(chance, draft.body);
    Reflect.deleteProperty(target, field);
    return `without ${field}`;
  },
  (draft, chance) => {
    const levels = chance.pick([63, 64, 65, 5_000, 200_000]);
    const open = chance.pick(['[', '{"a":']);
    draft.raw = chance.next() < 0.5 ? open.repeat(levels) : `${open.repeat(levels)}1${(open === '[' ? ']' : '}').repeat(levels)}`;
    return `${levels} levels deep`;
  },
  (draft, chance) => {
    const text = jsonText(draft.body);
    draft.raw = text.slice(0, chance.below(text.length));
    return 'truncated';
  },
  (draft, chance) => {
    const text = Buffer.from(jsonText(draft.body));
    for (let turn = 0; turn < 1 + chance.below(4); turn++) text[chance.below(text.length)] = chance.below(256);
    draft.raw = text;
    return 'with other bytes';
  },
  (draft, chance) => {
    draft.raw = chance.pick(['', ' ', 'null', '[]', '{}', '1', '"x"', 'undefined', "{'a':1}", '{"a":1,}', '\ufeff{}', '{"a":NaN}', '[1e400]', `{"to":"${draft.canary}","to":1}`, '{"__proto__":{"polluted":1}}', `{"${draft.canary}`]);
    return 'another document';
  },
];

const ODD_TYPES = ['text/plain', 'application/xml', 'application/jsonp', 'application/json; charset=utf-16', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', '', '*/*', 'application/json;;;', 'image/png', `${'a'.repeat(4_000)}/json`];
const ODD_KEYS = ['', ' ', 'a b', 'é', '\t', 'x'.repeat(255), 'x'.repeat(256), 'x'.repeat(6_000), '__proto__', '{"a":1}', '%00', "' OR 1=1 --"];

const putHeader = (draft: Draft, name: string, value: string) => {
  draft.headers = [...draft.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase()), [name, value]];
};

const SPOIL_HEADERS: readonly Spoil[] = [
  (draft, chance) => {
    putHeader(draft, 'Content-Type', chance.pick(ODD_TYPES));
    return 'content type';
  },
  (draft, chance) => {
    putHeader(draft, 'Idempotency-Key', chance.pick(ODD_KEYS));
    return 'idempotency key';
  },
  (draft, chance) => {
    const again = chance.pick(draft.headers);
    if (again) draft.headers.push([chance.pick([again[0], again[0].toUpperCase()]), chance.pick([again[1], draft.canary])]);
    return `${again?.[0]} twice`;
  },
  (draft, chance) => {
    const odd: [string, string][] = [
      ['X-HTTP-Method-Override', 'DELETE'],
      ['__proto__', draft.canary],
      ['constructor', draft.canary],
      ['X-Forwarded-For', `${draft.canary}, 127.0.0.1`],
      ['Cookie', `a=${draft.canary}`],
      ['Accept', 'application/xml'],
      ['Accept-Encoding', 'br;q=1.0, *;q=0'],
      ['Content-Encoding', 'gzip'],
      ['Range', 'bytes=0-1'],
      ['If-None-Match', '*'],
      ['Origin', `https://${draft.canary}`],
      ['X-Long', 'x'.repeat(7_000)],
    ];
    draft.headers.push(...(chance.next() < 0.1 ? Array.from({ length: 90 }, (_, at): [string, string] => [`x-h${at}`, 'v']) : [chance.pick(odd)]));
    return 'odd header';
  },
  (draft, chance) => {
    putHeader(draft, 'Authorization', chance.pick(['', 'Bearer', 'Bearer ', `Bearer ${draft.canary}`, 'Basic eDp5', `Bearer svc_test_${'0'.repeat(40)}`, `Bearer svc_live_${'0'.repeat(40)}`, `bearer svc_test_${'x'.repeat(5_000)}`, 'Bearer svc_test_é', 'Bearer null']));
    return 'authorization';
  },
];

const ODD_QUERY = ['%00', '%zz', '%', '%ED%A0%80', '%C3%28', '%F0%9F%99%82', '１０', '-1', '1e3', '0x10', ' 5', '5 ', '9'.repeat(400), 'x'.repeat(4_000), '__proto__', '[object Object]', 'NaN', 'Infinity', '2026-02-30T00:00:00Z', '2026-01-01', '+5511999990005', "'", '../../etc/passwd', '%0d%0aX: 1', '+010000-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '0000-01-01T00:00:00Z', '0', '200', '201', '100000', '100001', 'BR', 'delivered', ''].map((value) => (/^[\x21-\x7e]*$/.test(value) ? value : encodeURIComponent(value)));
const SPOIL_ADDRESS: readonly Spoil[] = [
  (draft, chance) => {
    const name = chance.pick([...queryNames(draft.contract), '__proto__', 'constructor', 'limit[]', 'limit[a]', 'x', '', '%zz', '%00']);
    for (let turn = 0; turn < chance.pick([1, 1, 1, 2, 40]); turn++) draft.query.push(`${name}${chance.pick(['=', '=', '=', '', '=='])}${chance.pick([...ODD_QUERY, draft.canary])}`);
    return `query ${name}`;
  },
  (draft, chance) => {
    draft.query.push(chance.pick(['&&&', '=', '?', 'a;b=c', '%', '+++', '&'.repeat(3_000), 'a=1&'.repeat(900)]));
    return 'odd query';
  },
  (draft, chance) => {
    const odd = chance.pick(['%00', '%', '%zz', '%2e%2e%2f', '%ED%A0%80', '%F0%9F%99%82', 'x'.repeat(129), 'x'.repeat(3_000), 'null', '__proto__', 'constructor', '%25', 'a%2Fb', ';', ':', '@', '*', '$', "'", '%22', '%0a', 'msg_', '~']);
    draft.path = pathNames(draft.contract).length > 0 ? draft.path.replace(/[^/]+(?=\/[^/]*$|$)/, odd) : `${draft.path}${chance.pick(['/', '//', `/${odd}`, `;${odd}`, '.', '%20', '/../health'])}`;
    return 'odd path';
  },
  (draft, chance) => {
    draft.method = chance.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY']);
    return 'another method';
  },
];

const HUGE = Buffer.alloc(7_000_000, 0x61);
const SPOIL_SIZE: Spoil = (draft, chance) => {
  const big = chance.next() < 0.3;
  draft.raw = big ? HUGE : jsonText({ ...(isObject(draft.body) ? draft.body : {}), body: 'a'.repeat(chance.pick([9_999, 10_000, 10_001, 300_000])) });
  return big ? 'seven megabytes' : 'a long text';
};

const spoilOf = (draft: Draft, chance: Chance): Spoil => {
  const turn = chance.next();
  const takesBody = draft.body !== undefined;
  if (turn < 0.004) return SPOIL_SIZE;
  if (turn < 0.6 && takesBody) return chance.pick(SPOIL_BODY);
  return chance.pick(turn < 0.8 ? SPOIL_ADDRESS : SPOIL_HEADERS);
};

/** What the fuzz calls with: keys as they are presented, and ids of every kind that a path may name. */
export interface FuzzWorld {
  readonly operations: readonly OperationContract[];
  readonly keys: readonly (string | undefined)[];
  readonly ids: readonly string[];
}

const somePhone = (chance: Chance) => `+55119${80_000_000 + chance.below(19_999_999)}`;
/** A valid body, with a recipient of its own: a phone stands once among contacts. */
const someBody = (contract: OperationContract, chance: Chance): unknown => {
  const body = exampleBody(contract);
  if (!isObject(body)) return body;
  const phones = Object.keys(body).filter((field) => field === 'to' || field === 'phone');
  return { ...structuredClone(body), ...Object.fromEntries(phones.map((field) => [field, somePhone(chance)])) };
};

const drafted = ({ operations, keys, ids }: FuzzWorld, chance: Chance, nth: number): Draft => {
  const contract = chance.pick(operations);
  const key = chance.next() < 0.85 ? keys[0] : chance.pick(keys);
  const body = someBody(contract, chance);
  const draft: Draft = {
    contract,
    canary: `zqcanary${nth.toString(36)}x`,
    method: contract.method,
    path: contract.path.replace(/\{.+?\}/g, () => chance.pick(ids)),
    query: [],
    headers: key === undefined ? [] : [['Authorization', `Bearer ${key}`]],
    body,
  };
  if (contract.request.rawBody) draft.body = { any: draft.canary };
  if (draft.body !== undefined) draft.headers.push(['Content-Type', 'application/json']);
  if (contract.idempotency) draft.headers.push(['Idempotency-Key', `fuzz-${chance.below(1e9)}`]);
  return draft;
};

/** The next request: a valid one of some operation, spoilt in up to three ways; one in eight stays valid. */
export const nextCase = (world: FuzzWorld, chance: Chance, nth: number): FuzzCase => {
  const draft = drafted(world, chance, nth);
  const times = chance.pick([0, 1, 1, 1, 1, 2, 2, 3]);
  const spoilt = Array.from({ length: times }, () => spoilOf(draft, chance)(draft, chance));
  const body = draft.raw ?? (draft.body === undefined ? undefined : jsonText(draft.body));
  return {
    contract: draft.contract,
    canary: draft.canary,
    spoilt,
    method: draft.method,
    target: `${draft.path}${draft.query.length > 0 ? `?${draft.query.join('&')}` : ''}`,
    headers: draft.headers.flat(),
    ...(body === undefined || body.length === 0 ? {} : { body: Buffer.from(body) }),
  };
};
