import * as z from 'zod';
import { CHANNELS } from '../../domain/channels/registry.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Channel } from '../../domain/message/channel.ts';
import type { WalletState } from '../../domain/wallet/wallet.ts';
import { KEYS } from '../access-patterns.ts';
import { coins } from '../client/attributes.ts';
import { defineRow } from '../client/row-codec.ts';

/** How many messages per channel, and replies, were ever stored: the totals of unfiltered lists. */
export type Counters = Readonly<Record<Channel | 'replies', number>>;

/** The common fields of a wallet's and its lanes' rows; the wallet's totals are the sums. */
interface Part extends Counters {
  /** Holds less releases; captures are on the capture rows. */
  readonly held: number;
  /**
   * In the wallet: coins that its lanes took and did not return. In a lane the same, negative. A lease changes it against `balance` in each
   * row, so that the sum of both over all rows is the wallet's balance whenever each row is read.
   */
  readonly leased: number;
}

/** A wallet as it is stored. */
export interface StoredWallet extends WalletState, Part {
  /** Lanes that debits may use; 0 at low traffic. */
  readonly lanes: number;
  /** The highest lane that may have a row. */
  readonly opened: number;
  /** The highest lane that may have ledger entries. */
  readonly ledgers: number;
  /** The number of lanes folded into the wallet's row, by which readers of several rows detect that one was. */
  readonly folds: number;
  /** When the number of lanes was last compared with the traffic, in ms, and the count of messages then. */
  readonly checkedAt: number;
  readonly checkedCount: number;
}

/** A lane of a wallet as it is stored. `window`: the channel and month of its positions. */
export interface StoredLane extends Part {
  readonly balance: WalletState['balance'];
  readonly window: string;
  /** The last position that was assigned to a send (as a month's row counts), and the last available one. */
  readonly segments: number;
  readonly end: number;
}

const counter = z.int().default(0);
const counters = Object.fromEntries([...CHANNELS, 'replies'].map((name) => [name, counter])) as Record<
  keyof Counters,
  typeof counter
>;
const part = { balance: coins, held: z.int(), leased: counter, ...counters };

export const walletRows = defineRow<StoredWallet>()({
  attributes: {
    ...part,
    low: coins,
    warned: z.int(),
    lanes: counter,
    opened: counter,
    ledgers: counter,
    folds: counter,
    checkedAt: counter,
    checkedCount: counter,
  },
  key: (_, organizationId: Id<'organization'>) => KEYS.wallet(organizationId),
});

export const laneRows = defineRow<StoredLane>()({
  attributes: { ...part, window: z.string().default(''), segments: counter, end: counter },
  key: (_, organizationId: Id<'organization'>, lane: number) => KEYS.walletLane(organizationId, lane),
});

/** The names of the counters. */
export const COUNTERS = Object.keys(counters) as (keyof Counters)[];

/** All messages that a row counts. */
export const countOf = (row: Counters): number => COUNTERS.reduce((sum, name) => sum + row[name], 0);
