import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { activateJourney } from '../../shared/domain/journeys/activate.ts';
import { changeJourney, createJourney, deleteJourney } from '../../shared/domain/journeys/define.ts';
import { rotateSecret } from '../../shared/domain/journeys/secrets.ts';
import { archiveJourney, pauseItself, pauseJourney } from '../../shared/domain/journeys/states.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import { accepted } from '../support/accepted.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { passo } from '../support/journeys/build.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { draft, inconsistencies, newCaller, portsOver, simple, storeOver, triggersOf } from './journeys-kit.ts';

const world = await use(startWorld('test'));
const { table } = world;
const ports = portsOver(table, () => world.now);
const { store } = ports;
afterEach(() => world.proxy.plan(undefined));

const MAX_BYTES = 1_000_000;
/** Steps whose texts cannot be compressed, of about so many bytes. */
const incompressible = (bytes: number) =>
  simple({
    passos: Array.from({ length: 10 }, (_, at) =>
      passo('enviar', { canal: 'sms', texto: randomBytes(Math.floor((bytes * 3) / 40)).toString('base64') }, `p${at}`),
    ),
  });
const graphRows = async (id: Id<'journey'>) =>
  (await table.queryAll({ partition: KEYS.journey(id).pk, consistent: true })).filter(({ sk }) => sk.startsWith('G#'));

describe('the graph of a version', () => {
  test('is stored whole at its largest, in rows that a row of the table can hold, and read in one query', async () => {
    const caller = await newCaller(table);
    const definition = incompressible(MAX_BYTES);
    const { journey } = accepted(await createJourney(ports, caller, definition));
    const rows = await graphRows(journey.id);
    expect(rows.length).toBeGreaterThan(1);
    for (const { bytes } of rows) expect((bytes as Uint8Array).length).toBeLessThanOrEqual(350 * 1024);
    const found = await store.readWhole(caller.organizationId, journey.id);
    expect(found?.graph).toEqual({ passos: definition.passos, ligacoes: definition.ligacoes });
  });

  test('is replaced as a whole: no row of an earlier one stays, and none of a deleted draft', async () => {
    const caller = await newCaller(table);
    const { journey } = accepted(await createJourney(ports, caller, incompressible(MAX_BYTES)));
    accepted(await changeJourney(ports, caller, journey.id, simple()));
    expect(await graphRows(journey.id)).toMatchObject([{ revision: 2, parts: 1 }]);
    // A change outside the graph leaves its rows and its revision.
    accepted(await changeJourney(ports, caller, journey.id, { name: 'Outra' }));
    expect(await store.read(caller.organizationId, journey.id)).toMatchObject({
      name: 'Outra',
      revision: 2,
      version: 3,
    });
    await deleteJourney(ports, caller, journey.id);
    expect(await table.queryAll({ partition: KEYS.journey(journey.id).pk, consistent: true })).toEqual([]);
  });

  test('is read once by a process for each of its revisions', async () => {
    const caller = await newCaller(table);
    const journey = await draft(table, caller);
    const first = await store.readGraph(journey);
    expect(await storeOver(table).readGraph(journey)).toBe(first);
    const { journey: changed } = accepted(await changeJourney(ports, caller, journey.id, incompressible(1_000)));
    expect((await store.readGraph(changed)).passos).toHaveLength(10);
    expect(await store.readGraph(journey)).toBe(first);
  });

  test('is read once for all who ask for it at the same time, and again after a read that failed', async () => {
    const caller = await newCaller(table);
    const journey = await draft(table, caller);
    const requested = await Promise.all(Array.from({ length: 10 }, () => store.readGraph(journey)));
    expect(new Set(requested).size).toBe(1);
    const { journey: gone } = accepted(await createJourney(ports, caller, incompressible(1_000)));
    const part = KEYS.journeyGraph(gone.id, 1, 0);
    const row = await table.get(part);
    await table.write({ delete: part });
    await expect(store.readGraph(gone)).rejects.toThrow(Unavailable);
    await table.write({ put: row as Row });
    expect((await store.readGraph(gone)).passos).toHaveLength(10);
  });

  test('is never read in parts: where one is missing, the version is read again, and then unavailable', async () => {
    const caller = await newCaller(table);
    const { journey } = accepted(await createJourney(ports, caller, incompressible(MAX_BYTES)));
    await table.write({ delete: KEYS.journeyGraph(journey.id, 1, 0) });
    await expect(store.readWhole(caller.organizationId, journey.id)).rejects.toThrow(Unavailable);
  });

  test('is of the moment that its version was read, while others change it', async () => {
    const caller = await newCaller(table);
    const { id } = await draft(table, caller);
    const name = (at: number) => `passo_${at}`;
    const changes = async () => {
      for (let at = 1; at <= 30; at++) {
        const passos = [passo('enviar', { canal: 'sms', texto: 'Oi' }, name(at))];
        accepted(await changeJourney(ports, caller, id, { passos, name: name(at) }));
      }
    };
    let isOver = false;
    const reads = async () => {
      while (!isOver) {
        const found = await store.readWhole(caller.organizationId, id);
        if (found?.journey.name.startsWith('passo')) expect(found.graph.passos[0]?.chave).toBe(found.journey.name);
      }
    };
    const reading = reads();
    await changes();
    isOver = true;
    await reading;
  });
});

