import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { setConflictPatience } from '../../shared/domain/core/retry-on-conflict.ts';
import { activateJourney } from '../../shared/domain/journeys/activate.ts';
import { changeJourney, createJourney, deleteJourney } from '../../shared/domain/journeys/define.ts';
import { archiveJourney, pauseItself, pauseJourney } from '../../shared/domain/journeys/states.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { accepted } from '../support/accepted.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { draft, inconsistencies, newCaller, portsOver, simple, storeOver, triggersOf } from './journeys-kit.ts';

const { ownTable, table } = await useContendedTable();
const CALLERS = 20;
const tables: readonly Table[] = Array.from({ length: CALLERS }, ownTable);
/** Longer than any invocation, so that the outcome does not depend on the machine. */
const PATIENCE_MS = 120_000;
const RACE = { timeout: 240_000 };
beforeAll(() => setConflictPatience((startedAt) => startedAt + PATIENCE_MS - performance.now()));
afterAll(() => setConflictPatience(() => 0));

/** Does something in 20 processes at once. */
const atOnce = <T>(work: (own: Table, at: number) => Promise<T>): Promise<T[]> => Promise.all(tables.map(work));
const namesOf = (answers: readonly unknown[]) =>
  answers.map((answer) => (isRefusal(answer) ? (answer.details.meta?.code ?? answer.name) : 'done')).toSorted();

describe('20 concurrent callers', () => {
  test('create as many journeys as there is room for, and not one more', RACE, async () => {
    const caller = await newCaller(table);
    const room = 7;
    for (let made = 0; made < 200 - room; made += 10)
      await Promise.all(
        Array.from({ length: Math.min(10, 200 - room - made) }, () =>
          createJourney(portsOver(table), caller, simple()),
        ),
      );
    const answers = await atOnce((own) => createJourney(portsOver(own), caller, simple()));
    expect(namesOf(answers)).toEqual([...Array(CALLERS - room).fill('CONFLICT'), ...Array(room).fill('done')]);
    expect(await readCount(table, caller.organizationId, 'journeys')).toBe(200);
    const [archived] = answers.flatMap((answer) => (isRefusal(answer) ? [] : [answer.journey]));
    if (!archived) throw new Error('Nothing was created.');
    accepted(await archiveJourney(portsOver(table), caller, archived.id));
    expect(isRefusal(await createJourney(portsOver(table), caller, simple()))).toBe(false);
    expect(isRefusal(await createJourney(portsOver(table), caller, simple()))).toBe(true);
  });

  test('activate a draft once: with one event, one trigger and one moment', RACE, async () => {
    const caller = await newCaller(table);
    const { id } = await draft(table, caller);
    const raised: unknown[] = [];
    const answers = await atOnce((own) => {
      const ports = portsOver(own);
      const store = {
        ...ports.store,
        save: (change: Parameters<typeof ports.store.save>[0]) => {
          return ports.store.save(change).then((outcome) => {
            if (outcome === 'saved') raised.push(change.event?.type);
            return outcome;
          });
        },
      };
      return activateJourney({ ...ports, store }, caller, id, false);
    });
    expect(namesOf(answers)).toEqual(Array(CALLERS).fill('done'));
    expect(raised).toEqual(['journey.activated']);
    expect(new Set(answers.map((answer) => accepted(answer).journey.activatedAt)).size).toBe(1);
    expect(await triggersOf(table, caller.organizationId)).toEqual([id]);
    expect(await inconsistencies(table, caller)).toEqual([]);
  });

  test('make one draft of the next version of a journey that runs', RACE, async () => {
    const caller = await newCaller(table);
    const { id } = await draft(table, caller);
    accepted(await activateJourney(portsOver(table), caller, id, false));
    const answers = await atOnce((own, at) => changeJourney(portsOver(own), caller, id, { name: `Versão ${at}` }));
    expect(namesOf(answers)).toEqual([...Array(CALLERS - 1).fill('RASCUNHO_EXISTENTE'), 'done']);
    expect(await inconsistencies(table, caller)).toEqual([]);
  });

  test('change a draft one after the other: no change is lost', RACE, async () => {
    const caller = await newCaller(table);
    const { id } = await draft(table, caller);
    const fields = ['name', 'meta', 'silencio', 'tetoDeFrequencia'] as const;
    const patches = [
      { name: 'Nova' },
      { meta: { evento: 'compra' } },
      { silencio: { inicio: '22:00', fim: '08:00' } },
      { tetoDeFrequencia: { mensagens: 3, dias: 7 } },
    ];
    await atOnce((own, at) => changeJourney(portsOver(own), caller, id, patches[at % patches.length] ?? {}));
    const journey = await storeOver(table).read(caller.organizationId, id);
    expect(fields.map((field) => journey?.[field])).toEqual(patches.map((patch) => Object.values(patch)[0]));
  });

  test('pause a journey that runs into something once, with what the first of them ran into', RACE, async () => {
    const caller = await newCaller(table);
    const { id } = await draft(table, caller);
    accepted(await activateJourney(portsOver(table), caller, id, false));
    const paused = await atOnce((own, at) =>
      pauseItself(portsOver(own), { id }, { reason: 'saldo_insuficiente', step: `passo_${at}`, label: 'Oi' }),
    );
    const stored = await storeOver(table).read(caller.organizationId, id);
    expect(stored).toMatchObject({ status: 'pausada', pause: { reason: 'saldo_insuficiente', label: 'Oi' } });
    expect(new Set(paused.map((journey) => journey?.pause?.step))).toEqual(new Set([stored?.pause?.step]));
    expect(stored?.version).toBe(3);
    expect(await triggersOf(table, caller.organizationId)).toEqual([]);
  });

  test('do all there is to do with the versions of a journey, which stay consistent', RACE, async () => {
    const caller = await newCaller(table);
    const first = await draft(table, caller);
    accepted(await activateJourney(portsOver(table), caller, first.id, false));
    const acts: readonly ((own: Table, id: typeof first.id) => Promise<unknown>)[] = [
      (own: Table, id: typeof first.id) => activateJourney(portsOver(own), caller, id, false),
      (own: Table, id: typeof first.id) => pauseJourney(portsOver(own), caller, id),
      (own: Table, id: typeof first.id) => changeJourney(portsOver(own), caller, id, { name: 'Outra' }),
      (own: Table, id: typeof first.id) =>
        pauseItself(portsOver(own), { id }, { reason: 'numero_desconectado', step: 'oi' }),
      (own: Table, id: typeof first.id) => deleteJourney(portsOver(own), caller, id),
      (own: Table, id: typeof first.id) => archiveJourney(portsOver(own), caller, id),
    ];
    for (let round = 0; round < 6; round++) {
      const ids = (await storeOver(table).all(caller.organizationId)).map(({ id }) => id);
      await atOnce(async (own, at) => {
        // Archives are rare: they would leave nothing to race for.
        const act = acts[(at + round) % (at % 10 === 9 ? acts.length : acts.length - 1)];
        return act?.(own, ids[(at * 7 + round) % ids.length] ?? first.id);
      });
      expect(await inconsistencies(table, caller)).toEqual([]);
      if ((await storeOver(table).all(caller.organizationId)).length === 0) await draft(table, caller);
    }
  });
});
