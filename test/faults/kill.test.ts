import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseId } from '../../shared/domain/core/ids.ts';
import { depthOf, redriveManually } from '../../shared/queues/dead-letters.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { chanceOf } from '../support/chance.ts';
import {
  type Caller,
  type KillLab,
  killAll,
  learnIds,
  postReceipt,
  STEP_NAMES,
  type Step,
  sendAs,
  settles,
  startKillLab,
  takesOver,
  timesTaken,
  untilResolved,
  type Victim,
} from '../support/kill.ts';
import { faultOf, OUTCOMES, outcomeOf, retried, retryOf, rowOf } from '../support/kill-outcomes.ts';
import { channelOf, declarationOf, type Kind, OTHER_KINDS, recipientOf } from '../support/kill-steps.ts';
import { checkMoney } from '../support/money.ts';
import { sendBodies } from '../support/queues.ts';
import { shareOf } from '../support/share.ts';

// Real processes, and a deadline that has to pass.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const RESOLVED_WITHIN_MS = 120_000;

/** The same kills in every run; `SEED=…` tries others. */
const SEED = Number(process.env.SEED ?? 20_261_123);
/** On the other channels: every step of a fallback, and a share of each channel's other steps. */
const OTHERS = Object.values(Object.groupBy(OTHER_KINDS, ({ channel }) => channel)).flatMap((kinds) => {
  const [fallbacks, sends] = [true, false].map((is) => kinds.filter(({ step }) => !!declarationOf(step).step === is));
  return [
    ...(fallbacks ?? []),
    ...chanceOf(SEED)
      .shuffled(sends ?? [])
      .slice(0, shareOf(sends?.length ?? 0)),
  ];
});

const SMS = STEP_NAMES.map((step): Kind => ({ channel: 'sms', step }));
const nameOf = (one: Pick<Victim, 'channel' | 'step'>): string => `${channelOf(one)} at ${one.step}`;

const OUTCOME_KINDS = ['recover_send', 'apply_receipt'];
/** The steps at which a transaction writes several messages, before and after it was committed. */
const TOGETHER = [
  'before_reserve',
  'after_reserve',
  'before_settle',
  'after_settle',
] as const satisfies readonly Step[];
/** More than begin alone: the first, and the one that a transaction of the others waits for. */
const AT_ONCE = 6;
const POISON = '{"kind":"nothing of ours"}';
const WAIT = { timeout: 45_000, interval: 250 };

/** The dead letters of a queue, without recoveries that were held at the gate for too long: their number depends on the machine. */
const deadLetters = async ({ sqs, deadLetterUrl: QueueUrl }: Awaited<ReturnType<KillLab['queue']>>) => {
  for (;;) {
    const request = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 };
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(request));
    const held = Messages.filter(({ Body }) => Body?.includes('"recover_send"'));
    if (held.length === 0) return Messages.map(({ Body }) => Body);
    for (const { ReceiptHandle } of held) await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }
};
/** Whether a write has this fence. */
const isFence = (body: string, fence: number) => new RegExp(`":fence":\\{"N":"${fence}"\\}`).test(body);

