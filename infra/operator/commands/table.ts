import * as z from 'zod';
import { migrateTable } from '../../../shared/storage/migration/migrate.ts';
import { defineCommand, OperatorError } from '../command.ts';
import { env, wholeNumber } from '../options.ts';

const MAX_SEGMENTS = 64;

const tableMigrate = defineCommand({
  name: 'table migrate',
  summary: 'Bring all rows of a table to their newest shape, in place, while the service goes on',
  options: z.object({
    env,
    segments: wholeNumber(1, 'parts of the table that are read in parallel (default 4)')
      .refine((count) => count <= MAX_SEGMENTS, `must be at most ${MAX_SEGMENTS}`)
      .default(4),
    rowsPerSecond: wholeNumber(1, 'rows a second at most, to leave the rest to the traffic (default 500)').default(500),
    dryRun: z.boolean().optional().meta({ description: 'count what would be rewritten, and write nothing' }),
  }),
  run: async ({ tables }, { env: chosen, dryRun = false, ...settings }) => {
    const counts = await migrateTable(tables[chosen], { ...settings, dryRun });
    const items = Object.entries(counts).map(([rows, { rows: seen, ...outcomes }]) => ({ rows, seen, ...outcomes }));
    const left = items.filter(({ busy, unreadable }) => busy + unreadable > 0).map(({ rows }) => rows);
    if (left.length > 0 && !dryRun)
      throw new OperatorError(
        `Rows were left in their older shape: ${left.join(', ')}. Run it again; \`--dry-run\` counts those that cannot be read.`,
      );
    return { data: { items }, ...(dryRun ? { note: 'Nothing was written.' } : {}) };
  },
});

export const TABLE_COMMANDS = [tableMigrate];
