import { expect, test } from 'vitest';
import { shareOf } from '../support/share.ts';
import { runKilled } from '../torture/webhooks.ts';

const SEED = Number(process.env.SEED ?? 20_260_315);
const DELIVERIES = 5 * shareOf(100);

test(`every event reaches every healthy endpoint though the service is killed meanwhile, and is open for those that hang or fail (SEED=${SEED})`, {
  timeout: 600_000,
}, async () => {
  const run = await runKilled({ count: DELIVERIES, seed: SEED, late: () => false }, 1);
  expect(run).toMatchObject({ deliveries: DELIVERIES, kills: 1 });
});
