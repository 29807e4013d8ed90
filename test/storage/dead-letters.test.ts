import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { depthOf, peek, queueOperator, redriveChosen, redriveManually } from '../../shared/queues/dead-letters.ts';
import '../support/aws-environment.ts';
import { listening } from '../support/loopback.ts';
import { use } from '../support/use.ts';

interface Stored {
  readonly id: string;
  readonly body: string;
  readonly group?: string | undefined;
  readonly sentAt?: number;
  visible: boolean;
}
type Entry = Readonly<Record<string, string>>;
interface Input {
  readonly QueueUrl: string;
  readonly MaxNumberOfMessages?: number;
  readonly Entries?: readonly Entry[];
}
const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const URLS = { url: 'http://sqs.test/queue', deadLetterUrl: 'http://sqs.test/dead-letters' };

/** Two queues, of which one accepts no body that says `refused`. */
let queues: ReadonlyMap<string, Stored[]>;
const messagesOf = (url: string): Stored[] => queues.get(url) ?? [];
let sent = 0;
/** Receives that return nothing though there are messages: SQS samples some of its hosts. */
let emptyReceives = 0;
/** How many messages each receive asked for: SQS accepts from 1 to 10. */
let limits: (number | undefined)[] = [];
/** Whether consumers fail at each message at once, so that it is dead again. */
let diesAgain = false;
/** The error with which SQS refuses a move task; none: it starts. */
let moveFault: { readonly __type: string; readonly message: string } | undefined;
const ok = (entries: readonly Entry[]) => ({ Successful: entries.map(({ Id }) => ({ Id })), Failed: [] });

