import * as z from 'zod';
import type { Actor } from '../../domain/core/actor.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';

/** A token bucket: `perMinute` on average, `burst` at once (docs/spec/platform.md#rate-limits). */
export interface Bucket {
  readonly name: string;
  readonly perMinute: number;
  readonly burst: number;
}

const MAX_ATTEMPTS = 8;

/** When this process last saw a bucket full: only a guess of which of the two writes to try first. */
const guesses = new Map<string, number>();
const MAX_GUESSES = 10_000;

/**
 * Draws one token. The bucket is one number, the moment at which it will be full again (the generic cell rate algorithm), so that a draw is
 * one conditional write, which concurrent draws do not invalidate. Returns 0 when drawn, else the ms until the next token.
 */
export const drawToken = async (
  table: Table,
  credentialId: Actor['credentialId'],
  bucket: Bucket,
  now: number,
): Promise<number> => {
  const interval = 60_000 / bucket.perMinute;
  const latest = now + interval * (bucket.burst - 1);
  const key = KEYS.bucket(credentialId, bucket.name);
  const ttl = Math.ceil(now / 1000) + 3600;
  let fullAt = guesses.get(key.pk) ?? 0;
  if (guesses.size >= MAX_GUESSES) guesses.clear();
  for (let turn = 0; turn < MAX_ATTEMPTS; turn++) {
    const written =
      fullAt > now
        ? await table.write({
            update: key,
            add: { fullAt: interval },
            when: { text: '#fullAt > :now AND #fullAt <= :latest', values: { now, latest } },
          })
        : await table.write({
            update: key,
            set: { fullAt: now + interval, ttl },
            when: { text: 'attribute_not_exists(#pk) OR #fullAt <= :now', values: { now } },
          });
    fullAt = written.row ? z.number().parse(written.row.fullAt) : 0;
    guesses.set(key.pk, fullAt);
    if (written.ok) return 0;
    if (fullAt > latest) return Math.ceil(fullAt - latest);
  }
  return interval;
};
