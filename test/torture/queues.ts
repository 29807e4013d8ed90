import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { CHANNELS } from '../../shared/domain/channels/registry.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import { depthOf, redriveManually } from '../../shared/queues/dead-letters.ts';
import { QUEUE_OF_KIND, type QueueName, type WorkItem } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { chanceOf } from '../support/chance.ts';
import { bringThrough, type KillLab, type Step, startKillLab, untilResolved, type Victim } from '../support/kill.ts';
import { recipientOf } from '../support/kill-steps.ts';
import { checkMoney } from '../support/money.ts';
import { sendBodies } from '../support/queues.ts';
import type { Part, PartOptions, Report } from './part.ts';

/** Messages whose work is done, and whose queue messages are then repeated. */
const MESSAGES = 30;
/** The share of the repeats that comes from the dead letters. */
const REDRIVEN = 0.1;
const PORTION = 2_000;

/** The last step of a message of each channel: Instagram and push have no delivery receipts. */
const ENDS: Readonly<Record<Channel, Step>> = {
  sms: 'after_published',
  rcs: 'after_published',
  email: 'after_published',
  whatsapp: 'after_published',
  instagram: 'answered',
  push: 'answered',
};

const messageItems = (messageId: Id<'message'>): WorkItem[] => [
  { kind: 'send_message', ...KEYS.message(messageId) },
  { kind: 'fallback', ...KEYS.fallback(messageId) },
  { kind: 'recover_send', ...KEYS.message(messageId) },
  { kind: 'sandbox_outcome', ...KEYS.message(messageId) },
  { kind: 'apply_receipt', ...KEYS.receipt(messageId, 'applied') },
];
const workItemsOf = ({ messageId, eventId }: Victim): WorkItem[] => [
  ...(messageId ? messageItems(messageId) : []),
  ...(eventId ? [{ kind: 'publish_event', ...KEYS.event(eventId) } as const] : []),
];

const put = (sqs: SQSClient, url: string, items: readonly WorkItem[]): Promise<void> =>
  sendBodies(
    sqs,
    url,
    items.map((item) => JSON.stringify(item)),
  );

const untilEmpty = async (sqs: SQSClient, url: string): Promise<void> => {
  for (;;) {
    const { waiting, inFlight, delayed } = await depthOf(sqs, url);
    if (waiting + inFlight + delayed === 0) return;
    await pause(100);
  }
};

/** Puts repeats into a queue, a share of them through its dead letters, and waits until it is empty. How many were redriven. */
const repeat = async (lab: KillLab, name: QueueName, workItems: readonly WorkItem[]): Promise<number> => {
  const { sqs, url, deadLetterUrl } = await lab.queue(name);
  const redriven = Math.floor(workItems.length * REDRIVEN);
  await put(sqs, deadLetterUrl, workItems.slice(0, redriven));
  await redriveManually(sqs, { url, deadLetterUrl });
  await put(sqs, url, workItems.slice(redriven));
  await untilEmpty(sqs, url);
  const dead = await depthOf(sqs, deadLetterUrl);
  if (dead.waiting > 0) throw new Error(`${dead.waiting} repeats ended among the dead letters of ${name}`);
  return redriven;
};

const stateOf = async (lab: KillLab, victims: readonly Victim[]) => {
  const organizationId = parseId('organization', victims[0]?.organizationId);
  const ledger = await checkMoney(lab.table, organizationId);
  const rows = await lab.table.getMany(
    victims.flatMap(({ messageId, eventId }) => [
      ...(messageId ? [KEYS.message(messageId)] : []),
      ...(eventId ? [KEYS.event(eventId)] : []),
    ]),
  );
  const taken = CHANNELS.map((channel) => lab.providers[channel].standIn.messages.length);
  return { ledger, rows, taken };
};

const run = async ({ count, seed, late }: PartOptions): Promise<Report> => {
  const lab = await startKillLab();
  const { shuffled } = chanceOf(seed);
  try {
    await lab.start();
    const caller = await lab.organization();
    const victims = Array.from({ length: MESSAGES }, (_, at): Victim => {
      const channel = CHANNELS[at % CHANNELS.length] ?? 'sms';
      return { ...caller, channel, step: ENDS[channel], key: `key-${at}`, to: recipientOf(channel, at) };
    });
    await bringThrough(lab, victims);
    await untilResolved(lab, victims, 60_000);
    const before = await stateOf(lab, victims);
    const workItems = victims.flatMap(workItemsOf);
    let [done, redriven] = [0, 0];
    while (done < count && !late()) {
      const portion = Array.from(
        { length: Math.min(PORTION, count - done) },
        (_, at) => workItems[(done + at) % workItems.length] as WorkItem,
      );
      const mixed = Map.groupBy(shuffled(portion), ({ kind }) => QUEUE_OF_KIND[kind]);
      for (const [name, items] of mixed) redriven += await repeat(lab, name, items);
      done += portion.length;
      if (!isDeepStrictEqual(await stateOf(lab, victims), before))
        throw new Error(`a repeat had an effect: SEED=${seed} npm run torture -- queues=${done}`);
    }
    return { done, figures: { redriven, 'of messages': MESSAGES, channels: CHANNELS.length, 'extra effects': 0 } };
  } finally {
    await lab.close();
  }
};

/** Queue messages of work that is done, repeated and redriven in any order, through the real queues and consumers. */
export const queues: Part = { whole: 50_000, unit: 'repeated queue messages', run };
