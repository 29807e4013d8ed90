import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { ChangeJourney, CreateJourney } from '../../shared/contracts/journey-fields.ts';
import { JourneySimulation } from '../../shared/contracts/journey-run-shapes.ts';
import { enterJourney } from '../../shared/contracts/journey-runs.ts';
import { simulateJourney } from '../../shared/contracts/journey-simulation.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { jsonBytes } from '../../shared/domain/core/json-bytes.ts';
import type { WireConfigs } from '../../shared/domain/journeys/definition.ts';
import { graphOf } from '../../shared/domain/journeys/graph.ts';
import { simulationView } from '../../shared/domain/journeys/run-view.ts';
import { simulate } from '../../shared/domain/journeys/simulate.ts';
import { arbitraryDefinition } from '../support/journeys/arbitrary.ts';
import { definition, passo, scenarioOf } from '../support/journeys/build.ts';

/** The places of what is wrong with a journey; undefined: nothing is. */
const wrong = (journey: object): string[] | undefined =>
  CreateJourney.safeParse(journey).error?.issues.map(({ path }) => path.join('.'));
const withStep = <K extends keyof WireConfigs>(tipo: K, config: object) =>
  definition([passo(tipo, config as WireConfigs[K])], []);
const ofStep = (tipo: keyof WireConfigs, config: object) => wrong(withStep(tipo, config));
const CONFIG = 'passos.0.config';

