import * as z from 'zod';
import type { Bucket } from '../../domain/access/rate-limits.ts';
import { KEYS } from '../access-patterns.ts';
import { batchConcurrent } from '../client/batch-concurrent.ts';
import { coalescedTransact, writeAll } from '../client/coalescer.ts';
import { EXISTS } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table, TransactOutcome } from '../client/table.ts';

const MAX_ATTEMPTS = 8;

/** When this process last saw a bucket full: a guess of which of the two writes to try first. */
const guesses = new Map<string, number>();
const MAX_GUESSES = 10_000;

/** Writes a draw; a condition that fails answers with the row. */
type WriteDraw = (table: Table, write: WriteOp) => Promise<TransactOutcome>;

/** By itself. */
const writeAlone: WriteDraw = (table, write) => writeAll(table, [write]);

/** With the draws that other callers of this process make at the same place of theirs: those of one caller are written apart, at half the price. */
const writeCoalesced =
  (place: number): WriteDraw =>
  (table, write) =>
    coalescedTransact(table, [write], `draw ${place}`);

/**
 * Draws tokens, at most a burst. The bucket is one number, the moment at which it will be full again (the generic cell rate algorithm), so that a draw is
 * one conditional write, which concurrent draws do not invalidate. Returns 0 when drawn, else the ms until they can be.
 */
export const drawToken = async (
  table: Table,
  owner: string,
  bucket: Bucket,
  now: number,
  tokens = 1,
  writeDraw = writeAlone,
): Promise<number> => {
  const interval = 60_000 / bucket.perMinute;
  const drawn = Math.min(tokens, bucket.burst);
  const taken = interval * drawn;
  const latest = now + interval * (bucket.burst - drawn);
  const key = KEYS.bucket(owner, bucket.name);
  const ttl = Math.ceil(now / 1000) + 3600;
  let fullAt = guesses.get(key.pk) ?? 0;
  if (guesses.size >= MAX_GUESSES) guesses.clear();
  for (let turn = 0; turn < MAX_ATTEMPTS; turn++) {
    const write: WriteOp =
      fullAt > now
        ? {
            update: key,
            add: { fullAt: taken },
            when: { text: '#fullAt > :now AND #fullAt <= :latest', values: { now, latest } },
          }
        : {
            update: key,
            set: { fullAt: now + taken, ttl },
            when: { text: 'attribute_not_exists(#pk) OR #fullAt <= :now', values: { now } },
          };
    const written = await writeDraw(table, write);
    if (written.ok) {
      guesses.set(key.pk, Math.max(now, fullAt) + taken);
      return 0;
    }
    const row = written.reasons[0]?.row;
    fullAt = row ? z.number().parse(row.fullAt) : 0;
    guesses.set(key.pk, fullAt);
    if (fullAt > latest) return Math.ceil(fullAt - latest);
  }
  return interval;
};

/** How long until a token can be drawn (ms); 0: now. Draws none. One consistent read. */
export const waitForToken = async (table: Table, owner: string, bucket: Bucket, now: number): Promise<number> => {
  const row = await table.get(KEYS.bucket(owner, bucket.name), { only: ['fullAt'] });
  const fullAt = row ? z.number().parse(row.fullAt) : 0;
  return Math.max(0, Math.ceil(fullAt - now - (60_000 / bucket.perMinute) * (bucket.burst - 1)));
};

/** Returns a token that was not used. A bucket that is full by now stays full. */
export const returnToken = async (table: Table, owner: string, bucket: Bucket): Promise<void> => {
  await table.write({
    update: KEYS.bucket(owner, bucket.name),
    add: { fullAt: -60_000 / bucket.perMinute },
    when: EXISTS,
  });
};

/** The maximum number of other rows tried after the first; they are chosen randomly, so that rows are used evenly. */
const MAX_ROWS_TRIED = 3;

