import type { OperationContract } from '../../../shared/contracts/define-operation.ts';
import type { Chance } from '../../support/chance.ts';
import { exampleBody, requiredQuery } from '../../support/requests.ts';
import type { WireRequest } from '../../support/wire.ts';
import { type Draft, isObject, mutationOf } from './mutations.ts';
import { jsonText } from './values.ts';

export interface FuzzCase extends WireRequest {
  readonly contract: OperationContract;
  /** The changes to a valid request, as texts. */
  readonly mutations: readonly string[];
  /** Is in odd values and nowhere else: no answer and no log may repeat it. */
  readonly canary: string;
}

/** The values that requests are made of: API keys, and ids of every kind that a path may contain. */
export interface FuzzWorld {
  readonly operations: readonly OperationContract[];
  readonly keys: readonly (string | undefined)[];
  readonly ids: readonly string[];
}

const somePhone = (chance: Chance) => `+55119${80_000_000 + chance.below(19_999_999)}`;
/** A valid body with a recipient of its own: two contacts cannot have one phone. */
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
    query: Object.entries(requiredQuery(contract)).map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
    headers: key === undefined ? [] : [['Authorization', `Bearer ${key}`]],
    body,
  };
  if (contract.request.rawBody) draft.body = { any: draft.canary };
  if (draft.body !== undefined) draft.headers.push(['Content-Type', 'application/json']);
  if (contract.idempotency) draft.headers.push(['Idempotency-Key', `fuzz-${chance.below(1e9)}`]);
  return draft;
};

/** The next request: a valid one of some operation with up to three mutations; one in eight stays valid. */
export const nextCase = (world: FuzzWorld, chance: Chance, nth: number): FuzzCase => {
  const draft = drafted(world, chance, nth);
  const times = chance.pick([0, 1, 1, 1, 1, 2, 2, 3]);
  const mutations = Array.from({ length: times }, () => mutationOf(draft, chance)(draft, chance));
  const body = draft.raw ?? (draft.body === undefined ? undefined : jsonText(draft.body));
  return {
    contract: draft.contract,
    canary: draft.canary,
    mutations,
    method: draft.method,
    target: `${draft.path}${draft.query.length > 0 ? `?${draft.query.join('&')}` : ''}`,
    headers: draft.headers.flat(),
    ...(body === undefined || body.length === 0 ? {} : { body: Buffer.from(body) }),
  };
};
