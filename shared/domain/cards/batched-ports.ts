import { batched } from '../core/batched.ts';
import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { unique } from '../core/unique.ts';
import type { CardPorts, LinkIds } from './card.ts';

const CONCURRENT_READS = 8;

/**
 * The same ports, batched for many concurrent changes of one organization's cards: reads requested in the same tick share one call, and
 * changes share transactions, each stored whole or not at all.
 */
export const batchedPorts = (ports: CardPorts, organizationId: Id<'organization'>): CardPorts => {
  const { store, pipelines, links } = ports;
  const read = batched((ids: readonly Id<'card'>[]) => store.readMany(organizationId, ids));
  const readPipeline = batched(async (ids: readonly Id<'pipeline'>[]) => {
    const distinct = unique(ids);
    const found = await mapConcurrently(distinct, CONCURRENT_READS, (id) => pipelines.read(organizationId, id));
    const byId = new Map(distinct.map((id, at) => [id, found[at]]));
    return ids.map((id) => byId.get(id));
  });
  const existing = batched(async (batches: readonly LinkIds[]) => {
    const found = await links.existing(organizationId, {
      contatoId: unique(batches.flatMap(({ contatoId }) => contatoId)),
      empresaId: unique(batches.flatMap(({ empresaId }) => empresaId)),
      responsavelId: unique(batches.flatMap(({ responsavelId }) => responsavelId)),
    });
    return batches.map(() => found);
  });
  const shown = batched((cards: Parameters<typeof links.shown>[1]) => links.shown(organizationId, cards));
  return {
    ...ports,
    store: { ...store, read: (_, id) => read(id), save: batched(store.saveAll) },
    pipelines: { read: (_, id) => readPipeline(id) },
    links: {
      existing: (_, ids) => existing(ids),
      shown: (_, cards) => Promise.all(cards.map(shown)),
    },
  };
};
