import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { definition, JOURNEYS, journeysOf, line, sms, webhook } from './journeys-kit.ts';

const messaging = await sharedMessaging();
const table = messaging.tables.test;
const begin = async () => {
  const { id, test: client } = await messaging.tenant();
  return { organizationId: id, client, ...journeysOf(client) };
};
const URL = 'https://hooks.loja.com.br/jornada';
const SECRET = /^whsec_[0-9A-Za-z+/]{43}=$/;
/** All that is stored of a version, as text, its graph unpacked. */
const storedOf = async (id: Id<'journey'>): Promise<string> => {
  const rows = await table.queryAll({ partition: KEYS.journey(id).pk });
  return rows.map(({ bytes, ...row }) => JSON.stringify(row) + (bytes ? gunzipSync(bytes) : '')).join();
};

describe('the secret of webhook steps', () => {
  test('is answered by the creation that makes it, never again, and stored sealed', async () => {
    const { create, get, did, patch } = await begin();
    const journey = await create(line(webhook('erp', URL)));
    const { segredoWebhook, ...shown } = journey;
    expect(segredoWebhook).toMatch(SECRET);
    expect((await get(journey.id)).body).toEqual(shown);
    expect((await patch(journey.id, { name: 'Outra' })).body).not.toHaveProperty('segredoWebhook');
    expect(await did(journey.id, 'activate')).not.toHaveProperty('segredoWebhook');
    const next = (await patch(journey.id, line(webhook('erp', URL), webhook('crm', URL)))).body;
    expect(next).not.toHaveProperty('segredoWebhook');
    expect(await storedOf(journey.id)).not.toContain(segredoWebhook.slice(6));
  });

  test('is made by the change that makes the first webhook step, of a draft or in a new version', async () => {
    const { create, did, patch } = await begin();
    const draft = await create();
    expect(draft).not.toHaveProperty('segredoWebhook');
    expect((await patch(draft.id, line(webhook('erp', URL)))).body.segredoWebhook).toMatch(SECRET);
    expect((await patch(draft.id, line(sms('oi')))).status).toBe(200);
    expect((await patch(draft.id, line(webhook('erp', URL)))).body).not.toHaveProperty('segredoWebhook');

    const running = await create();
    await did(running.id, 'activate');
    expect((await patch(running.id, line(webhook('erp', URL)))).body.segredoWebhook).toMatch(SECRET);
  });

  test('is rotated for all versions of a journey, which keeps the old one until the overlap ends', async () => {
    const { create, did, act } = await begin();
    const plain = await create();
    expectProblem(await act(plain.id, 'rotate-secret'), 409);
    const { id, segredoWebhook } = await create(line(webhook('erp', URL)));
    const rotated = await did(id, 'rotate-secret', { sobreposicaoHoras: 2 });
    expect(rotated).toEqual({ segredoWebhook: expect.stringMatching(SECRET) });
    expect(rotated.segredoWebhook).not.toBe(segredoWebhook);
    const stored = await table.get(KEYS.journeyLineage(id));
    expect(stored?.secrets).toMatchObject([{ version: 2 }, { version: 1, endsAt: expect.any(String) }]);
    await did(id, 'rotate-secret', { sobreposicaoHoras: 0 });
    expect((await table.get(KEYS.journeyLineage(id)))?.secrets).toMatchObject([{ version: 3 }]);
    expectProblem(await act(id, 'rotate-secret', { sobreposicaoHoras: 721 }), 422);
  });
});

describe('a webhook step', () => {
  test.each([
    ['http://10.0.0.1/x', 'url'],
    ['https://169.254.169.254/latest', 'url'],
    ['https://user:pass@hooks.loja.com.br/', 'url'],
    ['https://hooks.loja.com.br:22/', 'url'],
    ['http://hooks.loja.com.br/', 'url'],
  ])('is refused for the address %s, as a subscription would be', async (url, field) => {
    const { client } = await begin();
    const refused = await client.post(JOURNEYS, definition(line(webhook('erp', url))));
    expectProblem(refused, 422);
    expect(refused.body.errors).toMatchObject([{ path: `passos.0.config.${field}` }]);
    expect(refused.text).not.toContain(url);
  });

  test('is refused with reserved headers', async () => {
    const { client } = await begin();
    const steps = line(webhook('erp', URL, [{ key: 'webhook-signature', value: 'v1,mine' }]));
    const refused = await client.post(JOURNEYS, definition(steps));
    expectProblem(refused, 422);
    expect(refused.body.errors).toMatchObject([{ path: 'passos.0.config.cabecalhos' }]);
  });

  test('has headers whose values are stored sealed and answered masked; sent back as they were answered they stay', async () => {
    const { create, get, patch, did } = await begin();
    const headers = [{ key: 'X-Token', value: 'chave-secreta-4242' }];
    const journey = await create(line(webhook('erp', URL, headers)));
    const shown = [{ key: 'X-Token', value: '••••4242' }];
    expect(journey.passos[0].config.cabecalhos).toEqual(shown);
    const stored = await storedOf(journey.id);
    expect(stored).toContain('X-Token');
    expect(stored).not.toContain('chave-secreta');
    const { passos } = (await get(journey.id)).body;
    const kept = await patch(journey.id, { passos, name: 'Outra' });
    expect(kept.status, kept.text).toBe(200);
    const onto = (url: string) => [{ ...passos[0], config: { ...passos[0].config, url } }];
    expect((await patch(journey.id, { passos: onto(`${URL}/2`) })).body.passos[0].config.cabecalhos).toEqual(shown);
    // What was kept is not sent to another origin, nor under another name.
    expectProblem(await patch(journey.id, { passos: onto('https://outra.com.br/') }), 422);
    expectProblem(await patch(journey.id, line(webhook('erp', URL, [{ key: 'X-Other', value: '••••4242' }]))), 422);
    await did(journey.id, 'activate');
    const next = await patch(journey.id, {});
    expect(next.body.passos[0].config.cabecalhos).toEqual(shown);
  });
});
