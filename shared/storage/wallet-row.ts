import * as z from 'zod';
import { CHANNELS } from '../domain/messages/provider.ts';
import type { Row } from './table.ts';

const COUNTERS = [...CHANNELS, 'replies'] as const;
export type Counter = (typeof COUNTERS)[number];
const counters = Object.fromEntries(COUNTERS.map((name) => [name, z.int().default(0)])) as Record<
  Counter,
  z.ZodDefault<z.ZodInt>
>;

const storedWallet = z.object({
  balance: z.int(),
  /** Holds less releases: what was captured of it stands on the capture rows. */
  held: z.int(),
  low: z.int(),
  warned: z.int(),
  /** How many messages of each channel, and replies, were ever stored: the totals of unfiltered lists. */
  ...counters,
});
export type StoredWallet = z.output<typeof storedWallet>;

/** Reads a wallet row; every field is checked. */
export const parseWallet = (row: Row): StoredWallet => storedWallet.parse(row);
