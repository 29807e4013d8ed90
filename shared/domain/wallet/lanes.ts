/*
 * Lanes (docs/spec/wallet.md#lanes): an organization whose sends meet on its wallet's row debits one of several rows instead. A lane leases
 * coins, and positions of the month's volume, from the wallet; lane 0 is the wallet itself, and the only one while the organization is quiet.
 */

/** A partition of a lane takes 1,000 write units a second, some hundred sends: so many take thousands. */
export const MAX_LANES = 64;
const FIRST_LANES = 4;
/** How often the number of open lanes is compared with the traffic, in ms. */
export const LANE_CHECK_MS = 30_000;
/** Sends a second for which one lane more stays open; below a lane's share the wallet's own row serves all. */
const SENDS_PER_LANE = 8;
/** Sends that a lease pays for, at least: with fewer it would be asked for again and again, and fewer lanes serve better. */
const MIN_LEASED_SENDS = 8;
/** Positions that a lease takes of the month at most, unless one send needs more. */
const MAX_LEASED_UNITS = 1_000;

/** The number of lanes after sends have met on the present ones. */
export const moreLanes = (lanes: number): number => (lanes === 0 ? FIRST_LANES : Math.min(MAX_LANES, lanes * 2));

/** The number of lanes once the wallet has too little for so many leases. */
export const fewerLanes = (lanes: number): number => (lanes <= FIRST_LANES ? 0 : lanes / 2);

/** The number of lanes for a rate of sends (per second), never more than now: more are opened by those who meet. */
export const lanesFor = (lanes: number, sendsPerSecond: number): number => {
  if (sendsPerSecond < SENDS_PER_LANE) return 0;
  let next = lanes;
  while (next > FIRST_LANES && sendsPerSecond < (next / 2) * SENDS_PER_LANE) next /= 2;
  return next;
};

/** What a debit needs of its lane: `coins`, and `units` of the month's volume, for `sends` messages. */
export interface LaneNeed {
  readonly coins: number;
  readonly units: number;
  readonly sends: number;
}

/** What a lane leases. */
export interface LeaseSize {
  readonly coins: number;
  readonly units: number;
}

/**
 * What a lane leases: a share of the coins that the wallet can spare (`spendable`), so that leases become smaller as the wallet empties;
 * undefined where that is too little for a lane to be of use.
 */
export const leaseSize = (
  spendable: number,
  lanes: number,
  { coins, units, sends }: LaneNeed,
): LeaseSize | undefined => {
  const share = Math.floor(spendable / (2 * Math.max(1, lanes)));
  if (share < Math.max(coins, (MIN_LEASED_SENDS * coins) / sends)) return undefined;
  const most = Math.max(1, Math.floor(MAX_LEASED_UNITS / Math.max(units, sends)));
  const times = coins === 0 ? most : Math.min(most, Math.floor(share / coins));
  return { coins: times * coins, units: times * units };
};
