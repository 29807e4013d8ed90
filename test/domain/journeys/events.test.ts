import { describe, expect, test } from 'vitest';
import { newId } from '../../../shared/domain/core/ids.ts';
import { SENT_STATUSES, type SentStatus } from '../../../shared/domain/journeys/definition.ts';
import { awaitedEvents } from '../../../shared/domain/journeys/waits.ts';
import { definition, passo } from '../../support/journeys/build.ts';
import { type Drive, started } from '../../support/journeys/drive.ts';

const SMS = { canal: 'sms', texto: 'Olá' } as const;
const HOUR = 3_600_000;
const results = ({ history }: Drive) => history.map(({ step: key, result }) => `${key} ${result}`);
const event = (name: string, id = name) => ({ kind: 'event', event: { id, name } }) as const;
const signal = (drive: Drive, status: SentStatus, messageId = drive.run.sent.enviar?.messageId ?? drive.nextMessage) =>
  drive.take({ kind: 'signal', signal: { step: 'enviar', messageId, status } });

describe('a wait for a customer event', () => {
  const waits = definition(
    [
      passo('esperar_evento', { evento: 'pedido', prazo: { horas: 2 } }),
      passo('sair', {}, 'veio'),
      passo('sair', {}, 'nada'),
    ],
    ['esperar_evento evento> veio', 'esperar_evento tempo_esgotado> nada'],
  );

  test('ends with the first such event, which texts may use from then on', () => {
    const drive = started(waits, { event: { id: 'e0', name: 'cadastro' } });
    expect(awaitedEvents(drive.run, drive.graph)).toEqual({ step: 'pedido' });
    expect(drive.take(event('visita'))).toMatchObject({ run: drive.run, effects: [] });
    drive.take({ kind: 'event', event: { id: 'e1', name: 'pedido', properties: { total: 12 } } });
    expect(results(drive)).toEqual(['esperar_evento evento', 'veio saiu']);
    expect(drive.run.event).toEqual({ id: 'e1', name: 'pedido', properties: { total: 12 } });
    expect(awaitedEvents(drive.run, drive.graph)).toEqual({});
  });

  test('ends at its deadline: an event of the last millisecond counts, one at the deadline does not', () => {
    const drive = started(waits);
    drive.now += 2 * HOUR - 1;
    drive.take(event('pedido'));
    expect(results(drive)[0]).toBe('esperar_evento evento');
    const late = started(waits);
    late.now += 2 * HOUR;
    late.take(event('pedido'));
    expect(results(late)[0]).toBe('esperar_evento tempo_esgotado');
    expect(late.run.event).toBeUndefined();
    const silent = started(waits);
    silent.wake();
    expect(results(silent)).toEqual(['esperar_evento tempo_esgotado', 'nada saiu']);
  });

  test('ends with an event that happened in time, even if it is reported slightly late, and with none from before the run', () => {
    const at = (drive: Drive, ms: number) => ({ id: 'pedido', name: 'pedido', at: drive.run.beganAt + ms });
    const late = started(waits);
    late.now += 2 * HOUR + 500;
    late.take({ kind: 'event', event: at(late, 2 * HOUR - 1) });
    expect(results(late)[0]).toBe('esperar_evento evento');
    const later = started(waits);
    later.now += 2 * HOUR + 500;
    later.take({ kind: 'event', event: at(later, 2 * HOUR) });
    expect(results(later)[0]).toBe('esperar_evento tempo_esgotado');
    const old = started(waits);
    const before = old.run;
    expect(old.take({ kind: 'event', event: at(old, -1_000) }).run).toBe(before);
    const backdated = started(waits, { since: old.run.beganAt - HOUR });
    backdated.take({ kind: 'event', event: at(backdated, -1_000) });
    expect(results(backdated)[0]).toBe('esperar_evento evento');
  });

  test('does not end with the event that let the contact in, nor twice with one event', () => {
    const loop = definition(
      [passo('esperar_evento', { evento: 'pedido', prazo: { horas: 2 } })],
      ['esperar_evento evento> esperar_evento'],
    );
    const drive = started(loop, { event: { id: 'e1', name: 'pedido' } });
    drive.take(event('pedido', 'e1'));
    expect(drive.history).toEqual([]);
    for (const id of ['e2', 'e2', 'e3', 'e2', 'e1', 'e3']) drive.take(event('pedido', id));
    expect(drive.run.visits).toEqual({ esperar_evento: 3 });
    expect(drive.run.event?.id).toBe('e3');
  });

  test('consumes an event that arrived before it started, although the run was woken late', () => {
    const asks = passo('esperar_evento', { evento: 'pedido', prazo: { horas: 2 } }, 'outra_vez');
    const again = definition(
      [...waits.passos, asks],
      ['esperar_evento evento> veio', 'esperar_evento tempo_esgotado> outra_vez', 'outra_vez evento> nada'],
    );
    const drive = started(again);
    drive.now += 3 * HOUR;
    drive.take(event('pedido'));
    expect(results(drive)).toEqual(['esperar_evento tempo_esgotado', 'outra_vez evento', 'nada saiu']);
  });

  test('is not ended by an event that arrived before the effect of an earlier step', () => {
    const tagged = definition(
      [...waits.passos, passo('etiqueta', { adicionar: 'x' })],
      ['esperar_evento evento> veio', 'esperar_evento tempo_esgotado> etiqueta', 'etiqueta > esperar_evento'],
    );
    const drive = started(tagged);
    drive.now += 3 * HOUR;
    drive.take(event('pedido'));
    expect(drive.run).toMatchObject({ step: 'etiqueta', kept: [] });
    drive.perform();
    expect(drive.run).toMatchObject({ step: 'esperar_evento', wait: { kind: 'event' } });
  });

  test('does not end with an event that came before it began', () => {
    const later = definition(
      [passo('esperar', { horas: 1 }), ...waits.passos],
      ['esperar > esperar_evento', 'esperar_evento evento> veio'],
    );
    const drive = started(later);
    drive.take(event('pedido'));
    drive.wake();
    expect(drive.run.wait?.kind).toBe('event');
  });

  test('keeps the first event of a pause until the journey is resumed, even beyond the deadline', () => {
    const drive = started(waits);
    drive.now += HOUR;
    drive.pause();
    drive.now += 5 * HOUR;
    drive.take(event('pedido', 'e1'));
    drive.take(event('pedido', 'e2'));
    expect(drive.history).toEqual([]);
    drive.resume();
    expect(drive.dueAt).toBe(drive.now);
    drive.wake();
    expect(results(drive)).toEqual(['esperar_evento evento', 'veio saiu']);
    expect(drive.run.event?.id).toBe('e1');
  });

  test('consumes the kept event before any that arrives after the pause, even before it is woken', () => {
    const loop = definition(
      [passo('esperar_evento', { evento: 'pedido', prazo: { horas: 2 } })],
      ['esperar_evento evento> esperar_evento'],
    );
    const drive = started(loop);
    drive.pause();
    drive.take(event('pedido', 'e1'));
    drive.resume();
    drive.take(event('pedido', 'e2'));
    expect(drive.run.taken).toEqual(['e1', 'e2']);
  });

  test('that had expired before the pause has timed out, whatever arrived during it', () => {
    const drive = started(waits);
    drive.now += 3 * HOUR;
    drive.pause();
    drive.take(event('pedido'));
    drive.resume();
    drive.wake();
    expect(results(drive)[0]).toBe('esperar_evento tempo_esgotado');
  });
});

