import { describe, expect, test, vi } from 'vitest';
import { emailConsentStore, suppressionStore } from '../../shared/storage/contacts/email-addresses.ts';
import { pagesOf } from '../support/pages.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, create, listOf, message, move, people, recipientsOf, WAIT } from './campaigns-kit.ts';

const messaging = await sharedMessaging();

const email = { channel: 'email', text: 'Oi {{contact.name|amigo}}\nAté já' };

describe('the audience of a campaign', { timeout: 180_000 }, () => {
  test('is the union of lists, segments and contacts without the excluded ones, each person once', async () => {
    const tenant = await messaging.tenant();
    const vips = await people(tenant, ['0005', '1005', '2005'], { tags: ['vip'] });
    const others = await people(tenant, ['3005', '4005', '5005'], { tags: ['novo'] });
    const segment = async (value: string) =>
      (await tenant.test.post('/v2/segments', { name: value, filters: [{ field: 'tag', operator: 'is', value }] })).body
        .id;
    const [vip, novo] = [await segment('vip'), await segment('novo')];
    const all = await listOf(tenant, [...vips, ...others]);
    const two = await listOf(tenant, [vips[0] ?? '', others[0] ?? ''], 'Dois');
    const reachOf = async (audience: object) => {
      const { id } = await create(tenant, { audience });
      return (await move(tenant, id, 'preview')).reach;
    };
    expect(await reachOf({ segmentIds: [vip], contactIds: [vips[0], others[0]] })).toBe(4);
    expect(await reachOf({ listIds: [all], excludeSegmentIds: [novo] })).toBe(3);
    expect(await reachOf({ listIds: [all], segmentIds: [vip, novo], excludeListIds: [two] })).toBe(4);
    expect(await reachOf({ listIds: [two], excludeListIds: [all] })).toBe(0);
    const { id } = await create(tenant, { audience: { listIds: [all], excludeListIds: [two] } });
    await move(tenant, id, 'start');
    await becomes(tenant, id, { status: 'completed', progress: { total: 4, delivered: 4 } });
    const written = (await recipientsOf(tenant, id)).map(({ contactId }: { contactId: string }) => contactId);
    expect(new Set(written)).toEqual(new Set([...vips.slice(1), ...others.slice(1)]));
  });

  test('of e-mails omits contacts without an address, opted out, suppressed, or with a shared address, as its preview shows', async () => {
    const tenant = await messaging.tenant();
    const at = (local: string) => `${local}@simulator.amazonses.com`;
    const [bare, denied, first, second, third, bounced, left] = await people(
      tenant,
      Array.from({ length: 7 }, () => '0005'),
    );
    const set = async (id: string | undefined, fields: object) =>
      expect((await tenant.test.call('PATCH', `/contacts/${id}`, { body: fields })).status).toBe(200);
    await set(denied, { email: at('success') });
    expect((await tenant.test.post(`/contacts/${denied}/opt-out`, {})).status).toBe(200);
    await set(first, { email: at('ana') });
    await set(second, { email: at('ANA') });
    await set(third, { email: at('bia') });
    await set(bounced, { email: at('caio') });
    await set(left, { email: at('davi') });
    const rows = await messaging.rowsOf('test', tenant.id);
    const hashOf = (id: string | undefined) =>
      String(rows.find(({ pk, sk }) => pk === `CNT#${id}` && sk === 'CNT')?.emailHash);
    const table = messaging.tables.test;
    await suppressionStore(table).suppress(tenant.id, hashOf(bounced), Date.now() + 3600_000);
    await emailConsentStore(table).unsubscribe(tenant.id, hashOf(left), Date.now());
    const audience = { contactIds: [bare, denied, first, second, third, bounced, left] };
    const { id } = await create(tenant, { audience, message: email });
    expect(await move(tenant, id, 'preview')).toMatchObject({
      reach: 2,
      excluded: { noAddress: 1, optedOut: 2, sameAddress: 1, suppressed: 1, frequencyCap: 0 },
    });
    await move(tenant, id, 'start');
    await becomes(tenant, id, { status: 'completed', progress: { total: 2, delivered: 2, skipped: 0 } });
    const written = (await recipientsOf(tenant, id)).map(({ contactId }: { contactId: string }) => contactId);
    expect(new Set(written)).toEqual(new Set([first, third]));
  });

  test('is taken at the start: later members get no message, and erased ones are omitted', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005', '1005', '2005']);
    const listId = await listOf(tenant, ids);
    const { id } = await create(tenant, { audience: { listIds: [listId] }, perMinute: 1 });
    await move(tenant, id, 'start');
    await becomes(tenant, id, { progress: { total: 3, sent: 1 } });
    const late = await people(tenant, ['3005']);
    await tenant.test.post(`/v2/lists/${listId}/members`, { contactIds: late });
    expect((await tenant.test.call('DELETE', `/contacts/${ids[2]}`)).status).toBe(204);
    await move(tenant, id, 'pause');
    await move(tenant, id, 'resume');
    await vi.waitFor(async () => {
      const seen = (await recipientsOf(tenant, id)).map(({ contactId }: { contactId: string }) => contactId);
      expect(seen).toEqual(ids.slice(0, 2));
    }, WAIT);
    await move(tenant, id, 'cancel');
  });
});

