import type { Channel } from '../message/channel.ts';
import type { WireGraph, WireLink } from './definition.ts';
import { channelsOf } from './references.ts';

/** The outcomes of the main path, in order of preference. */
const MAIN_OUTCOMES = ['padrao', 'sim', 'evento', 'ramo'] as const;

const mainLink = (links: readonly WireLink[]): WireLink | undefined => {
  for (const outcome of MAIN_OUTCOMES) {
    const link = links.find(({ quando = 'padrao' }) => quando === outcome);
    if (link) return link;
  }
  return undefined;
};

/** The labels, else the kinds, of the steps on the main path, from the first step, without duplicates. */
const flowOf = ({ passos, ligacoes }: WireGraph): readonly string[] => {
  const steps = new Map(passos.map((step) => [step.chave, step]));
  const links = Map.groupBy(ligacoes, ({ de }) => de);
  const flow = new Map<string, string>();
  for (let at = passos[0]; at && !flow.has(at.chave); ) {
    flow.set(at.chave, at.rotulo ?? at.tipo);
    const link = mainLink(links.get(at.chave) ?? []);
    at = link && steps.get(link.para);
  }
  return [...flow.values()];
};

/** The fields of a graph that lists show. */
export const summaryOf = (
  graph: WireGraph,
): { readonly channels: readonly Channel[]; readonly flow: readonly string[] } => ({
  channels: channelsOf(graph),
  flow: flowOf(graph),
});
