import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { jsonBytes } from '../core/json-bytes.ts';
import type { CountedPipeline, PipelineStore, Stage, StageCounts } from '../pipelines/pipeline.ts';
import { countedPipeline } from '../pipelines/pipelines.ts';
import type { Card, CardPorts, StageCards } from './card.ts';
import type { Owner } from './place.ts';

/** A stage of a board with its first cards. */
export interface BoardStage extends StageCards {
  readonly stage: Stage;
  readonly counts: StageCounts;
}
export interface Board {
  readonly counted: CountedPipeline;
  readonly stages: readonly BoardStage[];
}
export type BoardPorts = Pick<CardPorts, 'links' | 'store'> & { readonly pipelines: PipelineStore };

/** The maximum size of a response as JSON, in bytes: a function's response is limited to 6 MB. */
const MAX_BYTES = 4_500_000;

/** Shares the total among these sizes: what small ones leave over goes to large ones. */
export const sharesOf = (sizes: readonly number[], all: number): number[] => {
  const shares = sizes.map(() => 0);
  let left = all;
  const bySize = sizes.map((size, at) => ({ size, at })).sort((a, b) => a.size - b.size);
  for (const [rank, { size, at }] of bySize.entries()) {
    const share = Math.min(size, left / (bySize.length - rank));
    shares[at] = share;
    left -= share;
  }
  return shares;
};

/** The first cards of a stage that fit this many bytes; at least one. */
const within = ({ cards, next }: StageCards, sizes: readonly number[], bytes: number): StageCards => {
  let taken = 0;
  const fitting = cards.filter((_, at) => {
    taken += sizes[at] ?? 0;
    return at === 0 || taken <= bytes;
  });
  const last = fitting.at(-1);
  return fitting.length === cards.length || !last
    ? { cards, next }
    : { cards: fitting, next: { order: last.order, id: last.id } };
};

/** Limits the pages of stages so that together they fit a response. */
export const fitting = (pages: readonly StageCards[]): readonly StageCards[] => {
  const sizes = pages.map(({ cards }) => cards.map(jsonBytes));
  const sums = sizes.map((each) => each.reduce((sum, size) => sum + size, 0));
  const shares = sharesOf(sums, MAX_BYTES);
  return pages.map((page, at) => within(page, sizes[at] ?? [], shares[at] ?? 0));
};

/** The cards of pages with their links resolved. */
const shownPages = async (
  { links }: Pick<CardPorts, 'links'>,
  organizationId: Id<'organization'>,
  pages: readonly StageCards[],
): Promise<readonly StageCards[]> => {
  const shown = await links.shown(
    organizationId,
    pages.flatMap(({ cards }) => cards),
  );
  let from = 0;
  return pages.map((page) => {
    const cards: readonly Card[] = shown.slice(from, from + page.cards.length);
    from += page.cards.length;
    return { ...page, cards };
  });
};

/** A pipeline's stages with their counts and first cards: one query per stage, in parallel. */
export const readBoard = async (
  ports: BoardPorts,
  owner: Owner,
  id: Id<'pipeline'>,
  limit: number,
): Promise<Board | Refusal<'NOT_FOUND'>> => {
  const counted = await countedPipeline({ store: ports.pipelines }, owner, id);
  if (isRefusal(counted)) return counted;
  const { pipeline, counts } = counted;
  const read = await Promise.all(pipeline.stages.map((stage) => ports.store.inStage(stage.id, undefined, limit)));
  const pages = await shownPages(ports, owner.organizationId, fitting(read));
  const stages = pipeline.stages.map((stage, at) => ({
    stage,
    counts: counts.stages.get(stage.key) ?? { cards: 0, open: [] },
    ...(pages[at] ?? { cards: [] }),
  }));
  return { counted, stages };
};

/** A page of a stage's cards, in board order. */
export const readStage = async (
  ports: BoardPorts,
  owner: Owner,
  { id, stageId }: { readonly id: Id<'pipeline'>; readonly stageId: Id<'stage'> },
  after: StageCards['next'],
  limit: number,
): Promise<StageCards | Refusal<'NOT_FOUND'>> => {
  const pipeline = await ports.pipelines.read(owner.organizationId, id);
  if (!pipeline?.stages.some((stage) => stage.id === stageId)) return refuse('NOT_FOUND', 'There is no such stage.');
  const [page = { cards: [] }] = await shownPages(
    ports,
    owner.organizationId,
    fitting([await ports.store.inStage(stageId, after, limit)]),
  );
  return page;
};
