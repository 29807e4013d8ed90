import { expect, test } from 'vitest';
import { BLOCK_SIZE, BlockSet } from '../../shared/domain/audience/block.ts';
import { COLUMN_NAMES, changedColumn, emptyColumn } from '../../shared/domain/audience/columns.ts';
import type { IndexedContact } from '../../shared/domain/audience/digest.ts';
import { columnsOf, evaluate, presentIn, unindexedIn, updatedSince } from '../../shared/domain/audience/evaluate.ts';
import { matches, nextChange, windowsOf } from '../../shared/domain/audience/filters.ts';
import { decodeColumn, encodeColumn } from '../../shared/storage/audience/column-codec.ts';
import { fc } from '../support/fast-check.ts';
import { digest, NOW, tree } from './random.ts';

const offset = fc.integer({ min: 0, max: BLOCK_SIZE - 1 });
/** Rounds of changes: contacts that are created or changed, or (undefined) deleted. */
const rounds = fc.array(
  fc.array(fc.tuple(fc.oneof(offset, fc.nat(20)), fc.option(digest, { nil: undefined, freq: 6 })), { maxLength: 30 }),
  { minLength: 1, maxLength: 4 },
);

/** The columns that filters read: none reads trigrams. */
const FILTERED = COLUMN_NAMES.filter((name) => !name.startsWith('grams'));

/** A block's columns after rounds of changes, stored and read again each time; and the contacts themselves. */
const blockAfter = (changes: readonly (readonly (readonly [number, IndexedContact | undefined])[])[]) => {
  const contacts = new Map<number, IndexedContact>();
  let columns = new Map(FILTERED.map((name) => [name, emptyColumn(name)]));
  for (const round of changes) {
    const latest = new Map(round);
    for (const [at, contact] of latest)
      if (contact) contacts.set(at, contact);
      else contacts.delete(at);
    columns = new Map(
      [...columns].map(([name, column]) => [
        name,
        decodeColumn(name, encodeColumn(changedColumn(name, column, latest))),
      ]),
    );
  }
  return { contacts, columns };
};

test('the columns mark exactly the contacts that match a tree, after any changes; other contacts are marked as not indexed', () => {
  fc.assert(
    fc.property(rounds, fc.array(tree, { minLength: 1, maxLength: 5 }), (changes, trees) => {
      const { contacts, columns } = blockAfter(changes);
      expect([...presentIn(columns).newestFirst()]).toEqual([...contacts.keys()].sort((a, b) => b - a));
      const unindexed = unindexedIn(columns);
      for (const each of trees) {
        const needed = new Map([...columns].filter(([name]) => columnsOf(each).has(name)));
        const found = evaluate(each, needed, NOW).without(unindexed);
        const expected = [...contacts].filter(([at, contact]) => !unindexed.has(at) && matches(each, contact, NOW));
        expect([...found.newestFirst()]).toEqual(expected.map(([at]) => at).sort((a, b) => b - a));
      }
      for (const [at, contact] of contacts)
        expect(unindexed.has(at)).toBe(JSON.stringify(contact.attributes).length > 700);
    }),
    { numRuns: 300 },
  );
});

test('those who changed since a moment are found', () => {
  fc.assert(
    fc.property(rounds, fc.integer({ min: NOW - 20 * 86_400_000, max: NOW }), (changes, since) => {
      const { contacts, columns } = blockAfter(changes);
      const expected = [...contacts].filter(([, { updatedAt }]) => updatedAt >= since).map(([at]) => at);
      expect([...updatedSince(columns, since).newestFirst()]).toEqual(expected.sort((a, b) => b - a));
    }),
  );
});

test('the next change by the passing of time is the first moment at which a contact enters or leaves', () => {
  fc.assert(
    fc.property(digest, tree, (contact, each) => {
      const next = nextChange(windowsOf(each), contact.lastInteractionAt, NOW);
      const before = matches(each, contact, NOW);
      // Nothing changes until then; what may change does so at that very millisecond.
      const until = next ?? NOW + 100 * 86_400_000;
      expect(matches(each, contact, until - 1)).toBe(before);
    }),
    { numRuns: 1_000 },
  );
});

test('sets of offsets combine and count as plain sets do', () => {
  fc.assert(
    fc.property(fc.uniqueArray(offset), fc.uniqueArray(offset), (left, right) => {
      const [a, b] = [BlockSet.of(left), BlockSet.of(right)];
      const plain = (set: BlockSet) => [...set.newestFirst()].sort((x, y) => x - y);
      const r = new Set(right);
      const sorted = (values: Iterable<number>) => [...values].sort((x, y) => x - y);
      expect(plain(a.and(b))).toEqual(sorted(left.filter((at) => r.has(at))));
      expect(plain(a.or(b))).toEqual(sorted(new Set([...left, ...right])));
      expect(plain(a.without(b))).toEqual(sorted(left.filter((at) => !r.has(at))));
      expect(a.size).toBe(left.length);
    }),
  );
});
