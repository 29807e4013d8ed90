import type { SmsPorts } from '../../domain/sms/send.ts';
import { readSmsPerSecond } from '../../storage/sms-account.ts';
import { clock, table } from './platform.ts';
import { sendPorts } from './send.ts';

/** How long a process trusts what an organization contracted, in ms. */
const TRUST_MS = 10_000;
const ceilings = new Map<string, { at: number; perSecond: number | undefined }>();
const perSecond = async (organizationId: string): Promise<number | undefined> => {
  const held = ceilings.get(organizationId);
  const now = clock();
  if (held && now - held.at < TRUST_MS) return held.perSecond;
  const fresh = await readSmsPerSecond(table, organizationId);
  if (ceilings.size > 10_000) ceilings.clear();
  ceilings.set(organizationId, { at: now, perSecond: fresh });
  return fresh;
};

/** What the SMS rules need. */
export const smsPorts: SmsPorts = { ...sendPorts, perSecond };
