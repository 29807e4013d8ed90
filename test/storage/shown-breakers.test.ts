import { expect, test, vi } from 'vitest';
import { type AuditAction, operatorEntry, STAGE_LOG } from '../../shared/domain/audit/entry.ts';
import { auditWrites } from '../../shared/storage/audit/audit-log.ts';
import { breakers } from '../../shared/storage/due-work/breakers.ts';
import {
  type BreakerPlace,
  closeBreaker,
  endRest,
  readBreakers,
} from '../../shared/storage/due-work/shown-breakers.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('live', { inMemory: true }));
const placeOf = (route: string): BreakerPlace => ({ channel: 'sms', provider: 'twilio', route });
const report = async (route: string, outcomes: readonly boolean[]) => {
  const own = breakers(world.table, () => world.now);
  for (const healthy of outcomes) await own.report('sms', 'twilio', route, healthy);
};
const FIVE_FAILURES = Array.from({ length: 5 }, () => false);
const shown = async (route: string) => (await readBreakers(world.table, [placeOf(route)], world.now))[0];

/** An operator's act on a route, and whether its entry was stored. */
const entered = async (action: AuditAction, act: (entry: ReturnType<typeof operatorEntry>) => Promise<unknown>) => {
  const entry = operatorEntry(STAGE_LOG, { action, object: 'provider/sms/twilio', at: world.now });
  const result = await act(entry);
  const [write] = auditWrites(entry);
  const row = write && 'put' in write ? await world.table.get(write.put) : undefined;
  return { result, stored: row !== undefined };
};

test('a closed route is shown with what all processes reported in the last ten seconds, and without what is older', async () => {
  await report('premium', [true, true, false, false]);
  expect(await shown('premium')).toEqual({ route: 'premium', state: 'closed', failures: 2, successes: 2 });
  world.now += 10_000;
  expect(await shown('premium')).toMatchObject({ failures: 2, successes: 2 });
  world.now += 1;
  expect(await shown('premium')).toEqual({ route: 'premium', state: 'closed', failures: 0, successes: 0 });
});

test('a route that tripped rests until a time, is then ready for its probe, and is shown while that runs', async () => {
  await report('otp', FIVE_FAILURES);
  const since = world.now;
  const until = since + 30_000;
  expect(await shown('otp')).toMatchObject({ state: 'open', since, until });
  world.now = until - 1;
  expect(await shown('otp')).toMatchObject({ state: 'open', until });
  world.now = until;
  expect(await shown('otp')).toEqual({ route: 'otp', state: 'half_open', since, failures: 0, successes: 0 });
  expect(await breakers(world.table, () => world.now).probe('sms', 'twilio', 'otp')).toBe(true);
  expect(await shown('otp')).toMatchObject({ state: 'half_open', since, lastProbeAt: until });
});

test('an operator ends the rest of an open route only, and each act has its entry in the same transaction', async () => {
  const probe = (route: string) =>
    entered('breaker.probed', (entry) => endRest(world.table, placeOf(route), world.now, entry));
  const reset = (route: string) =>
    entered('breaker.reset', (entry) => closeBreaker(world.table, placeOf(route), entry));
  expect(await probe('standard')).toEqual({ result: false, stored: false });
  await report('standard', [false]);
  expect(await probe('standard')).toEqual({ result: false, stored: false });
  await report('standard', FIVE_FAILURES);
  expect(await probe('standard')).toEqual({ result: true, stored: true });
  expect(await shown('standard')).toMatchObject({ state: 'half_open' });
  expect(await breakers(world.table, () => world.now).probe('sms', 'twilio', 'standard')).toBe(true);
  expect((await reset('standard')).stored).toBe(true);
  expect(await shown('standard')).toEqual({ route: 'standard', state: 'closed', failures: 0, successes: 0 });
});

test('an operator lets the next call probe at once, also while another probe runs', async () => {
  const probe = () => breakers(world.table, () => world.now).probe('sms', 'twilio', 'transactional');
  await report('transactional', FIVE_FAILURES);
  world.now += 30_000;
  expect(await probe()).toBe(true);
  expect(await probe()).toBe(false);
  const act = (entry: ReturnType<typeof operatorEntry>) =>
    endRest(world.table, placeOf('transactional'), world.now, entry);
  expect(await entered('breaker.probed', act)).toEqual({ result: true, stored: true });
  expect(await probe()).toBe(true);
});

test('an operator sees the state that the last write left: reads are strongly consistent', async () => {
  const read = vi.spyOn(world.table, 'getMany');
  await shown('premium');
  expect(read).toHaveBeenCalledExactlyOnceWith(expect.any(Array), { consistent: true });
});
