import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { Tenant } from '../../shared/domain/core/actor.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { enter as enterJourney } from '../../shared/domain/journeys/enter.ts';
import { moveDueRun, moveRun } from '../../shared/domain/journeys/move-run.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { contactRow } from '../../shared/storage/contacts/contacts.ts';
import { eraseRuns } from '../../shared/storage/journeys/erase-runs.ts';
import { moveRuns } from '../../shared/storage/journeys/move-runs.ts';
import { runPage } from '../../shared/storage/journeys/run-page.ts';
import { newOrganization } from '../lists/stage.ts';
import { accepted } from '../support/accepted.ts';
import { crashEverywhere } from '../support/crashing-table.ts';
import { ligacoes, passo } from '../support/journeys/build.ts';
import { indexesUpToDate } from '../support/table-engine.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { activeJourney, addContacts, journeysOver, Outside } from './stage.ts';

const { table } = await use(startWorld('test'));
let now = Date.parse('2026-03-10T12:00:00Z');
const outside = new Outside();
const vault = createVault(randomBytes(32));
const own = journeysOver(table, () => now, outside);

const WAITS = {
  passos: [
    passo('esperar_evento', { evento: 'compra', prazo: { dias: 2 } }),
    passo('enviar', { canal: 'sms', texto: 'Oi {{variavel.cupom}}' }),
  ],
  ligacoes: ligacoes('esperar_evento evento> enviar'),
  meta: { evento: 'pedido' },
} as const;

const begin = async (count: number) => {
  const tenant: Tenant = await newOrganization(table);
  const journey = await activeJourney(own, tenant, WAITS);
  const people = await addContacts(table, tenant, count);
  const enter = async (...contacts: readonly Contact[]) => {
    const variables = { cupom: 'segredo' };
    const key = `entry ${now++}`;
    await own.enter(
      journey,
      contacts.map(({ id: contactId }) => ({ contactId, variables, cause: { key, at: now } })),
    );
    await own.work();
  };
  return { journey, people, enter };
};
const cancelled = (reason: 'contato_apagado' | 'contato_unido') => (id: Parameters<typeof moveRun>[1]) =>
  moveRun(own.ports, id, { kind: 'cancel', reason });
const untilDone = async (sweep: () => Promise<string>) => {
  for (let turn = 0; (await sweep()) === 'more'; turn++) if (turn > 5) throw new Error('does not end');
};
const rowsOf = async (of: Table, id: Contact['id']) =>
  (
    await Promise.all(
      [KEYS.journeyEntry(id, '').pk, KEYS.lastRunEvent(id, '').pk].map((partition) =>
        of.queryAll({ partition, consistent: true }),
      ),
    )
  ).flat();

test('an erased contact has no active run, and no journey row contains its data', async () => {
  const { journey, people, enter } = await begin(1);
  const [ana] = people as [Contact];
  await enter(ana);
  const stored = await own.runsOf(journey, ana.id);
  await table.write({ delete: KEYS.contact(ana.id) });
  const erase = (of: Table) => eraseRuns(of, cancelled('contato_apagado'))({ contactId: ana.id });
  await crashEverywhere(table, erase);
  await untilDone(() => erase(table));
  expect(await rowsOf(table, ana.id)).toEqual([]);
  const row = await table.get(KEYS.run(stored?.run.id as never));
  expect(row).toMatchObject({ state: 'cancelada' });
  expect(JSON.stringify(row)).not.toContain('segredo');
  expect(row?.gsi2pk).toBeUndefined();
  expect((await own.counts(journey))['']).toEqual({ entradas: 1, canceladas: 1 });
});

test('a run of a merged contact continues for the surviving one, and consumes its events', async () => {
  const { journey, people, enter } = await begin(2);
  const [heir, duplicate] = people as [Contact, Contact];
  await enter(duplicate);
  const move = (of: Table) => moveRuns(of, cancelled('contato_unido'))(duplicate.id, heir);
  await crashEverywhere(table, move);
  await untilDone(() => move(table));
  expect(await rowsOf(table, duplicate.id)).toEqual([]);
  const stored = await own.runsOf(journey, heir.id);
  expect(stored?.run).toMatchObject({ contactId: heir.id, status: 'ativa' });
  now += 1_000;
  const event = { id: 'e1', name: 'compra' };
  for (const { runId } of await own.ports.runs.awaiting(heir.id, 'compra', { id: 'e1', at: now }))
    await moveRun(own.ports, runId, { kind: 'event', event });
  expect((await own.runsOf(journey, heir.id))?.run.status).toBe('concluida');
});

test('of two active runs that of the surviving contact continues, and the other is cancelled', async () => {
  const { journey, people, enter } = await begin(2);
  const [heir, duplicate] = people as [Contact, Contact];
  await enter(heir, duplicate);
  const [kept, gone] = [await own.runsOf(journey, heir.id), await own.runsOf(journey, duplicate.id)];
  await untilDone(() => moveRuns(table, cancelled('contato_unido'))(duplicate.id, heir));
  expect((await own.runsOf(journey, heir.id))?.run).toMatchObject({ id: kept?.run.id, status: 'ativa' });
  const [after] = await own.ports.runs.read([gone?.run.id as never]);
  expect(after?.run).toMatchObject({ status: 'cancelada', contactId: heir.id, end: { detail: 'contato_unido' } });
  expect((await own.counts(journey))['']).toEqual({ entradas: 2, canceladas: 1 });
});