/** One of the rows of a bucket, as a bucket; the first has the bucket's name. */
const rowOf = ({ name, perMinute, burst, rows = 1 }: Bucket, row: number): Bucket => ({
  name: row === 0 ? name : `${name}#${row}`,
  perMinute: perMinute / rows,
  burst: Math.max(1, Math.floor(burst / rows)),
});

interface TokenRequest {
  readonly owner: string;
  readonly bucket: Bucket;
  readonly now: number;
  /** Its place among the buckets that the caller draws from. */
  readonly place: number;
}

interface Drawn {
  /** Where it was drawn. */
  readonly row: Bucket;
  /** 0, or the ms until the next. */
  readonly waitMs: number;
}

/** Draws tokens of a bucket, one unless named, from any of its rows that has as many. */
const drawFromRows = async (table: Table, { owner, bucket, now, place }: TokenRequest, tokens = 1): Promise<Drawn> => {
  const { rows = 1 } = bucket;
  const first = Math.floor(Math.random() * rows);
  let waitMs = Number.POSITIVE_INFINITY;
  let row = rowOf(bucket, first);
  for (let tried = 0; tried < Math.min(rows, MAX_ROWS_TRIED); tried++) {
    row = rowOf(bucket, (first + tried) % rows);
    waitMs = Math.min(waitMs, await drawToken(table, owner, row, now, tokens, writeCoalesced(place)));
    if (waitMs === 0) break;
  }
  return { row, waitMs };
};

/** Draws one token for each of several callers of a bucket: of one row in one write, or one by one where no row has as many. */
const drawForAll = async (table: Table, requests: readonly TokenRequest[]): Promise<readonly Drawn[]> => {
  const [first] = requests;
  if (!first) return [];
  if (requests.length > 1 && requests.length <= rowOf(first.bucket, 0).burst) {
    const now = Math.max(...requests.map((one) => one.now));
    const drawn = await drawFromRows(table, { ...first, now }, requests.length);
    if (drawn.waitMs === 0) return requests.map(() => drawn);
  }
  return Promise.all(requests.map((one) => drawFromRows(table, one)));
};

/** Callers that wait for a draw of the same bucket share the next one. */
const MAX_DRAWN_AT_ONCE = 50;
const drawing = new WeakMap<Table, ReturnType<typeof batchConcurrent<TokenRequest, Drawn>>>();

/** Draws one token of a bucket. */
const drawOne = (table: Table, request: TokenRequest): Promise<Drawn> => {
  const draw =
    drawing.get(table) ?? batchConcurrent((all: readonly TokenRequest[]) => drawForAll(table, all), MAX_DRAWN_AT_ONCE);
  drawing.set(table, draw);
  const { name, perMinute, burst, rows } = request.bucket;
  return draw([request.owner, name, perMinute, burst, rows].join(' '), request);
};

/** A bucket to draw from, and its owner; a promise if its size must be read first. */
export interface Draw {
  readonly owner: string;
  readonly bucket: Bucket | Promise<Bucket>;
}

/**
 * Draws one token of each bucket, or none: concurrently, and drawn tokens are returned on refusal, so that a caller over its own limit uses
 * up no shared tokens. Returns the first empty bucket, with the ms until its next token. One round trip, two when refused; concurrent callers
 * of this process share the writes of a bucket.
 */
export const drawTokens = async (
  table: Table,
  draws: readonly Draw[],
  now: number,
): Promise<{ readonly at: number; readonly bucket: Bucket; readonly waitMs: number } | undefined> => {
  const drawn = await Promise.all(
    draws.map(async ({ owner, bucket: reading }, at) => {
      const bucket = await reading;
      return { at, owner, bucket, ...(await drawOne(table, { owner, bucket, now, place: at })) };
    }),
  );
  const empty = drawn.find(({ waitMs }) => waitMs > 0);
  if (!empty) return undefined;
  const spent = drawn.filter(({ waitMs }) => waitMs === 0);
  await Promise.all(spent.map(({ owner, row }) => returnToken(table, owner, row)));
  return empty;
};