describe(`a process killed in the middle of its work (seed ${SEED})`, () => {
  let lab: KillLab;
  /** Each of an organization of its own. */
  let victims: Victim[];
  /** Of the other channels: some of their holds stay open, since no provider reports on them. */
  let others: Victim[];
  /** Several of each of these steps, of one organization a step, whose messages are written together. */
  let together: Victim[];
  /** How many of them were in one transaction at most. */
  const mostInOne: Partial<Record<Step, number>> = {};
  let killedAt: number;
  const restarted = {
    immediateRetry: new Map<string, { status: number; code: unknown; retryAfter: string | null }>(),
    resolvedMs: 0,
  };
  const victim = (step: Step): Victim => victims.find((each) => each.step === step) as Victim;

  const workItems = (kinds: readonly string[]): string[] =>
    victims
      .flatMap(({ messageId, eventId }) => [
        ...(messageId ? [{ kind: 'recover_send', ...KEYS.message(messageId) }] : []),
        ...(messageId ? [{ kind: 'apply_receipt', ...KEYS.receipt(messageId, 'applied') }] : []),
        ...(eventId ? [{ kind: 'publish_event', ...KEYS.event(eventId) }] : []),
      ])
      .filter(({ kind }) => kinds.includes(kind))
      .map((item) => JSON.stringify(item));
  const checkedMoney = (of: readonly Victim[]) =>
    Promise.all([...new Set(of.map(({ organizationId }) => organizationId))].map((id) => checkMoney(lab.table, id)));
  const storedMessages = async (of: readonly Victim[]) => (await checkedMoney(of)).flatMap(({ messages }) => messages);
  const stored = async () => {
    const ledgers = (await checkedMoney(victims)).map(({ balance, held, entries, messages }) => {
      return { balance, held, entries: entries.length, messages: messages.length };
    });
    return { ledgers, taken: lab.provider.messages.length };
  };

  beforeAll(async () => {
    lab = await startKillLab();
    await lab.start();
    const callers = await lab.organizations(STEP_NAMES.length + OTHERS.length + TOGETHER.length);
    const nextCaller = () => callers.pop() as Caller;
    victims = STEP_NAMES.map((step, at) => ({
      ...nextCaller(),
      step,
      key: `key-${step}`,
      to: `+55119876510${String(at).padStart(2, '0')}`,
    }));
    others = OTHERS.map(({ channel, step }, at) => ({
      ...nextCaller(),
      step,
      channel,
      key: `key-${channel}-${step}`,
      to: recipientOf(channel, at),
    }));
    together = TOGETHER.flatMap((step, nth) => {
      const caller = nextCaller();
      return Array.from({ length: AT_ONCE }, (_, at): Victim => {
        const to = `+55119876520${nth}${at}`;
        return { ...caller, step, key: `key-${step}-${at}`, to };
      });
    });
    lab.tableGate.watch((call) => {
      for (const step of TOGETHER) {
        const own = together.filter((one) => one.step === step && declarationOf(step).matches(call, one));
        mostInOne[step] = Math.max(mostInOne[step] ?? 0, own.length);
      }
    });
    const unanswered = await killAll(lab, [...victims, ...others, ...together]);
    killedAt = Date.now();
    // Nothing is recovered before its caller retried, however slowly this machine starts a process.
    const unresolved = lab.tableGate.hold('before', takesOver);
    await lab.start();
    const { sqs, url } = await lab.queue('outcome');
    await sendBodies(sqs, url, [...workItems(['apply_receipt']).slice(0, 9), POISON]);
    for (const each of [...victims, ...others].filter((one) => outcomeOf(one).immediateRetry === 'under way')) {
      const { status, body, headers } = await sendAs(each);
      restarted.immediateRetry.set(nameOf(each), {
        status,
        code: body?.meta?.code ?? body?.code,
        retryAfter: headers.get('retry-after'),
      });
    }
    const reported = others.filter((one) => outcomeOf(one).reported);
    for (const each of [...unanswered, ...reported]) await postReceipt(lab, each);
    await unresolved.release();
    restarted.resolvedMs = await untilResolved(lab, [...victims, ...together], RESOLVED_WITHIN_MS);
  });
  afterAll(() => lab.close());

  test('reached every step: the id of each reserved message is known', () => {
    for (const { step, messageId } of victims)
      expect(messageId, step).toMatch(step === 'before_reserve' ? /^(msg_\w+)?$/ : /^msg_\w+$/);
  });

  test('has every hold settled and every event published within 120 s of its restart', () => {
    expect(restarted.resolvedMs).toBeLessThan(RESOLVED_WITHIN_MS);
  });

  test.for([...SMS, ...OTHERS].filter((one) => outcomeOf(one).immediateRetry === 'under way'))(
    'on $channel at $step answers a retry before that with 409 and Retry-After',
    (one) => {
      const answer = restarted.immediateRetry.get(nameOf(one));
      expect(answer).toMatchObject({ status: 409 });
      expect(Number(answer?.retryAfter)).toBeGreaterThan(0);
    },
  );

  test.each(STEP_NAMES)(
    'at %s leaves exactly the state that the fault allows, and the expected texts at the provider',
    async (step) => {
      const { message, taken } = OUTCOMES[step];
      const row = await rowOf(lab, victim(step));
      if (message) expect(row).toMatchObject(message);
      else expect(row).toBeUndefined();
      expect(timesTaken(lab, victim(step))).toBe(taken);
    },
  );

  test('keeps the ledger right: one hold and one capture or release per message, the balance less the captures', async () => {
    const messages = await storedMessages(victims);
    expect(messages).toHaveLength(STEP_NAMES.length - 1);
    expect(messages.filter(({ hold }) => hold === 'captured')).toHaveLength(
      STEP_NAMES.filter((step) => OUTCOMES[step].taken === 1).length,
    );
  });

  test('raised one event for each message that ended, and published each', async () => {
    const client = new DynamoDBClient({ endpoint: lab.endpoint });
    const published = async () => {
      const { Items = [] } = await client.send(new ScanCommand({ TableName: lab.table.name, ConsistentRead: true }));
      const events = Items.map((item) => unmarshall(item)).filter(({ pk }) => String(pk).startsWith('EVT#'));
      return STEP_NAMES.map((step) => {
        const own = events.filter(({ data }) => data?.id === victim(step).messageId);
        return [step, ...own.map((event) => [event.type, event.publishedAt !== undefined])];
      });
    };
    const raised = STEP_NAMES.map((step) => {
      const { event } = OUTCOMES[step];
      return event ? [step, [event, true]] : [step];
    });
    await vi.waitFor(async () => expect(await published()).toEqual(raised), WAIT);
    client.destroy();
  });

  test('at any step answers a retry with a first send where nothing was sent, else with the replay of what was', async () => {
    for (const step of STEP_NAMES) {
      const each = victim(step);
      const { status, body } = await sendAs(each);
      const replayed = OUTCOMES[step].taken === 1;
      expect({ step, status, replayed: body.replayed, same: body.id === each.messageId }).toEqual({
        step,
        status: 201,
        replayed,
        same: replayed,
      });
      expect(timesTaken(lab, each), step).toBe(1);
    }
    const messages = await storedMessages(victims);
    expect(messages.filter(({ hold }) => hold === 'captured')).toHaveLength(STEP_NAMES.length);
  });

  test.each(TOGETHER)(
    'at %s, in a transaction with other messages, leaves each as if it had been alone in it',
    async (step) => {
      expect(mostInOne[step]).toBeGreaterThan(1);
      const own = together.filter((one) => one.step === step);
      expect(new Set(own.map(({ messageId }) => messageId)).size).toBe(AT_ONCE);
      for (const each of own) expect(await faultOf(lab, each)).toBeUndefined();
      for (const each of own) expect(await retried(lab, each)).toEqual(retryOf(each));
      const captured = (await storedMessages(own)).filter(({ hold }) => hold === 'captured');
      expect(captured).toHaveLength(AT_ONCE);
    },
  );

  test('repeats nothing when its queue messages are repeated, in any order, or redriven from the dead letters', async () => {
    const before = await stored();
    const outcomes = workItems(OUTCOME_KINDS);
    const events = workItems(['publish_event']);
    const [queue, eventQueue] = [await lab.queue('outcome'), await lab.queue('events')];
    await deadLetters(queue);
    await sendBodies(queue.sqs, queue.deadLetterUrl, outcomes);
    expect(await redriveManually(queue.sqs, queue)).toBeGreaterThanOrEqual(outcomes.length);
    await sendBodies(queue.sqs, queue.url, [...outcomes, ...outcomes.toReversed()]);
    await sendBodies(eventQueue.sqs, eventQueue.url, [...events, ...events.toReversed()]);
    await vi.waitFor(async () => {
      expect(await depthOf(queue.sqs, queue.url)).toMatchObject({ waiting: 0, delayed: 0 });
      expect(await depthOf(eventQueue.sqs, eventQueue.url)).toEqual({ waiting: 0, inFlight: 0, delayed: 0 });
    }, WAIT);
    expect(await stored()).toEqual(before);
  });

  test('that settles a message after it was recovered changes nothing: the fence rejects it', async () => {
    const { organizationId, client } = victim('before_settle');
    const late: Victim = { step: 'before_settle', organizationId, client, key: 'late', to: '+5511987651099' };
    learnIds(lab, [late]);
    const held = lab.tableGate.hold('before', (call) => settles(call, late) && isFence(call.body, 1));
    const answering = sendAs(late);
    await held.reached;
    await untilResolved(lab, [late], RESOLVED_WITHIN_MS);
    const resolved = await lab.table.get(KEYS.message(parseId('message', late.messageId)));
    expect(resolved).toMatchObject({ hold: 'captured', fence: 2 });
    await held.release();
    expect((await answering).status).toBeOneOf([201, 503]);
    expect(await lab.table.get(KEYS.message(parseId('message', late.messageId)))).toEqual(resolved);
    await checkMoney(lab.table, organizationId);
    expect(timesTaken(lab, late)).toBe(1);
    expect((await sendAs(late)).body).toMatchObject({ replayed: true, id: late.messageId });
  });

  describe('on another channel', () => {
    const own = (one: Pick<Victim, 'channel' | 'step'>) =>
      others.find(({ channel, step }) => channel === one.channel && step === one.step) as Victim;
    const messagesOfFallback = async (one: Victim) => {
      const { messages } = await checkMoney(lab.table, one.organizationId);
      return messages.filter(({ fallbackId }) => fallbackId === one.messageId);
    };
    beforeAll(() => untilResolved(lab, others, RESOLVED_WITHIN_MS));

    test('has every hold settled within 120 s of the kill', async () => {
      for (const one of others) {
        const row = await rowOf(lab, one);
        const resolvedAt = Date.parse(String(row?.hold === 'released' ? row.failedAt : row?.sentAt));
        expect(resolvedAt - killedAt, nameOf(one)).toBeLessThan(RESOLVED_WITHIN_MS);
      }
    });

    test.each(OTHERS)('$channel at $step leaves exactly the state that the fault allows', async (one) => {
      expect(own(one).messageId).toMatch(/^msg_\w+$/);
      await vi.waitFor(async () => expect(await faultOf(lab, own(one))).toBeUndefined(), WAIT);
    });

    test.each(OTHERS.filter(({ step }) => declarationOf(step).step))(
      '$channel at $step sends its fallback once, charged once besides the message that it replaces',
      async (one) => {
        expect(timesTaken(lab, own(one), 'sms')).toBe(1);
        const fallback = await messagesOfFallback(own(one));
        expect(fallback.map(({ channel, hold, status }) => ({ channel, hold, status }))).toEqual(
          expect.arrayContaining([
            { channel: 'rcs', hold: 'captured', status: 'failed' },
            { channel: 'sms', hold: 'captured', status: 'sent' },
          ]),
        );
        expect(fallback).toHaveLength(2);
      },
    );

    test('at any step answers a retry with a replay of what was sent, a first send where certainly nothing was, else indeterminate', async () => {
      for (const one of OTHERS)
        expect({ ...one, ...(await retried(lab, own(one))) }).toEqual({ ...one, ...retryOf(one) });
      await checkedMoney(others);
    });
  });

  test('leaves only the queue message that no consumer can read among the dead letters', async () => {
    const queue = await lab.queue('outcome');
    await vi.waitFor(async () => expect(await deadLetters(queue)).toEqual([POISON]), { ...WAIT, timeout: 80_000 });
    const nothing = { waiting: 0, inFlight: 0, delayed: 0 };
    await vi.waitFor(async () => expect(await depthOf(queue.sqs, queue.url)).toEqual(nothing), WAIT);
  });
});
