import { expect } from 'vitest';
import { readBoard } from '../../shared/domain/cards/board.ts';
import type { Card } from '../../shared/domain/cards/card.ts';
import { getCard } from '../../shared/domain/cards/cards.ts';
import { listCards } from '../../shared/domain/cards/list.ts';
import { findCompany } from '../../shared/domain/companies/companies.ts';
import { listCompanies } from '../../shared/domain/companies/list.ts';
import { companyItemView, companyView } from '../../shared/domain/companies/views.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { countedPipeline, forecastOf, listPipelines } from '../../shared/domain/pipelines/pipelines.ts';
import { forecastView, pipelinePageView } from '../../shared/domain/pipelines/views.ts';
import { contactsOf } from '../../shared/storage/companies/company-contacts.ts';
import { accepted } from '../support/accepted.ts';
import { NAMES } from './company-steps.ts';
import { type PlainCard, type PlainCompany, type PlainPipeline, plainName } from './plain.ts';
import type { Crm } from './stage.ts';
import { pickOf, type Scene } from './steps.ts';

const ALL = { skip: 0, limit: 10_000 };
const isOpenStage = ({ tipo }: { readonly tipo: string }) => tipo === 'aberto';
const byId = <T extends { readonly id: string }>(items: readonly T[]) =>
  [...items].sort((a, b) => (a.id < b.id ? -1 : 1));

const shownCard = (card: Card) => ({
  id: card.id,
  titulo: card.title,
  pipelineId: card.pipelineId,
  stageId: card.stageId,
  status: card.status,
  centavos: card.cents,
  moeda: card.currency,
  contatoId: card.contactId,
  empresaId: card.companyId,
  motivo: card.lossReason,
  parado: card.stalled,
});
const plainCard = ({ openStageId: _, desde: __, ...card }: PlainCard) => ({
  centavos: undefined,
  motivo: undefined,
  ...card,
});
const shownCompany = ({ id, nome, segmento, cnpj, responsavelId, contatoPrincipalId }: PlainCompany) => ({
  id,
  nome,
  segmento,
  cnpj,
  responsavelId,
  contatoPrincipalId,
});

/** A company with its counts, as it is shown. */
const plainCompanyView = ({ plain }: Scene, company: PlainCompany) => {
  const { contacts, openCards, openCents } = plain.countsOf(company.id);
  return {
    ...shownCompany(company),
    contagens: { contatos: contacts, negociosAbertos: openCards, valorAberto: openCents / 100 },
  };
};

export const checkCompany = async (scene: Scene, crm: Crm, id: Id<'company'>): Promise<void> => {
  const { plain, actor } = scene;
  const company = plain.companies.get(id);
  const read = await findCompany(crm.companies.ports, actor, id);
  if (!company) return expect(read, `company ${id}`).toMatchObject({ name: 'NOT_FOUND' });
  const counted = accepted(read);
  expect(counted.counts, `counts of ${id}`).toEqual(plain.countsOf(id));
  const { wonCents, wonCards } = plain.countsOf(id);
  const { contagens, ...fields } = plainCompanyView(scene, company);
  const own = companyView(counted);
  expect({ ...shownCompany(own as PlainCompany), contagens: own.contagens }).toEqual({
    ...fields,
    contagens: { ...contagens, ultimaInteracao: null, valorGanho: wonCents / 100, negociosGanhos: wonCards },
  });
};

const stageCounts = ({ plain }: Scene, { stages }: PlainPipeline) =>
  stages.map((stage) => ({ id: stage.id, cards: stage.cards.length, open: plain.openOf(stage) }));

