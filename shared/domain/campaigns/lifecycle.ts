import { type AuditEntry, type Caller, fieldNames } from '../audit/entry.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, randomBase62 } from '../core/ids.ts';
import { refuseField } from '../core/refuse-field.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import { campaignEvent } from '../events/automation.ts';
import { selectAudience } from './audience.ts';
import type { Campaign, Drive, PausedBy, PauseReason } from './campaign.ts';
import { audienceMissing, type CountedCampaign, campaignEntry, counted, findCampaign, isUnbegun } from './campaigns.ts';
import type { LifecyclePorts } from './ports.ts';

type Changed<N extends 'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'> = Promise<CountedCampaign | Refusal<N>>;

const notIn = (what: string) => refuse('CONFLICT', `The campaign is not ${what}.`);

/** The campaign with changes, as the next version. */
export const next = (campaign: Campaign, changes: Partial<Campaign>, now: number): Campaign => ({
  ...campaign,
  ...changes,
  updatedAt: now,
  version: campaign.version + 1,
});

/**
 * Takes the snapshot of a campaign's audience and starts it; contacts that join later get no message. 422 naming lists and segments that no
 * longer exist. If another start wins, this snapshot is never referenced and expires.
 */
export const begin = async (
  ports: LifecyclePorts,
  campaign: Campaign,
  entry?: AuditEntry,
): Promise<Campaign | Refusal<'VALIDATION_ERROR'> | typeof CONFLICT> => {
  const selected = await selectAudience(ports.audience, campaign);
  if ('missing' in selected) return audienceMissing(selected.missing) ?? CONFLICT;
  const snapshot = randomBase62(12);
  const chunks = await ports.snapshots.keep(campaign.id, snapshot, selected.reach);
  const now = ports.clock();
  const total = selected.reach.size;
  const drive: Drive = {
    snapshot,
    chunks,
    total,
    portions: 0,
    portionedTo: -1,
    portioned: total === 0,
    paced: 0,
    pacedFrom: now,
    epoch: 0,
    portionsInEpoch: 0,
    lastSent: 0,
    lastSentAt: now,
    counterSum: 0,
    counterSumAt: now,
    nextCheckAt: 0,
  };
  const after = next(campaign, { status: 'running', startedAt: now, pausedBy: undefined, drive }, now);
  const events = [campaignEvent(after, { type: 'campaign.started', total }, now)];
  if (!(await ports.store.change(campaign, after, { dueAt: now, events, entry }))) return CONFLICT;
  ports.enqueue(after, now);
  return after;
};

/** Starts a draft or a scheduled campaign: now, or at its time (docs/spec/campaigns.md#starting). A running one is returned unchanged. */
export const startCampaign = (
  ports: LifecyclePorts,
  actor: Caller,
  id: Id<'campaign'>,
): Changed<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'> =>
  retryOnConflict('The campaign', async () => {
    const before = await findCampaign(ports, actor, id);
    if (isRefusal(before)) return before;
    if (before.status === 'running') return counted(ports, before);
    if (before.status !== 'draft' && before.status !== 'scheduled' && !isUnbegun(before))
      return notIn('a draft or scheduled');
    const now = ports.clock();
    const { scheduledAt } = before;
    const entry = campaignEntry(actor, id, 'started', now);
    if (scheduledAt !== undefined && scheduledAt > now) {
      if (before.status === 'scheduled') return counted(ports, before);
      const after = next(before, { status: 'scheduled', pausedBy: undefined }, now);
      if (!(await ports.store.change(before, after, { dueAt: scheduledAt, entry }))) return CONFLICT;
      ports.enqueue(after, scheduledAt);
      return counted(ports, after);
    }
    const begun = await begin(ports, before, entry);
    return begun === CONFLICT || isRefusal(begun) ? begun : counted(ports, begun);
  });

interface PauseOptions {
  readonly from?: Campaign['status'];
  /** The caller; absent if it pauses automatically. */
  readonly by?: Caller;
  /** The epoch in which the reason was found: reasons from before a resumption are ignored. */
  readonly epoch?: number | undefined;
}

/** Pauses a running campaign, once, and raises its event; false if it is no longer running. */
export const pauseFor = async (
  ports: Pick<LifecyclePorts, 'clock' | 'store'>,
  id: Id<'campaign'>,
  reason: PauseReason,
  { from = 'running', by, epoch }: PauseOptions = {},
): Promise<Campaign | false> =>
  retryOnConflict('The campaign', async () => {
    const before = await ports.store.readById(id);
    if (before?.status !== from) return false;
    if (epoch !== undefined && before.drive?.epoch !== epoch) return false;
    const now = ports.clock();
    const pausedBy: PausedBy = { reason, at: now };
    const after = next(before, { status: 'paused', pausedBy }, now);
    const events = [campaignEvent(after, { type: 'campaign.paused', reason }, now)];
    const entry = by && campaignEntry(by, id, 'paused', now);
    // Remaining portions are still created, but none of them sends.
    const dueAt = after.drive && !after.drive.portioned ? now : undefined;
    return (await ports.store.change(before, after, { dueAt, events, entry })) ? after : CONFLICT;
  });

