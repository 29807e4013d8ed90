import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { startDynoxide } from '../../infra/local/engines.ts';
import { ensureTable } from '../../infra/local/resources.ts';
import { startTableLaws } from '../../infra/local/table-laws/proxy.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { receiveInbound } from '../../shared/domain/inbound/receive.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { readInboundCounts } from '../../shared/storage/messages/inbound.ts';
import '../support/aws-environment.ts';
import { use } from '../support/use.ts';
import { anEvent, inboundOver } from './support.ts';

const CALLERS = 24;
const MESSAGES = 240;

const engine = await startDynoxide();
await use({ close: () => engine.stop() });
const laws = await use(startTableLaws(engine.endpoint, { lagMs: [0, 0] }));
await ensureTable(tableClient(engine.endpoint), 'live');
const ownTable = () =>
  new Table(tableClient(laws.endpoint), 'live', (startedAt) => startedAt + 16_000 - performance.now());
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
  expect(laws.statistics().refusals.transactionConflicts ?? 0).toBeLessThan(MESSAGES);
});
