import type { Channel } from '../../domain/messages/provider.ts';
import { quietUntil } from '../../domain/messages/quiet-hours.ts';
import { type KeptSettings, readKeptSettings, readQuietHours } from '../../storage/organization-settings.ts';
import { clock, table } from './platform.ts';

/** How long a process trusts what an organization contracted or set, in ms. */
const TRUST_MS = 10_000;
const MOST_KEPT = 10_000;
const kept = new Map<string, { at: number; settings: KeptSettings }>();

/** What an organization contracted or set, but for its quiet hours; at most ten seconds old. */
export const organizationSettings = async (organizationId: string): Promise<KeptSettings> => {
  const held = kept.get(organizationId);
  const now = clock();
  if (held && now - held.at < TRUST_MS) return held.settings;
  const fresh = await readKeptSettings(table, organizationId);
  if (kept.size > MOST_KEPT) kept.clear();
  kept.set(organizationId, { at: now, settings: fresh });
  return fresh;
};

/**
 * When a message of the organization may leave on a channel, in ms. By the quiet hours as they stand, of which no process keeps a copy:
 * those that were just set hold for the very next message. One read.
 */
export const leavesAt = async (organizationId: string, channel: Channel, at: number): Promise<number> =>
  quietUntil(await readQuietHours(table, organizationId), channel, at);
