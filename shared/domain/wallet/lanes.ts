/*
 * Lanes (docs/spec/wallet.md#lanes): an organization whose sends contend for its wallet's row debits one of several
 * rows instead. A lane leases coins, and positions of the month's volume, from the wallet. Lane 0 is the wallet itself,
 * and the only one while traffic is low.
 */

/** The partition of a lane takes 1,000 write units a second, some hundred sends, so 64 lanes allow thousands. */
export const MAX_LANES = 64;
const FIRST_LANES = 4;
/** How often the number of open lanes is adjusted to the traffic, in ms. */
export const LANE_CHECK_MS = 30_000;
/** Sends per second that keep one more lane open; below one lane's share the wallet's row serves all. */
const SENDS_PER_LANE = 8;
/**
 * A lease pays for at least this many sends: smaller leases would be renewed constantly, and fewer lanes work better.
 */
const MIN_LEASED_SENDS = 8;
/** A lease takes at most this many positions of the month, unless one send needs more. */
const MAX_LEASED_UNITS = 1_000;

/** The number of lanes after sends contended for the present ones. */
export const moreLanes = (lanes: number): number => (lanes === 0 ? FIRST_LANES : Math.min(MAX_LANES, lanes * 2));

/** The number of lanes when the wallet can't fund this many leases. */
export const fewerLanes = (lanes: number): number => (lanes <= FIRST_LANES ? 0 : lanes / 2);

/** The number of lanes for a rate of sends (per second). Never more than now: contention opens more. */
export const lanesFor = (lanes: number, sendsPerSecond: number): number => {
  if (sendsPerSecond < SENDS_PER_LANE) return 0;
  let next = lanes;
  while (next > FIRST_LANES && sendsPerSecond < (next / 2) * SENDS_PER_LANE) next /= 2;
  return next;
};

/** The requirement of a debit: `coins`, and `units` of the month's volume, for `sends` messages. */
export interface LaneNeed {
  readonly coins: number;
  readonly units: number;
  readonly sends: number;
}

/** The size of a lease. */
export interface LeaseSize {
  readonly coins: number;
  readonly units: number;
}

/**
 * The size of a lane's lease: a share of the spendable coins, so that leases shrink as the wallet empties; undefined if
 * that is too little to be useful.
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
