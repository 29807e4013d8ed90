import type { OperationContract } from '../../shared/contracts/define-operation.ts';

/** The part of a contract that routing needs. */
export type RoutedOperation = Pick<OperationContract, 'id' | 'method' | 'path' | 'permission' | 'timeoutSeconds'> & {
  /** The limit of a streamed body, in bytes. */
  readonly request?: { readonly stream?: { readonly maxBytes: number } };
};

/** An operation with its handler. */
export interface Route {
  readonly operation: RoutedOperation;
  /** The function's path under `functions/`. */
  readonly functionPath: string;
  readonly paramNames: readonly string[];
}

interface Resource {
  readonly methods: Map<string, Route>;
}
interface Node {
  readonly statics: Map<string, Node>;
  param?: Node;
  /** `{name+}`: matches the rest of the path. */
  greedy?: Resource;
  resource?: Resource;
}

/** The match of a method and path; `values` are the decoded path parameters in order. */
export type Match =
  | { readonly kind: 'found'; readonly route: Route; readonly values: readonly string[] }
  | { readonly kind: 'wrong_method'; readonly allow: readonly string[] }
  | { readonly kind: 'unknown_path' }
  | { readonly kind: 'malformed' };

const UNKNOWN: Match = { kind: 'unknown_path' };
const MALFORMED: Match = { kind: 'malformed' };
const NO_VALUES: readonly string[] = [];
const PARAMETER = /^\{(.+?)(\+?)\}$/;

const newNode = (): Node => ({ statics: new Map() });

const childFor = (node: Node, segment: string): Node => {
  if (PARAMETER.test(segment)) {
    node.param ??= newNode();
    return node.param;
  }
  const child = node.statics.get(segment) ?? newNode();
  node.statics.set(segment, child);
  return child;
};

const addRoute = (root: Node, operation: RoutedOperation): void => {
  const segments = operation.path.slice(1).split('/');
  const paramNames = segments.flatMap((segment) => PARAMETER.exec(segment)?.[1] ?? []);
  const greedy = segments.at(-1)?.endsWith('+}') ?? false;
  let node = root;
  for (const segment of greedy ? segments.slice(0, -1) : segments) node = childFor(node, segment);
  const slot = greedy ? 'greedy' : 'resource';
  const resource = node[slot] ?? { methods: new Map<string, Route>() };
  node[slot] = resource;
  if (resource.methods.has(operation.method))
    throw new Error(`Two operations answer ${operation.method} ${operation.path}.`);
  resource.methods.set(operation.method, { operation, functionPath: operation.id.replaceAll('.', '/'), paramNames });
};

/** Finds the resource of a path, with backtracking: a static segment takes precedence over a parameter, that over a greedy one. */
const walk = (node: Node, segments: readonly string[], at: number, values: string[]): Resource | undefined => {
  const segment = segments[at];
  if (segment === undefined) return node.resource;
  const literal = node.statics.get(segment);
  const found = literal && walk(literal, segments, at + 1, values);
  if (found) return found;
  if (segment !== '' && node.param) {
    values.push(segment);
    const deeper = walk(node.param, segments, at + 1, values);
    if (deeper) return deeper;
    values.pop();
  }
  if (!node.greedy || segment === '') return undefined;
  values.push(segments.slice(at).join('/'));
  return node.greedy;
};

const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;
const ESCAPES = /(?:%[0-9a-f]{2})+/gi;

/** Segments without their percent-encoding; undefined where it is broken. Bytes that are no UTF-8 become U+FFFD, which is in no id. */
const decoded = (segments: string[]): string[] | undefined => {
  if (segments.some((segment) => BROKEN_ESCAPE.test(segment))) return undefined;
  return segments.map((segment) =>
    segment.replaceAll(ESCAPES, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString()),
  );
};

/** HEAD is handled as GET: the response writer omits the body (RFC 9110, 9.3.2). */
const pick = ({ methods }: Resource, method: string, values: readonly string[]): Match => {
  const route = methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined);
  if (route) return { kind: 'found', route, values };
  return { kind: 'wrong_method', allow: [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : [])] };
};

/** Builds the route table of the contracts. Paths without parameters take one map look-up. */
export const makeRouter = (operations: readonly RoutedOperation[]): ((method: string, path: string) => Match) => {
  const root = newNode();
  for (const operation of operations) addRoute(root, operation);
  const exact = new Map<string, Resource>();
  for (const { path } of operations) {
    const resource = path.includes('{') ? undefined : walk(root, path.slice(1).split('/'), 0, []);
    if (resource) exact.set(path, resource);
  }
  return (method, path) => {
    const direct = exact.get(path);
    if (direct) return pick(direct, method, NO_VALUES);
    const raw = path.slice(1).split('/');
    const segments = path.includes('%') ? decoded(raw) : raw;
    if (!segments) return MALFORMED;
    const values: string[] = [];
    const resource = path.startsWith('/') ? walk(root, segments, 0, values) : undefined;
    return resource ? pick(resource, method, values) : UNKNOWN;
  };
};
