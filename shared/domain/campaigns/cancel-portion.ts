import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { campaignKey } from '../sending/automated.ts';
import { type Campaign, openNumbers, type Portion } from './campaign.ts';
import type { PortionPorts, PortionResult } from './ports.ts';

/** Messages cancelled at once. */
const AT_ONCE = 8;

/** The messages of recipients that were accepted by a worker who ended before it could say so, by their keys. */
const unsavedMessages = async (ports: PortionPorts, campaign: Campaign, portion: Portion): Promise<Portion['sent']> => {
  const contacts = [...(await ports.contactsOf(campaign.organizationId, openNumbers(portion)))];
  const keys = contacts.map(([, { id }]) => campaignKey(campaign.id, id).callerKey);
  const records =
    keys.length === 0 ? [] : await ports.bulk.idempotencyRecords(campaign.organizationId, keys, ports.clock());
  const seen = new Set<Id<'message'>>();
  return contacts.flatMap(([number], at) => {
    const messageId = records[at]?.messageId;
    if (messageId === undefined || seen.has(messageId)) return [];
    seen.add(messageId);
    return [[number, messageId] as const];
  });
};

/** Cancels what a portion's recipients were accepted for and has not left; who has no message gets none. */
export const cancelPortion = async (
  ports: PortionPorts,
  campaign: Campaign,
  portion: Portion,
): Promise<PortionResult> => {
  const unsaved = await unsavedMessages(ports, campaign, portion);
  const sent = [...portion.sent, ...unsaved];
  await mapConcurrently(sent, AT_ONCE, ([, messageId]) => ports.cancelMessage(campaign, messageId));
  const skipped = openNumbers({ ...portion, sent }).map((number) => [number, 'cancelled'] as const);
  return {
    portion: { ...portion, sent, skipped: [...portion.skipped, ...skipped], state: 'done', allotted: 0 },
    skipped: skipped.length,
    returned: 0,
  };
};
