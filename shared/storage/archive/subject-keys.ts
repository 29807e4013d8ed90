import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { SubjectKey, SubjectKeys } from '../../domain/archive/ports.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { Vault } from '../../domain/core/secrets.ts';
import { KEYS } from '../access-patterns.ts';
import type { Condition } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { digest } from '../key-parts.ts';

const stored = z.object({ secret: z.string().optional(), erasedAt: z.int().optional() });
const PURPOSE = 'archive-subject';
const SECRET_BYTES = 32;
/** Concurrent calls of the table. */
const CONCURRENCY = 16;
/** Attempts on conflicts with concurrent erasures. */
const MAX_ATTEMPTS = 5;

/** Condition: the subject has not been erased since it was read. */
const isUnerased = ({ erasedAt }: SubjectKey): Condition =>
  erasedAt === undefined
    ? { text: 'attribute_not_exists(#erasedAt)' }
    : { text: '#erasedAt = :erasedAt', values: { erasedAt } };

/** The subjects' keys in a table, sealed by the vault of the root key `archive`. */
export const subjectKeys = (table: Table, vault: () => Promise<Vault>): SubjectKeys => {
  const read = async (token: string, row: Row | undefined): Promise<SubjectKey> => {
    const { secret, erasedAt } = stored.parse(row ?? {});
    return {
      ...(erasedAt === undefined ? {} : { erasedAt }),
      ...(secret === undefined
        ? {}
        : {
            key: {
              id: digest(secret).slice(0, 12),
              secret: Buffer.from((await vault()).open(PURPOSE, token, secret, token), 'base64url'),
            },
          }),
    };
  };
  const find = async (tokens: readonly string[]) => {
    const rows = await table.getMany(tokens.map(KEYS.archiveSubject), { consistent: true });
    const read1 = async (token: string, at: number) => [token, await read(token, rows[at])] as const;
    return new Map(await Promise.all(tokens.map(read1)));
  };
  /** If two archivers create a key concurrently, both use the first one's. */
  const make = async (token: string, seen: SubjectKey): Promise<SubjectKey | undefined> => {
    const secret = (await vault()).seal(PURPOSE, token, randomBytes(SECRET_BYTES).toString('base64url'), token);
    const { ok, row } = await table.write({
      update: KEYS.archiveSubject(token),
      setOnce: { secret },
      when: isUnerased(seen),
    });
    return ok ? read(token, row) : undefined;
  };
  const keyed = async (token: string, newest: number, first: SubjectKey): Promise<SubjectKey> => {
    let seen = first;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (seen.key || (seen.erasedAt ?? 0) >= newest) return seen;
      const made = await make(token, seen);
      if (made) return made;
      seen = (await find([token])).get(token) ?? {};
    }
    throw new Unavailable('A subject is erased again and again.');
  };
  return {
    find,
    async obtain(wanted) {
      const seen = await find([...wanted.keys()]);
      const obtained = await mapConcurrently(
        [...wanted],
        CONCURRENCY,
        async ([token, newest]) => [token, await keyed(token, newest, seen.get(token) ?? {})] as const,
      );
      return new Map(obtained);
    },
    async erase(token, at) {
      await table.write({
        update: KEYS.archiveSubject(token),
        set: { erasedAt: at },
        remove: ['secret'],
        // A repeat must not affect rows archived since.
        when: { text: 'attribute_not_exists(#erasedAt) OR #erasedAt < :at', values: { at } },
      });
    },
  };
};