describe('the body of a journey', () => {
  test('is accepted unchanged for any valid journey', () => {
    fc.assert(
      fc.property(arbitraryDefinition({ maxSteps: 20 }), (journey) => {
        expect(CreateJourney.parse(journey)).toEqual(journey);
      }),
      { seed: 20_260_313, numRuns: 200 },
    );
  });

  test.each([
    ['a field that there is not', { extra: 1 }, ['']],
    ['no steps', { passos: [] }, ['passos']],
    ['151 steps', { passos: Array.from({ length: 151 }, (_, at) => passo('sair', {}, `p${at}`)) }, ['passos']],
    ['a key that is no key', { passos: [passo('sair', {}, '__proto__')] }, ['passos.0.chave']],
    ['a kind that there is not', { passos: [{ chave: 'a', tipo: 'voar', config: {} }] }, ['passos.0.tipo']],
    ['a trigger with more than its fields', { gatilho: { tipo: 'manual', extra: 1 } }, ['gatilho']],
    [
      'an outcome that there is not',
      { ligacoes: [{ de: 'sair', para: 'sair', quando: 'talvez' }] },
      ['ligacoes.0.quando'],
    ],
    ['silence without a length', { silencio: { inicio: '08:00', fim: '08:00' } }, ['silencio.fim']],
    ['silence that is no time', { silencio: { inicio: '8h', fim: '24:00' } }, ['silencio.inicio', 'silencio.fim']],
    [
      'a cap above the limits',
      { tetoDeFrequencia: { mensagens: 101, dias: 366 } },
      ['tetoDeFrequencia.mensagens', 'tetoDeFrequencia.dias'],
    ],
    [
      'an interval of no hours',
      { reentrada: 'apos_concluir', intervaloReentradaHoras: 0 },
      ['intervaloReentradaHoras'],
    ],
    ['a goal of no name', { meta: { evento: '' } }, ['meta.evento']],
  ])('is refused with %s', (_, fields, places) => {
    expect(wrong({ ...definition([passo('sair', {})], []), ...fields })).toEqual(places);
  });

  test('sets no attribute that a contact cannot have', () => {
    expect(ofStep('atributo', { chave: 'plano', valor: 'ouro' })).toBeUndefined();
    expect(ofStep('atributo', { chave: '__proto__', valor: 'ouro' })).toEqual([`${CONFIG}.chave`]);
  });

  test('lets 1 to 1,000 contacts in by one call', () => {
    const fits = (count: number) =>
      enterJourney.request.body.safeParse({ contactIds: Array.from({ length: count }, () => newId('contact')) })
        .success;
    expect([0, 1, 1_000, 1_001].map(fits)).toEqual([false, true, true, false]);
  });

  test('has variables of 16,384 bytes at most, in entries and simulations', () => {
    const of = (bytes: number) => {
      const names = ['a', 'b', 'c', 'd', 'e'];
      const texts = Object.fromEntries(names.map((name) => [name, 'v'.repeat(3_000)]));
      const left = bytes - jsonBytes({ ...texts, f: '' });
      return { variaveis: { ...texts, f: 'v'.repeat(left) } };
    };
    const faults = (body: z.ZodType, given: object) => body.safeParse(given).error?.issues.map(({ path }) => path[0]);
    const [entries, simulation] = [enterJourney.request.body, simulateJourney.request.body];
    expect(faults(entries, { contactIds: [newId('contact')], ...of(16_384) })).toBeUndefined();
    expect(faults(entries, { contactIds: [newId('contact')], ...of(16_385) })).toEqual(['variaveis']);
    expect(faults(simulation, { contato: {}, ...of(16_384) })).toBeUndefined();
    expect(faults(simulation, { contato: {}, ...of(16_385) })).toEqual(['variaveis']);
  });

  test('has durations of one unit, 1 s to 365 days', () => {
    for (const config of [
      { segundos: 1 },
      { segundos: 31_536_000 },
      { minutos: 525_600 },
      { horas: 8_760 },
      { dias: 365 },
    ])
      expect(ofStep('esperar', config)).toBeUndefined();
    for (const [config, place] of [
      [{ segundos: 0 }, '.segundos'],
      [{ segundos: 31_536_001 }, '.segundos'],
      [{ horas: 1.5 }, '.horas'],
      [{ dias: 366 }, '.dias'],
      [{}, ''],
      [{ horas: 1, dias: 1 }, ''],
      [{ horas: 1, ate: { hora: '09:00' } }, ''],
    ] as const)
      expect(ofStep('esperar', config)).toEqual([CONFIG + place]);
    expect(ofStep('esperar_evento', { evento: 'x', prazo: {} })).toEqual([`${CONFIG}.prazo`]);
  });

  test('waits for a time of day, on a day of the week or on a day', () => {
    expect(ofStep('esperar', { ate: { hora: '23:59', diaDaSemana: 'sabado' } })).toBeUndefined();
    expect(ofStep('esperar', { ate: { hora: '00:00', data: '2028-02-29' } })).toBeUndefined();
    expect(ofStep('esperar', { ate: { hora: '24:00' } })).toEqual([`${CONFIG}.ate.hora`]);
    expect(ofStep('esperar', { ate: { hora: '09:00', data: '2027-02-29' } })).toEqual([`${CONFIG}.ate.data`]);
    expect(ofStep('esperar', { ate: { hora: '09:00', diaDaSemana: 'segunda', data: '2027-02-28' } })).toEqual([
      `${CONFIG}.ate.diaDaSemana`,
    ]);
  });

  test('has one content a message: a text, a template, or on e-mail HTML with or without a text', () => {
    const sends = (content: object) => ofStep('enviar', { canal: 'email', ...content });
    for (const content of [{ texto: 'a' }, { template: 'a' }, { html: 'a' }, { texto: 'a', html: 'a' }])
      expect(sends(content)).toBeUndefined();
    for (const content of [
      {},
      { texto: 'a', template: 'a' },
      { html: 'a', template: 'a' },
      { texto: 'a', html: 'a', template: 'a' },
    ])
      expect(sends(content)).toEqual([`${CONFIG}.texto`]);
    const both = [{ channel: 'sms', text: 'a', template: 'b' }];
    expect(sends({ texto: 'a', fallback: both })).toEqual([`${CONFIG}.fallback.0.text`]);
    expect(sends({ texto: 'a', fallbackApos: '9s' })).toEqual([`${CONFIG}.fallbackApos`]);
    expect(
      sends({ texto: 'a', fallback: ['sms', { channel: 'push', after: '2h' }], fallbackApos: '10m' }),
    ).toBeUndefined();
  });

  test('has branches whose weights sum to 100, and checks exactly one condition each', () => {
    const ramos = (...pesos: number[]) => ({ ramos: pesos.map((peso, at) => ({ nome: `r${at}`, peso })) });
    expect(ofStep('divisao', ramos(34, 33, 33))).toBeUndefined();
    expect(ofStep('divisao', ramos(50, 49))).toEqual([`${CONFIG}.ramos`]);
    expect(ofStep('divisao', ramos(100))).toEqual([`${CONFIG}.ramos`]);
    expect(ofStep('condicao', {})).toEqual([CONFIG]);
    expect(ofStep('condicao', { passo: 'a' })).toEqual([`${CONFIG}.status`]);
    expect(ofStep('esperar_evento', { evento: 'x', passo: 'a', status: 'lida', prazo: { dias: 1 } })).toEqual([CONFIG]);
    expect(ofStep('etiqueta', {})).toEqual([CONFIG]);
    expect(ofStep('sair', { x: 1 })).toEqual([CONFIG]);
  });
});

