import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';

/**
 * Floor of deliveries: one process that signs bodies of an event's size (HMAC-SHA256 over `id.timestamp.body`) and posts them over
 * keep-alive connections. No queue, no table, no record of the responses.
 */
const [url = '', mapConcurrently = '1', ms = '1000'] = process.argv.slice(2);
const key = createSecretKey(randomBytes(32));
const agent = new Agent({ keepAlive: true, maxSockets: Number(mapConcurrently) });
const until = performance.now() + Number(ms);

let n = 0;
const post = (): Promise<void> => {
  n += 1;
  const id = `evt_${String(n).padStart(21, '0')}`;
  const seconds = String(Math.floor(Date.now() / 1000));
  const data = { contactId: 'cnt_4hJ9sKq2LmN8pRt5VwXz1', phone: '+55119****4321', status: 'unknown', source: 'api' };
  const timestamp = new Date().toISOString();
  const body = JSON.stringify({
    id,
    type: 'contact.created',
    timestamp,
    env: 'test',
    organizationId: 'org_4hJ9sKq2LmN8pRt5VwXz1',
    sequence: n,
    data,
  });
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'floor',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error('not 200'))));
    });
    outgoing.on('error', reject).end(body);
  });
};

const caller = async () => {
  while (performance.now() < until) await post();
};
const startedAt = performance.now();
await Promise.all(Array.from({ length: Number(mapConcurrently) }, caller));
process.send?.((n * 1000) / (performance.now() - startedAt));
agent.destroy();
