import { type PartOutcome, type SubmittedPart, submitPart } from '../../shared/domain/smpp/parts.ts';
import type { SmppSubmitter } from '../../shared/domain/smpp/send.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { asProcess } from '../support/as-process.ts';
import { patient } from '../support/patient-client.ts';
import { startWorld } from '../support/world.ts';
import { partsPortsOf, sharedProvider } from './parts-kit.ts';

/** The work of a process: it submits parts, one after the other, from a given one on, and reports each start and result. */
export interface PartsWork {
  readonly endpoint: string;
  readonly now: number;
  readonly account: SmppSubmitter;
  readonly parts: readonly SubmittedPart[];
  readonly saysFrom: number;
}
export type PartsWord = { readonly begins: number } | { readonly at: number; readonly outcome: PartOutcome };

/** In ms; longer than an invocation has: how long it takes until none of them lost is the machine's matter. */
const PATIENCE_MS = 200_000;

asProcess<PartsWork, PartsWord>(async ({ endpoint, now, account, parts, saysFrom }, say) => {
  const world = await startWorld('live', { at: endpoint });
  world.now = now;
  world.candidates = () => ({ kind: 'ready', providers: [sharedProvider(world.table)] });
  const table = new Table(patient(tableClient(endpoint)), 'live', (at) => at + PATIENCE_MS - performance.now());
  const ports = partsPortsOf(world, table);
  for (const [at, part] of parts.entries()) {
    if (at >= saysFrom) say({ begins: at });
    const outcome = await submitPart(ports, { env: 'live' }, account, part);
    if (at >= saysFrom) say({ at, outcome });
  }
  await world.close();
});
