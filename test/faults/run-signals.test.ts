import { afterEach, describe, expect, test } from 'vitest';
import { type AutomatedRequest, sendAutomated } from '../../shared/domain/api/automated-send.ts';
import { resend } from '../../shared/domain/api/resend.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { linkCodesIn } from '../../shared/domain/links/short-link.ts';
import type { JourneyLabel, MessageRecord } from '../../shared/domain/message/message.ts';
import { advanceFallback } from '../../shared/domain/sending/advance-fallback.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { messageEvent } from '../../shared/domain/tracking/events.ts';
import { followLink } from '../../shared/domain/tracking/follow-link.ts';
import type { Publishable } from '../../shared/queues/queues.ts';
import { readJourneyCounts } from '../../shared/storage/automation/counters.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { publishables } from '../../shared/storage/due-work/publishable.ts';
import { journeySignals } from '../../shared/storage/journeys/journey-signals.ts';
import { keepEngagement } from '../../shared/storage/messages/engagement.ts';
import { linkStore } from '../../shared/storage/messages/links.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { accepted } from '../support/accepted.ts';
import { aStep, ofJourney } from '../support/automated.ts';
import { deliverReport, reportOf } from '../support/channel-sends.ts';
import { onTransactions, tableFaults } from '../support/fault-proxy.ts';
import { messagesOf } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { advanceFallbackPortsOf, sendQueuedPortsOf, submitPortsOf } from '../support/world-queued.ts';

const world = await use(startWorld('live'));
afterEach(world.reset);
const { table } = world;
const signals = journeySignals(table);

const TEXT = 'Veja https://loja.example/a e https://loja.example/b';
/** A message of a step that is awaited, which has left. */
const sent = async (body: Partial<AutomatedRequest> = {}, step = aStep({ awaited: true })) => {
  const actor = await world.organization(1_000_000);
  const request = { channel: 'sms', to: '+5511987654321', text: 'Oi', ...body } as const;
  const { message } = accepted(await sendAutomated(submitPortsOf(world), actor, ofJourney(step), request));
  await leave(message.id);
  return { actor, step, message };
};
const leave = (id: Id<'message'>) => sendQueued(sendQueuedPortsOf(world), id);
const reported = (id: Id<'message'>, status: Parameters<typeof reportOf>[1]) =>
  deliverReport(world, reportOf(id, status));
/** The pending signals of a step's runs, as the dispatcher finds them. */
const signalsOf = async ({ runId }: JourneyLabel) => {
  const due = await overdue(table, 'journey_signal', world.now, 1_000);
  const own = due.filter((item) => PARSE_KEY.runSignal(item).runId === runId);
  const found = await Promise.all(own.map(signals.read));
  return found.flatMap((one) => (one?.kind === 'message' ? [one.signal] : [])).toSorted((a, b) => a.at - b.at);
};
const happenings = async (step: JourneyLabel) => (await signalsOf(step)).map(({ happening }) => happening);
const clicksOf = async ({ journeyId, stepId }: JourneyLabel) =>
  (await readJourneyCounts(table, journeyId, { consistent: true })).get(stepId)?.clicked ?? 0;
const follow = (code: string) =>
  followLink(
    {
      clock: () => world.now,
      ...linkStore(table, () => {}),
      interacted: async () => undefined,
      readMessage: (organizationId, id) => readMessage(table, organizationId, id),
    },
    code,
  );
const last = async ({ organizationId }: Actor, id: Id<'message'>): Promise<MessageRecord> => {
  const other = (await messagesOf(table, organizationId)).find((message) => message.id !== id);
  if (!other) throw new Error('there is one message only');
  return other;
};