const ANSWERS: Readonly<Record<string, (input: Input, entries: readonly Entry[]) => object>> = {
  GetQueueAttributes: ({ QueueUrl }) => {
    const all = messagesOf(QueueUrl);
    const waiting = all.filter(({ visible }) => visible).length;
    const inFlight = all.length - waiting;
    return {
      Attributes: {
        ApproximateNumberOfMessages: String(waiting),
        ApproximateNumberOfMessagesNotVisible: String(inFlight),
      },
    };
  },
  ReceiveMessage: ({ QueueUrl, MaxNumberOfMessages }) => {
    limits.push(MaxNumberOfMessages);
    if (emptyReceives-- > 0) return { Messages: [] };
    const received = messagesOf(QueueUrl)
      .filter(({ visible }) => visible)
      .slice(0, MaxNumberOfMessages);
    for (const message of received) message.visible = false;
    return {
      Messages: received.map(({ id, body, sentAt = 1_772_000_000_000 }) => ({
        MessageId: id,
        ReceiptHandle: id,
        Body: body,
        MD5OfBody: md5(body),
        Attributes: { SentTimestamp: String(sentAt), ApproximateReceiveCount: '1', MessageGroupId: 'group' },
      })),
    };
  },
  ChangeMessageVisibilityBatch: ({ QueueUrl }, entries) => {
    for (const { ReceiptHandle } of entries)
      for (const message of messagesOf(QueueUrl)) if (message.id === ReceiptHandle) message.visible = true;
    return ok(entries);
  },
  DeleteMessageBatch: ({ QueueUrl }, entries) => {
    const all = messagesOf(QueueUrl);
    for (const { ReceiptHandle } of entries) {
      const at = all.findIndex(({ id }) => id === ReceiptHandle);
      if (at >= 0) all.splice(at, 1);
    }
    return ok(entries);
  },
  SendMessageBatch: ({ QueueUrl }, entries) => {
    const isRefused = ({ MessageBody = '' }: Entry) => MessageBody.includes('refused');
    const accepted = entries.filter((entry) => !isRefused(entry));
    for (const { MessageBody = '', MessageGroupId: group } of accepted) {
      const at = diesAgain ? URLS.deadLetterUrl : QueueUrl;
      messagesOf(at).push({ id: `new-${sent++}`, body: MessageBody, group, visible: true });
    }
    return {
      Successful: accepted.map(({ Id, MessageBody = '' }) => ({
        Id,
        MessageId: 'm',
        MD5OfMessageBody: md5(MessageBody),
      })),
      Failed: entries.filter(isRefused).map(({ Id }) => ({ Id, SenderFault: true, Code: 'InvalidMessageContents' })),
    };
  },
};
const server = createServer((request, response) => {
  void json(request).then((input) => {
    const [, action = ''] = String(request.headers['x-amz-target']).split('.');
    const given = input as Input;
    const fault = action === 'StartMessageMoveTask' ? moveFault : undefined;
    const answer = fault ?? ANSWERS[action]?.(given, given.Entries ?? []);
    response
      .writeHead(fault ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' })
      .end(JSON.stringify(answer ?? {}));
  });
});
const { url: endpoint } = await use(listening(server));
const sqs = new SQSClient({ endpoint, useQueueUrlAsEndpoint: false, maxAttempts: 1 });
afterAll(() => sqs.destroy());

const bodiesOf = (url: string) => messagesOf(url).map(({ body }) => body);
const fill = (bodies: readonly string[]) => {
  queues = new Map([
    [URLS.url, []],
    [URLS.deadLetterUrl, bodies.map((body, at) => ({ id: `dead-${at}`, body, visible: true }))],
  ]);
};
beforeEach(() => {
  fill(['a', 'refused', 'c', 'd']);
  emptyReceives = 0;
  limits = [];
  diesAgain = false;
  moveFault = undefined;
});

test('listed dead letters can be received again at once', async () => {
  expect((await peek(sqs, URLS.deadLetterUrl, 3)).map(({ body }) => body)).toEqual(['a', 'refused', 'c']);
  expect(await depthOf(sqs, URLS.deadLetterUrl)).toEqual({ waiting: 4, inFlight: 0, delayed: 0 });
});

test('a dead letter that its queue refuses stays one, is not among the moved, and can be received again at once', async () => {
  expect(await redriveChosen(sqs, URLS, ['dead-0', 'dead-1', 'none'])).toEqual(['dead-0']);
  expect(bodiesOf(URLS.url)).toEqual(['a']);
  expect(bodiesOf(URLS.deadLetterUrl)).toEqual(['refused', 'c', 'd']);
  expect(await depthOf(sqs, URLS.deadLetterUrl)).toMatchObject({ waiting: 3, inFlight: 0 });
  expect(await redriveChosen(sqs, URLS, ['dead-1'])).toEqual([]);
  expect(bodiesOf(URLS.deadLetterUrl)).toContain('refused');
});

test('chosen dead letters are found behind many others', async () => {
  fill(Array.from({ length: 150 }, (_, at) => `body-${at}`));
  expect(await redriveChosen(sqs, URLS, ['dead-149'])).toEqual(['dead-149']);
  expect(bodiesOf(URLS.url)).toEqual(['body-149']);
  expect(await depthOf(sqs, URLS.deadLetterUrl)).toMatchObject({ waiting: 149, inFlight: 0 });
});

test('moving all of them says how many the queue refused, and loses none', async () => {
  await expect(redriveManually(sqs, URLS)).rejects.toThrow('The queue refused 1 messages');
  expect(bodiesOf(URLS.url)).toEqual(['a', 'c', 'd']);
  expect(bodiesOf(URLS.deadLetterUrl)).toEqual(['refused']);
});

test('all of them are moved, batch after batch', async () => {
  fill(Array.from({ length: 12 }, (_, at) => `body-${at}`));
  expect(await redriveManually(sqs, URLS)).toBe(12);
  expect(bodiesOf(URLS.url)).toHaveLength(12);
  expect(bodiesOf(URLS.deadLetterUrl)).toEqual([]);
});

test('dead letters that die again meanwhile are not moved again: moving all of them ends', async () => {
  fill(Array.from({ length: 12 }, (_, at) => `body-${at}`));
  diesAgain = true;
  expect(await redriveManually(sqs, URLS)).toBe(12);
  expect(bodiesOf(URLS.deadLetterUrl)).toHaveLength(12);
  expect(limits).toEqual([10, 2]);
});

test('moved dead letters keep their group, so that no organization delays another', async () => {
  await redriveChosen(sqs, URLS, ['dead-0', 'dead-2']);
  expect(messagesOf(URLS.url).map(({ group }) => group)).toEqual(['group', 'group']);
});

test('dead letters are listed oldest first, and though a receive returns none', async () => {
  const [first, ...others] = messagesOf(URLS.deadLetterUrl);
  queues = new Map([[URLS.deadLetterUrl, [...others, { ...first, sentAt: 1_771_000_000_000 } as Stored]]]);
  emptyReceives = 1;
  const found = await peek(sqs, URLS.deadLetterUrl, 10);
  expect(found.map(({ body }) => body)).toEqual(['a', 'refused', 'c', 'd']);
});

describe("an operator's queue", () => {
  const operator = queueOperator(sqs, () => URLS, { byTask: true });

  test('counts dead letters that a call is listing', async () => {
    for (const message of messagesOf(URLS.deadLetterUrl).slice(0, 3)) message.visible = false;
    expect(await operator.depth('push')).toEqual({ waiting: 0, inFlight: 0, delayed: 0, deadLetters: 4 });
  });

  test('is redriven by a task of SQS, started by this call or an earlier one', async () => {
    expect(await operator.redriveAll('push')).toEqual({ state: 'running' });
    const message =
      'There is already a task running. Only one active task is allowed for a source queue arn at a given time.';
    moveFault = { __type: 'com.amazonaws.sqs#UnsupportedOperation', message };
    expect(await operator.redriveAll('push')).toEqual({ state: 'running' });
  });

  test('does not count as being redriven when SQS refuses the task', async () => {
    moveFault = { __type: 'com.amazonaws.sqs#ResourceNotFoundException', message: 'The resource does not exist.' };
    await expect(operator.redriveAll('push')).rejects.toThrow('does not exist');
  });
});
