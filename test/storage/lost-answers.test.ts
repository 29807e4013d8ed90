import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newLinkRequest } from '../../shared/domain/access/accounts.ts';
import { startCampaign } from '../../shared/domain/campaigns/lifecycle.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { type ExportJob, exportEvent } from '../../shared/domain/exports/export-job.ts';
import { linkRequestWrite, takeRequest } from '../../shared/storage/access/sign-in-links.ts';
import { portionStore } from '../../shared/storage/campaigns/portions.ts';
import { exportJobStore } from '../../shared/storage/jobs/export-jobs.ts';
import { campaignPortsOver, draftTo, driveItem, workOnCampaign, writePeople } from '../campaigns/stage.ts';
import { accepted } from '../support/accepted.ts';
import { withLostAnswer } from '../support/lost-answer.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const CLAIM_MS = 60_000;

const world = await use(startWorld('live'));
afterEach(world.reset);
const { table } = world;
const lost = <T>(text: string, work: () => Promise<T>): Promise<T> => withLostAnswer(world.proxy, text, work);

let actor: Actor;
beforeAll(async () => {
  actor = await world.organization();
});

describe('a claim whose answer is lost is its worker’s, and no other’s', () => {
  test('of a request for sign-in links', async () => {
    const request = newLinkRequest({ emailHash: 'a'.repeat(43) }, world.now);
    await table.write(linkRequestWrite(request));
    const take = () => takeRequest(table, request.id, world.now);
    expect(await lost(request.id, take)).toEqual(request);
    expect(await take()).toBeUndefined();
  });

  test('of a job’s first step, of its next one, and of its end', async () => {
    const id = newId('exportJob');
    const about = { kind: 'messages', format: 'csv', unmasked: false, status: 'running' } as const;
    const progress = { rows: 0, bytes: 0, pieces: [] };
    const never = { fence: 0, attempts: 0, claimedUntil: 0, createdAt: world.now };
    const job: ExportJob = { id, organizationId: actor.organizationId, env: 'live', ...about, ...progress, ...never };
    const store = exportJobStore(table, () => {});
    await store.create(job);
    const claim = () => store.claim(id, world.now, world.now + CLAIM_MS);
    const first = await lost(id, claim);
    if (!first) throw new Error('the job was not claimed');
    expect(first).toMatchObject({ fence: 1, attempts: 1 });
    expect(await claim()).toBeUndefined();
    const advance = () => store.advance(first, { ...progress, rows: 5 }, world.now + CLAIM_MS);
    const second = await lost(id, advance);
    if (!second) throw new Error('the next step was not claimed');
    expect(second).toMatchObject({ fence: 2, attempts: 1, rows: 5 });
    expect(await advance()).toBeUndefined();
    const end = () => store.end(second, { status: 'failed' }, exportEvent(second, 'failed', world.now));
    expect(await lost(id, end)).toBe(true);
    expect(await end()).toBe(false);
  });

  test('of a campaign’s portion, whose result is stored once', async () => {
    const ports = campaignPortsOver(world, table);
    const id = await draftTo(ports, actor, await writePeople(world, actor, [{}]));
    accepted(await startCampaign(ports, actor, id));
    await workOnCampaign(ports, driveItem(id));
    const portions = portionStore(table);
    const found = await portions.read(id, 0);
    if (!found) throw new Error('the campaign has no portion');
    const claim = () => portions.claim(found, world.now, world.now + CLAIM_MS);
    const claimed = await lost(id, claim);
    if (!claimed) throw new Error('the portion was not claimed');
    expect(claimed).toMatchObject({ fence: found.fence + 1, claimedUntil: world.now + CLAIM_MS });
    expect(await claim()).toBeUndefined();
    const save = () => portions.save(claimed, { portion: { ...claimed, state: 'done' }, skipped: 1, returned: 0 });
    expect(await lost(id, save)).toBe(true);
    expect(await save()).toBe(false);
    expect(await ports.figures({ id, organizationId: actor.organizationId })).toMatchObject({
      skipped: 1,
      portionsDone: 1,
    });
  });
});
