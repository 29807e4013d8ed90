import { expect, test } from 'vitest';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { Tenant } from '../../shared/domain/core/actor.ts';
import type { JourneyDefinition } from '../../shared/domain/journeys/definition.ts';
import type { Journey } from '../../shared/domain/journeys/journey.ts';
import { moveDueRun, moveRun } from '../../shared/domain/journeys/move-run.ts';
import { crashingAt } from '../lists/crashes.ts';
import { newOrganization } from '../lists/stage.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { ligacoes, passo } from '../support/journeys/build.ts';
import { activeJourney, addContacts, type Journeys, journeysOver, Outside } from './stage.ts';

const { ownTable, table } = await useContendedTable();
let now = Date.parse('2026-03-10T12:00:00Z');
const clock = () => now;
const DAY_MS = 24 * 3_600_000;

const enviar = (chave: string) => passo('enviar', { canal: 'sms', texto: 'Olá' }, chave);
const WELCOME = {
  passos: [
    enviar('oi'),
    passo('etiqueta', { adicionar: 'novo' }),
    passo('esperar_evento', { evento: 'compra', prazo: { dias: 2 } }),
    enviar('obrigado'),
    enviar('volte'),
  ],
  ligacoes: ligacoes(
    'oi > etiqueta',
    'etiqueta > esperar_evento',
    'esperar_evento evento> obrigado',
    'esperar_evento tempo_esgotado> volte',
  ),
} satisfies Partial<JourneyDefinition>;

/** A journey with contacts that entered it. */
const entered = async (
  count: number,
  definition: Partial<JourneyDefinition> & Pick<JourneyDefinition, 'ligacoes' | 'passos'> = WELCOME,
) => {
  const outside = new Outside();
  const own = journeysOver(table, clock, outside);
  const tenant: Tenant = await newOrganization(table);
  const journey = await activeJourney(own, tenant, definition);
  const people = await addContacts(table, tenant, count);
  await own.enter(
    journey,
    people.map(({ id: contactId }) => ({ contactId, cause: { key: 'entry', at: now } })),
  );
  const runOf = async ({ id }: Pick<Contact, 'id'>) =>
    (await own.runsOf(journey, id)) as NonNullable<Awaited<ReturnType<typeof own.runsOf>>>;
  return { outside, own, tenant, journey, people, runOf };
};
const resultsOf = (history: readonly { step: string; result: string }[]) =>
  history.map(({ step, result }) => `${step} ${result}`);
/** All passes of a sweep: an index may list a run late. */
const sweepAll = async ({ sweep }: Journeys, { id }: Journey) => {
  await sweep(id);
  for (const ms of [60_000, 15 * 60_000]) {
    now += ms;
    await sweep(id);
  }
};
/** Reports a customer event of a contact, as its signal does. */
const report = async (
  { own, outside }: Awaited<ReturnType<typeof entered>>,
  contact: Contact,
  name: string,
  id = `${contact.id} ${now}`,
) => {
  outside.events.set(id, { id, name });
  for (const { runId } of await own.ports.runs.awaiting(contact.id, name, { id, at: now }))
    await moveRun(own.ports, runId, { kind: 'event', event: { id, name } });
};

test('a run advances step by step: its effects, its waits, and its path by their results', async () => {
  const stage = await entered(2);
  const { own, outside, people, journey, runOf } = stage;
  const [bought, silent] = people as [Contact, Contact];
  await own.work();
  // The two runs advance concurrently: the order of each is that of its history.
  expect([...outside.done.values()].map(({ step, times }) => `${step} ${times}`).sort()).toEqual([
    'etiqueta 1',
    'etiqueta 1',
    'oi 1',
    'oi 1',
  ]);
  now += 1_000;
  await report(stage, bought, 'compra');
  now += 2 * DAY_MS;
  await own.work();
  expect(resultsOf((await runOf(bought)).history)).toEqual([
    'oi enviada',
    'etiqueta feito',
    'esperar_evento evento',
    'obrigado enviada',
  ]);
  expect(resultsOf((await runOf(silent)).history)).toEqual([
    'oi enviada',
    'etiqueta feito',
    'esperar_evento tempo_esgotado',
    'volte enviada',
  ]);
  expect(await own.counts(journey)).toEqual({
    '': { entradas: 2, concluidas: 2 },
    oi: { entraram: 2, sairam: 2 },
    etiqueta: { entraram: 2, sairam: 2 },
    esperar_evento: { entraram: 2, sairam: 2 },
    obrigado: { entraram: 1, sairam: 1 },
    volte: { entraram: 1, sairam: 1 },
  });
});

