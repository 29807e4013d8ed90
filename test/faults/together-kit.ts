import { randomUUID } from 'node:crypto';
import type { SmsSendPorts } from '../../shared/domain/api/send-sms.ts';
import { sendSms } from '../../shared/domain/api/send-sms.ts';
import type { SmsRequest } from '../../shared/domain/channels/sms/request.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { sendOverSmpp } from '../../shared/domain/smpp/send.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { batchingStore } from '../../shared/storage/messages/batching-store.ts';
import { idNamed } from '../support/ids.ts';
import type { World } from '../support/world.ts';
import { submitPortsOf } from '../support/world-queued.ts';

/** The ports of a process that sends many messages at once. */
export const gatheringPorts = (
  world: World,
  { ports, table }: Pick<World, 'ports' | 'table'> = world,
): SmsSendPorts => ({
  ...ports,
  messageStore: batchingStore(table, (published) => void world.workItems.push(...published), ports.messageStore),
});

/** A recipient of its own for each message. */
export const recipientAt = (at: number): string => `+55119876${String(50_000 + at).slice(0, 5)}`;

/** A message to send; what it does not say is alike in all of them. */
export type Sending = Partial<SmsRequest> & { readonly key?: string };

/** Sends all at once; the outcome of each: what it cost, or why it was refused. */
export const sendConcurrently = (ports: SmsSendPorts, actor: Actor, all: readonly Sending[]) =>
  Promise.all(
    all.map(async ({ key = randomUUID(), ...fields }, at) => {
      const request = { to: recipientAt(at), body: 'Oi', route: 'premium', ...fields } as SmsRequest;
      const sent = await sendSms(ports, actor, key, request);
      return isRefusal(sent) ? sent.name : sent.billing.coins;
    }),
  );
/** A message that its account submitted without a key. */
export const submitAt = (world: World, ports: SmsSendPorts, { organizationId, env }: Actor, at: number) => {
  const submitter = { id: idNamed('smppAccount', 'test'), organizationId, route: 'premium' } as const;
  const message = { destination: recipientAt(at), text: 'Oi', receipts: [] };
  return sendOverSmpp({ ...submitPortsOf(world), ...ports }, { env }, submitter, message);
};
export const times = <T>(count: number, one: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => one(at));
/** How many there are of each. */
export const counted = (all: readonly (string | number)[]) =>
  Object.fromEntries(Object.entries(Object.groupBy(all, String)).map(([name, of = []]) => [name, of.length]));
/** The messages that the records of these keys name. */
export const recordsOf = async (
  { table }: Pick<World, 'table'>,
  { organizationId }: Actor,
  messages: readonly MessageRecord[],
) => {
  const keys = messages.map(({ callerKey }) => KEYS.idempotency(organizationId, callerKey));
  return (await table.getMany(keys, { consistent: true })).map((row) => row?.messageId);
};
