import { beforeEach, describe, expect, test } from 'vitest';
import { startCampaign } from '../../shared/domain/campaigns/lifecycle.ts';
import type { Figures } from '../../shared/domain/campaigns/ports.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { campaignPortsOver, draftTo, driveItem, statusAfter, workOnCampaign, writePeople } from './stage.ts';

const world = await use(startWorld('live'));
beforeEach(world.reset);
const ports = campaignPortsOver(world, world.table);
/** A campaign whose portions are made. */
const started = async () => {
  const actor = await world.organization();
  const id = await draftTo(ports, actor, await writePeople(world, actor, [{}]));
  accepted(await startCampaign(ports, actor, id));
  await workOnCampaign(ports, driveItem(id));
  return id;
};

describe('a campaign', { timeout: 180_000 }, () => {
  test.each<[string, Partial<Figures>, string]>([
    ['one is on its way', { accepted: 2, sent: 2, delivered: 1 }, 'running'],
    [
      'one was replaced and one failed',
      { accepted: 3, unsent: 1, replaced: 1, sent: 2, delivered: 1, failed: 1 },
      'completed',
    ],
    ['one was replaced and one is on its way', { accepted: 3, unsent: 1, replaced: 1, sent: 2, failed: 1 }, 'running'],
    ['one was refused and one is on its way', { accepted: 2, unsent: 1, sent: 1, failed: 1 }, 'running'],
    ['one was refused and one failed', { accepted: 2, unsent: 1, sent: 1, failed: 2 }, 'completed'],
    ['nobody was sent to', { skipped: 1 }, 'completed'],
  ])('is over when each of its messages has a final status: %s', async (_, counts, status) => {
    expect(await statusAfter(ports, await started(), counts)).toBe(status);
  });
});