describe('a run that waits for a message', () => {
  test('is signalled its delivery and its reading, each once, by work that is due immediately and found without a queue', async () => {
    const { actor, step, message } = await sent({ channel: 'whatsapp' });
    expect(await signalsOf(step)).toEqual([]);
    for (const status of ['delivered', 'delivered', 'read', 'delivered'] as const) await reported(message.id, status);
    const { organizationId, env } = actor;
    const { runId, journeyId, stepId } = step;
    const of = { organizationId, env, runId, journeyId, stepId, messageId: message.id, at: world.now };
    expect(new Set(await signalsOf(step))).toEqual(
      new Set([
        { ...of, happening: 'entregue' },
        { ...of, happening: 'lida' },
      ]),
    );
  });

  test('gets no further signal once it was processed, despite repeated reads', async () => {
    const { actor, step, message } = await sent();
    await reported(message.id, 'delivered');
    const [item] = (await overdue(table, 'journey_signal', world.now, 1_000)).filter(
      (each) => PARSE_KEY.runSignal(each).runId === step.runId,
    );
    if (!item) throw new Error('nothing is due');
    const position = { ...item, dueAt: world.now };
    const [published] = await publishables(table, { kind: 'journey_signal', shard: 0 }, [position]);
    expect(published).toMatchObject({ kind: 'journey_signal', owner: actor.organizationId });
    await signals.done(item);
    await signals.done(item);
    expect(await signals.read(item)).toBeUndefined();
    expect(await signalsOf(step)).toEqual([]);
  });

  test('gets no signal of a failure, and none if it does not wait', async () => {
    const awaited = await sent();
    await reported(awaited.message.id, 'undelivered');
    expect(await signalsOf(awaited.step)).toEqual([]);
    const { step, message } = await sent({ text: TEXT }, aStep());
    await reported(message.id, 'delivered');
    for (const code of linkCodesIn(JSON.stringify(message.content))) await follow(code);
    expect(await signalsOf(step)).toEqual([]);
    expect(await clicksOf(step)).toBe(1);
  });

  test("is signalled under the first message's id when its fallback or replacement is delivered", async () => {
    const { actor, step, message } = await sent({ fallback: ['rcs'], fallback_after: 60_000 });
    await reported(message.id, 'undelivered');
    await advanceFallback(advanceFallbackPortsOf(world), message.id);
    const fallback = await last(actor, message.id);
    await leave(fallback.id);
    await reported(fallback.id, 'delivered');
    expect(await signalsOf(step)).toMatchObject([{ messageId: message.id, happening: 'entregue' }]);

    const failed = await sent();
    await reported(failed.message.id, 'undelivered');
    const ports = {
      ...submitPortsOf(world),
      readMessage: (organizationId: Id<'organization'>, id: Id<'message'>) => readMessage(table, organizationId, id),
      isUndecided: async () => false,
    };
    const resent = accepted(await resend(ports, failed.actor, failed.message.id, {}, undefined));
    await leave(resent.message.id);
    await reported(resent.message.id, 'delivered');
    expect(await signalsOf(failed.step)).toMatchObject([{ messageId: failed.message.id }]);
  });

  test.each(Object.entries(tableFaults(6)))(
    'is signalled once although every other transaction fails: %s',
    async (_, fault) => {
      const { step, message } = await sent();
      world.proxy.plan(onTransactions(fault, { every: 2 }));
      await reported(message.id, 'delivered');
      world.proxy.plan(undefined);
      expect(await happenings(step)).toEqual(['entregue']);
    },
  );
});

describe('the first click of a message', () => {
  test('is signalled and counted once, whichever of its links is followed, and however many concurrently', async () => {
    const { step, message } = await sent({ text: TEXT });
    const codes = linkCodesIn(JSON.stringify(message.content));
    expect(codes).toHaveLength(2);
    await Promise.all([...codes, ...codes, ...codes].map(follow));
    expect(await happenings(step)).toEqual(['clicada']);
    expect(await clicksOf(step)).toBe(1);
    const links = await Promise.all(codes.map((code) => linkStore(table, () => {}).readLink(code)));
    expect(links.map((link) => link?.clicks)).toEqual([3, 3]);
  });

  test('and the first open of an e-mail, which counts as read, are signalled and counted once each', async () => {
    const { step, message } = await sent({ channel: 'email', to: 'ana@loja.example' });
    const published: Publishable[] = [];
    const engage = (what: 'opened' | 'clicked') => {
      const event = { ...messageEvent(`email.${what}`, message, world.now, {}), id: newId('event') };
      return keepEngagement(table, event, { message, what, at: world.now }, (items) => void published.push(...items));
    };
    await Promise.all([engage('opened'), engage('opened'), engage('clicked'), engage('clicked')]);
    expect((await happenings(step)).toSorted()).toEqual(['clicada', 'lida']);
    const counts = (await readJourneyCounts(table, step.journeyId)).get(step.stepId);
    expect(counts).toMatchObject({ read: 1, clicked: 1 });
    expect(published.filter(({ kind }) => kind === 'journey_signal')).toHaveLength(2);
  });
});
