import { describe, expect, test, vi } from 'vitest';
import type { Client } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, PATIENCE } from './support.ts';

const messaging = await sharedMessaging();
const PATH = '/v2/exports/jobs';
const DAY_MS = 86_400_000;
const iso = (ms: number) => new Date(ms).toISOString();
const ABOUT = { kind: 'messages', channel: 'sms', format: 'csv' };
const window = (days = 300) => ({ from: iso(Date.now() - days * DAY_MS), to: iso(Date.now()) });

const completed = (client: Client, id: string) =>
  vi.waitFor(async () => {
    const { body } = await client.get(`${PATH}/${id}`);
    expect(body.status).toBe('completed');
    return body;
  }, PATIENCE);
/** What an export comes to, and its file. */
const exported = async (client: Client, fields: object = {}) => {
  const { status, body } = await client.post(PATH, { ...ABOUT, ...window(), ...fields });
  expect(status).toBe(201);
  const job = await completed(client, body.id);
  return { job, text: job.url ? await (await fetch(job.url)).text() : undefined };
};

describe('an export into a file', () => {
  test('has the rows that the export by pages has, in both formats, and an address that a read makes anew', async () => {
    const { test: client } = await messaging.tenant();
    const name = '=1+1';
    for (const body of ['um', 'dois', 'três']) {
      const { id } = (await client.send({ body, campaignId: name })).body;
      await becomes(client, `/v2/sms/messages/${id}`, { status: 'delivered' });
    }
    const pages = await client.get('/v2/exports/messages', { ...window(20), channel: 'sms' });
    const { job, text } = await exported(client);
    expect(job).toMatchObject({ ...ABOUT, status: 'completed', masked: false, progress: { rows: 3 } });
    expect(Buffer.byteLength(text ?? '')).toBe(job.progress.bytes);
    const lines = text?.split('\r\n') ?? [];
    expect(lines[0]).toMatch(/^id,channel,direction,to,status,createdAt,/);
    expect(lines.slice(1, -1).map((line) => line.split(',')[0])).toEqual(
      pages.body.items.map(({ id }: { id: string }) => id),
    );
    expect(lines[1]).toContain(`'${name}`);
    const ndjson = await exported(client, { format: 'ndjson' });
    expect(
      ndjson.text
        ?.split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toEqual(pages.body.items);
    const empty = await exported(client, { channel: 'rcs', format: 'ndjson' });
    expect(empty).toMatchObject({ text: '', job: { progress: { rows: 0, bytes: 0 } } });
  });

  test('masks addresses for who may not see them, and shows them in full to nobody else', async () => {
    const { test: client } = await messaging.tenant();
    const sent = await client.send();
    const masking = await messaging.limited(client, ['messages:read']);
    const phone = (await client.get(`/v2/sms/messages/${sent.body.id}`)).body.to;
    const masked = await exported(masking);
    expect(masked.job.masked).toBe(true);
    expect(masked.text).not.toContain(phone);
    expect(masked.text).toContain(sent.body.id);
    const full = await exported(client);
    expect(full.text).toContain(phone);
    const read = await masking.get(`${PATH}/${full.job.id}`);
    expect(read).toMatchObject({ status: 200, body: { status: 'completed', masked: false } });
    expect(read.body.url).toBeUndefined();
  });

  test('is nobody else’s, and of a year at most', async () => {
    const [owner, other] = [await messaging.tenant(), await messaging.tenant()];
    const { job } = await exported(owner.test);
    for (const client of [other.test, owner.live]) expectProblem(await client.get(`${PATH}/${job.id}`), 404);
    for (const fields of [
      { ...window(367) },
      { from: iso(Date.now()), to: iso(0) },
      { kind: 'contacts' },
      { channel: 'push' },
    ])
      expectProblem(await owner.test.post(PATH, { ...ABOUT, ...window(), ...fields }), 422);
    const unsigned = new URL(job.url);
    unsigned.searchParams.delete('X-Amz-Signature');
    expect((await fetch(unsigned)).status).toBe(403);
  });
});
