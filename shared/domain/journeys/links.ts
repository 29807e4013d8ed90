import type { LinkOutcome, WireGraph, WireLink, WireStep } from './definition.ts';

/** The outgoing links of each step, with their indexes. Links from unknown steps are omitted. */
export type OutgoingLinks = ReadonlyMap<string, readonly OutgoingLink[]>;
export interface OutgoingLink {
  readonly index: number;
  readonly to: string;
  readonly outcome: LinkOutcome;
}

export const outgoingLinks = ({ passos, ligacoes }: WireGraph): OutgoingLinks => {
  const links = new Map<string, OutgoingLink[]>(passos.map(({ chave }) => [chave, []]));
  for (const [index, { de, para, quando = 'padrao' }] of ligacoes.entries())
    links.get(de)?.push({ index, to: para, outcome: quando });
  return links;
};

/** The steps reachable from some steps, including those, without passing `except`. */
export const reachableFrom = (links: OutgoingLinks, from: readonly string[], except?: string): ReadonlySet<string> => {
  const reached = new Set(from.filter((key) => key !== except));
  for (const key of reached) for (const { to } of links.get(key) ?? []) if (to !== except) reached.add(to);
  return reached;
};

/** Whether a run may leave a step by an outcome immediately on reaching it. */
type Pace = 'instant' | 'waits' | 'waits_for_message';
const paceOf = (step: WireStep, outcome: LinkOutcome): Pace => {
  if (step.tipo === 'esperar') return step.config.ate?.data === undefined ? 'waits' : 'instant';
  if (step.tipo !== 'esperar_evento') return 'instant';
  return step.config.passo === undefined || outcome !== 'evento' ? 'waits' : 'waits_for_message';
};

const filterLinks = (links: OutgoingLinks, keeps: (step: string, link: OutgoingLink) => boolean): OutgoingLinks =>
  new Map([...links].map(([key, each]) => [key, each.filter((link) => keeps(key, link))]));

/** The links that close a cycle (back edges of a depth-first search). */
const closingLinks = (links: OutgoingLinks): OutgoingLink[] => {
  const state = new Map<string, 'open' | 'done'>();
  const closing: OutgoingLink[] = [];
  const visit = (key: string): void => {
    state.set(key, 'open');
    for (const link of links.get(key) ?? []) {
      if (state.get(link.to) === 'open') closing.push(link);
      else if (!state.has(link.to)) visit(link.to);
    }
    state.set(key, 'done');
  };
  for (const key of links.keys()) if (!state.has(key)) visit(key);
  return closing;
};

/**
 * Indexes of links that close a cycle which a run could repeat without waiting. A wait for a message's outcome doesn't count if the cycle
 * does not send that message again: its outcome is already known in the next round.
 */
export const instantCycles = ({ passos, ligacoes }: WireGraph): number[] => {
  const steps = new Map(passos.map((step) => [step.chave, step]));
  const links = outgoingLinks({ passos, ligacoes });
  const pace = (key: string, { outcome }: OutgoingLink): Pace => {
    const step = steps.get(key);
    return step ? paceOf(step, outcome) : 'instant';
  };
  const instant = filterLinks(links, (key, link) => pace(key, link) === 'instant');
  const withoutTimedWaits = filterLinks(links, (key, link) => pace(key, link) !== 'waits');
  const cycles = closingLinks(instant).map(({ index }) => index);
  for (const [key, each] of withoutTimedWaits) {
    const step = steps.get(key);
    const message = step?.tipo === 'esperar_evento' ? step.config.passo : undefined;
    for (const link of each)
      if (pace(key, link) === 'waits_for_message' && reachableFrom(withoutTimedWaits, [link.to], message).has(key))
        cycles.push(link.index);
  }
  return cycles;
};

/** The outcomes that each kind of step has. */
const OUTCOMES: { readonly [K in WireStep['tipo']]: readonly LinkOutcome[] } = {
  enviar: ['padrao'],
  esperar: ['padrao'],
  esperar_evento: ['evento', 'tempo_esgotado'],
  condicao: ['sim', 'nao'],
  divisao: ['ramo'],
  etiqueta: ['padrao'],
  atributo: ['padrao'],
  mover_cartao: ['padrao'],
  webhook: ['padrao'],
  sair: [],
};

/** The error of a link whose outcome its step doesn't have; undefined if valid. */
export const linkFault = (
  { quando = 'padrao', ramo }: WireLink,
  step: WireStep,
): { readonly field: 'quando' | 'ramo'; readonly message: string } | undefined => {
  const outcomes = OUTCOMES[step.tipo];
  if (!outcomes.includes(quando)) {
    const message =
      outcomes.length === 0
        ? 'must not be: no link leaves a sair'
        : `must be ${outcomes.join(' or ')} for this kind of step`;
    return { field: 'quando', message };
  }
  if (step.tipo !== 'divisao')
    return ramo === undefined ? undefined : { field: 'ramo', message: 'is for quando ramo only' };
  const isBranch = step.config.ramos.some(({ nome }) => nome === ramo);
  return isBranch ? undefined : { field: 'ramo', message: 'must be a branch of the divisao' };
};
