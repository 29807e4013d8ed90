import { expect, test } from 'vitest';
import { type PreviewPorts, previewV1 } from '../../shared/domain/api/v1-send.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import type { RecipientKind } from '../../shared/domain/message/channel.ts';
import type { QuietHours } from '../../shared/domain/sending/quiet-hours.ts';
import { readQuietHours, setOrganization } from '../../shared/storage/access/organization-settings.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readEligibility } from '../../shared/storage/contacts/recipient-eligibility.ts';
import { accepted } from '../support/accepted.ts';
import { operatorAct } from '../support/audit.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { submitPortsOf } from '../support/world-queued.ts';

const NIGHT: QuietHours = { inicio: '22:00', fim: '08:00', timeZone: 'America/Sao_Paulo', channels: ['sms'] };

const world = await use(startWorld('live'));

const { callsOf } = world.proxy;

test('quiet hours are read without a cache, in one call for all concurrent reads', async () => {
  const { organizationId } = world.actor();
  await world.table.write({ put: { ...KEYS.organization(organizationId) } });
  expect(await readQuietHours(world.table, organizationId)).toBeUndefined();
  expect(await setOrganization(world.table, organizationId, 'quietHours', NIGHT, operatorAct(organizationId))).toBe(
    true,
  );
  const readConcurrently = async () => {
    const read = await Promise.all(Array.from({ length: 20 }, () => readQuietHours(world.table, organizationId)));
    expect(read).toEqual(Array(20).fill(NIGHT));
  };
  expect(await callsOf(readConcurrently)).toEqual({ BatchGetItem: 1 });
});

test('a preview applies the current quiet hours to each step, read with balance and consent in one call', async () => {
  const actor = await world.organization();
  const { organizationId } = actor;
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
  const times = async () => {
    const plan = accepted(await previewV1(ports, actor, { ...body, fallback_after: 600_000 }));
    return plan.hops.map((step) => ('leavesAt' in step ? step.leavesAt : step.refusal));
  };
  await times();
  expect(await times()).toEqual(['2026-03-11T03:00:00.000Z', '2026-03-11T03:10:00.000Z', '2026-03-11T03:20:00.000Z']);
  await setOrganization(world.table, organizationId, 'quietHours', NIGHT, operatorAct(organizationId));
  expect(await callsOf(times)).toEqual({ BatchGetItem: 1 });
  expect(await times()).toEqual(['2026-03-11T11:00:00.000Z', '2026-03-11T11:10:00.000Z', '2026-03-11T11:20:00.000Z']);
  await setOrganization(
    world.table,
    organizationId,
    'quietHours',
    { ...NIGHT, channels: ['rcs'] },
    operatorAct(organizationId),
  );
  expect(await times()).toEqual(['2026-03-11T03:00:00.000Z', '2026-03-11T11:00:00.000Z', '2026-03-11T11:10:00.000Z']);
});
