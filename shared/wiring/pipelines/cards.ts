import type { BoardPorts } from '../../domain/cards/board.ts';
import type { Card, CardPorts } from '../../domain/cards/card.ts';
import { relinkCards, type UnlinkPorts, unlinkCards } from '../../domain/cards/unlink.ts';
import type { Gone, SweepOutcome } from '../../domain/core/clear-links.ts';
import { type Id, parseId } from '../../domain/core/ids.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import type { CursorRequest } from '../../storage/client/cursor-pages.ts';
import { historyPage } from '../../storage/pipelines/card-history.ts';
import { cardLinks, cardsNaming } from '../../storage/pipelines/card-links.ts';
import { cardStore } from '../../storage/pipelines/card-store.ts';
import { clock, publishEvents, publishWork, table } from '../process/aws.ts';
import { pipelinePorts } from './pipelines.ts';

export const cardPorts: CardPorts & BoardPorts = {
  clock,
  store: cardStore(table, publishEvents),
  pipelines: pipelinePorts.store,
  links: cardLinks(table),
};

/** The ports of deleting a card. */
export const deletionPorts = {
  ...cardPorts,
  enqueueCleanUp: ({ id, organizationId: owner }: Card) =>
    publishWork([{ kind: 'clean_up', ...KEYS.tombstone(owner, id), owner }]),
};

/** A page of a card's history, newest first. */
export const historyOf = ({ id }: Card, request: CursorRequest) => historyPage(table, id, request);

const unlinkPorts: UnlinkPorts = { store: cardPorts.store, naming: cardsNaming(table) };

/** Removes a deleted company from a bounded number of its cards. */
export const unlinkCompany = ({ id }: Gone): Promise<SweepOutcome> => unlinkCards(unlinkPorts, parseId('company', id));
/** Removes a deleted contact from a bounded number of its cards, or replaces it by the one that it was merged into. */
export const relinkContact = (contactId: Id<'contact'>, to: Id<'contact'> | undefined): Promise<SweepOutcome> =>
  relinkCards(unlinkPorts, contactId, to);
