import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { newId, parseId } from '../../shared/domain/core/ids.ts';
import { newEvent } from '../../shared/domain/events/event.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readLastFailures } from '../../shared/storage/due-work/dead-letters.ts';
import { eventWrite, outbox } from '../../shared/storage/due-work/outbox.ts';
import { importFresh } from '../support/import-fresh.ts';
import { listening } from '../support/loopback.ts';
import { PATIENCE } from '../support/patience.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

type Handler = (event: SQSEvent) => Promise<SQSBatchResponse>;
type Message = { readonly kind: 'publish_event'; readonly pk: string; readonly sk: string };
type Work = (messages: readonly Message[]) => Promise<readonly PromiseSettledResult<unknown>[]>;

let log: ReturnType<typeof vi.spyOn>;
const world = await use(startWorld('test', { inMemory: false }));
/** The consumers' requests to their queue, and its address. */
const requested: {
  readonly Entries: readonly { readonly ReceiptHandle: string; readonly VisibilityTimeout: number }[];
}[] = [];
const { url: queueUrl } = await use(
  listening(
    createServer((incoming, outgoing) => {
      void text(incoming).then((body) => {
        requested.push(JSON.parse(body));
        outgoing.setHeader('content-type', 'application/x-amz-json-1.0').end('{"Successful":[],"Failed":[]}');
      });
    }),
  ),
);
const folder = await mkdtemp(join(tmpdir(), 'consumers-'));
const names = { STAGE: 'test', TABLE_NAME: 'test', LIVE_TABLE_NAME: 'live', PUBLIC_URL: 'https://messaging.example' };
const queues = { SQS_ENDPOINT: queueUrl, QUEUE_URLS: JSON.stringify({ events: `${queueUrl}/events` }) };
const env = { ...names, ...queues, DYNAMODB_ENDPOINT: world.proxy.endpoint, LOCAL_KEY_FILE: join(folder, 'key') };
// POWERTOOLS_DEV logs through the console of the test.
for (const [name, value] of Object.entries({ ...env, POWERTOOLS_DEV: 'true' })) vi.stubEnv(name, value);
const { batchConsumer, ...handlers } = await importFresh<typeof import('./consumer-functions.ts')>(
  import.meta.resolve('./consumer-functions.ts'),
);
const { events, webhook, critical } = handlers as Readonly<Record<keyof typeof handlers, Handler>>;
const batchOf = (work: Work): Handler => batchConsumer('events', work as Parameters<typeof batchConsumer<'events'>>[1]);
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  log = vi.spyOn(console, 'error').mockImplementation(() => {});
  for (const name of ['log', 'info'] as const) vi.spyOn(console, name).mockImplementation(() => {});
});

/** A batch of records, each with its index as message id. */
const batch = (bodies: readonly (object | string)[]) =>
  ({
    Records: bodies.map((body, at) => ({
      messageId: String(at),
      body: typeof body === 'string' ? body : JSON.stringify(body),
      receiptHandle: `handle ${at}`,
      attributes: { SentTimestamp: String(Date.now()), ApproximateReceiveCount: String(at + 1) },
    })),
  }) as unknown as SQSEvent;
const failedOf = async (answer: Promise<SQSBatchResponse>) =>
  (await answer).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).sort();
const enqueue = (id: string) => ({ kind: 'publish_event', pk: `EVT#${id}`, sk: 'EVT' });
const POISON = ['{', 'null', '"text"', '{"kind":"nothing of ours"}', '{"kind":"publish_event","pk":"","sk":"EVT"}'];

