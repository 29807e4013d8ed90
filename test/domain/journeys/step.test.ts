import { describe, expect, test } from 'vitest';
import { beginRun } from '../../../shared/domain/journeys/run.ts';
import { step } from '../../../shared/domain/journeys/step.ts';
import { definition, entryOf, momentAt, passo, START, startedRun } from '../../support/journeys/build.ts';
import { Drive, started } from '../../support/journeys/drive.ts';

const SMS = { canal: 'sms', texto: 'Olá, {{contato.nome|você}}' } as const;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const results = ({ history }: Drive) => history.map(({ step: key, result }) => `${key} ${result}`);
const event = (name: string, id = name) => ({ kind: 'event', event: { id, name } }) as const;

describe('a run', () => {
  const welcome = definition(
    [passo('enviar', SMS), passo('esperar', { horas: 2 }), passo('etiqueta', { adicionar: 'novo' })],
    ['enviar > esperar', 'esperar > etiqueta'],
  );

  test('goes from step to step by its links, and is concluded where there is none', () => {
    const drive = started(welcome);
    expect(drive.effects).toEqual([
      { kind: 'send', step: 'enviar', visit: 1, attempt: 1, message: { channel: 'sms', text: SMS.texto } },
    ]);
    drive.perform();
    expect(drive.run.wait).toEqual({ kind: 'duration', until: START + 2 * HOUR });
    drive.wake();
    expect(drive.effects.at(-1)).toMatchObject({ kind: 'tag', add: ['novo'], remove: [] });
    drive.now += 1_000;
    drive.perform();
    expect(results(drive)).toEqual(['enviar enviada', 'esperar passou', 'etiqueta feito']);
    expect(drive.run).toMatchObject({
      status: 'concluida',
      endedAt: START + 2 * HOUR + 1_000,
      end: { reason: 'fim' },
      step: 'etiqueta',
    });
    expect(drive.history[0]).toEqual({
      step: 'enviar',
      kind: 'enviar',
      at: START,
      result: 'enviada',
      messageId: 'msg_000000000000000000000',
    });
  });

  test('requests the same effect again if it is woken before the result arrives', () => {
    const drive = started(welcome);
    drive.wake();
    expect(drive.effects[1]).toEqual(drive.effects[0]);
    expect(drive.effects).toHaveLength(2);
  });

  test('waits on when it is woken too early', () => {
    const drive = started(welcome);
    drive.perform();
    drive.now += 2 * HOUR - 1;
    const { run, effects } = drive.take({ kind: 'due' });
    expect([run, effects]).toEqual([drive.taken.at(-1)?.before, []]);
  });

  test('ignores the result of another visit, of another try, and of an effect that it did not ask for', () => {
    const { run, graph } = startedRun(welcome);
    const waiting = step(run, graph, momentAt(START), { kind: 'due' }).run;
    const reported = (at: object) =>
      step(waiting, graph, momentAt(START), {
        kind: 'result',
        step: 'enviar',
        visit: 1,
        attempt: 1,
        result: { kind: 'done' },
        ...at,
      }).run;
    expect(reported({})).not.toBe(waiting);
    expect(reported({ visit: 2 })).toBe(waiting);
    expect(reported({ attempt: 2 })).toBe(waiting);
    expect(reported({ step: 'etiqueta' })).toBe(waiting);
  });

  test('continues when a send is skipped or refused, and records why', () => {
    const drive = started(welcome);
    drive.tell({ kind: 'skipped', detail: 'opt_out' });
    expect(drive.history[0]).toMatchObject({ result: 'pulada', detail: 'opt_out' });
    expect(drive.run.step).toBe('esperar');
    const other = started(welcome);
    other.tell({ kind: 'refused', detail: 'destination_closed' });
    expect(other.history[0]).toMatchObject({ result: 'falhou', detail: 'destination_closed' });
    expect(other.run.step).toBe('esperar');
  });

  test('ends at a sair, and is cancelled wherever it is', () => {
    const drive = started(definition([passo('sair', {})], []));
    expect(results(drive)).toEqual(['sair saiu']);
    expect(drive.run).toMatchObject({ status: 'concluida', end: { reason: 'saida' } });
    const other = started(welcome);
    other.take({ kind: 'cancel', reason: 'contato_apagado' });
    expect(other.run).toMatchObject({ status: 'cancelada', end: { reason: 'cancelada', detail: 'contato_apagado' } });
    expect(results(other)).toEqual(['enviar cancelada']);
    expect(other.take({ kind: 'due' })).toEqual({ run: other.run, effects: [], history: [], continues: false });
  });

  test('counts the visits of a step, so that each send of a loop is one of its own', () => {
    const loop = definition(
      [passo('enviar', SMS), passo('esperar', { dias: 1 })],
      ['enviar > esperar', 'esperar > enviar'],
    );
    const drive = started(loop);
    for (let visit = 1; visit <= 4; visit++) {
      expect(drive.effects.at(-1)).toMatchObject({ kind: 'send', visit });
      drive.perform();
      drive.wake();
    }
    expect(drive.run.visits).toEqual({ enviar: 5, esperar: 4 });
  });

  test('whose graph loops without a wait ends in erro, and so does one at a missing step', () => {
    const cycle = definition(
      [passo('condicao', { filterTree: { kind: 'leaf', filter: { field: 'tag', operator: 'is', value: 'vip' } } })],
      ['condicao nao> condicao'],
    );
    expect(started(cycle).run).toMatchObject({ status: 'erro', end: { reason: 'erro', detail: 'passos_sem_espera' } });
    const { run, graph } = startedRun(welcome);
    const lost = step({ ...run, step: 'outro' }, graph, momentAt(START), { kind: 'due' });
    expect(lost.run).toMatchObject({ status: 'erro', end: { reason: 'erro', detail: 'passo_inexistente' } });
  });

  test('through a long graph without waits completes', () => {
    const keys = Array.from({ length: 150 }, (_, at) => `p${at}`);
    const steps = keys.map((key) => passo('divisao', { ramos: [{ nome: 'A', peso: 100 }] }, key));
    const drive = started(
      definition(
        steps,
        keys.slice(1).map((key, at) => `p${at} ramo:A> ${key}`),
      ),
    );
    expect(drive.run.status).toBe('concluida');
    expect(drive.history).toHaveLength(150);
  });

  test('that loops with waits continues indefinitely', () => {
    const drive = started(definition([passo('esperar', { horas: 1 })], ['esperar > esperar']));
    for (let round = 0; round < 200; round++) drive.wake();
    expect(drive.run).toMatchObject({ status: 'ativa', visits: { esperar: 201 } });
  });

  test('waits until a time of day by the clock of the organization', () => {
    const drive = started(definition([passo('esperar', { ate: { hora: '09:00' } })], []));
    expect(drive.run.wait).toEqual({ kind: 'moment', until: Date.parse('2026-03-11T12:00:00Z') });
    drive.wake();
    expect(results(drive)).toEqual(['esperar passou']);
  });

  test('sends when the silence of its journey is over', () => {
    const drive = new Drive({ ...welcome, silencio: { inicio: '08:00', fim: '18:00' } });
    drive.wake();
    expect(drive.run.wait).toEqual({ kind: 'quiet', until: Date.parse('2026-03-10T21:00:00Z') });
    const { run } = drive;
    expect(drive.take({ kind: 'due' }).run).toBe(run);
    expect(drive.effects).toEqual([]);
    drive.wake();
    expect(drive.effects).toMatchObject([{ kind: 'send', visit: 1, attempt: 1 }]);
    drive.perform();
    expect(results(drive)).toEqual(['enviar enviada']);
  });
});

