import * as z from 'zod';
import { CHANNELS } from '../../domain/channels/registry.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { Channel } from '../../domain/message/channel.ts';
import { OUTCOME_COUNTS, type Outcome, type OutcomeCounts } from '../../domain/message/outcome.ts';
import type { HourCounts } from '../../domain/metrics/metrics.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { METRIC_ROWS, shardOf } from '../table-indexes.ts';

/*
 * A row holds the counts of a channel for twelve hours, one attribute per hour and count: about a kilobyte. A quiet organization has one row per
 * channel and twelve hours, a busy one up to METRIC_ROWS, whose sum is the count.
 */

const HOUR_MS = 3_600_000;
const PERIOD_HOURS = 12;
const PERIOD_MS = PERIOD_HOURS * HOUR_MS;
/** Retention of counts, and of the checkpoints of shards, in s. */
export const COUNTS_KEPT_SECONDS = 400 * 24 * 3_600;
/** Changes of a channel in one batch from which an organization counts as busy: other shards of the stream probably write its row, too. */
const BUSY = 20;

/** The attribute prefix of each count; the hour's number in its period follows. A failure's attribute ends with its reason. */
const NAMES: Readonly<Record<keyof OutcomeCounts, string>> = {
  sent: 's',
  unsent: 'u',
  delivered: 'd',
  read: 'r',
  coins: 'c',
};
const ATTRIBUTE = /^([surdcf])(\d{1,2})(?:_(.+))?$/;

const periodOf = (hour: number): number => Math.floor(hour / PERIOD_MS) * PERIOD_MS;
const periodKey = (period: number): string => isoTime(period).slice(0, 13);

/** A message's contribution to the metrics before a change, and after it. */
export interface OutcomeChange {
  readonly organizationId: Id<'organization'>;
  readonly before?: Outcome | undefined;
  readonly after?: Outcome | undefined;
}

/** The increments of a channel's counts for twelve hours. */
interface Addition {
  readonly organizationId: Id<'organization'>;
  readonly channel: Channel;
  readonly period: number;
  readonly add: Record<string, number>;
  changes: number;
}

/** The increments of a batch of changes, by organization, channel and twelve hours. */
export class OutcomeSums {
  readonly #additions = new Map<string, Addition>();

  /** The most rows that they can write. */
  get size(): number {
    return this.#additions.size;
  }

  add({ organizationId, before, after }: OutcomeChange): void {
    this.#addOutcome(organizationId, before, -1);
    this.#addOutcome(organizationId, after, 1);
  }

  #addOutcome(organizationId: Id<'organization'>, outcome: Outcome | undefined, by: 1 | -1): void {
    if (!outcome) return;
    const { channel, hour, counts, failure } = outcome;
    const period = periodOf(hour);
    const name = `${organizationId} ${channel} ${period}`;
    const addition = this.#additions.get(name) ?? { organizationId, channel, period, add: {}, changes: 0 };
    this.#additions.set(name, addition);
    addition.changes += 1;
    const plus = (attribute: string, value: number) => {
      addition.add[attribute] = (addition.add[attribute] ?? 0) + by * value;
    };
    const at = (hour - period) / HOUR_MS;
    for (const count of OUTCOME_COUNTS) plus(`${NAMES[count]}${at}`, counts[count]);
    if (failure !== undefined) plus(`f${at}_${failure}`, 1);
  }

  /** The writes that add them, for a transaction that commits once however often it is repeated; none if no count changes. */
  writes(shardId: string): WriteOp[] {
    return [...this.#additions.values()].flatMap((addition) => additionWrite(addition, shardId));
  }
}

const additionWrite = ({ organizationId, channel, period, add, changes }: Addition, shardId: string): WriteOp[] => {
  const changed = Object.fromEntries(Object.entries(add).filter(([, by]) => by !== 0));
  if (Object.keys(changed).length === 0) return [];
  const keyOf = (row: number) => KEYS.metrics(organizationId, periodKey(period), channel, row);
  return [
    {
      update: keyOf(changes < BUSY ? 0 : shardOf(shardId, METRIC_ROWS)),
      set: { ttl: Math.ceil(period / 1_000) + COUNTS_KEPT_SECONDS },
      add: changed,
      elsewhere: () => keyOf(Math.floor(Math.random() * METRIC_ROWS)),
    },
  ];
};

const NOTHING: OutcomeCounts = { sent: 0, unsent: 0, delivered: 0, read: 0, coins: 0 };
const COUNT_OF = new Map(OUTCOME_COUNTS.map((count) => [NAMES[count], count]));
const channelName = z.enum(CHANNELS);

/** Adds a row's attributes to the sums of their hours. */
const addRow = (sums: Map<string, HourCounts>, row: Row, inWindow: (hour: number) => boolean): void => {
  const place = PARSE_KEY.metrics(row);
  const channel = channelName.parse(place.channel);
  for (const [attribute, value] of Object.entries(row)) {
    const [, name = '', at, failure] = ATTRIBUTE.exec(attribute) ?? [];
    const hour = place.period + Number(at) * HOUR_MS;
    if (at === undefined || !inWindow(hour)) continue;
    const by = z.int().parse(value);
    const sum = sums.get(`${hour} ${channel}`) ?? { hour, channel, counts: NOTHING, failures: {} };
    const count = COUNT_OF.get(name);
    sums.set(`${hour} ${channel}`, {
      ...sum,
      ...(count ? { counts: { ...sum.counts, [count]: sum.counts[count] + by } } : {}),
      ...(failure ? { failures: { ...sum.failures, [failure]: (sum.failures[failure] ?? 0) + by } } : {}),
    });
  }
};

/** Hours from `from` (inclusive) to `to` (exclusive), in ms; both are starts of hours. */
export interface HourWindow {
  readonly from: number;
  readonly to: number;
}

/**
 * The counts of an organization's messages, by hour and channel, without empty hours. One query, half a read unit for a few rows. Its rows grow with
 * channels and days, never with messages.
 */
export const readOutcomeCounts = async (
  table: Table,
  organizationId: Id<'organization'>,
  { from, to }: HourWindow,
): Promise<readonly HourCounts[]> => {
  const sort = {
    text: '#sk BETWEEN :first AND :last',
    // Every channel of the last period: `~` sorts after them all.
    values: { first: periodKey(periodOf(from)), last: `${periodKey(periodOf(to - 1))}#~` },
  };
  const rows = await table.queryAll({ partition: KEYS.metrics(organizationId, '', '', 0).pk, sort });
  const sums = new Map<string, HourCounts>();
  for (const row of rows) addRow(sums, row, (hour) => hour >= from && hour < to);
  return [...sums.values()];
};
