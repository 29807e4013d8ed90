import type { CardChange, CardOutcome, CardStore, Neighbours, Place, StagePosition } from '../../domain/cards/card.ts';
import { type Id, randomBase62 } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { EventType } from '../../domain/events/catalogue.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { KEYS } from '../access-patterns.ts';
import type { Condition } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table, TransactOutcome } from '../client/table.ts';
import { inTransactions } from '../client/transactions.ts';
import { readOwnRow, readRow } from '../read-row.ts';
import { PIPELINE_SHARDS, shardOf } from '../table-indexes.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { cardPage } from './card-lists.ts';
import { cardRows, stageRows } from './card-rows.ts';
import { type CardWrite, cardWrites, verdictOf } from './card-writes.ts';

type Raised = (events: readonly DomainEvent[]) => void;
const SAVED: CardOutcome = { kind: 'saved' };
const STALE: CardOutcome = { kind: 'conflict' };

/**
 * Writes a transaction. `met`: a conflict on the changed card, which must be read again since the change may be outdated. Conflicts on
 * counters only are retried.
 */
const transact = async (table: Table, writes: readonly CardWrite[]): Promise<TransactOutcome | 'met'> => {
  const operations = writes.map(({ write }) => write);
  const ofCards = writes.flatMap(({ part }, at) => (part === 'card' ? [at] : []));
  if (ofCards.length > 1) return table.transact(operations);
  const outcome = await table.transact(operations, { reportConflicts: true });
  if (outcome.ok || !outcome.met) return outcome;
  return outcome.met.some((at) => ofCards.includes(at)) ? 'met' : table.transact(operations);
};

/** The types of the changes' events that have subscribers. At most one query. */
const takenTypes = async (table: Table, changes: readonly CardChange[]): Promise<ReadonlySet<EventType>> => {
  const owner = changes[0]?.after ?? changes[0]?.before;
  const samples = new Map(changes.flatMap(({ events }) => events).map((event) => [event.type, event]));
  const taken = owner ? await takenEvents(table, owner.organizationId, [...samples.values()]) : [];
  return new Set(taken.map(({ type }) => type));
};

/**
 * Stores changes of different cards in one transaction, retrying without those whose own conditions fail, so that each change is whole or
 * not at all, and has its own outcome.
 */
const saveBatch = async (
  table: Table,
  raised: Raised,
  changes: readonly CardChange[],
  taken: ReadonlySet<EventType>,
): Promise<readonly CardOutcome[]> => {
  const outcomes = new Map<CardChange, CardOutcome>();
  const gone = new Set<Id<'company'>>();
  let left = changes;
  while (left.length > 0) {
    const events = left.flatMap((change) => change.events).filter(({ type }) => taken.has(type));
    const mark = randomBase62(16);
    const writes = cardWrites(left, events, mark, gone);
    const outcome = await transact(table, writes);
    if (outcome === 'met') return changes.map((change) => outcomes.get(change) ?? STALE);
    const verdict = outcome.ok ? undefined : verdictOf(left, writes, outcome.reasons, mark);
    if (!verdict || verdict.isDone) {
      raised(events);
      for (const change of left) outcomes.set(change, SAVED);
      break;
    }
    for (const companyId of verdict.gone) gone.add(companyId);
    // A failure that belongs to no change, such as an event's, fails all of them.
    const isNobodys = verdict.faults.size === 0 && verdict.gone.length === 0;
    for (const [at, change] of left.entries()) {
      const fault = isNobodys ? STALE : verdict.faults.get(at);
      if (fault) outcomes.set(change, fault);
    }
    left = left.filter((change) => !outcomes.has(change));
  }
  return changes.map((change) => outcomes.get(change) ?? STALE);
};

/** The approximate size of a change's rows, in bytes. */
const CHANGE_BYTES = 15_000;
const IN_FLIGHT = 6;

/**
 * Groups changes into shared transactions by the counter row of their cards: those of one row are stored one after the other, so that they
 * never conflict there.
 */
