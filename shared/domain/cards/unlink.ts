import type { SweepOutcome } from '../core/clear-links.ts';
import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Card, CardStore } from './card.ts';
import { silentChange } from './records.ts';

export interface UnlinkPorts {
  readonly store: Pick<CardStore, 'find' | 'save'>;
  /** Cards that name a contact or a company, as far as the index shows them, at most so many. */
  readonly naming: (id: Id<'contact'> | Id<'company'>, limit: number) => Promise<readonly Id<'card'>[]>;
}

/** Cards that one step changes. */
const PAGE = 400;
const IN_FLIGHT = 8;

/** Changes the cards that name an object, a bounded number of them. `more`: there may be others, which the next step finds. */
const relink = async (
  ports: UnlinkPorts,
  id: Id<'contact'> | Id<'company'>,
  without: (card: Card) => Card | undefined,
): Promise<SweepOutcome> => {
  const ids = await ports.naming(id, PAGE);
  await mapConcurrently(ids, IN_FLIGHT, (cardId) =>
    retryOnConflict('The card', async () => {
      const card = await ports.store.find(cardId);
      const after = card && without(card);
      if (!card || !after) return undefined;
      const outcome = await ports.store.save(silentChange(card, after));
      // The heir of a merged contact was deleted meanwhile: whoever erases it unlinks what names it.
      return outcome.kind === 'conflict' ? CONFLICT : undefined;
    }),
  );
  return ids.length < PAGE ? 'done' : 'more';
};

/** Takes a deleted company from the cards that name it; the next step of a large one goes on where the index still shows cards. */
export const unlinkCards = (ports: UnlinkPorts, companyId: Id<'company'>): Promise<SweepOutcome> =>
  relink(ports, companyId, (card) => (card.companyId === companyId ? { ...card, companyId: undefined } : undefined));

/** Takes a deleted contact from the cards that name it, or puts the one in its place that it was merged into. */
export const relinkCards = (
  ports: UnlinkPorts,
  contactId: Id<'contact'>,
  to: Id<'contact'> | undefined,
): Promise<SweepOutcome> =>
  relink(ports, contactId, (card) => (card.contactId === contactId ? { ...card, contactId: to } : undefined));
