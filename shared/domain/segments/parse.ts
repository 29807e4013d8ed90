import { FILTER_CHANNELS } from '../audience/digest.ts';
import { type Filter, type FilterTree, hasOrder, leavesOf, treeOf } from '../audience/filters.ts';
import { OPT_IN_STATUSES } from '../contacts/contact.ts';
import { type FieldError, type Refusal, refuse } from '../core/errors.ts';
import { parseDayOrMoment } from '../core/time.ts';
import type { Description, WireFilter, WireTree } from './segment.ts';

/** Limits of a tree, which bound the cost of evaluating it. */
const MAX_LEAVES = 100;
const MAX_DEPTH = 10;
/** The maximum window of relative conditions. */
const MAX_DAYS = 3_650;
const VALUE_LENGTH = 1_024;
/** Maximum size of filters and tree together as JSON, in bytes: an item holds 400 KB in all. */
const MAX_BYTES = 376 * 1024;

const bad = (path: string, message: string): FieldError => ({ path, message });
const isBad = (parsed: Filter | FieldError): parsed is FieldError => 'message' in parsed;

const textOf = ({ value }: WireFilter): string | undefined => (value === undefined ? undefined : String(value));
const oneOf = <T extends string>(allowed: readonly T[], value: string | undefined): T | undefined =>
  allowed.find((each) => each === value);

const OPERATORS = {
  tag: ['is', 'isNot'],
  attribute: ['is', 'isNot', 'contains', 'gt', 'lt', 'exists'],
  optIn: ['is'],
  lastInteraction: ['before', 'after', 'withinDays', 'olderThanDays'],
  channel: ['has', 'hasNot'],
} as const;

/** The parts of a description that a caller gives now. Older stored conditions may compare with a value that has no order. */
type Given = { readonly [Part in keyof Description]?: unknown };
const ORDERED = 'must be a number, a date, or a date and time with its offset, in ISO 8601';

const parseAttribute = (filter: WireFilter, value: string | undefined, isGiven: boolean): Filter | FieldError => {
  const operator = oneOf(OPERATORS.attribute, filter.operator);
  const { key } = filter;
  if (key === undefined || key === '') return bad('key', 'is required for a filter of an attribute');
  if (operator === 'exists') {
    if (value !== undefined && value !== 'true' && value !== 'false') return bad('value', 'must be true or false');
    return { field: 'attribute', key, operator, value: value !== 'false' };
  }
  if (operator === undefined || value === undefined) return bad('value', 'is required');
  if (operator === 'contains' && value === '') return bad('value', 'must not be empty');
  if (isGiven && (operator === 'gt' || operator === 'lt') && !hasOrder(value)) return bad('value', ORDERED);
  return { field: 'attribute', key, operator, value };
};
const parseInteraction = ({ operator: name }: WireFilter, value: string): Filter | FieldError => {
  const operator = oneOf(OPERATORS.lastInteraction, name);
  if (operator === 'before' || operator === 'after') {
    const ms = parseDayOrMoment(value);
    if (ms === undefined) return bad('value', 'must be a date, or a date and time with its offset, in ISO 8601');
    return { field: 'lastInteraction', operator, value: ms };
  }
  const days = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (days < 1 || days > MAX_DAYS) return bad('value', `must be a whole number of days from 1 to ${MAX_DAYS}`);
  return { field: 'lastInteraction', operator: operator ?? 'withinDays', value: days };
};