describe('a webhook', () => {
  const hook = definition(
    [passo('webhook', { url: 'https://loja.example/jornada' }), passo('sair', {})],
    ['webhook > sair'],
  );

  test('is attempted five times, after 30 s, 2 min, 10 min and 1 h; then the run ends in erro', () => {
    const drive = started(hook);
    const waits: number[] = [];
    for (let attempt = 1; attempt < 5; attempt++) {
      expect(drive.effects.at(-1)).toMatchObject({ kind: 'webhook', url: 'https://loja.example/jornada', attempt });
      drive.tell({ kind: 'failed', detail: '503' });
      waits.push((drive.dueAt ?? 0) - drive.now);
      drive.wake();
    }
    expect(waits).toEqual([30_000, 2 * MINUTE, 10 * MINUTE, HOUR]);
    drive.tell({ kind: 'failed', detail: '503' });
    expect(drive.run).toMatchObject({ status: 'erro', end: { reason: 'erro', detail: '503' } });
    expect(results(drive)).toEqual(['webhook erro']);
  });

  test('has no result before it is tried', () => {
    const drive = started(hook);
    drive.tell({ kind: 'failed', detail: '503' });
    const { run } = drive;
    expect(drive.take({ kind: 'due' })).toMatchObject({ effects: [] });
    const early = { kind: 'result', step: 'webhook', visit: 1, attempt: 2, result: { kind: 'done' } } as const;
    expect(drive.take(early).run).toBe(run);
  });

  test('that succeeds at a later attempt continues; one that is refused ends the run immediately', () => {
    const drive = started(hook);
    drive.tell({ kind: 'failed', detail: '503' });
    drive.wake();
    drive.perform();
    expect(results(drive)).toEqual(['webhook feito', 'sair saiu']);
    const other = started(hook);
    other.tell({ kind: 'refused', detail: '410' });
    expect(other.run.end).toEqual({ reason: 'erro', detail: '410' });
  });
});

