import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../../shared/domain/audience/digest.ts';
import { matches } from '../../../shared/domain/audience/filters.ts';
import { type JourneyDefinition, SENT_STATUSES, type SentStatus } from '../../../shared/domain/journeys/definition.ts';
import { beginRun, type HistoryEntry, type Run } from '../../../shared/domain/journeys/run.ts';
import { simulate } from '../../../shared/domain/journeys/simulate.ts';
import { step } from '../../../shared/domain/journeys/step.ts';
import type { Input } from '../../../shared/domain/journeys/turn.ts';
import { dueAt } from '../../../shared/domain/journeys/waits.ts';
import { arbitraryDefinition, EVENTS } from '../../support/journeys/arbitrary.ts';
import { contactOf, definition, momentAt, passo, START, scenarioOf } from '../../support/journeys/build.ts';

const SMS = { canal: 'sms', texto: 'Olá' } as const;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const event = (name: string, afterMs: number, id = name) => ({ event: { id, name }, afterMs });
const results = (of: JourneyDefinition, fields: Parameters<typeof scenarioOf>[1] = {}) =>
  simulate(scenarioOf(of, fields)).steps.map(({ step: key, result }) => `${key} ${result}`);

describe('a simulation', () => {
  const welcome = definition(
    [
      { ...passo('enviar', SMS), rotulo: 'Boas-vindas' },
      passo('esperar_evento', { evento: 'pedido', prazo: { dias: 2 } }),
      passo('esperar', { ate: { hora: '09:00' } }),
      passo('sair', {}),
    ],
    [
      'enviar > esperar_evento',
      'esperar_evento evento> sair',
      'esperar_evento tempo_esgotado> esperar',
      'esperar > sair',
    ],
  );

  test('reports each step with its time, each message, and the end', () => {
    const { steps, end } = simulate(scenarioOf(welcome));
    const next = Date.parse('2026-03-13T12:00:00Z');
    expect(
      steps.map(({ step: key, since, at, result, visit }) => [key, since - START, at - START, result, visit]),
    ).toEqual([
      ['enviar', 0, 0, 'enviada', 1],
      ['esperar_evento', 0, 2 * DAY, 'tempo_esgotado', 1],
      ['esperar', 2 * DAY, next - START, 'passou', 1],
      ['sair', next - START, next - START, 'saiu', 1],
    ]);
    expect(steps[0]).toMatchObject({ label: 'Boas-vindas', shown: { channel: 'sms', text: 'Olá' } });
    expect(end).toEqual({ at: next, reason: 'saida' });
  });

  test('has events happen on the way, in the order of their times', () => {
    const { steps, end } = simulate(
      scenarioOf(welcome, { events: [event('pedido', 3 * HOUR), event('pedido', HOUR, 'outro')] }),
    );
    expect(steps[1]).toMatchObject({ step: 'esperar_evento', at: START + HOUR, result: 'evento' });
    expect(end.at).toBe(START + HOUR);
  });

  test('has an event happen after what the run does by itself at that moment', () => {
    const then = definition(
      [passo('esperar', { horas: 1 }), passo('esperar_evento', { evento: 'pedido', prazo: { horas: 1 } })],
      ['esperar > esperar_evento'],
    );
    expect(results(then, { events: [event('pedido', HOUR)] })).toEqual(['esperar passou', 'esperar_evento evento']);
  });

  test('makes the result of a message known to the next step', () => {
    const asks = definition(
      [passo('enviar', SMS), passo('condicao', { passo: 'enviar', status: 'lida' })],
      ['enviar > condicao'],
    );
    expect(results(asks)).toEqual(['enviar enviada', 'condicao nao']);
    expect(results(asks, { messages: [{ step: 'enviar', status: 'clicada' }] })).toEqual([
      'enviar enviada',
      'condicao sim',
    ]);
    expect(results(asks, { messages: [{ step: 'outro', status: 'clicada' }] })).toEqual([
      'enviar enviada',
      'condicao nao',
    ]);
  });

  test('does to a copy of the contact what its steps do, so that later conditions see it', () => {
    const has = (field: object) => ({ filterTree: { kind: 'leaf', filter: field } }) as never;
    const changes = definition(
      [
        passo('etiqueta', { adicionar: ['vip'], remover: 'novo' }),
        passo('atributo', { chave: 'plano', valor: 'ouro' }),
        passo('condicao', has({ field: 'tag', operator: 'is', value: 'vip' }), 'vip'),
        passo('condicao', has({ field: 'tag', operator: 'is', value: 'novo' }), 'novo'),
        passo('condicao', has({ field: 'attribute', operator: 'is', key: 'plano', value: 'ouro' }), 'ouro'),
        passo('atributo', { chave: 'plano', valor: null }, 'sem'),
        passo('condicao', has({ field: 'attribute', operator: 'exists', key: 'plano', value: true }), 'plano'),
      ],
      ['etiqueta > atributo', 'atributo > vip', 'vip sim> novo', 'novo nao> ouro', 'ouro sim> sem', 'sem > plano'],
    );
    const contact = contactOf({ tags: ['novo'] });
    expect(results(changes, { contact }).slice(2)).toEqual([
      'vip sim',
      'novo nao',
      'ouro sim',
      'sem feito',
      'plano nao',
    ]);
    expect(contact).toMatchObject({ tags: ['novo'], attributes: {} });
  });

  test('continues when a message would be skipped, and reports why', () => {
    const { steps } = simulate(
      scenarioOf(welcome, {
        send: ({ message }) => ({ shown: message, unsent: { kind: 'skipped', detail: 'opt_out' } }),
      }),
    );
    expect(steps[0]).toMatchObject({ result: 'pulada', detail: 'opt_out', shown: { text: 'Olá' } });
    expect(steps[1]).toMatchObject({ step: 'esperar_evento', result: 'tempo_esgotado' });
  });

  test('ends with the goal', () => {
    const { end } = simulate(
      scenarioOf({ ...welcome, meta: { evento: 'compra' } }, { events: [event('compra', HOUR)] }),
    );
    expect(end).toEqual({ at: START + HOUR, reason: 'meta' });
  });

  test('of an endless loop stops after 366 days, or 10,000 visits, and reports that', () => {
    const loop = (wait: object) =>
      definition(
        [passo('esperar', wait), passo('etiqueta', { adicionar: 'x' })],
        ['esperar > etiqueta', 'etiqueta > esperar'],
      );
    const slow = simulate(scenarioOf(loop({ dias: 30 })));
    expect(slow.end).toEqual({ at: START + 360 * DAY, reason: 'limite_de_tempo' });
    const fast = simulate(scenarioOf(loop({ segundos: 1 })));
    expect(fast.end.reason).toBe('limite_de_passos');
    expect(fast.steps).toHaveLength(10_000);
  });
});