/** A pipeline's counts and forecast. */
export const checkPipeline = async (scene: Scene, crm: Crm, id: Id<'pipeline'>): Promise<void> => {
  const { plain, actor } = scene;
  const pipeline = plain.pipelines.get(id);
  const read = await countedPipeline(crm.pipelines, actor, id);
  if (!pipeline) return expect(read, `pipeline ${id}`).toMatchObject({ name: 'NOT_FOUND' });
  const counted = accepted(read);
  const { counts, pipeline: stored } = counted;
  const stages = stored.stages.map(({ id: stageId, key }) => {
    const { cards = 0, open = [] } = counts.stages.get(key) ?? {};
    return { id: stageId, cards, open: open.filter((sum) => sum.cards > 0) };
  });
  expect(stages, `stages of ${id}`).toEqual(stageCounts(scene, pipeline));
  const of = (status: PlainCard['status']) => plain.cardsOf({ pipelineId: id, status }).length;
  expect([counts.cards, counts.won, counts.lost]).toEqual([
    plain.cardsOf({ pipelineId: id }).length,
    of('ganho'),
    of('perdido'),
  ]);
  const lines = pipeline.stages.flatMap((stage) =>
    plain.openOf(stage).map(({ currency, cards, cents }) => {
      const probabilidade = stage.probabilidade ?? 100;
      const ponderado = Math.round((cents * probabilidade) / 100) / 100;
      return { estagioId: stage.id, moeda: currency, cartoes: cards, valor: cents / 100, probabilidade, ponderado };
    }),
  );
  const { estagios, totais } = forecastView(forecastOf(counted));
  expect(estagios.map(({ nome: _, ...line }) => line)).toEqual(lines);
  for (const { moeda, cartoes, valor, ponderado } of totais) {
    const own = lines.filter((line) => line.moeda === moeda);
    const cents = (name: 'ponderado' | 'valor') =>
      own.reduce((sum, line) => sum + Math.round(line[name] * 100), 0) / 100;
    expect([cartoes, valor, ponderado]).toEqual([
      own.reduce((sum, line) => sum + line.cartoes, 0),
      cents('valor'),
      cents('ponderado'),
    ]);
  }
};

/** The board of a pipeline: its stages in their order, each with its cards in theirs. */
export const checkBoard = async (scene: Scene, crm: Crm, { id, stages }: PlainPipeline): Promise<void> => {
  const { plain, actor } = scene;
  const board = accepted(await readBoard({ ...crm.cards, pipelines: crm.pipelines.store }, actor, id, 1_000));
  const shown = board.stages.map(({ stage, cards }) => ({ id: stage.id, cards: cards.map(shownCard) }));
  const cardsIn = (ids: readonly Id<'card'>[]) => ids.map((card) => plainCard(plain.cards.get(card) as PlainCard));
  expect(shown, `board of ${id}`).toEqual(stages.map((stage) => ({ id: stage.id, cards: cardsIn(stage.cards) })));
  for (const { cards } of board.stages) expect(new Set(cards.map(({ order }) => order)).size).toBe(cards.length);
};

const checkPipelineList = async ({ plain, actor }: Scene, crm: Crm): Promise<void> => {
  const wanted = { withCounts: true, withArchived: true };
  const { total, cardCounts, openStageCounts } = pipelinePageView(
    await listPipelines(crm.pipelines, actor, wanted, ALL),
  );
  const all = [...plain.pipelines.values()];
  expect(total).toBe(all.length);
  expect(cardCounts).toEqual(Object.fromEntries(all.map(({ id }) => [id, plain.cardsOf({ pipelineId: id }).length])));
  expect(openStageCounts).toEqual(
    Object.fromEntries(all.map(({ id, stages }) => [id, stages.filter(isOpenStage).length])),
  );
};

/** Lists and searches of companies, by a part of a name, a CNPJ or who is responsible. */
const checkCompanyList = async (scene: Scene, crm: Crm, number: number): Promise<void> => {
  const { plain, actor, accounts } = scene;
  const name = pickOf(NAMES, number >> 2) as string;
  const part = name.slice(number % 3, 2 + (number % 5)).trim();
  const one = pickOf(plain.companies.values(), number >> 3);
  const kind = number % 4;
  const q = kind === 0 ? undefined : kind === 1 ? (one?.cnpj?.toLowerCase() ?? name.toUpperCase()) : part;
  const responsavelId = kind === 2 ? accounts[number % accounts.length] : undefined;
  const isWanted = ({ nome, cnpj, responsavelId: own }: PlainCompany) =>
    (q === undefined ||
      (q === one?.cnpj?.toLowerCase() ? cnpj === one.cnpj : plainName(nome).includes(plainName(q)))) &&
    (responsavelId === undefined || own === responsavelId);
  const page = { skip: number % 3, limit: 1 + (number % 7) };
  const found = await listCompanies(crm.companies.source, actor.organizationId, { q, responsavelId }, page);
  const wanted = plain.companiesByName(isWanted);
  expect(found.total, `companies of ${q} ${responsavelId}`).toBe(wanted.length);
  const shown = found.items.map(companyItemView).map((item) => {
    const { ultimaInteracao: _, ...contagens } = item.contagens;
    return { ...shownCompany(item as PlainCompany), contagens };
  });
  expect(shown, `companies of ${q}`).toEqual(
    wanted.slice(page.skip, page.skip + page.limit).map((each) => plainCompanyView(scene, each)),
  );
};

