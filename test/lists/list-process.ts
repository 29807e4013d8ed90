import type { Id } from '../../shared/domain/core/ids.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { accepted } from '../support/accepted.ts';
import '../support/aws-environment.ts';
import { asProcess } from '../support/as-process.ts';
import { patient } from '../support/patient-client.ts';
import type { Answer, ListOperation } from './orders.ts';
import { listsOver } from './stage.ts';

/** An edit of members: with the identifiers of its contacts. */
export interface ListEditWork extends ListOperation {
  readonly kind: 'add' | 'remove' | 'replace';
  readonly externalIds: readonly string[];
}
/** The work of a process: its edits of a list, one after the other, with their results. */
export interface ListWork {
  readonly endpoint: string;
  readonly tableName: string;
  readonly organizationId: Id<'organization'>;
  readonly listId: Id<'list'>;
  readonly edits: readonly ListEditWork[];
}
/** In ms; longer than an invocation has: how long it takes until none of them lost is the machine's matter. */
const PATIENCE_MS = 200_000;

asProcess<ListWork, Answer>(async ({ endpoint, tableName, organizationId, listId, edits }, say) => {
  const table = new Table(patient(tableClient(endpoint)), tableName, (at) => at + PATIENCE_MS - performance.now());
  const lists = listsOver(table, Date.now, PATIENCE_MS);
  for (const { kind, externalIds } of edits) {
    const { added, removed, total } = accepted(await lists.edit(organizationId, listId, kind, { externalIds }));
    say({ added, removed, total });
  }
});