/** The same played by hand: one input after the other, each effect done at once. */
const byHand = (given: ReturnType<typeof scenarioOf>, statuses: readonly SentStatus[]): HistoryEntry[] => {
  const { graph, contact, entry } = given;
  const history: HistoryEntry[] = [];
  let run: Run = beginRun({ ...entry, contactId: contact.id }, graph, START);
  let { tags } = contact;
  let sent = 0;
  const take = (now: number, input: Input): void => {
    const digest = digestOf({ ...contact, tags });
    const turn = step(run, graph, momentAt(now, { matches: (tree) => matches(tree, digest, now) }), input);
    run = turn.run;
    history.push(...turn.history);
    for (const effect of turn.effects) {
      if (effect.kind === 'convert' || effect.kind === 'pause_journey') continue;
      const { step: key, visit, attempt } = effect;
      if (effect.kind === 'tag') tags = [...tags, ...effect.add];
      const messageId = `msg_${sent++}` as never;
      const named = given.messages.some((each) => each.step === key) ? statuses : [];
      if (effect.kind === 'send')
        for (const status of named) take(now, { kind: 'signal', signal: { step: key, messageId, status } });
      take(now, {
        kind: 'result',
        step: key,
        visit,
        attempt,
        result: effect.kind === 'send' ? { kind: 'sent', messageId } : { kind: 'done' },
      });
    }
  };
  take(START, { kind: 'due' });
  const events = [...given.events];
  for (let now = START; now <= START + 366 * DAY && history.length < 300; ) {
    const due = dueAt(run, 0, now);
    if (due === undefined) break;
    const [next] = events;
    const eventAt = START + (next?.afterMs ?? Number.POSITIVE_INFINITY);
    now = Math.min(due, eventAt);
    if (now > START + 366 * DAY) break;
    if (next && eventAt < due) {
      events.shift();
      take(now, { kind: 'event', event: next.event });
    } else take(now, { kind: 'due' });
  }
  return history;
};

test('a simulation is what the interpreter does by hand', () => {
  fc.assert(
    fc.property(
      arbitraryDefinition({ maxSteps: 14 }),
      fc.array(fc.tuple(fc.constantFrom(...EVENTS), fc.nat(40 * DAY)), { maxLength: 6 }),
      fc.subarray([...SENT_STATUSES]),
      fc.subarray(Array.from({ length: 14 }, (_, at) => `p${at}`)),
      (of, events, statuses, steps) => {
        const given = scenarioOf(of, {
          events: events
            .map(([name, afterMs], at) => event(name, afterMs, `e${at}`))
            .toSorted((a, b) => a.afterMs - b.afterMs),
          messages: steps.flatMap((key) => statuses.map((status) => ({ step: key, status }))),
        });
        const plain = (entries: readonly HistoryEntry[]) =>
          entries.slice(0, 300).map(({ step: key, at, result, detail }) => ({ key, at, result, detail }));
        expect(plain(simulate(given).steps)).toEqual(plain(byHand(given, statuses)));
      },
    ),
    { seed: 20_260_312, numRuns: 400 },
  );
});
