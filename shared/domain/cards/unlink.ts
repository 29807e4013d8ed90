import type { SweepOutcome } from '../core/clear-links.ts';
import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Card, CardStore } from './card.ts';
import { silentChange } from './records.ts';

export interface UnlinkPorts {
  readonly store: Pick<CardStore, 'find' | 'save'>;
  /** Up to this many cards that link to a contact or a company, according to the index. */
  readonly naming: (id: Id<'contact'> | Id<'company'>, limit: number) => Promise<readonly Id<'card'>[]>;
}

/** Cards changed per step. */
const PAGE = 400;
const IN_FLIGHT = 8;

/** Updates a bounded number of cards that link to an object. `more`: there may be others, for the next step. */
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
      // The surviving contact was deleted meanwhile: its erasure removes the links to it.
      return outcome.kind === 'conflict' ? CONFLICT : undefined;
    }),
  );
  return ids.length < PAGE ? 'done' : 'more';
};

/** Removes a deleted company from the cards that link to it; later steps continue while the index shows cards. */
export const unlinkCards = (ports: UnlinkPorts, companyId: Id<'company'>): Promise<SweepOutcome> =>
  relink(ports, companyId, (card) => (card.companyId === companyId ? { ...card, companyId: undefined } : undefined));

/** Removes a deleted contact from the cards that link to it, or replaces it by the one that it was merged into. */
export const relinkCards = (
  ports: UnlinkPorts,
  contactId: Id<'contact'>,
  to: Id<'contact'> | undefined,
): Promise<SweepOutcome> =>
  relink(ports, contactId, (card) => (card.contactId === contactId ? { ...card, contactId: to } : undefined));