describe('a condicao', () => {
  const tree = { kind: 'leaf', filter: { field: 'tag', operator: 'is', value: 'vip' } } as const;
  const asks = definition([passo('condicao', { filterTree: tree }), passo('sair', {}, 'fim')], ['condicao sim> fim']);

  test("evaluates the contact's conditions at that moment", () => {
    const { run, graph } = startedRun(asks);
    const requested: unknown[] = [];
    const matches = (given: unknown) => requested.push(given) > 0;
    const turn = step(run, graph, momentAt(START, { matches }), { kind: 'due' });
    expect(turn.history.map(({ result }) => result)).toEqual(['sim', 'saiu']);
    expect(requested).toEqual([tree]);
    expect(step(run, graph, momentAt(START), { kind: 'due' }).history.map(({ result }) => result)).toEqual(['nao']);
  });
});

describe('a journey that cannot continue', () => {
  test('is paused at the step, and retries that when it is resumed', () => {
    const drive = started(definition([{ ...passo('enviar', SMS), rotulo: 'Oferta' }], []));
    const [requested] = drive.effects;
    drive.tell({ kind: 'blocked', reason: 'saldo_insuficiente' });
    expect(drive.effects[1]).toEqual({
      kind: 'pause_journey',
      reason: 'saldo_insuficiente',
      step: 'enviar',
      label: 'Oferta',
    });
    expect(drive.take({ kind: 'due' })).toMatchObject({ effects: [], history: [], continues: false });
    drive.now += DAY;
    drive.resume();
    drive.wake();
    expect(drive.effects.at(-1)).toEqual(requested);
    drive.perform();
    expect(results(drive)).toEqual(['enviar enviada']);
  });

  test('is not paused again by effects that were in progress', () => {
    const drive = started(definition([passo('enviar', SMS)], []));
    drive.pause();
    expect(
      drive.take({
        kind: 'result',
        step: 'enviar',
        visit: 1,
        attempt: 1,
        result: { kind: 'blocked', reason: 'saldo_insuficiente' },
      }).effects,
    ).toEqual([]);
  });
});

