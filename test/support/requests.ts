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

/** The scope that an operation requires; undefined for a public one. */
export const scopeOf = ({ permission }: OperationContract): string | undefined =>
  permission === 'public' ? undefined : typeof permission === 'string' ? permission : permission.session;