test('a change may clear what may be absent, and nothing else', () => {
  expect(
    ChangeJourney.safeParse({ silencio: null, meta: null, tetoDeFrequencia: null, intervaloReentradaHoras: null })
      .success,
  ).toBe(true);
  expect(ChangeJourney.safeParse({ passos: null }).success).toBe(false);
  expect(ChangeJourney.safeParse({ gatilho: null }).success).toBe(false);
});

test('a graph has what the definition says, with times in ms', () => {
  const [pipelineId, estagioId] = [newId('pipeline'), newId('stage')];
  const graph = graphOf(
    definition(
      [
        passo('enviar', {
          canal: 'email',
          texto: 'a',
          assunto: 'b',
          transacional: true,
          fallback: ['sms', { channel: 'push', after: '2h' }],
          fallbackApos: '10m',
        }),
        passo('esperar', { minutos: 90 }),
        passo('mover_cartao', { pipelineId, estagioId, criar: { titulo: 'Novo', valor: 2 } }),
        passo('etiqueta', { adicionar: 'vip' }),
      ],
      ['enviar > esperar', 'esperar > mover_cartao', 'mover_cartao > etiqueta'],
    ),
  );
  expect([...graph.steps.values()].map(({ config }) => config)).toEqual([
    {
      channel: 'email',
      text: 'a',
      subject: 'b',
      transactional: true,
      fallback: ['sms', { channel: 'push', after: 7_200_000 }],
      fallback_after: 600_000,
    },
    { ms: 5_400_000 },
    { pipelineId, stageId: estagioId, create: { title: 'Novo', value: 2 } },
    { add: ['vip'], remove: [] },
  ]);
  expect([graph.first, graph.steps.get('esperar')?.next]).toEqual(['enviar', new Map([['padrao', 'mover_cartao']])]);
});

test('a simulation is answered as its contract says, with the sum of what is sent', () => {
  const steps = definition(
    [passo('enviar', { canal: 'sms', texto: 'a' }), passo('enviar', { canal: 'sms', texto: 'b' }, 'outro')],
    ['enviar > outro'],
  );
  const plays = simulate({
    ...scenarioOf(steps),
    send: ({ message }) => ({
      shown: { canal: 'sms', texto: message.text, coins: 800 },
      ...(message.text === 'b' ? { unsent: { kind: 'skipped' as const, detail: 'opt_out' } } : {}),
    }),
  });
  const view = simulationView(plays);
  expect(JourneySimulation.strict().parse(view)).toEqual(view);
  expect(view).toMatchObject({
    coins: 800,
    passos: [
      { passo: 'enviar', resultado: 'enviada', mensagem: { texto: 'a' } },
      { resultado: 'pulada', detalhe: 'opt_out' },
    ],
    fim: { motivo: 'fim' },
  });
});