describe('an answer that is lost', () => {
  /** Does something whose transaction is committed, and its answer lost. */
  const lost = <T>(work: () => Promise<T>): Promise<T> => {
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { last: 0 }));
    return work();
  };
  test('does not have a journey created, changed, activated, paused or archived twice, nor a secret lost', async () => {
    const caller = await newCaller(table);
    const hook = passo('webhook', { url: 'https://hooks.loja.com.br/' });
    const created = accepted(await lost(() => createJourney(ports, caller, simple({ passos: [hook] }))));
    expect(created.secret).toBe('whsec_secret');
    const { id } = created.journey;
    expect(accepted(await lost(() => changeJourney(ports, caller, id, { name: 'Nova' }))).isNew).toBe(false);
    accepted(await lost(() => activateJourney(ports, caller, id, false)));
    const next = accepted(await lost(() => changeJourney(ports, caller, id, { name: 'Dois' })));
    expect(next).toMatchObject({ isNew: true, journey: { number: 2 } });
    accepted(await lost(() => activateJourney(ports, caller, next.journey.id, false)));
    accepted(await lost(() => pauseJourney(ports, caller, next.journey.id)));
    expect(accepted(await lost(() => rotateSecret(ports, caller, id, 24))).secret).toBe('whsec_secret');
    const last = accepted(await lost(() => changeJourney(ports, caller, next.journey.id, {})));
    expect(await lost(() => deleteJourney(ports, caller, last.journey.id))).toBeUndefined();
    accepted(await lost(() => archiveJourney(ports, caller, next.journey.id)));
    expect(await store.readLineage(id)).toMatchObject({ secrets: [{ version: 2 }, { version: 1 }] });
    expect(await store.read(caller.organizationId, next.journey.id)).toMatchObject({ status: 'arquivada', version: 4 });
    expect(await store.all(caller.organizationId)).toHaveLength(1);
    expect(await inconsistencies(table, caller)).toEqual([]);
  });
});

describe('the triggers of an organization', () => {
  test('are found by what sets them off, and only by that', async () => {
    const caller = await newCaller(table);
    const [listId, segmentId] = [newId('list'), newId('segment')];
    const triggers = [
      { tipo: 'evento', nome: 'cadastro' },
      { tipo: 'evento', nome: 'cadastro#2' },
      { tipo: 'etiqueta', nome: 'cadastro' },
      { tipo: 'lista', listId },
      { tipo: 'segmento', segmentId },
      { tipo: 'mensagem' },
      { tipo: 'mensagem', nome: 'oi' },
      { tipo: 'manual' },
    ] as const;
    const ids: string[] = [];
    for (const gatilho of triggers) {
      const { id } = await draft(table, caller, { gatilho });
      accepted(await activateJourney(ports, caller, id, false));
      ids.push(id);
    }
    const found = async (tipo: Parameters<typeof store.triggers>[1], target: string) =>
      (await store.triggers(caller.organizationId, tipo, target))
        .map(({ journeyId }) => ids.indexOf(journeyId))
        .toSorted();
    expect(await found('evento', 'cadastro')).toEqual([0]);
    expect(await found('evento', 'cadastro#2')).toEqual([1]);
    expect(await found('evento', '')).toEqual([]);
    expect(await found('etiqueta', 'cadastro')).toEqual([2]);
    expect(await found('lista', listId)).toEqual([3]);
    expect(await found('segmento', segmentId)).toEqual([4]);
    expect(await found('mensagem', '')).toEqual([5, 6]);
    const [trigger] = await store.triggers(caller.organizationId, 'mensagem', '');
    expect(trigger).toMatchObject({ since: world.now, env: 'test', rootId: trigger?.journeyId });
    expect(await triggersOf(table, newId('organization'))).toEqual([]);
  });
});

