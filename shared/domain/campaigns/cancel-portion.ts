import { isQueued } from '../api/cancel-and-force.ts';
import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import type { MessageRecord } from '../message/message.ts';
import { campaignKey } from '../sending/automated.ts';
import { type Campaign, openNumbers, type Portion } from './campaign.ts';
import type { PortionPorts, PortionResult } from './ports.ts';

/** Concurrent cancellations. */
const CONCURRENCY = 8;

/** The messages of recipients, found by their keys, that were accepted by a worker which crashed before it could record them. */
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
 * Cancels a message that was not sent yet. Returns its follow-ups: the steps of its fallback, which is ended first so that no step can be
 * added, and messages that replaced it.
 */
const cancelOne = async (ports: PortionPorts, campaign: Campaign, message: MessageRecord) => {
  const { id, fallbackId, replacedBy } = message;
  const steps = fallbackId === id ? await ports.endFallback(id) : [];
  if (!isQueued(message)) return [...steps, replacedBy];
  if (await ports.cancelMessage(campaign, id)) return steps;
  // It was sent or replaced since it was read.
  const [now] = await ports.readMessages([id]);
  return [...steps, now?.replacedBy];
};

/** Cancels the unsent ones of some messages, and of all their follow-ups. */
const cancelAll = async (ports: PortionPorts, campaign: Campaign, ids: readonly Id<'message'>[]): Promise<void> => {
  for (let open = ids; open.length > 0; ) {
    const found = (await ports.readMessages(open)).filter((message) => message !== undefined);
    const followed = await mapConcurrently(found, CONCURRENCY, (message) => cancelOne(ports, campaign, message));
    open = followed.flat().filter((id) => id !== undefined);
  }
};

/**
 * Cancels all unsent messages of a portion's recipients, including those that were accepted but not recorded; recipients without a message
 * get none.
 */
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
