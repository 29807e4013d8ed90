import { readFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { newId } from '../shared/domain/core/ids.ts';
import { queueClient } from '../shared/queues/client.ts';
import { makePublisher } from '../shared/queues/publisher.ts';
import { KEYS } from '../shared/storage/access-patterns.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import { callAgain, type TableCall } from './raw-calls.ts';
import type { Recording } from './recording.ts';

/**
 * Floor of a live send: a bare server that makes the calls of a recorded one, those at once that were made at once, to the same kinds of
 * engines with the service's own clients: the table, the queue, the provider. No authorizer, parsing, rules or logging.
 */
const [endpoint = '', port = '0', file = '', providerUrl = '', sqsEndpoint = ''] = process.argv.slice(2);
const recording = JSON.parse(readFileSync(file, 'utf8')) as Recording;
const client = tableClient(endpoint);

const DIGITS = 9;
/** A recorded call under names of its own; buckets of rates, too, whose conditions hold for the recorded moment only. */
const renamed = (body: string, n: string): string => {
  let text = body.replaceAll('"RATE#', `"RATE#${n}#`);
  for (const part of recording.own) text = text.replaceAll(part, `${part.slice(0, -DIGITS)}${n}`);
  return text;
};
const runAll = async (batches: readonly (readonly TableCall[])[], n: string): Promise<void> => {
  for (const batch of batches)
    await Promise.all(batch.map(({ action, body }) => callAgain(client, { action, body: renamed(body, n) })));
};

const agent = new Agent({ keepAlive: true });
const callProvider = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const { provider } = recording;
    if (!provider) return resolve();
    const { host: _, connection: __, ...headers } = provider.headers;
    const call = request(new URL(provider.path, providerUrl), { method: 'POST', headers, agent }, (answer) => {
      answer.resume().on('end', resolve);
    });
    call.on('error', reject).end(provider.body);
  });

const sqs = queueClient(sqsEndpoint);
const queueUrl = async (QueueName: string): Promise<string> => {
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName }));
  return new URL(new URL(QueueUrl).pathname, sqsEndpoint).href;
};
const urls = recording.queued ? { send: await queueUrl('send'), events: await queueUrl('events') } : {};
const publisher = makePublisher(sqs, urls, (_, error) => console.error(error));

let count = 0;
const send = async (): Promise<void> => {
  count += 1;
  const n = String(count).padStart(DIGITS, '0');
  if (recording.queued) {
    await runAll(recording.calls, n);
    const key = KEYS.message(newId('message'));
    const owner = newId('organization');
    // The message and its event; the publisher gathers what is sent at once, as it does in the service.
    await publisher.publish([
      { ...key, kind: 'send_message', owner },
      { ...key, kind: 'publish_event', owner },
    ]);
    return;
  }
  // The provider is called between the last write and those before it.
  await runAll(recording.calls.slice(0, -1), n);
  await callProvider();
  await runAll(recording.calls.slice(-1), n);
};

let failures = 0;
createServer((incoming, outgoing) => {
  incoming.resume();
  incoming.on('end', () => {
    const answer = (status: number, body: string) =>
      outgoing
        .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
        .end(body);
    send().then(
      () => answer(201, '{}'),
      (error: unknown) => {
        failures += 1;
        if (failures < 5) console.error('floor:', error);
        answer(500, '{}');
      },
    );
  });
}).listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
