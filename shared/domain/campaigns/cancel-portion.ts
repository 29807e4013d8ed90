import { isQueued } from '../api/cancel-and-force.ts';
import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import type { MessageRecord } from '../message/message.ts';
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

/**
 * Cancels a message that has not left. Answers those that followed it: the steps of its fallback, which ends before anything else, so that it takes no
 * step that is not among them; and what is sent in its place.
 */
const cancelOne = async (ports: PortionPorts, campaign: Campaign, message: MessageRecord) => {
  const { id, fallbackId, replacedBy } = message;
  const steps = fallbackId === id ? await ports.endFallback(id) : [];
  if (!isQueued(message)) return [...steps, replacedBy];
  if (await ports.cancelMessage(campaign, id)) return steps;
  // It left or was replaced since it was read.
  const [now] = await ports.readMessages([id]);
  return [...steps, now?.replacedBy];
};

/** Cancels what has not left of some messages, and of all that followed them. */
const cancelAll = async (ports: PortionPorts, campaign: Campaign, ids: readonly Id<'message'>[]): Promise<void> => {
  for (let open = ids; open.length > 0; ) {
    const found = (await ports.readMessages(open)).filter((message) => message !== undefined);
    const followed = await mapConcurrently(found, AT_ONCE, (message) => cancelOne(ports, campaign, message));
    open = followed.flat().filter((id) => id !== undefined);
  }
};

/** Cancels what a portion's recipients were accepted for and has not left, whichever way it came to be; who has no message gets none. */
export const cancelPortion = async (
  ports: PortionPorts,
  campaign: Campaign,
  portion: Portion,
): Promise<PortionResult> => {
  const unsaved = await unsavedMessages(ports, campaign, portion);
  const sent = [...portion.sent, ...unsaved];
  await cancelAll(
    ports,
    campaign,
    sent.map(([, messageId]) => messageId),
  );
  const skipped = openNumbers({ ...portion, sent }).map((number) => [number, 'cancelled'] as const);
  return {
    portion: { ...portion, sent, skipped: [...portion.skipped, ...skipped], state: 'done', allotted: 0 },
    skipped: skipped.length,
    returned: 0,
  };
};
