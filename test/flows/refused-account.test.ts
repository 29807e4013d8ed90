import { expect, test, vi } from 'vitest';
import { startMessaging } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { startInfobipStandIn } from '../support/providers/infobip-stand-in.ts';
import { use } from '../support/use.ts';
import { becomes, create, eventsRaised, move, people, WAIT } from './campaigns-kit.ts';
import { setUpProvider } from './support.ts';

const messaging = await use(startMessaging());
const provider = await use(startInfobipStandIn());
// The provider answers each send with 401.
await setUpProvider(messaging, 'sms', 'infobip', { ...provider.settings, apiKey: 'another', logsLagMs: 1 });

const liveTenant = async () => {
  const tenant = await messaging.tenant({ live: 100_000, takesEvents: true });
  return { ...tenant, test: tenant.live };
};

test('a live campaign whose provider refuses the account is paused by its first messages, and sends no more', async () => {
  const tenant = await liveTenant();
  const ids = await people(tenant, ['0005', '1005', '2005']);
  const { id } = await create(tenant, { audience: { contactIds: ids }, perMinute: 1 });
  await move(tenant, id, 'start');
  await becomes(tenant, id, { status: 'paused', pausedBy: { reason: 'provider_unavailable' } });
  expect((await tenant.test.get(`/v2/campaigns/${id}`)).body).toMatchObject({
    progress: { total: 3, sent: 0 },
    coins: { captured: 0 },
  });
  expect(await eventsRaised(messaging, 'live', tenant)).toEqual([
    'campaign.started',
    'campaign.paused provider_unavailable',
  ]);
  await vi.waitFor(async () => {
    expect((await tenant.test.get('/v2/wallet')).body).toMatchObject({ balanceCoins: 100_000, heldCoins: 0 });
  }, WAIT);
  await checkMoney(messaging.tables.live, tenant.id, { quiet: false });
}, 180_000);

test('a live journey whose provider refuses the account is paused at the step of the message', async () => {
  const tenant = await liveTenant();
  const contactIds = await people(tenant, ['0005']);
  const { body } = await tenant.test.post('/v2/journeys', {
    name: 'Boas-vindas',
    gatilho: { tipo: 'manual' },
    passos: [
      { chave: 'oi', tipo: 'enviar', rotulo: 'Primeiro aviso', config: { canal: 'sms', texto: 'Oi' } },
      { chave: 'espera', tipo: 'esperar', config: { dias: 1 } },
    ],
    ligacoes: [{ de: 'oi', para: 'espera' }],
    reentrada: 'nunca',
  });
  const path = `/v2/journeys/${body.id}`;
  expect((await tenant.test.post(`${path}/activate`, {})).status).toBe(200);
  expect((await tenant.test.post(`${path}/entries`, { contactIds })).body).toMatchObject({ entraram: 1 });
  await vi.waitFor(async () => {
    expect((await tenant.test.get(path)).body).toMatchObject({
      status: 'pausada',
      pausadaPor: { motivo: 'provedor_indisponivel', passo: 'oi', rotulo: 'Primeiro aviso' },
    });
  }, WAIT);
  expect(await eventsRaised(messaging, 'live', tenant, /^journey\./)).toEqual(['journey.activated', 'journey.paused']);
}, 180_000);
