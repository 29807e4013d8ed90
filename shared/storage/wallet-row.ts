import * as z from 'zod';
import type { Row } from './table.ts';

const storedWallet = z.object({
  balance: z.int(),
  /** Holds less releases: what was captured of it stands on the capture rows. */
  held: z.int(),
  low: z.int(),
  warned: z.int(),
  sms: z.int().default(0),
  replies: z.int().default(0),
});
export type StoredWallet = z.output<typeof storedWallet>;

/** Reads a wallet row; every field is checked. */
export const parseWallet = (row: Row): StoredWallet => storedWallet.parse(row);
