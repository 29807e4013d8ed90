import * as z from 'zod';
import { KEYS } from '../access-patterns.ts';
import { time } from '../client/attributes.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';

/** Why the last attempt of a queue message failed; never its content. */
export interface LastFailure {
  /** The name of the error. */
  readonly fault: string;
  readonly reason: string;
  /** ms. */
  readonly at: number;
}

const failureRows = defineRow<LastFailure>()({
  attributes: { fault: z.string(), reason: z.string(), at: time },
  key: (_, sqsId: string) => KEYS.deadLetter(sqsId),
});

/** As long as SQS keeps a dead letter, plus a day. */
const KEPT_SECONDS = 15 * 86_400;

/** Stores why messages of a queue failed, by their ids in SQS. One write unit each. */
export const keepLastFailures = (
  table: Table,
  failures: readonly (LastFailure & { readonly sqsId: string })[],
): Promise<void> =>
  table.putMany(
    failures.map(({ sqsId, ...failure }) => ({
      ...failureRows.write(failure, sqsId),
      ttl: Math.ceil(failure.at / 1_000) + KEPT_SECONDS,
    })),
  );

/** Why the last attempts of messages failed, in their order; undefined where it is not stored. */
export const readLastFailures = async (
  table: Table,
  sqsIds: readonly string[],
): Promise<readonly (LastFailure | undefined)[]> => {
  if (sqsIds.length === 0) return [];
  const rows = await table.getMany(sqsIds.map(KEYS.deadLetter));
  return rows.map((row) => row && failureRows.read(row));
};
