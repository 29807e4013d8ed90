import { afterAll, beforeAll, expect, test } from 'vitest';
import type { QuietHours } from '../../shared/domain/messages/quiet-hours.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readQuietHours, setOrganization } from '../../shared/storage/organization-settings.ts';
import { startWorld, type World } from '../support/world.ts';

const NIGHT: QuietHours = { inicio: '22:00', fim: '08:00', timeZone: 'America/Sao_Paulo', channels: ['sms'] };

let world: World;
beforeAll(async () => {
  world = await startWorld('live');
});
afterAll(() => world?.close());

test('quiet hours are read as they stand, in one call for all that ask at once', async () => {
  const { organizationId } = world.actor();
  await world.table.write({ put: { ...KEYS.organization(organizationId) } });
  expect(await readQuietHours(world.table, organizationId)).toBeUndefined();
  expect(await setOrganization(world.table, organizationId, 'quietHours', NIGHT)).toBe(true);
  const before = new Map(world.proxy.calls);
  const read = await Promise.all(Array.from({ length: 20 }, () => readQuietHours(world.table, organizationId)));
  expect(read).toEqual(Array(20).fill(NIGHT));
  const asked = [...world.proxy.calls].map(([action, count]) => [action, count - (before.get(action) ?? 0)]);
  expect(asked.filter(([, count]) => count)).toEqual([['BatchGetItem', 1]]);
});