const checkCardLists = async ({ plain, actor }: Scene, crm: Crm, number: number): Promise<void> => {
  const company = pickOf(plain.companies.keys(), number >> 2);
  const contact = pickOf(plain.contacts.keys(), number >> 2);
  const status = (['aberto', 'ganho', 'perdido'] as const)[number % 3];
  const filters = [{ companyId: company }, { contactId: contact, status }, { status }, {}] as const;
  const { companyId, contactId, ...rest } = filters[number % 4] as {
    companyId?: typeof company;
    contactId?: typeof contact;
    status?: typeof status;
  };
  const { items, total } = await listCards(crm.cards, actor, { companyId, contactId, ...rest }, ALL);
  const where = {
    ...(companyId ? { empresaId: companyId } : {}),
    ...(contactId ? { contatoId: contactId } : {}),
    ...rest,
  };
  const wanted = plain.cardsOf(where);
  // The index of a merged contact's heir has a card once a worker moved it.
  if (contactId && [...plain.merged.values()].length > 0) {
    expect(wanted.map(plainCard)).toEqual(expect.arrayContaining(items.map(shownCard)));
    return;
  }
  expect(byId(items.map(shownCard))).toEqual(byId(wanted.map(plainCard)));
  expect(total).toBe(wanted.length);
};

const checkPeople = async ({ plain, actor }: Scene, crm: Crm, number: number): Promise<void> => {
  const company = pickOf(plain.companies.keys(), number);
  const one = pickOf(plain.contacts.values(), number);
  if (one) expect((await crm.contacts.store.read(one.id))?.companyId).toBe(one.companyId);
  if (!company) return;
  const found = await contactsOf(crm.table, actor.organizationId, company, ALL);
  const wanted = [...plain.contacts.values()].filter(({ companyId }) => companyId === company);
  expect(found.map(({ id }) => id).sort()).toEqual(wanted.map(({ id }) => id).sort());
};

const checkTasks = async ({ plain, actor }: Scene, crm: Crm): Promise<void> => {
  const { items, total } = await crm.activities.store.page(actor.organizationId, {}, ALL);
  const shown = items.map(({ id, title, cardId, contactId, companyId }) => ({
    id,
    titulo: title,
    cardId,
    contactId,
    companyId,
  }));
  expect(byId(shown)).toEqual(byId([...plain.activities.values()]));
  expect(total).toBe(plain.activities.size);
};

const checkOneCard = async ({ plain, actor }: Scene, crm: Crm, number: number): Promise<void> => {
  const card = pickOf(plain.cards.values(), number);
  if (card) expect(shownCard(accepted(await getCard(crm.cards, actor, card.id)))).toEqual(plainCard(card));
  const gone = pickOf(plain.gone.card, number);
  if (gone) expect(await getCard(crm.cards, actor, gone)).toMatchObject({ name: 'NOT_FOUND' });
};

/** One of the reads, by a number, beside the plain state. */
export const checkSome = async (scene: Scene, crm: Crm, number: number): Promise<void> => {
  const pipeline = pickOf(scene.plain.pipelines.values(), number >> 4);
  const rest = number >> 3;
  switch (number % 8) {
    case 0:
      return checkPipelineList(scene, crm);
    case 1:
    case 2:
      return checkCompanyList(scene, crm, rest);
    case 3:
      return checkCardLists(scene, crm, rest);
    case 4:
      return checkPeople(scene, crm, rest);
    case 5:
      return checkTasks(scene, crm);
    case 6:
      return checkOneCard(scene, crm, rest);
    default:
      return pipeline && checkBoard(scene, crm, pipeline);
  }
};

/** Every read of everything beside the plain state. */
export const checkAll = async (scene: Scene, crm: Crm): Promise<void> => {
  const { plain } = scene;
  for (const id of plain.companies.keys()) await checkCompany(scene, crm, id);
  for (const pipeline of plain.pipelines.values()) {
    await checkPipeline(scene, crm, pipeline.id);
    await checkBoard(scene, crm, pipeline);
  }
  await checkPipelineList(scene, crm);
  await checkTasks(scene, crm);
  for (let number = 0; number < 4; number++) {
    await checkCompanyList(scene, crm, number);
    await checkCardLists(scene, crm, number);
    await checkPeople(scene, crm, number);
  }
};
