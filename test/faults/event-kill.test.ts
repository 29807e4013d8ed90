import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { startKillLab } from '../support/kill.ts';
import { listening } from '../support/loopback.ts';
import { use } from '../support/use.ts';

// Real processes, and a start of the service.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** The maximum delay of an event by a restart, including the longest claim of a crashed process; besides what its work takes. */
const LEFT_WITHIN_MS = 30_000;
const PATIENCE = { timeout: 120_000, interval: 10 };
const CONTACTS = 60;
/** Unanswered deliveries when the process is killed: the concurrency of an endpoint, before any attempt times out. */
const OPEN = 4;

/** An endpoint that does not answer until it is released; the ids of the contacts whose event it has answered. */
const startEndpoint = async () => {
  const answered = new Set<string>();
  let open = 0;
  let answers = false;
  const server = createServer((incoming, outgoing) => {
    void text(incoming).then((body) => {
      const { type, sequence, data } = JSON.parse(body);
      if (!answers && type === 'contact.created' && sequence !== undefined) {
        open += 1;
        return;
      }
      if (type === 'contact.created') answered.add(data.contactId);
      outgoing.writeHead(200).end('thanks');
    }, vi.fn());
  });
  const { url, close } = await listening(server);
  return {
    url,
    close,
    answered,
    open: () => open,
    answer: () => {
      answers = true;
    },
  };
};

const endpoint = await use(startEndpoint());
const lab = await use(startKillLab());

test('every event of before a kill has left within 30 s of the restart', async () => {
  await lab.start();
  const { client } = await lab.organization();
  const hook = await client.post('/webhooks', { url: `${endpoint.url}/hook`, events: ['contact.created'] });
  expect(hook.status, hook.text).toBe(201);

  const created: string[] = [];
  const create = (first: number) =>
    Promise.allSettled(
      Array.from({ length: CONTACTS }, async (_, at) => {
        const answer = await client.post('/contacts', { phone: `+551198765${String(first + at).padStart(4, '0')}` });
        if (answer.status === 201) created.push(answer.body.id);
      }),
    );
  /** How long until the endpoint has the events of all contacts, in ms. */
  const allSent = async (): Promise<number> => {
    const since = performance.now();
    await vi.waitFor(() => expect(created.filter((id) => !endpoint.answered.has(id))).toEqual([]), PATIENCE);
    return performance.now() - since;
  };
  const ended = create(0);
  await vi.waitFor(() => expect(endpoint.open()).toBeGreaterThanOrEqual(OPEN), PATIENCE);
  await lab.kill();
  await ended;
  expect(created.length).toBeGreaterThan(0);

  endpoint.answer();
  await lab.start();
  const tookMs = await allSent();
  // As much work, of a process that was not killed: what a slow machine takes for it is no delay.
  const since = performance.now();
  await create(CONTACTS);
  await allSent();
  expect(tookMs).toBeLessThan(LEFT_WITHIN_MS + performance.now() - since);
});
