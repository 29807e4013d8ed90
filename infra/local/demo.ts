import { existsSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Id } from '../../shared/domain/core/ids.ts';
import { assignSender } from '../../shared/domain/senders/assign.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { senderStore } from '../../shared/storage/senders/senders.ts';
import { STAGES, type Stage } from './stages.ts';

/** The demo organization, which the first start creates. */
export interface Demo {
  readonly organizationId: string;
  /** First and last characters of each key, enough to tell which it is. Stored in `demo.json`. */
  readonly hints: Readonly<Record<Stage, string>>;
  /** The full keys; only at the start that created them, since they are not stored. */
  readonly keys?: Readonly<Record<Stage, string>>;
}

const NAME = 'Demo';
const hintOf = (key: string): string => `${key.slice(0, 9)}…${key.slice(-4)}`;

/** What its live sends may be sent as, once a provider is set up. */
const SENDERS = [
  ['email', 'loja.example'],
  ['sms', 'LOJA'],
] as const;
const giveSenders = async (live: Table, organizationId: Id<'organization'>): Promise<void> => {
  const ports = { clock: Date.now, senders: senderStore(live) };
  for (const [channel, value] of SENDERS) await assignSender(ports, { organizationId }, channel, value);
};

/** Reads the data directory's demo organization, or creates it. */
export const ensureDemo = async (dataDir: string, tables: Readonly<Record<Stage, Table>>): Promise<Demo> => {
  const file = join(dataDir, 'demo.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Demo;
  const { createOrganization } = await import('../provisioning/organizations.ts');
  const { organizationId, keys } = await createOrganization(tables, { name: NAME });
  await giveSenders(tables.live, organizationId);
  const hints = Object.fromEntries(STAGES.map((stage) => [stage, hintOf(keys[stage])])) as Record<Stage, string>;
  await writeFile(`${file}.new`, `${JSON.stringify({ organizationId, hints }, null, 2)}\n`);
  await rename(`${file}.new`, file);
  return { organizationId, hints, keys };
};