describe('a goal', () => {
  const withGoal = definition([passo('esperar', { dias: 2 }), passo('enviar', SMS)], ['esperar > enviar'], {
    meta: { evento: 'compra' },
  });

  test('ends the run that is active, and counts once', () => {
    const drive = started(withGoal);
    const turn = drive.take(event('compra'));
    expect(turn.effects).toEqual([{ kind: 'convert', event: { id: 'compra', name: 'compra' } }]);
    expect(drive.run).toMatchObject({ status: 'concluida', end: { reason: 'meta' }, convertedAt: START });
    expect(results(drive)).toEqual(['esperar meta']);
    expect(drive.take(event('compra', 'outra')).effects).toEqual([]);
  });

  test('counts within 30 days of the end, and not after them', () => {
    const drive = started(withGoal);
    drive.take({ kind: 'cancel', reason: 'operador' });
    drive.now += 30 * DAY;
    expect(drive.take(event('compra')).effects).toEqual([]);
    drive.now -= 1;
    expect(drive.take(event('compra')).effects).toMatchObject([{ kind: 'convert' }]);
    expect(drive.run).toMatchObject({ status: 'cancelada', convertedAt: START + 30 * DAY - 1 });
  });

  test('counts by when it happened: not from before the run, and within 30 days of its end however late it is reported', () => {
    const at = (ms: number) => ({ kind: 'event', event: { id: 'compra', name: 'compra', at: START + ms } }) as const;
    const drive = started(withGoal);
    expect(drive.take(at(-1_000)).effects).toEqual([]);
    drive.take({ kind: 'cancel', reason: 'operador' });
    drive.now += 31 * DAY;
    expect(drive.take(at(-1_000)).effects).toEqual([]);
    expect(drive.take(at(30 * DAY)).effects).toEqual([]);
    expect(drive.take(at(30 * DAY - 1)).effects).toMatchObject([{ kind: 'convert' }]);
  });

  test('is not the event that triggered the run', () => {
    const drive = started(withGoal, { event: { id: 'e1', name: 'compra' } });
    expect(drive.take(event('compra', 'e1')).effects).toEqual([]);
    expect(drive.run.status).toBe('ativa');
    expect(drive.take(event('compra', 'e2')).effects).toHaveLength(1);
    const ended = started(withGoal, { event: { id: 'e1', name: 'compra' } });
    ended.take({ kind: 'cancel', reason: 'operador' });
    expect(ended.take(event('compra', 'e1')).effects).toEqual([]);
  });

  test('that is reached during a pause ends the run when the journey is resumed, before anything else', () => {
    const drive = started(withGoal);
    drive.now += 2 * DAY;
    drive.pause();
    expect(drive.take(event('compra')).effects).toEqual([]);
    drive.resume();
    drive.wake();
    expect(drive.effects).toMatchObject([{ kind: 'convert' }]);
    expect(results(drive)).toEqual(['esperar meta']);
    const reported = started(withGoal);
    reported.pause();
    reported.take(event('compra', 'e1'));
    reported.resume();
    expect(reported.take(event('compra', 'e2')).effects).toMatchObject([{ kind: 'convert', event: { id: 'e1' } }]);
    expect(reported.run.kept).toEqual([]);
  });
});

test('a run starts at the first step, with its triggering event, and with the branches of its own steps only', () => {
  const { graph } = startedRun(definition([passo('sair', {})], []));
  const branches = { sair: 'A', gone: 'B' };
  const entry = entryOf({ variables: { cupom: 'A1' }, event: { id: 'e1', name: 'cadastro' }, branches });
  const run = beginRun(entry, graph, START);
  expect(run.branches).toEqual({ sair: 'A' });
  expect(run).toMatchObject({
    ...entry,
    branches: { sair: 'A' },
    status: 'ativa',
    step: 'sair',
    visits: { sair: 1 },
    taken: ['e1'],
    beganAt: START,
  });
});
