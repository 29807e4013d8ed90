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
  test('is returned only by the creation, and stored sealed', async () => {
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

  test('is created by the change that adds the first webhook step, in a draft or in a new version', async () => {
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

describe('the contact data in webhook steps', () => {
  const ALL = ['campaigns:read', 'campaigns:write', 'contacts:read', 'pii:full'];
  const start = async () => {
    const own = await begin();
    const as = async (...scopes: string[]) => journeysOf(await messaging.limited(own.client, scopes));
    const shows = async (id: Id<'journey'>) => (await table.get(KEYS.journey(id)))?.contactsShown;
    const [seesAll, seesMasked, seesNone] = [
      await as(...ALL),
      await as(...ALL.slice(0, 3)),
      await as(...ALL.slice(0, 2)),
    ];
    return { ...own, seesAll, seesMasked, seesNone, shows };
  };
  const hook = (url = URL) => line(webhook('erp', url));

  test('is limited to what their author may see', async () => {
    const { seesAll, seesMasked, seesNone, shows } = await start();
    expect(await shows((await seesAll.create(hook())).id)).toBe('full');
    expect(await shows((await seesMasked.create(hook())).id)).toBe('masked');
    expect(await shows((await seesNone.create(hook())).id)).toBe('id');
  });

  test('is reduced as soon as an author who sees less changes the address, in a draft and in a new version', async () => {
    const { seesAll, seesMasked, shows } = await start();
    const { id } = await seesAll.create(hook());
    expect((await seesMasked.patch(id, { name: 'Outra', ...hook() })).status).toBe(200);
    expect(await shows(id)).toBe('full');
    expect((await seesMasked.patch(id, line(webhook('erp', URL, [{ key: 'x-tenant', value: 'meu' }])))).status).toBe(
      200,
    );
    expect(await shows(id)).toBe('masked');
    await seesAll.patch(id, { name: 'De novo' });
    expect(await shows(id)).toBe('masked');
    expect((await seesAll.patch(id, hook())).status).toBe(200);
    expect(await shows(id)).toBe('full');
    await seesAll.did(id, 'activate');
    const moved = await seesMasked.patch(id, hook(`${URL}/meu`));
    expect(moved.status).toBe(201);
    expect(await shows(moved.body.id)).toBe('masked');
    expect(await shows(id)).toBe('full');
    await seesMasked.remove(moved.body.id);
    const renamed = await seesMasked.patch(id, { name: 'Versão dois' });
    expect(await shows(renamed.body.id)).toBe('full');
  });

  test('has who sees less not rotate the secret of a journey that posts, or posted, contacts in full', async () => {
    const { seesAll, seesMasked } = await start();
    const { id } = await seesAll.create(hook());
    await seesMasked.patch(id, hook(`${URL}/meu`));
    expectProblem(await seesMasked.act(id, 'rotate-secret'), 403);
    await seesAll.did(id, 'rotate-secret');
    const own = await seesMasked.create(hook());
    await seesMasked.did(own.id, 'rotate-secret');
    await seesAll.patch(own.id, hook());
    expectProblem(await seesMasked.act(own.id, 'rotate-secret'), 403);
    const running = await seesMasked.create(hook());
    await seesMasked.did(running.id, 'activate');
    expect((await seesAll.patch(running.id, hook(`${URL}/2`))).status).toBe(201);
    expectProblem(await seesMasked.act(running.id, 'rotate-secret'), 403);
    const plain = await seesAll.create();
    await seesMasked.patch(plain.id, hook());
    await seesMasked.did(plain.id, 'rotate-secret');
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

  test('has headers whose values are stored sealed and returned masked; masked values that are sent back are kept', async () => {
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
    // A stored secret is not sent to another origin, nor under another name.
    expectProblem(await patch(journey.id, { passos: onto('https://outra.com.br/') }), 422);
    expectProblem(await patch(journey.id, line(webhook('erp', URL, [{ key: 'X-Other', value: '••••4242' }]))), 422);
    await did(journey.id, 'activate');
    const next = await patch(journey.id, {});
    expect(next.body.passos[0].config.cabecalhos).toEqual(shown);
  });
});
