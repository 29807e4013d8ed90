import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { receiveInbound } from '../../shared/domain/inbound/receive.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readInboundCounts } from '../../shared/storage/messages/inbound.ts';
import { INBOUND_SHARDS } from '../../shared/storage/table-indexes.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { anEvent, inboundOver } from './support.ts';

const CALLERS = 24;
const MESSAGES = 240;

const { laws, ownTable } = await useContendedTable();
const hashOf = async (...parts: readonly string[]) => createHash('sha256').update(parts.join(' ')).digest('base64url');

test('240 messages received by 24 concurrent callers rarely conflict, and are counted exactly', {
  timeout: 60_000,
}, async () => {
  const tenant = { organizationId: newId('organization'), env: 'live' } as const;
  let next = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, ownTable).map(async (table) => {
      const ports = inboundOver(table, Date.now, hashOf);
      while (next < MESSAGES) await receiveInbound(ports, tenant, anEvent({ from: `+5511${987_000_000 + next++}` }));
    }),
  );
  expect(await readInboundCounts(ownTable(), tenant.organizationId)).toEqual({ whatsapp: MESSAGES });
  // However many are in flight at once: no row counts more than a small share.
  const keys = Array.from({ length: INBOUND_SHARDS }, (_, shard) =>
    KEYS.inboundCount(tenant.organizationId, 'whatsapp', shard),
  );
  const counts = (await ownTable().getMany(keys)).map((row) => Number(row?.messages ?? 0));
  expect(Math.max(...counts)).toBeLessThan(MESSAGES / 8);
  // Of 24 that are always in flight, over 32 rows, every second one meets another.
  expect(laws.statistics().refusals.transactionConflicts ?? 0).toBeLessThan(1.5 * MESSAGES);
});
