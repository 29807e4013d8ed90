import * as z from 'zod';
import { CHANNELS } from '../../domain/channels/registry.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Channel } from '../../domain/message/channel.ts';
import type { WalletState } from '../../domain/wallet/wallet.ts';
import { KEYS } from '../access-patterns.ts';
import { coins } from '../client/attributes.ts';
import { defineRow } from '../client/row-codec.ts';

/** How many messages per channel, and replies, were ever stored: the totals of unfiltered lists. */
type Counters = Readonly<Record<Channel | 'replies', number>>;

/** A wallet as it is stored. */
interface StoredWallet extends WalletState, Counters {
  /** Holds less releases; captures are on the capture rows. */
  readonly held: number;
}

const counter = z.int().default(0);
const counters = Object.fromEntries([...CHANNELS, 'replies'].map((name) => [name, counter])) as Record<
  keyof Counters,
  typeof counter
>;

export const walletRows = defineRow<StoredWallet>()({
  attributes: { balance: coins, held: z.int(), low: coins, warned: z.int(), ...counters },
  key: (_, organizationId: Id<'organization'>) => KEYS.wallet(organizationId),
});