test('a worker that crashes before or after any of its writes leaves a run that the next one completes in the same way', async () => {
  for (const made of [false, true])
    for (let nth = 0; nth < 12; nth++) {
      const stage = await entered(1);
      const { own, outside, people, journey, runOf } = stage;
      const [contact] = people as [Contact];
      const crashing = journeysOver(crashingAt(ownTable(), nth, made), clock, outside);
      const { run } = await runOf(contact);
      await moveDueRun(crashing.ports, run.id).catch(() => {});
      now += 60_000;
      await own.work();
      expect(resultsOf((await runOf(contact)).history), `${nth} ${made}`).toEqual(['oi enviada', 'etiqueta feito']);
      await report({ ...stage, own: crashing } as typeof stage, contact, 'compra', 'e1').catch(() => {});
      await report(stage, contact, 'compra', 'e1');
      now += 60_000;
      await own.work();
      const { run: ended, history } = await runOf(contact);
      expect(resultsOf(history), `${nth} ${made}`).toEqual([
        'oi enviada',
        'etiqueta feito',
        'esperar_evento evento',
        'obrigado enviada',
      ]);
      expect(ended.status).toBe('concluida');
      expect((await own.counts(journey))['']).toEqual({ entradas: 1, concluidas: 1 });
    }
}, 300_000);

test('with twenty workers on the same runs each step is executed once, and each message has one key', async () => {
  const { outside, journey, people, runOf, own } = await entered(30);
  const workers = Array.from({ length: 20 }, () => journeysOver(ownTable(), clock, outside));
  await Promise.all(workers.map((worker) => worker.work()));
  now += 60_000;
  await own.work();
  const sends = [...outside.done.values()].filter(({ kind }) => kind === 'send');
  expect(sends).toHaveLength(people.length);
  for (const contact of people)
    expect(resultsOf((await runOf(contact)).history)).toEqual(['oi enviada', 'etiqueta feito']);
  expect(await own.counts(journey)).toEqual({
    '': { entradas: 30 },
    oi: { entraram: 30, sairam: 30 },
    etiqueta: { entraram: 30, sairam: 30 },
    esperar_evento: { entraram: 30 },
  });
}, 300_000);

test('an event that arrives between the decision to wait for it and the transaction that stores it is consumed', async () => {
  const stage = await entered(1);
  const { own, outside, people, runOf } = stage;
  const [contact] = people as [Contact];
  const { save } = own.ports.runs;
  let reported = false;
  const late = {
    ...own.ports,
    runs: {
      ...own.ports.runs,
      save: async (move: Parameters<typeof save>[0]) => {
        if (move.after.run.wait?.kind === 'event' && !reported) {
          reported = true;
          await report(stage, contact, 'compra');
        }
        return save(move);
      },
    },
  };
  await moveDueRun(late, (await runOf(contact)).run.id);
  expect(reported).toBe(true);
  expect(resultsOf((await runOf(contact)).history)).toEqual([
    'oi enviada',
    'etiqueta feito',
    'esperar_evento evento',
    'obrigado enviada',
  ]);
  expect([...outside.done.values()].filter(({ step }) => step === 'obrigado')).toHaveLength(1);
});

test('a repeat of an event that was taken, and one from before the wait, move nothing', async () => {
  const again = {
    passos: [passo('esperar_evento', { evento: 'compra', prazo: { dias: 2 } }), enviar('oi')],
    ligacoes: ligacoes('esperar_evento evento> oi', 'oi > esperar_evento'),
  };
  const stage = await entered(1, again);
  const { own, people, runOf } = stage;
  const [contact] = people as [Contact];
  await own.work();
  now += 1_000;
  for (let reported = 0; reported < 3; reported++) await report(stage, contact, 'compra', 'e1');
  expect(resultsOf((await runOf(contact)).history)).toEqual(['esperar_evento evento', 'oi enviada']);
  now += 1_000;
  await report(stage, contact, 'compra', 'e2');
  await report(stage, contact, 'compra', 'e1');
  expect((await runOf(contact)).run.visits).toEqual({ esperar_evento: 3, oi: 2 });
});

test('an effect that is impossible for everybody pauses the journey once; its runs stop, and each retries its step when it is resumed', async () => {
  const stage = await entered(12);
  const { own, outside, people, journey, runOf } = stage;
  outside.script.set('oi', () => ({ kind: 'blocked', reason: 'saldo_insuficiente' }));
  await own.work();
  const paused = await own.journeys.find(journey.id);
  expect(paused).toMatchObject({ status: 'pausada', pause: { reason: 'saldo_insuficiente', step: 'oi' } });
  expect(paused?.version).toBe(journey.version + 1);
  for (const contact of people)
    expect(await runOf(contact)).toMatchObject({ isParked: true, history: [], run: { status: 'ativa', step: 'oi' } });
  now += DAY_MS;
  await own.work();
  expect([...outside.done.values()].filter(({ step }) => step === 'oi')).toEqual([]);
  outside.script.clear();
  await own.change(journey.id, 'ativa');
  await sweepAll(own, journey);
  await own.work();
  for (const contact of people)
    expect(resultsOf((await runOf(contact)).history)).toEqual(['oi enviada', 'etiqueta feito']);
});

