import { chunkOf } from '../audience/number-set.ts';
import { channelOf } from '../channels/registry.ts';
import { isRefusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { CONFLICT } from '../core/retry-on-conflict.ts';
import { campaignEvent } from '../events/automation.ts';
import { type Campaign, type Drive, PORTION_SIZE, type Portion, variantsOf } from './campaign.ts';
import { begin, next, pauseFor } from './lifecycle.ts';
import type { DrivePorts, Figures } from './ports.ts';

/*
 * The driver of a campaign: starts a scheduled one, creates the portions of the snapshot, moves them to a new epoch after a resumption or
 * cancellation, and detects completion. Each step is one conditional write, so a repeated or concurrent step has no further effect.
 */

/** Portions created or updated per step: with the campaign's row they fit one transaction. */
const PORTIONS_A_STEP = 40;
const CONCURRENT_UPDATES = 8;
/** Maximum steps per invocation. */
const MAX_STEPS = 40;
/**
 * The delay between checks for completion, in ms: short after its counters changed, growing while they don't. A campaign completes at most
 * that long after its last message ends.
 */
const CHECK_DELAY_MS = { least: 1_000, most: 60_000 };
const checkDelayMs = ({ counterSumAt }: Drive, now: number): number =>
  Math.max(CHECK_DELAY_MS.least, Math.min(CHECK_DELAY_MS.most, now - counterSumAt));
/** How long a campaign waits for the final status of its messages, in ms after the last one was sent. */
const MAX_WAIT_MS = 72 * 3600_000;

/** `again`: more work is due now. */
type Step = 'again' | 'done';

/** The due time of a portion that follows this many recipients. */
const pacedAt = ({ perMinute }: Campaign, { pacedFrom, paced }: Pick<Drive, 'paced' | 'pacedFrom'>): number =>
  perMinute === undefined ? pacedFrom : pacedFrom + Math.floor((paced * 60_000) / perMinute);

/** How much of its pace a campaign sends at once, in ms: a portion leaves in a burst, and whoever else sends from the same wallet waits for no more than this. */
const BURST_MS = 1_000;
/** Fewest recipients of a portion whose pace allows them in a minute: smaller ones cost more for their rows than for their messages. */
const MIN_PORTION = 10;

/** Recipients of a portion: with a pace, those of one second of it; never more than those of a minute. */
export const portionSize = ({ perMinute }: Pick<Campaign, 'perMinute'>): number => {
  if (perMinute === undefined) return PORTION_SIZE;
  const burst = Math.max(MIN_PORTION, Math.ceil((perMinute * BURST_MS) / 60_000));
  return Math.min(PORTION_SIZE, perMinute, burst);
};

/** The next contacts of the snapshot, ordered by number. */
const nextNumbers = async (ports: DrivePorts, { id }: Campaign, drive: Drive, count: number): Promise<number[]> => {
  const numbers: number[] = [];
  for (const chunk of drive.chunks.filter((each) => each >= chunkOf(Math.max(0, drive.portionedTo)))) {
    if (numbers.length >= count) break;
    const found = [...(await ports.snapshots.read(id, drive.snapshot, [chunk]))].reverse();
    for (const number of found) if (number > drive.portionedTo && numbers.length < count) numbers.push(number);
  }
  return numbers;
};

/** Creates the next portions; all of a step in one transaction with the campaign's progress. */
const makePortions = async (ports: DrivePorts, campaign: Campaign, drive: Drive): Promise<Step> => {
  const size = portionSize(campaign);
  const numbers = await nextNumbers(ports, campaign, drive, size * PORTIONS_A_STEP);
  const portions: Portion[] = [];
  let { paced } = drive;
  for (let from = 0; from < numbers.length; from += size) {
    const own = numbers.slice(from, from + size);
    portions.push({
      campaignId: campaign.id,
      organizationId: campaign.organizationId,
      portion: drive.portions + portions.length,
      epoch: drive.epoch,
      numbers: own,
      sent: [],
      skipped: [],
      state: 'open',
      dueAt: pacedAt(campaign, { ...drive, paced }),
      allotted: 0,
      fence: 0,
      claimedUntil: 0,
    });
    paced += own.length;
  }
  const portionedTo = numbers.at(-1) ?? drive.portionedTo;
  const made = drive.portions + portions.length;
  const portioned = numbers.length < size * PORTIONS_A_STEP;
  const after = next(
    campaign,
    { drive: { ...drive, portions: made, portionsInEpoch: made, portionedTo, portioned, paced } },
    ports.clock(),
  );
  if (await ports.portions.add(campaign, after, portions, ports.clock())) ports.enqueuePortions(portions);
  return 'again';
};

/** Moves the next portions to the present epoch: open ones become due by the pace, those of a cancelled campaign immediately. */
const updatePortions = async (ports: DrivePorts, campaign: Campaign, drive: Drive): Promise<Step> => {
  const { id, status, organizationId } = campaign;
  const places = Array.from(
    { length: Math.min(PORTIONS_A_STEP, drive.portions - drive.portionsInEpoch) },
    (_, at) => drive.portionsInEpoch + at,
  );
  const due: { readonly portion: number; readonly dueAt: number }[] = [];
  let { paced } = drive;
  for (const portion of await ports.portions.readMany(id, places)) {
    if (!portion || (portion.state === 'done' && status !== 'cancelled')) continue;
    // An active claim is allowed to end first.
    due.push({
      portion: portion.portion,
      dueAt: Math.max(pacedAt(campaign, { ...drive, paced }), portion.claimedUntil),
    });
    if (status !== 'cancelled') paced += portion.numbers.length - portion.sent.length - portion.skipped.length;
  }
  await mapConcurrently(due, CONCURRENT_UPDATES, ({ portion, dueAt }) =>
    ports.portions.moveToEpoch(id, portion, drive.epoch, dueAt),
  );
  const after = next(
    campaign,
    { drive: { ...drive, portionsInEpoch: drive.portionsInEpoch + places.length, paced } },
    ports.clock(),
  );
  if (await ports.store.change(campaign, after, { dueAt: ports.clock() }))
    ports.enqueuePortions(due.map((one) => ({ ...one, campaignId: id, organizationId })));
  return 'again';
};

/** The sum of the counters that change while messages are in flight. */
const counterSumOf = ({ accepted, unsent, sent, delivered, failed }: Figures): number =>
  accepted + unsent + sent + delivered + failed;

/**
 * How long the counters of a campaign with fallbacks must be unchanged, in ms: the next step starts some seconds after the one before
 * failed.
 */
const REST_MS = 60_000;

/** Whether the channel reports anything after sending: providers of push and Instagram report no delivery. */
const isReported = (campaign: Campaign): boolean =>
  variantsOf(campaign).some(({ message: { channel, fallback = [] } }) => {
    const channels = [channel, ...fallback.map((step) => (typeof step === 'string' ? step : step.channel))];
    return channels.some((each) => channelOf(each).eventOf.delivered !== undefined);
  });

/** Whether every message of a campaign has reached a final status, or the wait for one has timed out. */
const isOver = (campaign: Campaign, drive: Drive, figures: Figures, now: number): boolean => {
  if (figures.portionsDone < drive.portions) return false;
  const { accepted, unsent, replaced, sent, delivered, failed } = figures;
  const ended = accepted <= delivered + failed + replaced || (accepted <= sent + unsent && !isReported(campaign));
  const hasFallback = variantsOf(campaign).some(({ message }) => message.fallback !== undefined);
  if (ended && (!hasFallback || now - drive.counterSumAt >= REST_MS)) return true;
  return accepted <= sent + unsent && now - drive.lastSentAt >= MAX_WAIT_MS;
};

/**
 * Completes a campaign whose messages have all ended, once; otherwise schedules another check. Each finished portion requests a check, and
 * each check schedules the next; an early check that finds nothing new schedules none, so that their number does not grow with the
 * portions.
 */
const checkForEnd = async (ports: DrivePorts, campaign: Campaign, drive: Drive): Promise<Step> => {
  const early = drive.nextCheckAt - ports.clock();
  // A check that is due this soon covers this one, too.
  if (early > 0 && early < CHECK_DELAY_MS.least) return 'done';
  const figures = await ports.figures(campaign);
  const now = ports.clock();
  const checked = {
    ...drive,
    ...(figures.sent === drive.lastSent ? {} : { lastSent: figures.sent, lastSentAt: now }),
    ...(counterSumOf(figures) === drive.counterSum ? {} : { counterSum: counterSumOf(figures), counterSumAt: now }),
  };
  if (!isOver(campaign, checked, figures, now)) {
    if (early > 0 && checked.counterSum === drive.counterSum) return 'done';
    const dueAt = now + checkDelayMs(checked, now);
    const after = next(campaign, { drive: { ...checked, nextCheckAt: dueAt } }, now);
    if (await ports.store.change(campaign, after, { dueAt })) ports.enqueue(campaign, dueAt);
    return 'done';
  }
  const after = next(campaign, { status: 'completed', completedAt: now, drive: checked }, now);
  const { coinsCaptured: captured, coinsHeld: held } = figures;
  const event = campaignEvent(
    after,
    {
      type: 'campaign.completed',
      startedAt: campaign.startedAt ?? now,
      progress: progressOf(after, figures),
      coins: { captured, held },
    },
    now,
  );
  return (await ports.store.change(campaign, after, { events: [event] })) ? 'done' : 'again';
};

/**
 * `progress` on the wire: `queued` are those accepted but not sent yet; cancelled ones are in `total` alone. The counters' rows are read
 * one after the other, so a part may be counted whose whole was not read yet.
 */
export const progressOf = ({ drive }: Pick<Campaign, 'drive'>, figures: Figures) => {
  const { accepted, unsent, cancelled, skipped, sent, delivered, read, clicked } = figures;
  const queued = Math.max(0, accepted - sent - unsent);
  const failed = Math.max(0, figures.failed - cancelled);
  return { total: drive?.total ?? 0, queued, sent, delivered, read, clicked, failed, skipped };
};

const beginScheduled = async (ports: DrivePorts, campaign: Campaign): Promise<Step> => {
  const { scheduledAt = 0 } = campaign;
  if (scheduledAt > ports.clock()) return 'done';
  const begun = await begin(ports, campaign);
  if (isRefusal(begun)) await pauseFor(ports, campaign.id, 'audience_unavailable', { from: 'scheduled' });
  return begun === CONFLICT ? 'again' : isRefusal(begun) ? 'done' : 'again';
};

const driveOnce = async (ports: DrivePorts, campaign: Campaign): Promise<Step> => {
  const { status, drive } = campaign;
  if (status === 'scheduled') return beginScheduled(ports, campaign);
  const isLive = drive !== undefined && status !== 'draft' && status !== 'completed';
  if (isLive && drive.portionsInEpoch < drive.portions) return updatePortions(ports, campaign, drive);
  if (isLive && status !== 'cancelled' && !drive.portioned) return makePortions(ports, campaign, drive);
  if (isLive && status === 'running') return checkForEnd(ports, campaign, drive);
  await ports.store.rest(campaign);
  return 'done';
};

/** Runs some steps of a due campaign; it stays due while there are more. */
export const driveCampaign = async (ports: DrivePorts, id: Id<'campaign'>): Promise<void> => {
  for (let step = 0; step < MAX_STEPS; step++) {
    const campaign = await ports.store.readById(id);
    if (!campaign || (await driveOnce(ports, campaign)) === 'done') return;
  }
  const campaign = await ports.store.readById(id);
  if (campaign) ports.enqueue(campaign, ports.clock());
};
