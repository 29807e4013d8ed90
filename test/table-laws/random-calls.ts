import { ABSENT, all, allOf, contains, EXISTS, isStill, oneOf } from '../../shared/storage/client/conditions.ts';
import type { Condition, WriteOp } from '../../shared/storage/client/expressions.ts';
import type { Key, Row } from '../../shared/storage/client/row.ts';
import type { QueryRange, Table } from '../../shared/storage/client/table.ts';
import type { Chance } from '../support/chance.ts';

/** A call of a table, and what it is. */
interface RandomCall {
  readonly what: string;
  readonly call: (table: Table) => Promise<unknown>;
}

// No two differ by case alone, in which the engine's begins_with sees no difference.
const SORT_KEYS = ['M', 'a#1', 'a#2', 'a#20', 'b', 'é', '\u{1F600}', '\uFFFD', 'zz'];
const STATUSES = ['queued', 'sent', 'failed'];
const INDEXES = ['gsi1', 'gsi2', 'gsi3', 'gsi4'] as const;
type Fields = Record<string, unknown>;

const LARGE = 120_000;
const MAX_NUMBER = 6;

/** Calls of the shapes that the service makes of its table: keys that are there or not, conditions that hold or not, pages, and what is refused. */
export class Calls {
  readonly #chance: Chance;
  readonly #name: string;
  /** Where a page of a partition ended. */
  readonly #ends = new Map<string, NonNullable<QueryRange['startKey']>>();

  constructor(chance: Chance, name: string) {
    this.#chance = chance;
    this.#name = name;
  }

