import { expect, test } from 'vitest';
import { type PreviewPorts, previewV1 } from '../../shared/domain/api/v1-send.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import type { RecipientKind } from '../../shared/domain/message/channel.ts';
import type { QuietHours } from '../../shared/domain/sending/quiet-hours.ts';
import { readQuietHours, setOrganization } from '../../shared/storage/access/organization-settings.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readEligibility } from '../../shared/storage/contacts/recipient-eligibility.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { submitPortsOf } from '../support/world-queued.ts';

const NIGHT: QuietHours = { inicio: '22:00', fim: '08:00', timeZone: 'America/Sao_Paulo', channels: ['sms'] };

const world = await use(startWorld('live'));

/** Calls of the table that `work` makes. */
const callsOf = async (work: () => Promise<unknown>) => {
  const before = new Map(world.proxy.calls);
  await work();
  const asked = [...world.proxy.calls].map(([action, count]) => [action, count - (before.get(action) ?? 0)]);
  return asked.filter(([, count]) => count);
};

test('quiet hours are read as they stand, in one call for all that ask at once', async () => {
  const { organizationId } = world.actor();
  await world.table.write({ put: { ...KEYS.organization(organizationId) } });
  expect(await readQuietHours(world.table, organizationId)).toBeUndefined();
  expect(await setOrganization(world.table, organizationId, 'quietHours', NIGHT)).toBe(true);
  const ask = async () => {
    const read = await Promise.all(Array.from({ length: 20 }, () => readQuietHours(world.table, organizationId)));
    expect(read).toEqual(Array(20).fill(NIGHT));
  };
  expect(await callsOf(ask)).toEqual([['BatchGetItem', 1]]);
});

test('a send plan foretells each way by the quiet hours as they stand, with funds and consent in one call', async () => {
  const actor = await world.organization(1_000_000);
  const { organizationId } = actor;
  await world.table.write({ put: { ...KEYS.organization(organizationId) } });
  const ports: PreviewPorts = {
    ...submitPortsOf(world),
    previewContext: async (_, plans) => {
      const recipientHashOf = (kind: RecipientKind, to: string) =>
        world.ports.recipientHashOf(organizationId, kind, to);
      return { ...(await readEligibility(world.table, organizationId, plans, recipientHashOf)), byPlan: new Map() };
    },
  };
  const midnight = Date.parse('2026-03-11T03:00:00Z');
  const scheduledAt = isoTime(midnight);
  const body = { channel: 'sms', to: '+5511987654321', text: 'Oi', fallback: ['rcs', 'sms'], scheduledAt } as const;
  const leaves = async () => {
    const plan = await previewV1(ports, actor, { ...body, fallback_after: 600_000 });
    if (isRefusal(plan)) throw new Error(plan.name);
    return plan.hops.map((hop) => ('leavesAt' in hop ? hop.leavesAt : hop.refusal));
  };
  await leaves();
  expect(await leaves()).toEqual(['2026-03-11T03:00:00.000Z', '2026-03-11T03:10:00.000Z', '2026-03-11T03:20:00.000Z']);
  await setOrganization(world.table, organizationId, 'quietHours', NIGHT);
  expect(await callsOf(leaves)).toEqual([['BatchGetItem', 1]]);
  expect(await leaves()).toEqual(['2026-03-11T11:00:00.000Z', '2026-03-11T11:10:00.000Z', '2026-03-11T11:20:00.000Z']);
  await setOrganization(world.table, organizationId, 'quietHours', { ...NIGHT, channels: ['rcs'] });
  expect(await leaves()).toEqual(['2026-03-11T03:00:00.000Z', '2026-03-11T11:00:00.000Z', '2026-03-11T11:10:00.000Z']);
});
