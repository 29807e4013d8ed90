import { afterEach, expect, test } from 'vitest';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { setConflictPatience } from '../../shared/domain/core/retry-on-conflict.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { heirOf } from '../../shared/storage/contacts/heirs.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { Crashed } from '../lists/crashes.ts';
import { type Chance, chanceOf } from '../support/chance.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { shareOf } from '../support/share.ts';
import { indexesUpToDate } from '../support/table-engine.ts';
import { checkAll } from './checks.ts';
import { crashing, KINDS, type Kind, stepOf } from './history.ts';
import { Plain } from './plain.ts';
import { type Crm, crmOver, expire, newCaller, tombstonesOf, workUntilQuiet } from './stage.ts';
import type { Scene } from './steps.ts';

/** Another history: SEED=… npx vitest run test/crm/workers.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_125);
const ROUNDS = shareOf(120);
/** Operations at once, each in a process of its own. */
const CONCURRENCY = 8;
const PATIENCE_MS = 120_000;
const DAY_MS = 24 * 3_600_000;

const { ownTable, table, rowsOf } = await useContendedTable((startedAt) => startedAt + PATIENCE_MS - performance.now());
afterEach(() => setConflictPatience(() => 0));
const ALL = { skip: 0, limit: 10_000 };
const NONE = '' as Id<'contact'>;
const CONTACTS = KEYS.contact(NONE).pk;

/** The plain state that the stored rows have: cards where their stages have them. */
const recount = async ({ actor }: Scene, crm: Crm): Promise<Plain> => {
  const plain = new Plain();
  // From the rows: a process that ended may have made a contact, or merged it, without an answer.
  const rows = await rowsOf(actor.organizationId);
  const idsAt = (sk: string) =>
    rows.filter((row) => row.pk.startsWith(CONTACTS) && row.sk === sk).map(PARSE_KEY.contact);
  const people = idsAt(KEYS.contact(NONE).sk);
  for (const id of idsAt(KEYS.merge(NONE).sk)) {
    const heir = await heirOf(crm.table, id);
    if (heir) plain.merged.set(id, heir.id);
  }
  for (const { id, archived, stages: stored } of await crm.pipelines.store.all(actor.organizationId)) {
    const stages = [];
    for (const { id: stageId, type: tipo, probability: probabilidade, maxDays: dias, requiredFields } of stored) {
      const { cards } = await crm.cards.store.inStage(stageId, undefined, 1_000);
      stages.push({
        id: stageId,
        tipo,
        probabilidade,
        dias,
        obrigatorios: requiredFields,
        cards: cards.map((card) => card.id),
      });
      for (const card of await crm.cards.links.shown(actor.organizationId, cards)) {
        expect(await crm.cards.store.find(card.id), 'the row and its copy').toMatchObject({
          version: card.version,
          stageId,
        });
        const {
          cents: centavos,
          currency: moeda,
          contactId: contatoId,
          companyId: empresaId,
          lossReason: motivo,
        } = card;
        const { title: titulo, status, pipelineId, stalled: parado, stageSince: desde, openStageId } = card;
        const own = { id: card.id, titulo, pipelineId, stageId, status, parado, desde, openStageId };
        expect(plain.cards.has(card.id), 'a card in two stages').toBe(false);
        plain.cards.set(card.id, { ...own, centavos, moeda, contatoId, empresaId, motivo });
      }
    }
    plain.pipelines.set(id, { id, arquivado: archived, stages });
  }
  const found = await crm.companies.directory.find(actor.organizationId, {});
  for (const { company } of await crm.companies.source.read(actor.organizationId, found)) {
    const { id, nome, segmento, cnpj, responsavelId, contatoPrincipalId } = company;
    plain.companies.set(id, { id, nome, segmento, cnpj, responsavelId, contatoPrincipalId });
  }
  for (const id of people) {
    const contact = await crm.contacts.store.read(id);
    if (contact) plain.contacts.set(id, { id, phone: contact.phone, name: contact.name, companyId: contact.companyId });
  }
  for (const { id, title: titulo, cardId, contactId, companyId } of (
    await crm.activities.store.page(actor.organizationId, {}, ALL)
  ).items)
    plain.activities.set(id, { id, titulo, cardId, contactId, companyId });
  return plain;
};

