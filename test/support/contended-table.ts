import { startDynoxide } from '../../infra/local/engines.ts';
import { ensureTable } from '../../infra/local/resources.ts';
import { startTableLaws } from '../../infra/local/table-laws/proxy.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import './aws-environment.ts';
import { waitAsInvocation } from './patience.ts';
import { patient } from './patient-client.ts';
import { rowsWith } from './scan.ts';
import { watchIndexes } from './table-engine.ts';
import { use } from './use.ts';

const NAME = 'live';
/** A table behind the laws of docs/table-laws.md. `ownTable`: as another process has it, which shares no client and waits as an invocation does. */
export const useContendedTable = async (patience = waitAsInvocation) => {
  const engine = await startDynoxide();
  await use({ close: () => engine.stop() });
  const laws = await use(startTableLaws(engine.endpoint, { lagMs: [0, 0] }));
  watchIndexes(laws);
  await ensureTable(tableClient(engine.endpoint), NAME);
  const ownTable = () => new Table(patient(tableClient(laws.endpoint)), NAME, patience);
  /** The rows of an organization, read beside the laws. */
  const rowsOf = (organizationId: string) => rowsWith(engine.endpoint, NAME, organizationId);
  return { laws, ownTable, table: ownTable(), rowsOf };
};
