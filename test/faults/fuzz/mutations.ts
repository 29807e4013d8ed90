import type { OperationContract } from '../../../shared/contracts/define-operation.ts';
import type { Chance } from '../../support/chance.ts';
import { pathNames, queryNames } from '../../support/requests.ts';
import {
  jsonText,
  ODD_DOCUMENTS,
  ODD_KEYS,
  ODD_NAMES,
  ODD_PATHS,
  ODD_QUERY,
  ODD_TYPES,
  OWN_WORDS,
  oddValues,
} from './values.ts';

/** A request that is being mutated. Body and query are text, since many bodies are not even JSON. */
export interface Draft {
  readonly contract: OperationContract;
  readonly canary: string;
  method: string;
  path: string;
  query: string[];
  headers: [string, string][];
  body: unknown;
  /** Is sent instead of the body's JSON. */
  raw?: string | Buffer;
}

const setOwn = (target: object, name: string, value: unknown) =>
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });

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

type Mutation = (draft: Draft, chance: Chance) => string;
export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const MUTATE_BODY: readonly Mutation[] = [
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
    setOwn(
      target,
      name,
      chance.pick<unknown>([{ polluted: draft.canary }, { prototype: { polluted: true } }, ...oddValues(draft.canary)]),
    );
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
    draft.raw =
      chance.next() < 0.5 ? open.repeat(levels) : `${open.repeat(levels)}1${(open === '[' ? ']' : '}').repeat(levels)}`;
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
    draft.raw = chance.pick([...ODD_DOCUMENTS, `{"to":"${draft.canary}","to":1}`, `{"${draft.canary}`]);
    return 'another document';
  },
];

const putHeader = (draft: Draft, name: string, value: string) => {
  draft.headers = [...draft.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase()), [name, value]];
};

const MUTATE_HEADERS: readonly Mutation[] = [
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
    if (again)
      draft.headers.push([chance.pick([again[0], again[0].toUpperCase()]), chance.pick([again[1], draft.canary])]);
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
    draft.headers.push(
      ...(chance.next() < 0.1
        ? Array.from({ length: 90 }, (_, at): [string, string] => [`x-h${at}`, 'v'])
        : [chance.pick(odd)]),
    );
    return 'odd header';
  },
  (draft, chance) => {
    putHeader(
      draft,
      'Authorization',
      chance.pick([
        '',
        'Bearer',
        'Bearer ',
        `Bearer ${draft.canary}`,
        'Basic eDp5',
        `Bearer svc_test_${'0'.repeat(40)}`,
        `Bearer svc_live_${'0'.repeat(40)}`,
        `bearer svc_test_${'x'.repeat(5_000)}`,
        'Bearer svc_test_é',
        'Bearer null',
      ]),
    );
    return 'authorization';
  },
];

const MUTATE_ADDRESS: readonly Mutation[] = [
  (draft, chance) => {
    const name = chance.pick([...queryNames(draft.contract), ...ODD_NAMES]);
    for (let turn = 0; turn < chance.pick([1, 1, 1, 2, 40]); turn++) {
      const sign = chance.pick(['=', '=', '=', '', '==']);
      // Without a sign the value is a part of the name, and names of plain words are answered: docs/spec/errors.md#400-or-422.
      draft.query.push(`${name}${sign}${chance.pick(sign === '' ? ODD_QUERY : [...ODD_QUERY, draft.canary])}`);
    }
    return `query ${name}`;
  },
  (draft, chance) => {
    draft.query.push(chance.pick(['&&&', '=', '?', 'a;b=c', '%', '+++', '&'.repeat(3_000), 'a=1&'.repeat(900)]));
    return 'odd query';
  },
  (draft, chance) => {
    const odd = chance.pick(ODD_PATHS);
    draft.path =
      pathNames(draft.contract).length > 0
        ? draft.path.replace(/[^/]+(?=\/[^/]*$|$)/, odd)
        : `${draft.path}${chance.pick(['/', '//', `/${odd}`, `;${odd}`, '.', '%20', '/../health'])}`;
    return 'odd path';
  },
  (draft, chance) => {
    draft.method = chance.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY']);
    return 'another method';
  },
];

const HUGE = Buffer.alloc(7_000_000, 0x61);
const MUTATE_SIZE: Mutation = (draft, chance) => {
  const big = chance.next() < 0.3;
  draft.raw = big
    ? HUGE
    : jsonText({
        ...(isObject(draft.body) ? draft.body : {}),
        body: 'a'.repeat(chance.pick([9_999, 10_000, 10_001, 300_000])),
      });
  return big ? 'seven megabytes' : 'a long text';
};

/** A mutation of a request, the cheap ones more often. */
export const mutationOf = (draft: Draft, chance: Chance): Mutation => {
  const turn = chance.next();
  const takesBody = draft.body !== undefined;
  if (turn < 0.004) return MUTATE_SIZE;
  if (turn < 0.6 && takesBody) return chance.pick(MUTATE_BODY);
  return chance.pick(turn < 0.8 ? MUTATE_ADDRESS : MUTATE_HEADERS);
};
