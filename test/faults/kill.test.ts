import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand, SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { depthOf, redriveByHand } from '../../infra/operator/queue-actions.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import {
  type KillLab,
  killAll,
  learnIds,
  STEP_NAMES,
  type Step,
  sendAs,
  settles,
  startKillLab,
  timesTaken,
  untilResolved,
  type Victim,
} from '../support/kill.ts';
import { OUTCOMES, rowOf } from '../support/kill-outcomes.ts';
import { checkMoney } from '../support/money.ts';

// Real processes, and a deadline that has to pass.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 150_000 });

const RESOLVED_WITHIN_MS = 120_000;

const OUTCOME_KINDS = ['resolve_send', 'apply_receipt'];
const POISON = '{"kind":"nothing of ours"}';
const WAIT = { timeout: 30_000, interval: 250 };

const put = async (sqs: SQSClient, QueueUrl: string, bodies: readonly string[]): Promise<void> => {
  for (let start = 0; start < bodies.length; start += 10) {
    const Entries = bodies.slice(start, start + 10).map((MessageBody, at) => ({ Id: String(at), MessageBody }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  }
};
/** Whether a write stands under this fence. */
const isFence = (body: string, fence: number) => new RegExp(`":fence":\\{"N":"${fence}"\\}`).test(body);

describe('a process killed in the middle of its work', () => {
  let lab: KillLab;
  let victims: Victim[];
  const restarted = {
    atOnce: new Map<Step, { status: number; code: unknown; retryAfter: string | null }>(),
    resolvedMs: 0,
  };
  const victim = (step: Step): Victim => victims.find((each) => each.step === step) as Victim;

  const hints = (kinds: readonly string[]): string[] =>
    victims
      .flatMap(({ messageId, eventId }) => [
        ...(messageId ? [{ kind: 'resolve_send', ...KEYS.message(messageId) }] : []),
        ...(messageId ? [{ kind: 'apply_receipt', ...KEYS.receipt(messageId, 'applied') }] : []),
        ...(eventId ? [{ kind: 'publish_event', ...KEYS.event(eventId) }] : []),
      ])
      .filter(({ kind }) => kinds.includes(kind))
      .map((hint) => JSON.stringify(hint));
  const books = async () => {
    const { balance, held, entries, messages } = await checkMoney(lab.table, victim('answered').organizationId);
    return { balance, held, entries: entries.length, messages: messages.length, taken: lab.provider.messages.length };
  };

  beforeAll(async () => {
    lab = await startKillLab();
    await lab.start();
    const caller = await lab.organization();
    victims = STEP_NAMES.map((step, at) => ({
      ...caller,
      step,
      key: `key-${step}`,
      to: `+55119876510${String(at).padStart(2, '0')}`,
    }));
    await killAll(lab, victims);
    await lab.start();
    const { sqs, url } = await lab.queue('outcome');
    await put(sqs, url, [...hints(OUTCOME_KINDS).slice(0, 9), POISON]);
    for (const each of victims.filter(({ step }) => OUTCOMES[step].atOnce === 'under way')) {
      const { status, body, headers } = await sendAs(each);
      restarted.atOnce.set(each.step, {
        status,
        code: body?.meta?.code ?? body?.code,
        retryAfter: headers.get('retry-after'),
      });
    }
    restarted.resolvedMs = await untilResolved(lab, victims, RESOLVED_WITHIN_MS);
  });
  afterAll(() => lab.close());

  test('reached every step: each message that was reserved is known, and each event of a receipt', () => {
    for (const { step, messageId } of victims)
      expect(messageId, step).toMatch(step === 'before_reserve' ? /^(msg_\w+)?$/ : /^msg_\w+$/);
  });

  test('has every hold resolved and every event handed over within 120 s of its restart', () => {
    expect(restarted.resolvedMs).toBeLessThan(RESOLVED_WITHIN_MS);
  });

  test.each(STEP_NAMES.filter((step) => OUTCOMES[step].atOnce === 'under way'))(
    'at %s: a retry before that is told to wait, and sends nothing',
    (step) => {
      const told = restarted.atOnce.get(step);
      expect(told).toMatchObject({ status: 409 });
      expect(Number(told?.retryAfter)).toBeGreaterThan(0);
    },
  );

  test.each(STEP_NAMES)(
    'at %s leaves exactly the state that the fault allows, and the texts that the provider took',
    async (step) => {
      const { message, taken } = OUTCOMES[step];
      const row = await rowOf(lab, victim(step));
      if (message) expect(row).toMatchObject(message);
      else expect(row).toBeUndefined();
      expect(timesTaken(lab, victim(step))).toBe(taken);
    },
  );

  test('keeps the books: one hold a message, one resolution, the balance less what was captured', async () => {
    const { messages } = await checkMoney(lab.table, victim('answered').organizationId);
    expect(messages).toHaveLength(STEP_NAMES.length - 1);
    expect(messages.filter(({ hold }) => hold === 'captured')).toHaveLength(
      Object.values(OUTCOMES).filter(({ taken }) => taken === 1).length,
    );
  });

  test('raised one event for each message that ended, and published each', async () => {
    const client = new DynamoDBClient({ endpoint: lab.endpoint });
    const { Items = [] } = await client.send(new ScanCommand({ TableName: lab.table.name, ConsistentRead: true }));
    client.destroy();
    const events = Items.map((item) => unmarshall(item)).filter(({ pk }) => String(pk).startsWith('EVT#'));
    for (const step of STEP_NAMES) {
      const own = events.filter(({ data }) => data?.id === victim(step).messageId);
      const { event: type } = OUTCOMES[step];
      expect(
        own.map((event) => [event.type, event.publishedAt !== undefined]),
        step,
      ).toEqual(type ? [[type, true]] : []);
    }
  });

  test('at any step: the retry with the same key is a first send where nothing was sent, else it replays the one that was', async () => {
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
    const { messages } = await checkMoney(lab.table, victim('answered').organizationId);
    expect(messages.filter(({ hold }) => hold === 'captured')).toHaveLength(STEP_NAMES.length);
  });

  test('what was done is done once, though its queue messages come again, in any order, or are redriven from the dead letters', async () => {
    const before = await books();
    const outcomes = hints(OUTCOME_KINDS);
    const events = hints(['publish_event']);
    const [queue, eventQueue] = [await lab.queue('outcome'), await lab.queue('events')];
    await put(queue.sqs, queue.deadLetterUrl, outcomes);
    expect(await redriveByHand(queue.sqs, queue)).toBe(outcomes.length);
    await put(queue.sqs, queue.url, [...outcomes, ...outcomes.toReversed()]);
    await put(eventQueue.sqs, eventQueue.url, [...events, ...events.toReversed()]);
    await vi.waitFor(async () => {
      expect(await depthOf(queue.sqs, queue.url)).toMatchObject({ waiting: 0, delayed: 0 });
      expect(await depthOf(eventQueue.sqs, eventQueue.url)).toEqual({ waiting: 0, inFlight: 0, delayed: 0 });
    }, WAIT);
    expect(await books()).toEqual(before);
  });

  test('a settlement that arrives after others resolved the message changes nothing: the fence shuts it out', async () => {
    const { organizationId, client } = victim('before_settle');
    const late: Victim = { step: 'before_settle', organizationId, client, key: 'late', to: '+5511987651099' };
    learnIds(lab, [late]);
    const held = lab.tableGate.hold('before', (call) => settles(call, late) && isFence(call.body, 1));
    const answering = sendAs(late);
    await held.reached;
    await untilResolved(lab, [late], RESOLVED_WITHIN_MS);
    const resolved = await lab.table.get(KEYS.message(late.messageId ?? ''));
    expect(resolved).toMatchObject({ hold: 'captured', fence: 2 });
    await held.release();
    expect((await answering).status).toBeOneOf([201, 503]);
    expect(await lab.table.get(KEYS.message(late.messageId ?? ''))).toEqual(resolved);
    await checkMoney(lab.table, organizationId);
    expect(timesTaken(lab, late)).toBe(1);
    expect((await sendAs(late)).body).toMatchObject({ replayed: true, id: late.messageId });
  });

  test('a message that no consumer can read ends among the dead letters; what came with it was acknowledged', async () => {
    const queue = await lab.queue('outcome');
    const deadLetters = async () => {
      const command = { QueueUrl: queue.deadLetterUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 };
      const { Messages = [] } = await queue.sqs.send(new ReceiveMessageCommand(command));
      return Messages.map(({ Body }) => Body);
    };
    await vi.waitFor(async () => expect(await deadLetters()).toEqual([POISON]), { ...WAIT, timeout: 80_000 });
    expect(await depthOf(queue.sqs, queue.url)).toEqual({ waiting: 0, inFlight: 0, delayed: 0 });
  });
});