  #once(among: number): boolean {
    return this.#chance.below(among) === 0;
  }
  #partition(): string {
    return `${this.#name} ${this.#chance.below(3)}`;
  }
  #key(isSound = false): Key {
    return { pk: this.#partition(), sk: !isSound && this.#once(60) ? '' : this.#chance.pick(SORT_KEYS) };
  }
  #number(): number {
    return this.#chance.below(MAX_NUMBER);
  }

  /** `isSound`: with nothing that is refused. */
  #indexEntries(isSound: boolean): Fields {
    const isRefused = () => !isSound && this.#once(80);
    const fields: Fields = {};
    for (const index of INDEXES)
      if (this.#once(2)) {
        fields[`${index}pk`] = isRefused() ? '' : this.#partition();
        // One key alone: the index has no entry.
        if (!this.#once(8)) fields[`${index}sk`] = isRefused() ? 7 : this.#chance.pick(SORT_KEYS);
      }
    return {
      ...fields,
      ...(this.#once(2) ? { duePk: this.#partition(), dueAt: this.#chance.below(2_000) - 100 } : {}),
    };
  }

  #fields(isSound = false): Fields {
    const { pick } = this.#chance;
    return {
      ...this.#indexEntries(isSound),
      org: pick(['org 1', 'org 2']),
      status: pick(STATUSES),
      version: this.#number(),
      ...(this.#once(2) ? { count: this.#chance.below(900) - 300 } : {}),
      ...(this.#once(3) ? { rate: this.#chance.below(1_000) / 8 } : {}),
      ...(this.#once(3) ? { tags: [pick(STATUSES), pick(STATUSES)] } : {}),
      ...(this.#once(4) ? { settings: { deep: { list: [1, 'x', null, true], empty: {} } } } : {}),
      ...(this.#once(4) ? { sealed: Buffer.from([0, 255, this.#number()]) } : {}),
      ...(this.#once(4) ? { isOpen: this.#once(2), none: null, blank: '' } : {}),
      ...(this.#once(40) ? { text: 'x'.repeat(LARGE) } : {}),
    };
  }

  #condition(): Condition {
    const name = this.#chance.pick(['status', 'org', 'gone']);
    const value = this.#chance.pick([...STATUSES, 'org 1']);
    const number = this.#number();
    const values = { number, more: number + this.#number(), value, part: value.slice(0, 2) };
    const of = (text: string): Condition => ({
      text,
      values: Object.fromEntries(Object.entries(values).filter(([each]) => new RegExp(`:${each}\\b`).test(text))),
    });
    return this.#chance.pick([
      EXISTS,
      ABSENT,
      isStill('version', values.number),
      isStill('count', 0),
      oneOf(name, [value, 'sent']),
      contains('tags', value) ?? EXISTS,
      contains('status', value.slice(1, 3)) ?? EXISTS,
      all(EXISTS, oneOf('status', STATUSES.slice(0, 2)), { text: 'attribute_not_exists(#gone)' }),
      of('#version < :more AND #version >= :number'),
      of('#version > :number OR #version <= :number'),
      of('#version BETWEEN :number AND :more'),
      of('#count < :number'),
      of('#rate <> :number'),
      of('#status <> :value'),
      of('#gone <> :value'),
      of('begins_with(#status, :part)'),
      of('attribute_not_exists(#pk) OR #org = :value OR #version < :more'),
      of('attribute_exists(#pk) AND NOT (#status = :value)'),
      of('attribute_exists(#pk) AND NOT #version IN (:number, :more)'),
      of('attribute_not_exists(#tags) OR size(#tags) < #version'),
      of(':number < :more AND (attribute_not_exists(#count) OR #count < :more)'),
      of('#status = :number'),
    ]);
  }

  #update(isSound: boolean): WriteOp {
    const set = this.#once(2) ? { set: { ...this.#fields(isSound), kept: undefined } } : {};
    const removed = ['isOpen', 'gsi2pk', 'gsi2sk', 'gone'].filter((name) => !(name in (set.set ?? {})));
    return {
      update: this.#key(isSound),
      ...set,
      setOnce: { first: this.#number(), once: 'given' },
      ...(this.#once(2) ? { add: { total: this.#number(), seen: -this.#number() } } : {}),
      ...(this.#once(3) ? { append: { log: [{ at: this.#number() }, 'line'] } } : {}),
      ...(this.#once(3) ? { remove: removed.slice(this.#chance.below(3)) } : {}),
    };
  }

  #write(isSound: boolean): WriteOp {
    const when = this.#once(2) ? { when: this.#condition() } : {};
    const kind = this.#chance.below(9);
    if (kind < 4) return { put: { ...this.#key(isSound), ...this.#fields(isSound) }, ...when };
    if (kind < 8) return { ...this.#update(isSound), ...when };
    return { delete: this.#key(isSound), ...when };
  }

  /** One that is made alone: an update, too, that changes nothing, or an attribute twice, which the engine takes in a transaction. */
  #single(): WriteOp {
    if (!this.#once(20)) return this.#write(false);
    return { update: this.#key(), ...(this.#once(2) ? { set: { gone: 1 }, remove: ['gone'] } : {}) };
  }

  #sort(): Condition | undefined {
    const [one, other] = [this.#chance.pick(SORT_KEYS), this.#chance.pick(SORT_KEYS)];
    return this.#chance.pick([
      undefined,
      { text: 'begins_with(#sk, :prefix)', values: { prefix: this.#chance.pick(['a', 'a#2', '', 'é']) } },
      // Now and then the bounds are in the wrong order.
      { text: '#sk BETWEEN :from AND :to', values: { from: one, to: other } },
      ...['=', '<', '<=', '>', '>='].map((operator) => ({ text: `#sk ${operator} :one`, values: { one } })),
    ]);
  }

  #range(): QueryRange {
    const index = this.#chance.pick([undefined, undefined, ...INDEXES, 'due'] as const);
    const moment = this.#chance.below(2_000);
    const due = this.#chance.pick([
      undefined,
      { text: '#sk <= :now', values: { now: moment } },
      { text: '#sk BETWEEN :from AND :to', values: { from: moment, to: moment + 500 } },
    ]);
    const filters = [
      { text: '#status = :wanted', values: { wanted: 'sent' } },
      allOf([oneOf('status', STATUSES.slice(1)), oneOf('org', ['org 1'])]),
      { text: 'attribute_not_exists(#gone)' },
      { text: '#version > :least', values: { least: 1 } },
      // Not of a filter.
      { text: `begins_with(#${index && index !== 'due' ? `${index}sk` : 'sk'}, :start)`, values: { start: 'a' } },
    ];
    const partition = this.#partition();
    const start = this.#once(3) ? this.#ends.get(`${index} ${partition}`) : undefined;
    return {
      partition,
      ...(index ? { index } : {}),
      sort: index === 'due' ? due : this.#sort(),
      ...(this.#once(3) ? { filter: this.#chance.pick(filters) } : {}),
      ...(this.#once(2) ? { newestFirst: this.#once(2) } : {}),
      ...(this.#once(2) ? { limit: this.#once(30) ? 0 : 1 + this.#chance.below(5) } : {}),
      ...(this.#once(3) ? { only: ['pk', 'sk', 'status', 'version'] } : {}),
      ...(this.#once(index ? 20 : 2) ? { consistent: true } : {}),
      ...(start ? { startKey: start } : {}),
    };
  }

  #query(): RandomCall {
    const range = this.#range();
    if (this.#once(5)) {
      const { only: _, ...counted } = range;
      return { what: `count ${JSON.stringify(counted)}`, call: (table) => table.count(counted) };
    }
    const call = async (table: Table) => {
      const page = await table.query(range);
      if (page.nextKey) this.#ends.set(`${range.index} ${range.partition}`, page.nextKey);
      return page;
    };
    return { what: `query ${JSON.stringify(range)}`, call };
  }

  /** Its items are sound: for some that are not the engine has reasons of its own. */
  #transaction(): RandomCall {
    const writes = Array.from({ length: 1 + this.#chance.below(5) }, () => this.#write(true));
    if (this.#once(3)) writes.push({ check: this.#key(), when: this.#condition() });
    return { what: `transact ${JSON.stringify(writes).slice(0, 900)}`, call: (table) => table.transact(writes) };
  }

  next(): RandomCall {
    const kind = this.#chance.below(20);
    const only = this.#once(3) ? { only: ['pk', 'sk', 'status'] } : {};
    if (kind < 2) {
      const key = this.#key();
      return { what: `get ${JSON.stringify([key, only])}`, call: (table) => table.get(key, only) };
    }
    if (kind < 4) {
      const keys = Array.from({ length: 1 + this.#chance.below(6) }, () => this.#key());
      const call = (table: Table) => table.getMany(keys, { consistent: true, ...only });
      return { what: `getMany ${JSON.stringify([keys, only])}`, call };
    }
    if (kind < 5) {
      const rows = Array.from(
        { length: 1 + this.#chance.below(4) },
        (): Row => ({ ...this.#key(), ...this.#fields() }),
      );
      return { what: `putMany ${JSON.stringify(rows).slice(0, 400)}`, call: (table) => table.putMany(rows) };
    }
    if (kind < 10) {
      const write = this.#single();
      return { what: `write ${JSON.stringify(write).slice(0, 400)}`, call: (table) => table.write(write) };
    }
    return kind < 14 ? this.#transaction() : this.#query();
  }

  /** Ranges that show every row that there is, and every entry of every index. */
  everything(): QueryRange[] {
    return [0, 1, 2].flatMap((nth) =>
      [undefined, ...INDEXES, 'due' as const].map((index) => ({
        partition: `${this.#name} ${nth}`,
        ...(index ? { index } : {}),
      })),
    );
  }
}
