import * as z from 'zod';
import { readStage } from '../../domain/cards/board.ts';
import type { Card, StagePosition } from '../../domain/cards/card.ts';
import type { Actor } from '../../domain/core/actor.ts';
import { type CursorItems, encodeCursor, type GivenCursor, openCursor } from '../../domain/core/cursor.ts';
import { isRefusal, type Refusal } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { id } from '../../storage/client/attributes.ts';
import { vaults } from '../process/aws.ts';
import { cardPorts } from './cards.ts';

const position = z.strictObject({ order: z.string(), id: id('card') });

/** The scope of a stage's cursors: a board and the list of the stage share them. */
const given = async (
  { organizationId, env }: Actor,
  pipelineId: Id<'pipeline'>,
  stageId: Id<'stage'>,
  cursor?: string,
): Promise<GivenCursor> => ({
  vault: await vaults.cursors(),
  scope: { organizationId, env, query: { list: 'stage-cards', pipelineId, stageId } },
  cursor,
});

const cursorOf = ({ vault, scope }: GivenCursor, { order, id: cardId }: StagePosition): string =>
  encodeCursor(vault, scope, { order, id: cardId });

/** Makes the cursors of the stages of a pipeline. */
export const stageCursors = async (actor: Actor, pipelineId: Id<'pipeline'>) => {
  const { vault, scope } = await given(actor, pipelineId, '' as Id<'stage'>);
  return (stageId: Id<'stage'>, next: StagePosition): string =>
    cursorOf({ vault, scope: { ...scope, query: { ...scope.query, stageId } }, cursor: undefined }, next);
};

/** A page of a stage's cards, in board order. */
export const stagePage = async (
  actor: Actor,
  params: { readonly id: Id<'pipeline'>; readonly stageId: Id<'stage'> },
  query: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<CursorItems<Card> | Refusal<'BAD_REQUEST' | 'NOT_FOUND'>> => {
  const request = await given(actor, params.id, params.stageId, query.cursor);
  const after = openCursor(position, request);
  if (isRefusal(after)) return after;
  const page = await readStage(cardPorts, actor, params, after, query.limit);
  if (isRefusal(page)) return page;
  return { items: page.cards, ...(page.next ? { nextCursor: cursorOf(request, page.next) } : {}) };
};
