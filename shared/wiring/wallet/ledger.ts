import * as z from 'zod';
import type { Actor } from '../../domain/core/actor.ts';
import { encodeCursor, openCursor } from '../../domain/core/cursor.ts';
import { isRefusal } from '../../domain/core/errors.ts';
import { readLedger } from '../../storage/wallet/ledger.ts';
import { table, vaults } from '../process/aws.ts';

const position = z.strictObject({ sk: z.string(), balance: z.int(), held: z.int(), ledgers: z.int().default(0) });

/** A page of the ledger, newest first (docs/spec/wallet.md#ledger); 400 for a cursor that is invalid or of another organization, environment or list. */
export const ledgerPage = async (actor: Actor, limit: number, cursor: string | undefined) => {
  const keys = await vaults.cursors();
  const scope = { organizationId: actor.organizationId, env: actor.env, query: { operation: 'wallet.list-entries' } };
  const from = openCursor(position, { vault: keys, scope, cursor });
  if (isRefusal(from)) return from;
  const { lines, next } = await readLedger(table, actor.organizationId, limit, from);
  return { items: lines, nextCursor: next ? encodeCursor(keys, scope, { ...next }) : null };
};