/** Nothing names what is not there, and no two companies have one CNPJ. */
const expectWhole = ({ cards, companies, contacts, activities }: Plain): void => {
  const named = [
    ...[...cards.values()].map(({ contatoId, empresaId }) => ({ contact: contatoId, company: empresaId })),
    ...[...companies.values()].map(({ contatoPrincipalId }) => ({ contact: contatoPrincipalId, company: undefined })),
    ...[...contacts.values()].map(({ companyId }) => ({ contact: undefined, company: companyId })),
    ...[...activities.values()].map(({ contactId, companyId }) => ({ contact: contactId, company: companyId })),
  ];
  expect(named.filter(({ contact }) => contact !== undefined && !contacts.has(contact))).toEqual([]);
  expect(named.filter(({ company }) => company !== undefined && !companies.has(company))).toEqual([]);
  expect([...activities.values()].filter(({ cardId }) => cardId !== undefined && !cards.has(cardId))).toEqual([]);
  const cnpjs = [...companies.values()].flatMap(({ cnpj }) => cnpj ?? []);
  expect(new Set(cnpjs).size).toBe(cnpjs.length);
};

/** An operation of one process, which now and then ends on its way. */
const operate = async (scene: Scene, clock: () => number, chance: Chance): Promise<void> => {
  const number = () => chance.below(65_536);
  const step = stepOf(chance.pick(KINDS) as Exclude<Kind, 'work'>, scene, {
    a: number(),
    b: number(),
    c: number(),
    d: number(),
  });
  const ends = chance.below(6) === 0;
  const own = ends ? crashing(ownTable(), { at: chance.below(12), made: chance.below(2) === 0 }) : ownTable();
  try {
    await step.run(crmOver(own, clock));
  } catch (error) {
    if (!(error instanceof Crashed)) throw new Error(`${step.name}: ${String(error)}`, { cause: error });
  }
};

test(`${CONCURRENCY} concurrent processes, some of which crash, leave counts, sums and lists that equal a recount, and no links to deleted objects (seed ${SEED})`, {
  timeout: 900_000,
}, async () => {
  setConflictPatience((startedAt) => startedAt + PATIENCE_MS - performance.now());
  const chance = chanceOf(SEED);
  let now = Date.parse('2026-03-10T12:00:00Z');
  const clock = () => now;
  const crm = crmOver(table, clock);
  const actor = await newCaller(table, newId('organization'));
  let [plain, made] = [new Plain(), 0];
  const sceneOf = (): Scene => ({ plain, actor, accounts: [], next: () => made++, now: clock });
  for (let round = 0; round < ROUNDS; round++) {
    now += chance.below(4) === 0 ? 16 * 60_000 : 1_000;
    const operations = Array.from({ length: CONCURRENCY }, () => operate(sceneOf(), clock, chance));
    const workers = chance.below(3) === 0 ? [0, 1].map(() => workUntilQuiet(crmOver(ownTable(), clock))) : [];
    await Promise.all([...operations, ...workers]);
    // A call that was not waited for may be under way: its row is read before its index entries are.
    await indexesUpToDate();
    plain = await recount(sceneOf(), crm);
    expectWhole(plain);
    if (round % 4 === 0) await checkAll(sceneOf(), crm);
  }
  for (const ms of [0, 16 * 60_000, 16 * 60_000, DAY_MS, 100 * DAY_MS, 3 * DAY_MS]) {
    now += ms;
    await Promise.all([0, 1].map(() => workUntilQuiet(crmOver(ownTable(), clock))));
    await expire(crm, actor.organizationId);
  }
  expect(await tombstonesOf(crm, actor.organizationId)).toEqual([]);
  plain = await recount(sceneOf(), crm);
  expectWhole(plain);
  await checkAll(sceneOf(), crm);
});
