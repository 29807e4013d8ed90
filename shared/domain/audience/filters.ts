import type { OptInStatus } from '../contacts/contact.ts';
import { foldText } from '../core/fold-text.ts';
import type { ContactAttributes } from '../core/json-values.ts';
import { parseDayOrMoment } from '../core/time.ts';
import { type ContactDigest, channelsOf, type FilterChannel } from './digest.ts';

/** One condition of a segment (docs/spec/segments.md#filters). Values are as the caller wrote them, parsed. */
export type Filter =
  | { readonly field: 'tag'; readonly operator: 'is' | 'isNot'; readonly value: string }
  | {
      readonly field: 'attribute';
      readonly key: string;
      readonly operator: 'is' | 'isNot' | 'contains' | 'gt' | 'lt';
      readonly value: string;
    }
  | { readonly field: 'attribute'; readonly key: string; readonly operator: 'exists'; readonly value: boolean }
  | { readonly field: 'optIn'; readonly operator: 'is'; readonly value: OptInStatus }
  /** `value`: ms. */
  | { readonly field: 'lastInteraction'; readonly operator: 'before' | 'after'; readonly value: number }
  /** `value`: days. */
  | { readonly field: 'lastInteraction'; readonly operator: 'withinDays' | 'olderThanDays'; readonly value: number }
  | { readonly field: 'channel'; readonly operator: 'has' | 'hasNot'; readonly value: FilterChannel };

/** Conditions joined by `and` and `or`. Groups are never empty. */
export type FilterTree =
  | { readonly kind: 'leaf'; readonly filter: Filter }
  | { readonly kind: 'group'; readonly operator: 'and' | 'or'; readonly nodes: readonly FilterTree[] };

/** The tree of conditions that must all hold. */
export const treeOf = (filters: readonly Filter[]): FilterTree => ({
  kind: 'group',
  operator: 'and',
  nodes: filters.map((filter) => ({ kind: 'leaf', filter })),
});

/** The conditions of a tree, from left to right. */
export const leavesOf = (tree: FilterTree): readonly Filter[] =>
  tree.kind === 'leaf' ? [tree.filter] : tree.nodes.flatMap(leavesOf);

const DAY_MS = 86_400_000;
type AttributeValue = ContactAttributes[string];
type AttributeFilter = Extract<Filter, { field: 'attribute' }>;

/** A number in decimals, as JSON writes it; undefined for other texts. */
const decimal = (text: string): number | undefined => {
  const number = /^-?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,4})?$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
};

const equals = (held: AttributeValue, value: string): boolean => {
  if (Array.isArray(held)) return held.includes(value);
  return typeof held === 'number' ? held === decimal(value) : held !== null && String(held) === value;
};
/** Whether a text is a number, a date or a moment: other values have no order, so that nothing is above or below them. */
export const hasOrder = (value: string): boolean =>
  decimal(value) !== undefined || parseDayOrMoment(value) !== undefined;
/** Compares numbers with numbers, and dates with dates; other values have no order. */
const order = (held: AttributeValue, value: string): number | undefined => {
  if (typeof held === 'number') return decimal(value) === undefined ? undefined : held - Number(value);
  const [left, right] = [typeof held === 'string' ? parseDayOrMoment(held) : undefined, parseDayOrMoment(value)];
  return left === undefined || right === undefined ? undefined : left - right;
};
const contains = (held: AttributeValue, value: string): boolean =>
  [held].flat().some((each) => typeof each === 'string' && foldText(each).includes(foldText(value)));

/** Whether an attribute's value meets a condition; `undefined`: the contact has no such attribute, or it is null. */
export const attributeMatches = (filter: AttributeFilter, held: AttributeValue | undefined): boolean => {
  const present = held !== undefined && held !== null;
  if (filter.operator === 'exists') return present === filter.value;
  if (!present) return filter.operator === 'isNot';
  const { operator, value } = filter;
  if (operator === 'is') return equals(held, value);
  if (operator === 'isNot') return !equals(held, value);
  if (operator === 'contains') return contains(held, value);
  const compared = order(held, value);
  return compared !== undefined && (operator === 'gt' ? compared > 0 : compared < 0);
};

type InteractionFilter = Extract<Filter, { field: 'lastInteraction' }>;
/** Whether a last interaction (ms) meets a condition at `now` (ms). A contact that never interacted meets none. */
export const interactionMatches = ({ operator, value }: InteractionFilter, at: number | undefined, now: number) => {
  if (at === undefined) return false;
  if (operator === 'before') return at < value;
  if (operator === 'after') return at > value;
  const within = now - at <= value * DAY_MS;
  return operator === 'withinDays' ? within : !within;
};

const leafMatches = (filter: Filter, contact: ContactDigest, now: number): boolean => {
  switch (filter.field) {
    case 'tag':
      return contact.tags.includes(filter.value) === (filter.operator === 'is');
    case 'attribute':
      return attributeMatches(
        filter,
        Object.hasOwn(contact.attributes, filter.key) ? contact.attributes[filter.key] : undefined,
      );
    case 'optIn':
      return contact.optIn === filter.value;
    case 'lastInteraction':
      return interactionMatches(filter, contact.lastInteractionAt, now);
    case 'channel':
      return channelsOf(contact).includes(filter.value) === (filter.operator === 'has');
  }
};

/** Whether a contact matches a tree at `now` (ms). */
export const matches = (tree: FilterTree, contact: ContactDigest, now: number): boolean => {
  if (tree.kind === 'leaf') return leafMatches(tree.filter, contact, now);
  return tree.operator === 'and'
    ? tree.nodes.every((node) => matches(node, contact, now))
    : tree.nodes.some((node) => matches(node, contact, now));
};

/** The windows of a tree's relative conditions, in ms after a contact's last interaction: the only ones that change with time. */
export const windowsOf = (tree: FilterTree): readonly number[] =>
  leavesOf(tree).flatMap((filter) =>
    filter.field === 'lastInteraction' && (filter.operator === 'withinDays' || filter.operator === 'olderThanDays')
      ? [filter.value * DAY_MS]
      : [],
  );

/** The earliest of some times; undefined (never) if there is none. */
export const earliest = (times: Iterable<number | undefined>): number | undefined => {
  let first = Number.POSITIVE_INFINITY;
  for (const time of times) if (time !== undefined && time < first) first = time;
  return first === Number.POSITIVE_INFINITY ? undefined : first;
};

/**
 * When time alone next changes whether a contact with the last interaction `at` meets a condition with one of the windows, in ms;
 * undefined: never.
 */
export const nextChange = (windows: readonly number[], at: number | undefined, now: number): number | undefined => {
  if (at === undefined) return undefined;
  const ahead = windows.map((window) => at + window + 1).filter((ms) => ms > now);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
};