/** Has a contact be merged into another, as reads see it before anything that names it has followed. */
const mergeContacts = async (heir: Contact, duplicate: Contact) => {
  const { id, number, phone, phoneHash } = duplicate;
  await table.write({ put: contactRow({ ...heir, mergedContacts: [{ id, number, phone, phoneHash }] }) });
  await table.write({ delete: KEYS.contact(id) });
};
/** The engine where contacts that were merged are found as those that they became. */
const following = (duplicate: Contact, heir: Contact): typeof own.ports => ({
  ...own.ports,
  contactOf: (organizationId, id) => own.ports.contactOf(organizationId, id === duplicate.id ? heir.id : id),
});

test('a run whose contact was merged into one with an active run has no further effects from the merge on', async () => {
  const { journey, people, enter } = await begin(2);
  const [heir, duplicate] = people as [Contact, Contact];
  await enter(heir, duplicate);
  const gone = await own.runsOf(journey, duplicate.id);
  await mergeContacts(heir, duplicate);
  now += 3 * 24 * 3_600_000;
  const sent = outside.done.size;
  await moveDueRun(following(duplicate, heir), gone?.run.id as never);
  const [after] = await own.ports.runs.read([gone?.run.id as never]);
  expect(after?.run).toMatchObject({ status: 'cancelada', end: { detail: 'contato_unido' } });
  expect(outside.done.size).toBe(sent);
  expect((await own.runsOf(journey, heir.id))?.run.status).toBe('ativa');
});

test('a contact enters no journey in which one is, or was, that was merged into it a moment ago', async () => {
  const { journey, people, enter } = await begin(3);
  const [heir, active, ended] = people as [Contact, Contact, Contact];
  const entered = async () => {
    now += 1_000;
    const cause = { key: `late ${now}`, at: now };
    const [answer] = await own.enter(journey, [{ contactId: heir.id, cause }]);
    return answer;
  };
  await enter(active, ended);
  const over = await own.runsOf(journey, ended.id);
  await moveRun(own.ports, over?.run.id as never, { kind: 'cancel', reason: 'operador' });
  await mergeContacts(heir, active);
  expect(await entered()).toEqual({ refusal: 'ja_ativa' });
  await mergeContacts(heir, ended);
  expect(await entered()).toEqual({ refusal: 'ja_entrou' });
  await table.write({ put: contactRow(heir) });
  expect(await entered()).toHaveProperty('runId');
});

test.each([
  ['the duplicate', 1],
  ['the contact that stays', 0],
])(
  'of two contacts that are merged while the entry of %s is under way one run goes on, and the other does nothing',
  async (_, late) => {
    const { journey, people, enter } = await begin(2);
    const [heir, duplicate] = people as [Contact, Contact];
    await enter(late === 1 ? heir : duplicate);
    const existing: typeof own.ports.existing = async (...requested) => {
      const before = await own.ports.existing(...requested);
      await mergeContacts(heir, duplicate);
      return before;
    };
    now += 1_000;
    const contactId = (late === 1 ? duplicate : heir).id;
    await enterJourney({ ...own.ports, existing }, journey, [{ contactId, cause: { key: 'late', at: now } }]);
    const gone = await own.runsOf(journey, duplicate.id);
    const kept = await own.runsOf(journey, heir.id);
    now += 3 * 24 * 3_600_000;
    const sent = outside.done.size;
    await moveDueRun(following(duplicate, heir), gone?.run.id as never);
    expect(outside.done.size).toBe(sent);
    await untilDone(() => moveRuns(table, cancelled('contato_unido'))(duplicate.id, heir));
    const [after] = await own.ports.runs.read([gone?.run.id as never]);
    expect(after?.run).toMatchObject({ status: 'cancelada', end: { detail: 'contato_unido' } });
    expect((await own.runsOf(journey, heir.id))?.run).toMatchObject({ id: kept?.run.id, status: 'ativa' });
    expect((await own.counts(journey))['']).toEqual({ entradas: 2, canceladas: 1 });
  },
);

test("a contact's runs are listed by the status that they have now", async () => {
  const { journey, people, enter } = await begin(2);
  const [ana, bia] = people as [Contact, Contact];
  await enter(ana, bia);
  const { organizationId, env } = journey;
  const request = { vault, scope: { organizationId, env, query: {} }, cursor: undefined, limit: 10 };
  const listed = async (status: 'ativa' | 'cancelada') => {
    await indexesUpToDate();
    const page = accepted(await runPage(table)(journey, { contactId: ana.id, status }, request));
    return page.items.map(({ run }) => [run.contactId, run.status]);
  };
  expect([await listed('ativa'), await listed('cancelada')]).toEqual([[[ana.id, 'ativa']], []]);
  const stored = await own.runsOf(journey, ana.id);
  await moveRun(own.ports, stored?.run.id as never, { kind: 'cancel', reason: 'operador' });
  expect([await listed('ativa'), await listed('cancelada')]).toEqual([[], [[ana.id, 'cancelada']]]);
});