/** Parses one condition; or the error and its field. */
const parseFilter = (filter: WireFilter, isGiven: boolean): Filter | FieldError => {
  const { field } = filter;
  const allowed: readonly string[] = OPERATORS[field];
  if (!allowed.includes(filter.operator))
    return bad('operator', `must be one of ${allowed.join(', ')} for the field ${field}`);
  if (field !== 'attribute' && filter.key !== undefined) return bad('key', 'is for filters of an attribute only');
  const value = textOf(filter);
  if (value !== undefined && [...value].length > VALUE_LENGTH)
    return bad('value', `must have at most ${VALUE_LENGTH} characters`);
  if (field === 'attribute') return parseAttribute(filter, value, isGiven);
  if (value === undefined || value === '') return bad('value', 'is required, and not empty');
  if (field === 'tag') return { field, operator: filter.operator === 'is' ? 'is' : 'isNot', value };
  if (field === 'lastInteraction') return parseInteraction(filter, value);
  if (field === 'optIn') {
    const status = oneOf(OPT_IN_STATUSES, value);
    return status
      ? { field, operator: 'is', value: status }
      : bad('value', `must be one of ${OPT_IN_STATUSES.join(', ')}`);
  }
  const channel = oneOf(FILTER_CHANNELS, value);
  if (!channel) return bad('value', `must be one of ${FILTER_CHANNELS.join(', ')}`);
  return { field, operator: filter.operator === 'has' ? 'has' : 'hasNot', value: channel };
};

/** The state of parsing a tree, shared by its nodes. */
interface Parsing {
  readonly isGiven: boolean;
  readonly errors: FieldError[];
}
const parseTree = (tree: WireTree, path: string, depth: number, parsing: Parsing): FilterTree | undefined => {
  const { isGiven, errors } = parsing;
  const fail = (error: FieldError) => void errors.push({ ...error, path: `${path}.${error.path}` });
  if (depth > MAX_DEPTH) return fail(bad('nodes', `may be nested ${MAX_DEPTH} deep`));
  if (tree.kind === 'leaf') {
    if (!tree.filter) return fail(bad('filter', 'is required for a leaf'));
    if (tree.nodes !== undefined || tree.operator !== undefined)
      return fail(bad(tree.nodes ? 'nodes' : 'operator', 'is for groups only'));
    const filter = parseFilter(tree.filter, isGiven);
    return isBad(filter) ? fail({ ...filter, path: `filter.${filter.path}` }) : { kind: 'leaf', filter };
  }
  if (tree.operator === undefined) return fail(bad('operator', 'must be and or or for a group'));
  if (tree.filter !== undefined) return fail(bad('filter', 'is for leaves only'));
  if (!tree.nodes || tree.nodes.length === 0) return fail(bad('nodes', 'must have at least one node'));
  const nodes = tree.nodes.map((node, at) => parseTree(node, `${path}.nodes.${at}`, depth + 1, parsing));
  return { kind: 'group', operator: tree.operator, nodes: nodes.filter((node) => node !== undefined) };
};

/**
 * Parses the conditions of a segment to a tree. 422 naming every invalid condition. `given`: the parts that a caller gives now; without it
 * the conditions are stored ones, which are evaluated even where they can never be met.
 */
export const parseDescription = (
  { filters, filterTree }: Description,
  given: Given = {},
): FilterTree | Refusal<'VALIDATION_ERROR'> => {
  const errors: FieldError[] = [];
  const leaves = filters.map((filter) => parseFilter(filter, given.filters !== undefined));
  for (const [at, leaf] of leaves.entries())
    if (isBad(leaf)) errors.push({ ...leaf, path: `filters.${at}.${leaf.path}` });
  if (Buffer.byteLength(JSON.stringify([filters, filterTree])) > MAX_BYTES)
    errors.push(bad(filterTree ? 'filterTree' : 'filters', `may take ${MAX_BYTES} bytes as JSON, with all filters`));
  const parsed = filterTree && parseTree(filterTree, 'filterTree', 1, { isGiven: Boolean(given.filterTree), errors });
  const tree = parsed ?? treeOf(leaves.flatMap((leaf) => (isBad(leaf) ? [] : [leaf])));
  if (errors.length === 0 && leavesOf(tree).length > MAX_LEAVES)
    errors.push(bad(filterTree ? 'filterTree' : 'filters', `may have at most ${MAX_LEAVES} conditions`));
  return errors.length === 0 ? tree : refuse('VALIDATION_ERROR', { detail: 'The filters are not valid.', errors });
};
