import { existsSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Table } from '../../shared/storage/client/table.ts';
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

/** Reads the data directory's demo organization, or creates it. */
export const ensureDemo = async (dataDir: string, tables: Readonly<Record<Stage, Table>>): Promise<Demo> => {
  const file = join(dataDir, 'demo.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Demo;
  const { createOrganization } = await import('../provisioning/organizations.ts');
  const { organizationId, keys } = await createOrganization(tables, { name: NAME });
  const hints = Object.fromEntries(STAGES.map((stage) => [stage, hintOf(keys[stage])])) as Record<Stage, string>;
  await writeFile(`${file}.new`, `${JSON.stringify({ organizationId, hints }, null, 2)}\n`);
  await rename(`${file}.new`, file);
  return { organizationId, hints, keys };
};