describe('a consumer of batches', () => {
  test('gets what parses, in order; what does not parse fails alone', async () => {
    const received: string[] = [];
    const consume = batchOf(async (messages) => {
      received.push(...messages.map(({ pk }) => pk));
      return messages.map(() => ({ status: 'fulfilled', value: undefined }));
    });
    const answer = consume(batch([enqueue('a'), ...POISON, enqueue('b')]));
    expect(await failedOf(answer)).toEqual(POISON.map((_, at) => String(at + 1)));
    expect(received).toEqual(['EVT#a', 'EVT#b']);
  });

  test('reports exactly what failed, and never repeats a message in its log', async () => {
    const consume = batchOf(async (messages) =>
      Promise.allSettled(messages.map(async ({ pk }) => pk === 'EVT#bad' && Promise.reject(new Error('no')))),
    );
    expect(await failedOf(consume(batch([enqueue('a'), enqueue('bad'), '{canary', enqueue('b')])))).toEqual(['1', '2']);
    const lines: string[] = log.mock.calls.flat().map(String);
    expect(lines.filter((line) => line.includes('consumer failed'))).toHaveLength(2);
    expect(lines.join()).not.toContain('canary');
  });

  test('lets what failed return soon, by how often it was received, and nothing else', async () => {
    requested.length = 0;
    const consume = batchOf(async (messages) =>
      Promise.allSettled(messages.map(async ({ pk }) => pk.startsWith('EVT#bad') && Promise.reject(new Error('no')))),
    );
    await consume(batch(['bad1', 'a', 'bad3', 'b', 'bad5'].map(enqueue)));
    expect(requested.map(({ Entries }) => Entries.map((each) => [each.ReceiptHandle, each.VisibilityTimeout]))).toEqual(
      [
        [
          ['handle 0', 5],
          ['handle 2', 120],
        ],
      ],
    );
    await consume(batch(['a', 'b'].map(enqueue)));
    expect(requested).toHaveLength(1);
  });

  test('keeps why a message died, and only of one that is received no more', async () => {
    const consume = batchOf(async (messages) =>
      Promise.allSettled(messages.map(async ({ pk }) => pk.startsWith('EVT#bad') && Promise.reject(new Error('no')))),
    );
    await consume(batch(['bad1', 'a', 'b', 'bad4', 'bad5'].map(enqueue)));
    const kept = await readLastFailures(world.table, ['0', '3', '4']);
    expect(kept).toEqual([undefined, undefined, { fault: 'Error', reason: 'no', at: expect.any(Number) }]);
    await consume(batch(['a', 'a', 'a', 'a', '{canary']));
    expect(await readLastFailures(world.table, ['4'])).toMatchObject([{ reason: 'the message does not parse' }]);
    const rows = batchOf(async (messages) => Promise.allSettled(messages.map(async ({ pk }) => JSON.parse(pk))));
    await rows(batch(['a', 'a', 'a', 'a', 'canary'].map(enqueue)));
    const [ofRow] = await readLastFailures(world.table, ['4']);
    expect(ofRow).toMatchObject({ fault: 'SyntaxError', reason: 'a stored row or a response does not parse' });
  });

  test.each<[string, Work]>([
    ['throws', () => Promise.reject(new Error('away'))],
    ['returns too few outcomes', async () => []],
  ])('whose work %s fails all that parsed', async (_, work) => {
    expect(await failedOf(batchOf(work)(batch([enqueue('a'), '{', enqueue('b')])))).toEqual(['0', '1', '2']);
  });

  test('is not called when nothing parses', async () => {
    const work = vi.fn<Work>();
    expect(await failedOf(batchOf(work)(batch(['{'])))).toEqual(['0']);
    expect(work).not.toHaveBeenCalled();
  });

  test('keeps concurrent batches of one process apart', async () => {
    const consume = batchOf(async (messages) => {
      await vi.waitFor(() => expect(messages).toBeDefined(), PATIENCE);
      return Promise.allSettled(
        messages.map(async ({ pk }) => pk.startsWith('EVT#bad') && Promise.reject(new Error())),
      );
    });
    const answers = await Promise.all([
      failedOf(consume(batch([enqueue('bad'), enqueue('a'), enqueue('b')]))),
      failedOf(consume(batch([enqueue('a'), enqueue('b'), enqueue('bad')]))),
      failedOf(consume(batch([enqueue('a')]))),
    ]);
    expect(answers).toEqual([['0'], ['2'], []]);
  });
});

describe('the consumers of events and deliveries', () => {
  test('process good messages, acknowledge repeated ones and report poison ones of one batch', async () => {
    const { organizationId } = world.actor();
    const all = Array.from({ length: 4 }, (_, at) =>
      newEvent({ type: 'apikey.created', organizationId, env: 'test', createdAt: world.now + at, data: {} }),
    );
    for (const event of all) await world.table.write(eventWrite(event));
    const [bad] = all;
    await world.table.write({ update: KEYS.event(parseId('event', bad?.id)), set: { type: 'nothing.of_ours' } });
    const workItems = all.map(({ id }) => enqueue(id));
    const answer = events(batch([...workItems, 'poison', ...workItems.slice(1), enqueue(newId('event'))]));
    expect(await failedOf(answer)).toEqual(['0', '4']);
    const read = await outbox(world.table).readAll(all.map(({ id }) => id));
    const published = read.map((one) => (one.status === 'fulfilled' ? one.value?.published : 'unread'));
    expect(published).toEqual(['unread', true, true, true]);
  });

  test('of critical work does each kind by its own rules; what does not parse, fails or has a queue of its own fails alone', async () => {
    const { organizationId } = world.actor();
    const event = newEvent({ type: 'apikey.created', organizationId, env: 'test', createdAt: world.now, data: {} });
    await world.table.write(eventWrite(event));
    const elsewhere = { kind: 'deliver_webhook', ...KEYS.delivery(newId('delivery')) };
    const gone = { kind: 'send_message', ...KEYS.message(newId('message')) };
    const misplaced = { kind: 'sandbox_outcome', pk: 'EVT#1', sk: 'EVT' };
    const answer = critical(batch([gone, elsewhere, enqueue(event.id), 'poison', misplaced]));
    expect(await failedOf(answer)).toEqual(['1', '3', '4']);
    expect((await outbox(world.table).read(event.id))?.published).toBe(true);
  });

  test('acknowledge unknown deliveries and report poison messages', async () => {
    const unknown = { kind: 'deliver_webhook', ...KEYS.delivery(newId('delivery')) };
    expect(await failedOf(webhook(batch([unknown, 'poison', unknown])))).toEqual(['1']);
  });
});
