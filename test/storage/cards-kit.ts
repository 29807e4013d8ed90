import type { Card, CardCaller, CardPorts } from '../../shared/domain/cards/card.ts';
import { createCard } from '../../shared/domain/cards/cards.ts';
import type { NewCard } from '../../shared/domain/cards/input.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { setConflictPatience } from '../../shared/domain/core/retry-on-conflict.ts';
import type { Pipeline, PipelinePorts, Stage } from '../../shared/domain/pipelines/pipeline.ts';
import { createPipeline } from '../../shared/domain/pipelines/pipelines.ts';
import { type NewStage, newStages } from '../../shared/domain/pipelines/stages.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { cardLinks } from '../../shared/storage/pipelines/card-links.ts';
import { cardRows, stageRows } from '../../shared/storage/pipelines/card-rows.ts';
import { cardStore } from '../../shared/storage/pipelines/card-store.ts';
import { pipelineStore } from '../../shared/storage/pipelines/pipelines.ts';
import { waitAsInvocation } from '../support/patience.ts';

/** Who meets others waits for them as an invocation does. */
export const waitAsInvocations = (): void => setConflictPatience(waitAsInvocation);
export const waitNoMore = (): void => setConflictPatience(() => 0);

/** The rules of pipelines and cards over a table; the clock is the test's. */
export const portsOver = (table: Table, clock: () => number): { cards: CardPorts; pipelines: PipelinePorts } => {
  const pipelines = pipelineStore(table);
  return {
    cards: { clock, store: cardStore(table, () => {}), pipelines, links: cardLinks(table) },
    pipelines: { clock, store: pipelines, enqueueSweep: () => {} },
  };
};

/** Expects that it is not refused. */
export const done = async <T>(outcome: Promise<T>): Promise<Exclude<T, { readonly details: unknown }>> => {
  const value = await outcome;
  if (isRefusal(value)) throw new Error(JSON.stringify(value.details));
  return value as Exclude<T, { readonly details: unknown }>;
};

/** An organization's key, a pipeline of it, and cards. */
export const startSales = async (
  table: Table,
  clock: () => number,
  stages?: readonly NewStage[],
  organizationId = newId('organization'),
) => {
  const ports = portsOver(table, clock);
  const caller: CardCaller = { organizationId, env: 'test', credentialId: newId('apiKey') };
  const pipeline: Pipeline = await done(
    createPipeline(ports.pipelines, caller, { name: 'Vendas', type: 'vendas', stages: newStages(stages) }),
  );
  const stage = (at: number): Stage => {
    const found = pipeline.stages[at];
    if (!found) throw new Error(`There is no stage ${at}.`);
    return found;
  };
  const create = (fields: Partial<NewCard> = {}): Promise<Card> =>
    done(createCard(ports.cards, caller, { pipelineId: pipeline.id, titulo: 'Renovação', ...fields }));
  return { table, ports, caller, pipeline, stage, create };
};
export type Sales = Awaited<ReturnType<typeof startSales>>;

/** The copies in a stage, in their order. */
export const copiesIn = async (table: Table, stageId: Stage['id']): Promise<Card[]> => {
  const { pk: partition } = KEYS.cardInStage(stageId, '', '');
  return (await table.queryAll({ partition, consistent: true })).map(stageRows.read);
};

/** A recount of a pipeline from its cards' copies, in the form of the store's counts. */
export const recounted = async (table: Table, { stages }: Pipeline) => {
  const all = await Promise.all(stages.map(({ id }) => copiesIn(table, id)));
  const sums = stages.map(({ key }, at) => {
    const cards = all[at] ?? [];
    const byCurrency = Map.groupBy(
      cards.filter(({ status }) => status === 'aberto'),
      ({ currency }) => currency,
    );
    const open = [...byCurrency]
      .map(([currency, of]) => ({
        currency,
        cards: of.length,
        cents: of.reduce((sum, { cents = 0 }) => sum + cents, 0),
      }))
      .sort((a, b) => (a.currency < b.currency ? -1 : 1));
    return [key, { cards: cards.length, open }] as const;
  });
  const cards = all.flat();
  const withStatus = (wanted: Card['status']) => cards.filter(({ status }) => status === wanted).length;
  return { cards: cards.length, won: withStatus('ganho'), lost: withStatus('perdido'), stages: new Map(sums) };
};

/** The counts of a pipeline, without currencies of which nothing is open. */
export const countedNow = async ({ ports, caller, pipeline }: Sales) => {
  const read = await ports.pipelines.store.readCounted(caller.organizationId, pipeline.id);
  if (!read) throw new Error('There is no such pipeline.');
  const stages = [...read.counts.stages].map(
    ([key, { cards, open }]) => [key, { cards, open: open.filter((sum) => sum.cards > 0) }] as const,
  );
  return { pipeline: read.pipeline, counts: { ...read.counts, stages: new Map(stages) } };
};

/** The rows of cards, by their ids, and whether each equals its copy in the stage. */
export const isCopied = async (table: Table, card: Card): Promise<boolean> => {
  const row = await table.get(KEYS.card(card.id));
  return row !== undefined && JSON.stringify(cardRows.read(row)) === JSON.stringify(card);
};
