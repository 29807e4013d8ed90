import * as z from 'zod';
import { exampleInput } from '../../infra/build/example-input.ts';
import { EXAMPLE_VALUES } from '../../infra/build/example-values.ts';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';

/** The names in `{…}` of an operation's path. */
export const pathNames = ({ path }: OperationContract): string[] =>
  [...path.matchAll(/\{(.+?)\+?\}/g)].map(([, name]) => name ?? '');

/** The path with its parameters filled in; `values` by name, or one value for all. */
export const pathWith = (contract: OperationContract, values: Readonly<Record<string, string>> | string): string =>
  contract.path.replace(/\{(.+?)\+?\}/g, (_, name: string) =>
    encodeURIComponent(typeof values === 'string' ? values : (values[name] ?? '')),
  );

/** A body that the operation takes, made from its own examples; undefined where it takes none. */
export const exampleBody = ({ id, request }: OperationContract): unknown =>
  EXAMPLE_VALUES[id]?.body ?? (request.body ? exampleInput(request.body) : undefined);

/** The names of the operation's query parameters. */
export const queryNames = ({ request }: OperationContract): string[] =>
  request.query instanceof z.ZodObject ? Object.keys(request.query.shape) : [];

const HOUR_MS = 3_600_000;
/** Values of query parameters that an operation requires: a window of time around now, and a channel. */
const QUERY_VALUES: Readonly<Record<string, string>> = {
  from: new Date(Date.now() - 24 * HOUR_MS).toISOString(),
  to: new Date(Date.now() + 24 * HOUR_MS).toISOString(),
  channel: 'sms',
};
/** The query parameters that an operation requires, the same in each call of a process. */
export const requiredQuery = ({ request }: OperationContract): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.query?.shape ?? {})
      .filter(([, schema]) => !z.safeParse(schema, undefined).success)
      .map(([name]) => [name, QUERY_VALUES[name] ?? 'text']),
  );

/** The scope that an operation requires; undefined for a public one. */
export const scopeOf = ({ permission }: OperationContract): string | undefined =>
  permission === 'public' ? undefined : typeof permission === 'string' ? permission : permission.session;
