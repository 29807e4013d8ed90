import type { Card, CardFilter, CardStore } from '../../domain/cards/card.ts';
import type { Id } from '../../domain/core/ids.ts';
import { linksOf } from '../../domain/core/tombstones.ts';
import type { Page, PageRequest } from '../../domain/message/lists.ts';
import type { Pipeline, PipelineCounts } from '../../domain/pipelines/pipeline.ts';
import { KEYS } from '../access-patterns.ts';
import { equal } from '../client/conditions.ts';
import { fullRows, newestPage, pageKeys, type ShardedRange } from '../client/pages.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { readTombstones } from '../crm/tombstones.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { cardRows, stageRows } from './card-rows.ts';
import { pipelineStore } from './pipelines.ts';

type Org = Id<'organization'>;
type CardIndex = 'gsi1' | 'gsi2' | 'gsi3' | 'gsi4';
/** A list of cards by an index: the narrowest one for a filter, and the filters that its entries can't evaluate. */
interface IndexSource {
  readonly index: CardIndex;
  readonly partition: string;
  readonly rest: CardFilter;
}

const indexSource = ({ contactId, companyId, responsibleId, ...rest }: CardFilter): IndexSource | undefined => {
  if (contactId !== undefined) {
    const { gsi2pk: partition } = INDEX_KEYS.cardsOfContact(contactId, '', '');
    return { index: 'gsi2', partition, rest: { ...rest, companyId, responsibleId } };
  }
  if (companyId !== undefined) {
    const { gsi3pk: partition } = INDEX_KEYS.cardsOfCompany(companyId, '', '');
    return { index: 'gsi3', partition, rest: { ...rest, responsibleId } };
  }
  if (responsibleId === undefined) return undefined;
  const { gsi4pk: partition } = INDEX_KEYS.cardsOfAccount(responsibleId, '', '');
  return { index: 'gsi4', partition, rest };
};

const isSelected = (organizationId: Org, filter: CardFilter) => (card: Card) =>
  card.organizationId === organizationId &&
  (Object.keys(filter) as (keyof CardFilter)[]).every(
    (name) => filter[name] === undefined || card[name] === filter[name],
  );
const slice = (cards: readonly Card[], { skip, limit }: PageRequest): Page<Card> => ({
  items: cards.slice(skip, skip + limit),
  total: cards.length,
});

/** Board order, as the copies in the stage sort. */
const byPlace = (a: Card, b: Card): number => {
  const [one, other] = [a, b].map(({ stageId, order, id }) => KEYS.cardInStage(stageId, order, id).sk);
  return one === other ? 0 : String(one) < String(other) ? -1 : 1;
};

/** Cards of a contact, company or account. If its index can evaluate the filter, only the page's rows are read in full. */
const indexPage = async (
  table: Table,
  organizationId: Org,
  { index, partition, rest }: IndexSource,
  page: PageRequest,
): Promise<Page<Card>> => {
  const { status, ...others } = rest;
  const isAnswered = Object.values(others).every((value) => value === undefined) && (index !== 'gsi4' || !status);
  if (!isAnswered) {
    const keys = await table.queryAll({ index, partition, newestFirst: true, only: ['pk', 'sk'] });
    const cards = (await fullRows(table, keys)).map(cardRows.read).filter(isSelected(organizationId, rest));
    return slice(rest.stageId === undefined ? cards : cards.sort(byPlace), page);
  }
  const range = { index, partition, filter: equal({ org: organizationId, status }) };
  const [keys, total] = await Promise.all([pageKeys(table, { ...range, newestFirst: true }, page), table.count(range)]);
  return { items: (await fullRows(table, keys)).map(cardRows.read), total };
};

/** The cards of a stage, in board order. A filter reads the whole stage. */
const stagePage = async (
  table: Table,
  organizationId: Org,
  filter: CardFilter,
  page: PageRequest,
): Promise<Page<Card>> => {
  const { stageId, ...rest } = filter;
  if (stageId === undefined) return { items: [], total: 0 };
  const { pk: partition } = KEYS.cardInStage(stageId, '', '');
  const rows: Row[] = await table.queryAll({ partition, consistent: true });
  return slice(rows.map(stageRows.read).filter(isSelected(organizationId, rest)), page);
};

const sumOf = (counts: readonly PipelineCounts[], of: (one: PipelineCounts) => number): number =>
  counts.reduce((sum, one) => sum + of(one), 0);
/** The counted number of cards with a status; all without one. */
const countOf = (status: CardFilter['status']) => (counts: PipelineCounts) => {
  if (status === 'ganho') return counts.won;
  if (status === 'perdido') return counts.lost;
  return status === undefined ? counts.cards : counts.cards - counts.won - counts.lost;
};

/** The cards of pipelines, newest first; the total from counters. */
const pipelinesPage = async (
  table: Table,
  organizationId: Org,
  { pipelineId, status }: CardFilter,
  page: PageRequest,
): Promise<Page<Card>> => {
  const store = pipelineStore(table);
  const ids = pipelineId === undefined ? (await store.all(organizationId)).map(({ id }: Pipeline) => id) : [pipelineId];
  const read = await Promise.all(ids.map((id) => store.readCounted(organizationId, id)));
  const counted = read.filter((one) => one !== undefined);
  const [first, ...others] = counted.map(({ pipeline }) => INDEX_KEYS.cardsOf(pipeline.id, '', '').gsi1pk);
  if (first === undefined) return { items: [], total: 0 };
  const filter = status === undefined ? undefined : equal({ status });
  const range: ShardedRange = { index: 'gsi1', partition: first, others, filter };
  const rows = await newestPage(table, range, page);
  const total = sumOf(
    counted.map(({ counts }) => counts),
    countOf(status),
  );
  return { items: rows.map(cardRows.read), total };
};

const pageOf = (table: Table, organizationId: Org, filter: CardFilter, page: PageRequest): Promise<Page<Card>> => {
  const source = indexSource(filter);
  if (source) return indexPage(table, organizationId, source, page);
  const isOfStage = filter.stageId !== undefined;
  return isOfStage
    ? stagePage(table, organizationId, filter, page)
    : pipelinesPage(table, organizationId, filter, page);
};

/**
 * A page of an organization's cards: those of a stage in board order, all others newest first. A deleted or merged contact or company has
 * none from that moment on.
 */
export const cardPage =
  (table: Table): CardStore['page'] =>
  async (organizationId, filter, page) => {
    const links = linksOf([filter], ['contactId', 'companyId']);
    const [tombstones, found] = await Promise.all([
      readTombstones(table, organizationId, links),
      pageOf(table, organizationId, filter, page),
    ]);
    return links.some((link) => tombstones.has(link)) ? { items: [], total: 0 } : found;
  };
