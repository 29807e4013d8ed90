import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newLinkRequest } from '../../shared/domain/access/accounts.ts';
import { sendV1 } from '../../shared/domain/api/v1-send.ts';
import { startCampaign } from '../../shared/domain/campaigns/lifecycle.ts';
import { createApp, deleteApp } from '../../shared/domain/channels/push/app.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { Vault } from '../../shared/domain/core/secrets.ts';
import { type ExportJob, exportEvent } from '../../shared/domain/exports/export-job.ts';
import type { Decision, MessageRecord } from '../../shared/domain/message/message.ts';
import { createSegment, deleteSegment, findSegment } from '../../shared/domain/segments/segments.ts';
import { linkRequestWrite, takeRequest } from '../../shared/storage/access/sign-in-links.ts';
import { audienceIndex } from '../../shared/storage/audience/index-reader.ts';
import { portionStore } from '../../shared/storage/campaigns/portions.ts';
import { exportJobStore } from '../../shared/storage/jobs/export-jobs.ts';
import { forceSend } from '../../shared/storage/messages/force.ts';
import { pushApps } from '../../shared/storage/push/apps.ts';
import { segmentStore } from '../../shared/storage/segments/segments.ts';
import { campaignPortsOver, draftTo, driveItem, workOnCampaign, writePeople } from '../campaigns/stage.ts';
import { accepted } from '../support/accepted.ts';
import { withLostAnswer } from '../support/lost-answer.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { submitPortsOf } from '../support/world-queued.ts';

const CLAIM_MS = 60_000;
const HOUR_MS = 3_600_000;

const world = await use(startWorld('live'));
afterEach(world.reset);
const { table } = world;
const clock = () => world.now;
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
    const progress = { rows: 0, bytes: 0, parts: [] };
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

describe('a change of a message whose answer is lost adds its line to the timeline once', () => {
  const decision = (): Decision => ({ at: world.now, kind: 'route', detail: 'the change' });
  const linesOf = async ({ id }: Pick<MessageRecord, 'id'>) => {
    const { decisions = [] } = (await world.ports.messageStore.read(id)) ?? {};
    return decisions.filter(({ detail }) => detail === 'the change').length;
  };
  const store = world.ports.messageStore;

  test.each([
    ['another provider', (message: MessageRecord) => store.reroute(message, 'twilio', decision())],
    ['an uncertain answer', (message: MessageRecord) => store.markUncertain(message, world.now, world.now, decision())],
  ])('%s', async (_, change) => {
    let changed: boolean | undefined;
    world.provider.script = [
      async ({ messageId }) => {
        const message = await store.read(messageId);
        if (message) changed = await lost(messageId, () => change(message));
        return { kind: 'accepted', providerMessageId: `p-${messageId}` };
      },
    ];
    const { id } = accepted(await world.sms(actor));
    expect(changed).toBe(true);
    expect(await linesOf({ id })).toBe(1);
  });

  test.each([
    ['alone', () => undefined],
    ['with a fallback', () => newId('message')],
  ])('a send that is forced: %s', async (_, newFallback) => {
    const scheduledAt = new Date(world.now + HOUR_MS).toISOString();
    const body = { channel: 'sms' as const, to: '+5511987654321', text: 'Oi', scheduledAt };
    const { id } = accepted(await sendV1(submitPortsOf(world), actor, newId('request'), body));
    const stored = await store.read(id);
    if (!stored) throw new Error('the message was not stored');
    const message = { ...stored, fallbackId: newFallback() };
    expect(await lost(id, () => forceSend(table, message, world.now, decision()))).toBe(true);
    expect(await linesOf({ id })).toBe(1);
  });
});

describe('a deletion whose answer is lost succeeds, and one of what is not there answers 404', () => {
  test('of a segment', async () => {
    const ports = { clock, store: segmentStore(table), index: audienceIndex(table, { clock, chance: () => 1 }) };
    const filters = [{ field: 'tag', operator: 'is', value: 'vip' }] as const;
    const { id } = accepted(await createSegment(ports, actor, { name: 'VIP', filters }));
    expect(await lost(id, () => deleteSegment(ports, actor, id))).toBeUndefined();
    expect(await findSegment(ports, actor, id)).toMatchObject({ name: 'NOT_FOUND' });
    expect(await deleteSegment(ports, actor, id)).toMatchObject({ name: 'NOT_FOUND' });
  });

  test('of a push app', async () => {
    const seal = (_: string, __: string, text: string) => text;
    const apps = pushApps(table, async () => ({ seal, open: seal }) as unknown as Vault);
    const { id } = accepted(await createApp({ clock, apps }, actor, { name: 'Loja' }));
    expect(await lost(id, () => deleteApp({ clock, apps }, actor, id))).toBeUndefined();
    expect(await apps.list(actor.organizationId)).toEqual([]);
    expect(await deleteApp({ clock, apps }, actor, id)).toMatchObject({ name: 'NOT_FOUND' });
  });
});