describe('a wait for the result of a message', () => {
  const waitsFor = (status: SentStatus, ...more: string[]) =>
    definition(
      [
        passo('enviar', SMS),
        passo('esperar_evento', { passo: 'enviar', status, prazo: { horas: 2 } }),
        passo('sair', {}, 'sim'),
      ],
      ['enviar > esperar_evento', 'esperar_evento evento> sim', ...more],
    );

  test.each(SENT_STATUSES.flatMap((requested) => SENT_STATUSES.map((reported) => [requested, reported] as const)))(
    'for %s, with the report %s, ends if that implies it',
    (requested, reported) => {
      const isMore =
        requested === reported || requested === 'entregue' || (requested === 'lida' && reported !== 'entregue');
      const drive = started(waitsFor(requested));
      drive.perform();
      signal(drive, reported);
      expect(drive.run.status).toBe(isMore ? 'concluida' : 'ativa');
    },
  );

  test('ends immediately if the status arrived first, even before the send was reported', () => {
    const drive = started(waitsFor('lida'));
    signal(drive, 'lida');
    expect(drive.run.early).toHaveLength(1);
    drive.perform();
    expect(results(drive)).toEqual(['enviar enviada', 'esperar_evento evento', 'sim saiu']);
  });

  test('is not ended by another message, nor by an older one of the same step', () => {
    const drive = started(waitsFor('lida', 'esperar_evento tempo_esgotado> enviar'));
    drive.perform();
    const first = drive.run.sent.enviar?.messageId;
    drive.wake();
    signal(drive, 'lida', first);
    signal(drive, 'lida', newId('message'));
    expect(drive.run.early).toHaveLength(1);
    drive.perform();
    expect(drive.run.sent.enviar?.reached).toEqual({});
    signal(drive, 'lida', first);
    const { run } = drive;
    expect(signal(drive, 'lida', drive.nextMessage).run).toBe(run);
    signal(drive, 'lida');
    expect(drive.run.status).toBe('concluida');
  });

  test('times out where the step sent nothing this time, though its message before was read', () => {
    const drive = started(waitsFor('lida', 'esperar_evento tempo_esgotado> enviar'));
    drive.perform();
    drive.wake();
    drive.tell({ kind: 'skipped', detail: 'teto_de_frequencia' });
    expect(drive.run.sent).toEqual({});
    drive.wake();
    expect(results(drive).at(-1)).toBe('esperar_evento tempo_esgotado');
  });

  test('records what arrives during a pause, and continues with it', () => {
    const drive = started(waitsFor('entregue'));
    drive.perform();
    drive.pause();
    drive.now += 9 * HOUR;
    signal(drive, 'entregue');
    expect(drive.run.step).toBe('esperar_evento');
    drive.resume();
    expect(drive.dueAt).toBe(drive.now);
    drive.wake();
    expect(results(drive).at(-1)).toBe('sim saiu');
  });

  test("costs nothing for a run whose steps don't check messages", () => {
    const drive = started(definition([passo('enviar', SMS), passo('esperar', { horas: 1 })], ['enviar > esperar']));
    drive.perform();
    const { run } = drive;
    expect(signal(drive, 'lida').run).toBe(run);
  });

  test('decides a condicao by the last message of the step', () => {
    const asks = definition(
      [passo('enviar', SMS), passo('esperar', { horas: 1 }), passo('condicao', { passo: 'enviar', status: 'lida' })],
      ['enviar > esperar', 'esperar > condicao', 'condicao nao> enviar'],
    );
    const drive = started(asks);
    drive.perform();
    drive.wake();
    expect(results(drive).at(-1)).toBe('condicao nao');
    drive.perform();
    signal(drive, 'clicada');
    drive.wake();
    expect(results(drive).at(-1)).toBe('condicao sim');
  });
});