describe('work in the background', () => {
  const active = async (fields: Parameters<typeof draft>[2] = {}) => {
    const caller = await newCaller(table);
    const { id } = await draft(table, caller, { gatilho: { tipo: 'lista', listId: newId('list') }, ...fields });
    accepted(await activateJourney(ports, caller, id, true));
    return { caller, id };
  };

  test('enrols the members of its list: due with the activation, processed by one worker, and enrolled again by the next activation', async () => {
    const { caller, id } = await active();
    expect(await table.get(KEYS.journeyEntries(id))).toMatchObject({ duePk: 'DUE#journey_work#0', dueAt: world.now });
    const job = await store.readEntries(id);
    if (!job) throw new Error('There is no entry.');
    expect(job).toMatchObject({ state: 'running', version: 1, since: world.now });
    const on = { position: 'here', state: 'running', resumesAt: world.now } as const;
    const [one, other] = await Promise.all([store.moveEntries(job, on), store.moveEntries(job, on)]);
    expect([one, other].filter(Boolean)).toHaveLength(1);
    await pauseJourney(ports, caller, id);
    accepted(await activateJourney(ports, caller, id, true));
    const again = await store.readEntries(id);
    expect(again).toMatchObject({ version: 3 });
    expect(again).not.toHaveProperty('position');
  });

  test('continues after a pause where it stopped, unless it was done', async () => {
    const { caller, id } = await active();
    const job = await store.readEntries(id);
    const stopped = job && (await store.moveEntries(job, { position: 'here', state: 'running', resumesAt: undefined }));
    expect(await table.get(KEYS.journeyEntries(id))).not.toHaveProperty('duePk');
    await pauseJourney(ports, caller, id);
    accepted(await activateJourney(ports, caller, id, false));
    const resumed = await store.readEntries(id);
    expect(resumed).toMatchObject({ position: 'here', resumesAt: world.now, since: stopped?.since });
    if (resumed) await store.moveEntries(resumed, { position: undefined, state: 'done', resumesAt: undefined });
    await pauseJourney(ports, caller, id);
    accepted(await activateJourney(ports, caller, id, false));
    const done = await store.readEntries(id);
    expect(done).toMatchObject({ state: 'done' });
    expect(done).not.toHaveProperty('resumesAt');
  });

  test('sweeps over the runs when a journey resumes and when it is archived, each time from the beginning', async () => {
    const { caller, id } = await active();
    expect(await store.readSweep(id)).toBeUndefined();
    await pauseJourney(ports, caller, id);
    accepted(await activateJourney(ports, caller, id, false));
    const sweep = await store.readSweep(id);
    expect(sweep).toMatchObject({ kind: 'unpark', resumesAt: world.now, version: 1 });
    if (!sweep) throw new Error('There is no sweep.');
    const moved = await store.moveSweep(sweep, { position: 'there', resumesAt: world.now });
    await archiveJourney(ports, caller, id);
    const again = await store.readSweep(id);
    expect(again).toMatchObject({ kind: 'cancel', version: 3 });
    expect(again).not.toHaveProperty('position');
    // Who works on the one before notices.
    expect(moved && (await store.moveSweep(moved, { position: undefined, resumesAt: undefined }))).toBeUndefined();
  });

  test('has no place in the list any more once the version is archived', async () => {
    const { caller, id } = await active();
    expect(await table.get(KEYS.journey(id))).toHaveProperty('gsi1pk');
    await archiveJourney(ports, caller, id);
    expect(await table.get(KEYS.journey(id))).not.toHaveProperty('gsi1pk');
  });

  test('has nothing to do for a draft that is archived', async () => {
    const caller = await newCaller(table);
    const { id } = await draft(table, caller);
    await archiveJourney(ports, caller, id);
    expect(await store.readSweep(id)).toBeUndefined();
    expect(await store.readLineage(id)).not.toHaveProperty('draftId');
  });
});

describe('a journey that runs into something', () => {
  test('pauses itself with what it was; one that is paused, archived or gone stays as it is', async () => {
    const caller = await newCaller(table);
    const { id } = await draft(table, caller);
    const obstacle = { reason: 'template_indisponivel', step: 'oi', label: 'Boas-vindas' } as const;
    expect(await pauseItself(ports, { id }, obstacle)).toMatchObject({ status: 'rascunho' });
    accepted(await activateJourney(ports, caller, id, false));
    const paused = await pauseItself(ports, { id }, obstacle);
    expect(paused).toMatchObject({ status: 'pausada', pausedAt: world.now, pause: { ...obstacle, at: world.now } });
    expect(await pauseItself(ports, { id }, { ...obstacle, step: 'outro' })).toEqual(paused);
    await archiveJourney(ports, caller, id);
    expect(await pauseItself(ports, { id }, obstacle)).toMatchObject({ status: 'arquivada' });
    expect(await pauseItself(ports, { id: newId('journey') }, obstacle)).toBeUndefined();
  });

  test('is paused for no negative time if the clock of the process that resumes it is behind', async () => {
    const caller = await newCaller(table);
    const { id } = await draft(table, caller);
    accepted(await activateJourney(ports, caller, id, false));
    const began = world.now;
    await pauseItself(
      portsOver(table, () => began + 5_000),
      { id },
      { reason: 'saldo_insuficiente', step: 'oi' },
    );
    // Its clock is behind that of who paused it.
    const resumed = accepted(
      await activateJourney(
        portsOver(table, () => began + 1_000),
        caller,
        id,
        false,
      ),
    );
    expect(resumed.journey).toMatchObject({ pausedMs: 0, pausedAt: undefined, pause: undefined });
  });
});