test('a pause leaves of each wait what was left of it, and keeps what came meanwhile', async () => {
  const timed = { passos: [passo('esperar', { horas: 10 }), enviar('oi')], ligacoes: ligacoes('esperar > oi') };
  const waiting = await entered(1, timed);
  const awaiting = await entered(1);
  for (const { own } of [waiting, awaiting]) await own.work();
  now += 4 * 3_600_000;
  for (const { own, journey } of [waiting, awaiting]) await own.change(journey.id, 'pausada');
  now += 30 * DAY_MS;
  await waiting.own.work();
  const [buyer] = awaiting.people as [Contact];
  await report(awaiting, buyer, 'compra');
  expect((await awaiting.runOf(buyer)).run.status).toBe('ativa');
  const resumedAt = now;
  for (const { own, journey } of [waiting, awaiting]) {
    await own.change(journey.id, 'ativa');
    await sweepAll(own, journey);
    await own.work();
  }
  expect(resultsOf((await awaiting.runOf(buyer)).history)).toEqual([
    'oi enviada',
    'etiqueta feito',
    'esperar_evento evento',
    'obrigado enviada',
  ]);
  const [waiter] = waiting.people as [Contact];
  now = resumedAt + 6 * 3_600_000 - 1;
  await waiting.own.work();
  expect((await waiting.runOf(waiter)).history).toEqual([]);
  now += 1;
  await waiting.own.work();
  expect(resultsOf((await waiting.runOf(waiter)).history)).toEqual(['esperar passou', 'oi enviada']);
});

test('an archive cancels the runs that are on their way, those that stand still among them, and no others', async () => {
  const { own, people, journey, runOf } = await entered(40);
  const [cancelled, ...others] = people as [Contact, ...Contact[]];
  await own.work();
  await moveRun(own.ports, (await runOf(cancelled)).run.id, { kind: 'cancel', reason: 'operador' });
  await own.change(journey.id, 'pausada');
  now += 3 * DAY_MS;
  await own.work();
  await own.change(journey.id, 'arquivada');
  await sweepAll(own, journey);
  for (const contact of others)
    expect((await runOf(contact)).run).toMatchObject({ status: 'cancelada', end: { detail: 'jornada_arquivada' } });
  expect((await runOf(cancelled)).run.end).toMatchObject({ detail: 'operador' });
  expect((await own.counts(journey))['']).toEqual({ entradas: 40, canceladas: 40 });
});

test('an interrupted sweep continues where it was, and leaves no run parked', async () => {
  const { own, people, journey, runOf, outside } = await entered(30);
  await own.change(journey.id, 'pausada');
  await own.work();
  await own.change(journey.id, 'ativa');
  for (let nth = 0; nth < 10; nth++) {
    const crashing = journeysOver(crashingAt(ownTable(), nth, nth % 2 === 0), clock, outside);
    await crashing.sweep(journey.id).catch(() => {});
  }
  await sweepAll(own, journey);
  for (const contact of people) expect(await runOf(contact)).toMatchObject({ isParked: false });
  await own.work();
  for (const contact of people)
    expect(resultsOf((await runOf(contact)).history)).toEqual(['oi enviada', 'etiqueta feito']);
}, 180_000);

test('a goal ends a run that is active and counts once with its value, also within 30 days of its end', async () => {
  const goal = { ...WELCOME, meta: { evento: 'pedido' } };
  const stage = await entered(3, goal);
  const { own, outside, people, journey, runOf } = stage;
  const [early, late, never] = people as [Contact, Contact, Contact];
  await own.work();
  const order = async (contact: Contact, id: string) => {
    const event = { id, name: 'pedido', value: 10.5 };
    outside.events.set(id, event);
    for (const { runId } of await own.ports.runs.awaiting(contact.id, 'pedido', { id, at: now }))
      await moveRun(own.ports, runId, { kind: 'event', event });
  };
  now += 1;
  for (let reported = 0; reported < 2; reported++) await order(early, 'p1');
  expect((await runOf(early)).run).toMatchObject({ status: 'concluida', end: { reason: 'meta' } });
  now += 3 * DAY_MS;
  await own.work();
  expect((await runOf(late)).run.status).toBe('concluida');
  now += 29 * DAY_MS;
  for (const id of ['p2', 'p3', 'p2']) await order(late, id);
  now += 2 * DAY_MS;
  await order(never, 'p4');
  expect((await own.counts(journey))['']).toEqual({
    entradas: 3,
    concluidas: 3,
    conversoes: 2,
    valorConvertido: 210_000,
  });
});
