import fc from 'fast-check';
import type { IndexedContact } from '../../shared/domain/audience/digest.ts';
import { FILTER_CHANNELS } from '../../shared/domain/audience/digest.ts';
import type { Filter, FilterTree } from '../../shared/domain/audience/filters.ts';
import { CONTACT_SOURCES, OPT_IN_STATUSES } from '../../shared/domain/contacts/contact.ts';

export const NOW = Date.UTC(2026, 4, 20, 12);
const DAY = 86_400_000;
const TAGS = ['vip', 'novo', 'São Paulo', '__proto__'];
const KEYS = ['plan', 'age', 'since', 'constructor', 'cities'];
const TEXTS = ['gold', 'GÓLD', 'silver', '30', '2026-01-05', 'true'];
const time = fc.integer({ min: NOW - 20 * DAY, max: NOW });

const value = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.integer({ min: 28, max: 32 }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.constantFrom(...TEXTS), { maxLength: 2 }),
);
/** Of some of the keys; now and then more than the columns take. */
const attributes = fc
  .tuple(fc.uniqueArray(fc.tuple(fc.constantFrom(...KEYS), value), { selector: ([key]) => key }), fc.nat(20))
  .map(([entries, large]) => {
    const all = large === 0 ? [...entries, ['notes', 'x'.repeat(1_000)] as const] : entries;
    return Object.fromEntries(all);
  });

export const digest: fc.Arbitrary<IndexedContact> = fc.record({
  tags: fc.uniqueArray(fc.constantFrom(...TAGS), { maxLength: 3 }),
  attributes,
  optIn: fc.constantFrom(...OPT_IN_STATUSES),
  source: fc.constantFrom(...CONTACT_SOURCES),
  hasEmail: fc.boolean(),
  lastInteractionAt: fc.option(time, { nil: undefined }),
  updatedAt: time,
  grams: fc.uniqueArray(fc.nat(100), { maxLength: 5 }),
});

const text = fc.constantFrom(...TEXTS);
const key = fc.constantFrom(...KEYS);
const filter: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({
    field: fc.constant('tag' as const),
    operator: fc.constantFrom('is' as const, 'isNot' as const),
    value: fc.constantFrom(...TAGS),
  }),
  fc.record({
    field: fc.constant('attribute' as const),
    key,
    operator: fc.constantFrom('is' as const, 'isNot' as const, 'contains' as const, 'gt' as const, 'lt' as const),
    value: text,
  }),
  fc.record({
    field: fc.constant('attribute' as const),
    key,
    operator: fc.constant('exists' as const),
    value: fc.boolean(),
  }),
  fc.record({
    field: fc.constant('optIn' as const),
    operator: fc.constant('is' as const),
    value: fc.constantFrom(...OPT_IN_STATUSES),
  }),
  fc.record({
    field: fc.constant('lastInteraction' as const),
    operator: fc.constantFrom('before' as const, 'after' as const),
    value: time,
  }),
  fc.record({
    field: fc.constant('lastInteraction' as const),
    operator: fc.constantFrom('withinDays' as const, 'olderThanDays' as const),
    value: fc.integer({ min: 1, max: 20 }),
  }),
  fc.record({
    field: fc.constant('channel' as const),
    operator: fc.constantFrom('has' as const, 'hasNot' as const),
    value: fc.constantFrom(...FILTER_CHANNELS),
  }),
);

export const tree: fc.Arbitrary<FilterTree> = fc.letrec<{ tree: FilterTree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.record({ kind: fc.constant('leaf' as const), filter }),
    fc.record({
      kind: fc.constant('group' as const),
      operator: fc.constantFrom('and' as const, 'or' as const),
      nodes: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
  ),
})).tree;
