import * as z from 'zod';
import { mapConcurrently } from '../../../shared/domain/core/map-concurrently.ts';
import { organizationIds } from '../../../shared/storage/access/organizations.ts';
import { advanceSequences } from '../../../shared/storage/webhooks/advance-sequence.ts';
import { defineCommand } from '../command.ts';
import { env, otherTable, wholeNumber } from '../options.ts';

/** Organizations processed concurrently. */
const CONCURRENCY = 8;

const webhookAdvance = defineCommand({
  name: 'webhook advance',
  summary: 'After a restore: skip sequence numbers in every subscription, so that none is used twice',
  options: z.object({
    env,
    by: wholeNumber(1, 'how many; more than any subscription received in the lost time (default 1000000)').default(
      1_000_000,
    ),
    table: otherTable,
  }),
  run: async ({ tables }, { env: chosen, by, table: name }) => {
    const table = name === undefined ? tables[chosen] : tables[chosen].named(name);
    const counts = await mapConcurrently(await organizationIds(table), CONCURRENCY, (id) =>
      advanceSequences(table, id, by),
    );
    return { data: { subscriptions: counts.reduce((sum, count) => sum + count, 0) } };
  },
});

export const WEBHOOK_COMMANDS = [webhookAdvance];
