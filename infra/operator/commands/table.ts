import * as z from 'zod';
import { mapConcurrently } from '../../../shared/domain/core/map-concurrently.ts';
import { organizationIds } from '../../../shared/storage/access/organizations.ts';
import { migrateTable } from '../../../shared/storage/migration/migrate.ts';
import { REWRITES } from '../../../shared/storage/migration/rewrites.ts';
import { sealDeviceNames } from '../../../shared/storage/push/devices.ts';
import { verifyWallet } from '../../../shared/storage/wallet/verify.ts';
import { defineCommand, OperatorError } from '../command.ts';
import { env, flag, otherTable, wholeNumber } from '../options.ts';

const MAX_SEGMENTS = 64;

const tableMigrate = defineCommand({
  name: 'table migrate',
  summary: 'Bring all rows of a table to their newest shape, in place, while the service runs',
  options: z.object({
    env,
    segments: wholeNumber(1, 'parts of the table that are read in parallel (default 4)')
      .refine((count) => count <= MAX_SEGMENTS, `must be at most ${MAX_SEGMENTS}`)
      .default(4),
    rowsPerSecond: wholeNumber(1, 'maximum rows a second, to leave capacity for the traffic (default 500)').default(
      500,
    ),
    dryRun: flag('count the rows that would be rewritten, and write nothing'),
  }),
  run: async (target, { env: chosen, dryRun = false, ...settings }) => {
    const rewrites = { ...REWRITES, pushToken: sealDeviceNames(await target.vault(chosen, 'push')) };
    const counts = await migrateTable(target.tables[chosen], { ...settings, dryRun, rewrites });
    const items = Object.entries(counts).map(([rows, { rows: seen, ...outcomes }]) => ({ rows, seen, ...outcomes }));
    const left = items.filter(({ busy, unreadable }) => busy + unreadable > 0).map(({ rows }) => rows);
    if (left.length > 0 && !dryRun)
      throw new OperatorError(
        `Rows were left in their older shape: ${left.join(', ')}. Run it again; \`--dry-run\` counts those that cannot be read.`,
      );
    return { data: { items }, ...(dryRun ? { note: 'Nothing was written.' } : {}) };
  },
});

/** Wallets checked concurrently. */
const CONCURRENCY = 8;

const tableVerify = defineCommand({
  name: 'table verify',
  summary: "Check each organization's money: balance and held coins are the sums of the ledger",
  options: z.object({
    env,
    table: otherTable,
  }),
  run: async ({ tables }, { env: chosen, table: name }) => {
    const table = name === undefined ? tables[chosen] : tables[chosen].named(name);
    const items = await mapConcurrently(await organizationIds(table), CONCURRENCY, async (organization) => ({
      organization,
      ...(await verifyWallet(table, organization)),
    }));
    const wrong = items.filter(({ faults }) => faults.length > 0);
    if (wrong.length > 0)
      throw new OperatorError(
        `The money of ${wrong.length} of ${items.length} organizations is wrong.${wrong.map(({ organization, faults }) => `\n${organization}: ${faults.join('; ')}.`).join('')}`,
      );
    return {
      data: { items: items.map(({ faults: _faults, ...item }) => item) },
      note: `The money of ${items.length} organizations is right.`,
    };
  },
});

export const TABLE_COMMANDS = [tableMigrate, tableVerify];
