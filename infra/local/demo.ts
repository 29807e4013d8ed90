import { existsSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Table } from '../../shared/storage/table.ts';
import { STAGES, type Stage } from './stages.ts';

/** The organization that the first start makes, so that there is something to call with. */
export interface Demo {
  readonly organizationId: string;
  /** Enough of each key to tell which it is. */
  readonly hints: Readonly<Record<Stage, string>>;
  /** The keys themselves: only at the start that made them. */
  readonly keys?: Readonly<Record<Stage, string>>;
}

const NAME = 'Demo';
const hintOf = (key: string): string => `${key.slice(0, 9)}…${key.slice(-4)}`;

/** Finds the data directory's demo organization, or makes it. */
export const ensureDemo = async (dataDir: string, tables: Readonly<Record<Stage, Table>>): Promise<Demo> => {
  const file = join(dataDir, 'demo.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Demo;
  const { createOrganization } = await import('../operator/organizations.ts');
  const { organizationId, keys } = await createOrganization(tables, { name: NAME });
  const hints = Object.fromEntries(STAGES.map((stage) => [stage, hintOf(keys[stage])])) as Record<Stage, string>;
  await writeFile(`${file}.new`, `${JSON.stringify({ organizationId, hints }, null, 2)}\n`);
  await rename(`${file}.new`, file);
  return { organizationId, hints, keys };
};