/** Pauses a running campaign. Accepted messages are still sent; a paused campaign is returned unchanged. */
export const pauseCampaign = async (
  ports: LifecyclePorts,
  actor: Caller,
  id: Id<'campaign'>,
): Changed<'CONFLICT' | 'NOT_FOUND'> => {
  const campaign = await findCampaign(ports, actor, id);
  if (isRefusal(campaign)) return campaign;
  const paused = await pauseFor(ports, id, 'operator', { by: actor });
  if (paused) return counted(ports, paused);
  const now = await findCampaign(ports, actor, id);
  if (isRefusal(now)) return now;
  return now.status === 'paused' ? counted(ports, now) : notIn('running');
};

/** The driver's state after a resumption: portions are moved to the new epoch, and pacing restarts at `now`. */
const resumedDrive = (drive: Drive, now: number): Drive => ({
  ...drive,
  epoch: drive.epoch + 1,
  portionsInEpoch: 0,
  paced: 0,
  pacedFrom: now,
  nextCheckAt: 0,
});

/** 422 for a limit below what the campaign's messages have cost so far. */
const maxCoinsFault = async (ports: LifecyclePorts, campaign: Campaign, maxCoins: number | undefined) => {
  if (maxCoins === undefined) return undefined;
  const { coinsCaptured, coinsHeld } = await ports.figures(campaign);
  const spent = coinsCaptured + coinsHeld;
  return maxCoins < spent
    ? refuseField(
        'The campaign has already cost more.',
        'maxCoins',
        `must be at least ${spent}, the cost of its messages so far`,
      )
    : undefined;
};

/**
 * Resumes a paused campaign for the recipients without a message; one that reached its `maxCoins` pauses again unless that is raised. A
 * running one is returned unchanged; one that paused before its start is started.
 */
export const resumeCampaign = (
  ports: LifecyclePorts,
  actor: Caller,
  id: Id<'campaign'>,
  { maxCoins }: { readonly maxCoins?: number | undefined } = {},
): Changed<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'> =>
  retryOnConflict('The campaign', async () => {
    const before = await findCampaign(ports, actor, id);
    if (isRefusal(before)) return before;
    if (before.status === 'running' && (maxCoins === undefined || maxCoins === before.maxCoins))
      return counted(ports, before);
    if (before.status !== 'paused') return notIn('paused');
    const fault = await maxCoinsFault(ports, before, maxCoins);
    if (fault) return fault;
    const raised = maxCoins === undefined ? before : { ...before, maxCoins };
    const now = ports.clock();
    const entry = campaignEntry(actor, id, 'resumed', now, { fields: fieldNames({ maxCoins }) });
    if (!before.drive) {
      const begun = await begin(ports, raised, entry);
      return begun === CONFLICT || isRefusal(begun) ? begun : counted(ports, begun);
    }
    const after = next(raised, { status: 'running', pausedBy: undefined, drive: resumedDrive(before.drive, now) }, now);
    if (!(await ports.store.change(before, after, { dueAt: now, entry }))) return CONFLICT;
    ports.enqueue(after, now);
    return counted(ports, after);
  });

/**
 * Cancels a campaign that is not over: its portions cancel unsent messages and release their money. A cancelled one is returned unchanged.
 */
export const cancelCampaign = (
  ports: LifecyclePorts,
  actor: Caller,
  id: Id<'campaign'>,
): Changed<'CONFLICT' | 'NOT_FOUND'> =>
  retryOnConflict('The campaign', async () => {
    const before = await findCampaign(ports, actor, id);
    if (isRefusal(before)) return before;
    if (before.status === 'cancelled') return counted(ports, before);
    if (before.status === 'completed') return refuse('CONFLICT', 'The campaign is completed.');
    const now = ports.clock();
    const changes = { status: 'cancelled', cancelledAt: now, pausedBy: undefined } as const;
    const drive = before.drive && resumedDrive(before.drive, now);
    const after = next(before, { ...changes, drive }, now);
    const entry = campaignEntry(actor, id, 'cancelled', now);
    if (!(await ports.store.change(before, after, { dueAt: drive ? now : undefined, entry }))) return CONFLICT;
    if (drive) ports.enqueue(after, now);
    return counted(ports, after);
  });
