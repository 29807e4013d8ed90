import type { Id } from '../../shared/domain/core/ids.ts';
import type { GateCall, HoldAt } from '../support/kill-gate.ts';

/** A campaign whose process is killed at a point of its work. */
export interface KilledCampaign {
  readonly id: Id<'campaign'>;
  /** Of the batch that accepts its messages; known once that was seen. */
  batchId?: string;
}

type Matches = (call: GateCall, campaign: KilledCampaign) => boolean;

const commits = ({ action }: GateCall): boolean => action === 'TransactWriteItems';
const updates = ({ action }: GateCall): boolean => action === 'UpdateItem';
const ofCampaign = ({ body }: GateCall, { id }: KilledCampaign): boolean => body.includes(`"CMP#${id}"`);
const ofPortion = ({ body }: GateCall, { id }: KilledCampaign): boolean => body.includes(`"CMPP#${id}#`);
/** A change of the campaign whose event, or entry in the audit log, has this name. */
const records =
  (name: string): Matches =>
  (call, campaign) =>
    commits(call) && ofCampaign(call, campaign) && call.body.includes(`"campaign.${name}"`);

const keepsSnapshot: Matches = ({ action, body }, { id }) =>
  action === 'BatchWriteItem' && body.includes(`"CMPS#${id}#`);
const makesPortions: Matches = (call, campaign) =>
  commits(call) && ofCampaign(call, campaign) && ofPortion(call, campaign) && call.body.includes('"portioned"');
export const claims: Matches = (call, campaign) =>
  updates(call) && ofPortion(call, campaign) && call.body.includes('#claimedUntil <= :now');
const allots: Matches = (call, campaign) =>
  commits(call) && ofPortion(call, campaign) && call.body.includes('#allotted = :allotted');
export const accepts: Matches = (call, { id }) =>
  commits(call) && call.body.includes('"IDEM#') && call.body.includes(id);
const decides: Matches = ({ action, body }, { batchId }) =>
  action === 'PutItem' && batchId !== undefined && body.includes(`"BATCH#${batchId}"`);
const storesResult: Matches = (call, campaign) =>
  commits(call) && ofPortion(call, campaign) && call.body.includes('#claimedUntil = :claim');
const parks: Matches = (call, campaign) =>
  updates(call) && ofPortion(call, campaign) && call.body.includes('REMOVE #duePk');
const tells: Matches = (call, campaign) =>
  updates(call) && ofPortion(call, campaign) && call.body.includes('#epoch < :epoch');

interface Point {
  readonly matches: Matches;
  /** How its caller brings a campaign there: by `start` alone, or by a further request while it runs. */
  readonly by: 'start' | 'pause' | 'resume' | 'cancel' | 'receipts';
  /** Whether that call itself is killed: its caller hears nothing of it. */
  readonly isCall?: true;
}

/** Every point of a campaign's work at which its process may end: before the call of the table, and after it. */
const POINTS = {
  snapshot: { matches: keepsSnapshot, by: 'start', isCall: true },
  start: { matches: records('started'), by: 'start', isCall: true },
  portions: { matches: makesPortions, by: 'start' },
  claim: { matches: claims, by: 'start' },
  allot: { matches: allots, by: 'start' },
  accept: { matches: accepts, by: 'start' },
  decide: { matches: decides, by: 'start' },
  result: { matches: storesResult, by: 'start' },
  pause: { matches: records('paused'), by: 'pause', isCall: true },
  park: { matches: parks, by: 'pause' },
  resume: { matches: records('resumed'), by: 'resume', isCall: true },
  tell: { matches: tells, by: 'resume' },
  cancel: { matches: records('cancelled'), by: 'cancel', isCall: true },
  tell_cancelled: { matches: tells, by: 'cancel' },
  completed: { matches: records('completed'), by: 'receipts' },
} as const satisfies Readonly<Record<string, Point>>;

export interface KillPoint extends Point {
  readonly name: string;
  readonly at: HoldAt;
}
export const KILL_POINTS: readonly KillPoint[] = Object.entries(POINTS).flatMap(([name, point]: [string, Point]) =>
  (['before', 'after'] as const).map((at) => ({ ...point, name: `${at} ${name}`, at })),
);
