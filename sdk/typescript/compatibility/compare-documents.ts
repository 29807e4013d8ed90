import { compareSchemas } from './compare-schemas.ts';
import type { Direction, Finding, RuleName } from './rules.ts';
import type { Schema, Schemas } from './schema.ts';

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

export interface ContractOperation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>;
  readonly 'x-required-scope'?: string;
}

/** What of an OpenAPI document is compared. */
export interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ContractOperation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Pick<ContractOperation, 'requestBody'> }>>;
  readonly components: {
    readonly schemas: Schemas;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  };
}

interface Versions {
  readonly before: Contract;
  readonly after: Contract;
  readonly found: Map<string, readonly Finding[]>;
}

const compareIn = (
  { before, after, found }: Versions,
  direction: Direction,
  one: Schema,
  other: Schema,
  place: string,
) => {
  // A client's values come from the version before, and an answer's from the version after.
  const [given, taken] = direction === 'request' ? [before, after] : [after, before];
  const sides = { direction, found, given: given.components.schemas, taken: taken.components.schemas };
  return direction === 'request' ? compareSchemas(sides, one, other, place) : compareSchemas(sides, other, one, place);
};

/** The parameters by `query limit`; those in the path are known by their place. */
const parametersOf = (
  { components }: Contract,
  { parameters = [] }: ContractOperation,
): ReadonlyMap<string, Parameter> =>
  new Map(
    parameters
      .map((parameter) => components.parameters[parameter.$ref?.split('/').at(-1) ?? ''] ?? parameter)
      .filter((parameter) => parameter.in !== 'path')
      .map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]),
  );

const compareParameters = (
  versions: Versions,
  one: ContractOperation,
  other: ContractOperation,
): readonly Finding[] => {
  const [old, now] = [parametersOf(versions.before, one), parametersOf(versions.after, other)];
  const place = (name: string) => `${one.operationId} ${name}`;
  const kept = [...old].flatMap(([name, parameter]): readonly Finding[] => {
    const next = now.get(name);
    if (!next) return [{ rule: 'parameter-removed', place: place(name), detail: 'removed' }];
    return compareIn(versions, 'request', parameter.schema ?? {}, next.schema ?? {}, place(name));
  });
  const needed = [...now].filter(([name, { required }]) => required && !old.get(name)?.required);
  return [
    ...kept,
    ...needed.map(([name]): Finding => ({ rule: 'parameter-required', place: place(name), detail: 'required' })),
  ];
};

const compareBodies = (versions: Versions, one: ContractOperation, other: ContractOperation): readonly Finding[] => {
  const place = `${one.operationId} body`;
  const [old, now] = [one.requestBody, other.requestBody];
  const needed: readonly Finding[] =
    now?.required && !old?.required ? [{ rule: 'body-required', place, detail: 'required' }] : [];
  const types = Object.entries(old?.content ?? {}).flatMap(([type, { schema }]): readonly Finding[] => {
    const next = now?.content[type];
    if (!next) return [{ rule: 'body-removed', place, detail: type }];
    return compareIn(versions, 'request', schema ?? {}, next.schema ?? {}, place);
  });
  return [...needed, ...types];
};

const contentOf = ({ components }: Contract, response: ContractOperation['responses'][string]): Content | undefined =>
  (response.$ref ? components.responses[response.$ref.split('/').at(-1) ?? ''] : response)?.content;

/** The types and schemas that an operation answers with when it succeeds, and the one that it fails with. */
const answersOf = (contract: Contract, { responses }: ContractOperation) =>
  Object.entries(responses).map(([status, response]) => ({
    kind: status.startsWith('2') ? 'answer' : status.startsWith('3') ? 'redirect' : 'problem',
    content: contentOf(contract, response),
  }));

const compareAnswers = (versions: Versions, one: ContractOperation, other: ContractOperation): readonly Finding[] => {
  const now = answersOf(versions.after, other);
  return answersOf(versions.before, one).flatMap(({ kind, content }) => {
    const place = `${one.operationId} ${kind}`;
    const next = now.filter((answer) => answer.kind === kind);
    if (kind !== 'problem' && next.length === 0) return [{ rule: 'answer-removed' as const, place, detail: kind }];
    return Object.entries(content ?? {}).flatMap(([type, { schema }]): readonly Finding[] => {
      const typed = next.filter((answer) => answer.content?.[type]);
      if (kind !== 'problem' && typed.length === 0) return [{ rule: 'answer-removed', place, detail: type }];
      return typed.flatMap((answer) =>
        compareIn(versions, 'response', schema ?? {}, answer.content?.[type]?.schema ?? {}, place),
      );
    });
  });
};

const compareAccess = (one: ContractOperation, other: ContractOperation): readonly Finding[] => {
  const place = one.operationId;
  const { 'x-required-scope': before } = one;
  const { 'x-required-scope': after } = other;
  if (one.security?.length === 0 && other.security?.length !== 0)
    return [{ rule: 'credential-required', place, detail: after ?? 'a credential' }];
  return after !== undefined && before !== after
    ? [{ rule: 'scope-changed', place, detail: `${before} → ${after}` }]
    : [];
};

const compareOperations = (
  versions: Versions,
  one: ContractOperation,
  other: ContractOperation,
): readonly Finding[] => [
  ...(one.operationId === other.operationId
    ? []
    : [{ rule: 'operation-renamed' as RuleName, place: one.operationId, detail: other.operationId }]),
  ...compareAccess(one, other),
  ...compareParameters(versions, one, other),
  ...compareBodies(versions, one, other),
  ...compareAnswers(versions, one, other),
];

/** A path without the names of its parameters: they are nothing that a client sends. */
const shapeOf = (path: string): string => path.replaceAll(/\{[^}]+\}/g, '{}');

const operationsOf = ({ paths }: Contract): ReadonlyMap<string, ContractOperation> =>
  new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method} ${shapeOf(path)}`, operation] as const),
    ),
  );

const compareEvents = (versions: Versions): readonly Finding[] =>
  Object.entries(versions.before.webhooks).flatMap(([type, { post }]): readonly Finding[] => {
    const next = versions.after.webhooks[type]?.post;
    if (!next) return [{ rule: 'event-removed', place: type, detail: 'removed' }];
    const schemaOf = ({ requestBody }: Pick<ContractOperation, 'requestBody'>) =>
      requestBody?.content['application/json']?.schema ?? {};
    return compareIn(versions, 'response', schemaOf(post), schemaOf(next), type);
  });

/** What a client of the contract before notices of the one after, each difference of a named schema once. */
export const compareContracts = (before: Contract, after: Contract): readonly Finding[] => {
  const versions = { before, after, found: new Map<string, readonly Finding[]>() };
  const now = operationsOf(after);
  const operations = [...operationsOf(before)].flatMap(([route, operation]): readonly Finding[] => {
    const next = now.get(route);
    return next
      ? compareOperations(versions, operation, next)
      : [{ rule: 'operation-removed', place: operation.operationId, detail: route }];
  });
  const all = [...operations, ...compareEvents(versions)];
  return [...new Map(all.map((finding) => [JSON.stringify(finding), finding])).values()];
};
