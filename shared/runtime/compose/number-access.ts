import type { NumberAccess } from '../../domain/messages/provider.ts';
import { readNumberSender } from '../../storage/number-senders.ts';
import { numberPorts } from './numbers.ts';
import { clock, table } from './platform.ts';

/** How long a process trusts what it read of a number, in ms: how late a new token or a disconnection takes effect. */
const TRUST_MS = 10_000;
const MOST_KEPT = 1_000;
const kept = new Map<string, { readonly at: number; readonly access: NumberAccess | undefined }>();

const read = async (numberId: string): Promise<NumberAccess | undefined> => {
  const number = await readNumberSender(table, numberId);
  if (!number) return undefined;
  const accessToken = await numberPorts.numbers.accessToken(number);
  return accessToken === undefined ? undefined : { phoneNumberId: number.phoneNumberId, accessToken };
};

/** What a number is reached by; undefined once it is disconnected. */
export const numberAccess = async (numberId: string): Promise<NumberAccess | undefined> => {
  const held = kept.get(numberId);
  const now = clock();
  if (held && now - held.at < TRUST_MS) return held.access;
  const access = await read(numberId);
  if (kept.size > MOST_KEPT) kept.clear();
  kept.set(numberId, { at: now, access });
  return access;
};