const sharedTransactions = (changes: readonly CardChange[]): CardChange[][][] => {
  const rowOf = ({ before, after }: CardChange) => {
    const card = after ?? before;
    return card ? `${card.pipelineId}#${shardOf(card.id, PIPELINE_SHARDS)}` : '';
  };
  const partOf = (change: CardChange) => {
    const besides = cardWrites([change], change.events, '', new Set()).length;
    return { change, writes: [], besides, bytes: CHANGE_BYTES };
  };
  return [...Map.groupBy(changes, rowOf).values()].map((group) =>
    inTransactions(group.map(partOf)).map((parts) => parts.map(({ change }) => change)),
  );
};

const saveAll =
  (table: Table, raised: Raised): CardStore['saveAll'] =>
  async (changes) => {
    const outcomes = new Map<CardChange, CardOutcome>();
    const taken = await takenTypes(table, changes);
    await mapConcurrently(sharedTransactions(changes), IN_FLIGHT, async (transactions) => {
      for (const batch of transactions) {
        const found = await saveBatch(table, raised, batch, taken);
        for (const [at, change] of batch.entries()) outcomes.set(change, found[at] ?? STALE);
      }
    });
    return changes.map((change) => outcomes.get(change) ?? STALE);
  };

const partitionOf = (stageId: Id<'stage'>) => KEYS.cardInStage(stageId, '', '').pk;

/** The next card of a stage after a position, in either direction, ignoring `self`. */
const nextTo = async (
  table: Table,
  stageId: Id<'stage'>,
  self: Id<'card'> | undefined,
  newestFirst: boolean,
  sort?: Condition,
): Promise<string | undefined> => {
  const { rows } = await table.query({
    partition: partitionOf(stageId),
    newestFirst,
    consistent: true,
    limit: 2,
    ...(sort ? { sort } : {}),
    only: ['pk', 'sk', 'id', 'order'],
  });
  return rows.map(stageRows.pick('id', 'order')).find(({ id }) => id !== self)?.order;
};

const neighbours =
  (table: Table): CardStore['neighbours'] =>
  async (organizationId, stageId, place: Place, self): Promise<Neighbours | undefined> => {
    if (place.at === 'end') return { before: await nextTo(table, stageId, self, true) };
    if (place.cardId === self) return undefined;
    const beside = await readOwnRow(table, organizationId, KEYS.card(place.cardId), cardRows.read);
    if (beside?.stageId !== stageId) return undefined;
    const { order } = beside;
    // Cards at one position are ordered by their ids: a card placed next to one of them is placed next to all.
    if (place.at === 'before') {
      const sort = { text: '#sk < :place', values: { place: `${order}#` } };
      return { before: await nextTo(table, stageId, self, true, sort), after: order };
    }
    const sort = { text: '#sk > :place', values: { place: `${order}#~` } };
    return { before: order, after: await nextTo(table, stageId, self, false, sort) };
  };

const inStage =
  (table: Table): CardStore['inStage'] =>
  async (stageId, after: StagePosition | undefined, limit) => {
    const { pk: partition } = KEYS.cardInStage(stageId, '', '');
    const startKey = after && { ...KEYS.cardInStage(stageId, after.order, after.id) };
    const { rows, nextKey } = await table.query({ partition, consistent: true, limit, startKey });
    const cards = rows.map(stageRows.read);
    const last = cards.at(-1);
    return { cards, next: nextKey && last ? { order: last.order, id: last.id } : undefined };
  };

const ownCard = (organizationId: Id<'organization'>) => (row: Row | undefined) =>
  row?.org === organizationId ? cardRows.read(row) : undefined;

/** Cards in the table of one stage. `raised` receives committed events for early publication; best effort. */
export const cardStore = (table: Table, raised: Raised): CardStore => ({
  find: (cardId) => readRow(table, KEYS.card(cardId), cardRows.read),
  read: (organizationId, cardId) => readOwnRow(table, organizationId, KEYS.card(cardId), cardRows.read),
  async readMany(organizationId, ids) {
    const rows = await table.getMany(ids.map(KEYS.card), { consistent: true });
    return rows.map(ownCard(organizationId));
  },
  async save(change) {
    const [outcome = STALE] = await saveBatch(table, raised, [change], await takenTypes(table, [change]));
    return outcome;
  },
  saveAll: saveAll(table, raised),
  neighbours: neighbours(table),
  inStage: inStage(table),
  page: cardPage(table),
});