describe('a campaign', { timeout: 180_000 }, () => {
  test('divides its recipients among variants, and lists page by page who got which', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(
      tenant,
      Array.from({ length: 12 }, () => '0005'),
    );
    const variants = ['A', 'B'].map((name) => ({
      name,
      weight: 50,
      message: { channel: 'sms', text: `${name} {{contact.name|x}}` },
    }));
    const { id } = await create(tenant, {
      audience: { contactIds: ids },
      message: undefined,
      variants,
      campaignTag: 'natal',
    });
    await move(tenant, id, 'start');
    await becomes(tenant, id, { status: 'completed', progress: { total: 12, delivered: 12 } });
    const [a, b] = [await recipientsOf(tenant, id, { variant: 'A' }), await recipientsOf(tenant, id, { variant: 'B' })];
    expect(a.length + b.length).toBe(12);
    expect(Math.min(a.length, b.length)).toBeGreaterThan(0);
    expect((await tenant.test.get('/v2/sms/messages', { campaignId: 'natal' })).body.total).toBe(12);
    const pages = await pagesOf(async (cursor) => {
      const query = { limit: 5, ...(cursor ? { cursor } : {}) };
      return (await tenant.test.get(`/v2/campaigns/${id}/recipients`, query)).body;
    });
    expect(pages.map(({ items }) => items.length)).toEqual([5, 5, 2]);
    const listed = pages.flatMap(({ items }) => items.map(({ contactId }: { contactId: string }) => contactId));
    expect(listed).toEqual(ids);
    expect((await tenant.test.get(`/v2/campaigns/${id}/recipients`, { variant: 'C' })).status).toBe(400);
  });

  test('that is scheduled starts at its time, and can be changed and deleted until then', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005']);
    const scheduledAt = new Date(Date.now() + 3600_000).toISOString();
    const { id } = await create(tenant, { audience: { contactIds: ids }, scheduledAt });
    expect(await move(tenant, id, 'start')).toMatchObject({ status: 'scheduled', scheduledAt });
    const { body } = await tenant.test.call('PATCH', `/v2/campaigns/${id}`, {
      body: { name: 'Cedo', scheduledAt: new Date(Date.now() + 4_000).toISOString() },
    });
    expect(body).toMatchObject({ status: 'scheduled', name: 'Cedo' });
    await becomes(tenant, id, { status: 'completed', progress: { total: 1, delivered: 1 } });
    const other = await create(tenant, { audience: { contactIds: ids }, scheduledAt, maxCoins: 5 });
    await move(tenant, other.id, 'start');
    const cleared = await tenant.test.call('PATCH', `/v2/campaigns/${other.id}`, { body: { maxCoins: null } });
    expect(cleared.body).not.toHaveProperty('maxCoins');
    expect((await tenant.test.get('/v2/campaigns', { status: 'scheduled' })).body).toMatchObject({
      total: 1,
      items: [{ id: other.id }],
    });
    expect((await tenant.test.call('DELETE', `/v2/campaigns/${other.id}`)).status).toBe(204);
    expect((await tenant.test.get(`/v2/campaigns/${other.id}`)).status).toBe(404);
  });

  test('counts for frequency caps: who is capped for longer than it waits is skipped', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005', '1005']);
    const frequencyCap = { messages: 1, days: 30 };
    const first = await create(tenant, { audience: { contactIds: ids.slice(0, 1) }, message });
    await move(tenant, first.id, 'start');
    await becomes(tenant, first.id, { status: 'completed' });
    const second = await create(tenant, { audience: { contactIds: ids }, frequencyCap });
    expect(await move(tenant, second.id, 'preview')).toMatchObject({ reach: 1, excluded: { frequencyCap: 1 } });
    await move(tenant, second.id, 'start');
    await becomes(tenant, second.id, { status: 'completed', progress: { total: 2, delivered: 1, skipped: 1 } });
    expect(await recipientsOf(tenant, second.id, { status: 'skipped' })).toMatchObject([
      { contactId: ids[0], reason: 'frequency_cap' },
    ]);
  });
});
