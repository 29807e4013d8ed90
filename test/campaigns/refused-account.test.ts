import { beforeEach, describe, expect, test } from 'vitest';
import { resumeCampaign, startCampaign } from '../../shared/domain/campaigns/lifecycle.ts';
import { pauseCampaignOf } from '../../shared/domain/campaigns/pause-refused.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import type { ProviderAnswer } from '../../shared/domain/message/provider-port.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { accepted } from '../support/accepted.ts';
import { bulkWorld } from '../support/bulk-world.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { campaignPortsOver, draftTo, driveItem, workOff, workOnCampaign, writePeople } from './stage.ts';

const world = await use(startWorld('live'));
beforeEach(world.reset);
const bulk = bulkWorld(world);
const raised: DomainEvent[] = [];
const ports = campaignPortsOver(world, world.table, (events) => void raised.push(...events));
const refusing = {
  ...bulk.chunks,
  onAccountRefused: (message: Parameters<typeof pauseCampaignOf>[1]) => pauseCampaignOf(ports, message),
};

const refusedFor = (cause: 'credentials' | 'recipient' | 'unavailable'): ProviderAnswer => ({
  kind: 'refused',
  cause,
  detail: 'HTTP 401',
});
/** A campaign whose first portion is accepted, and has not left. */
const started = async () => {
  raised.length = 0;
  const actor = await world.organization();
  const contacts = await writePeople(world, actor, [{}, {}, {}]);
  const id = await draftTo(ports, actor, contacts, { perMinute: 2 });
  accepted(await startCampaign(ports, actor, id));
  await workOnCampaign(ports, driveItem(id));
  await workOnCampaign(ports, { pk: `CMPP#${id}#0`, sk: 'PORTION' });
  const [first, second] = await bulk.messages(actor);
  if (!first || !second) throw new Error('no messages');
  return { actor, id, first, second };
};
const stateOf = async (id: Parameters<typeof ports.store.readById>[0]) => {
  const { status, pausedBy } = (await ports.store.readById(id)) ?? {};
  return [status, pausedBy?.reason];
};

describe('a campaign whose provider refuses the account', () => {
  test('pauses itself with the first message, once, and sends no other message', async () => {
    const { actor, id, first, second } = await started();
    world.provider.script = [() => refusedFor('credentials'), () => refusedFor('credentials')];
    await sendQueued(refusing, first.id);
    expect(await stateOf(id)).toEqual(['paused', 'provider_unavailable']);
    await sendQueued(refusing, second.id);
    expect(raised.filter(({ type }) => type === 'campaign.paused')).toHaveLength(1);
    world.now += 120_000;
    await workOff(world, ports, id);
    expect(await bulk.messages(actor)).toHaveLength(2);
    await bulk.settle();
    await bulk.money(actor);
  });

  test('continues if it was resumed after the message was handed to the provider', async () => {
    const { actor, id, first } = await started();
    world.provider.script = [
      async () => {
        await pauseCampaignOf(ports, { ...first, dispatchedAt: world.now });
        world.now += 1_000;
        accepted(await resumeCampaign(ports, actor, id));
        return refusedFor('credentials');
      },
    ];
    await sendQueued(refusing, first.id);
    expect(await stateOf(id)).toEqual(['running', undefined]);
  });

  test.each(['recipient', 'unavailable'] as const)('continues if the refusal has another cause: %s', async (cause) => {
    const { id, first } = await started();
    world.provider.script = [() => refusedFor(cause)];
    await sendQueued(refusing, first.id);
    expect(await stateOf(id)).toEqual(['running', undefined]);
  });

  test('continues if the message has a fallback', async () => {
    const { id, first } = await started();
    world.provider.script = [() => refusedFor('credentials')];
    const { messageStore } = refusing;
    const claimQueued: typeof messageStore.claimQueued = async (...claim) => {
      const message = await messageStore.claimQueued(...claim);
      return message && { ...message, fallbackId: message.id };
    };
    await sendQueued({ ...refusing, messageStore: { ...messageStore, claimQueued } }, first.id);
    expect((await world.ports.messageStore.read(first.id))?.status).toBe('failed');
    expect(await stateOf(id)).toEqual(['running', undefined]);
  });

  test('is not set up any more: the campaign pauses itself', async () => {
    const { id, first } = await started();
    const routing = {
      ...refusing.routing,
      candidates: async () => ({ kind: 'none' as const, missing: 'smsProviders' }),
    };
    await sendQueued({ ...refusing, routing }, first.id);
    expect(await stateOf(id)).toEqual(['paused', 'provider_unavailable']);
  });
});
