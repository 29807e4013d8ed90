import type { LinkOutcome, WireGraph, WireLink, WireStep } from './definition.ts';

/** The links that leave each step, with their places among all links. Links that begin nowhere are left out. */
export type Ways = ReadonlyMap<string, readonly Way[]>;
export interface Way {
  readonly index: number;
  readonly to: string;
  readonly outcome: LinkOutcome;
}

export const waysOf = ({ passos, ligacoes }: WireGraph): Ways => {
  const ways = new Map<string, Way[]>(passos.map(({ chave }) => [chave, []]));
  for (const [index, { de, para, quando = 'padrao' }] of ligacoes.entries())
    ways.get(de)?.push({ index, to: para, outcome: quando });
  return ways;
};

/** The steps that can be come to from some, themselves included, without going through `except`. */
export const reachableFrom = (ways: Ways, from: readonly string[], except?: string): ReadonlySet<string> => {
  const reached = new Set(from.filter((key) => key !== except));
  for (const key of reached) for (const { to } of ways.get(key) ?? []) if (to !== except) reached.add(to);
  return reached;
};

/** What a step's way takes no time for: whether a run may go it at the moment at which it came to the step. */
type Pace = 'instant' | 'waits' | 'waits_for_message';
const paceOf = (step: WireStep, outcome: LinkOutcome): Pace => {
  if (step.tipo === 'esperar') return step.config.ate?.data === undefined ? 'waits' : 'instant';
  if (step.tipo !== 'esperar_evento') return 'instant';
  return step.config.passo === undefined || outcome !== 'evento' ? 'waits' : 'waits_for_message';
};

const filterWays = (ways: Ways, keeps: (step: string, way: Way) => boolean): Ways =>
  new Map([...ways].map(([key, each]) => [key, each.filter((way) => keeps(key, way))]));

/** The ways that close a circle, each once. */
const closingWays = (ways: Ways): Way[] => {
  const state = new Map<string, 'open' | 'done'>();
  const closing: Way[] = [];
  const visit = (key: string): void => {
    state.set(key, 'open');
    for (const way of ways.get(key) ?? []) {
      if (state.get(way.to) === 'open') closing.push(way);
      else if (!state.has(way.to)) visit(way.to);
    }
    state.set(key, 'done');
  };
  for (const key of ways.keys()) if (!state.has(key)) visit(key);
  return closing;
};

/**
 * Places of the links that close a circle which a run could go round at one moment. A wait for what became of a message is none where the circle
 * sends no such message again: it was read the first time round.
 */
export const instantCircles = ({ passos, ligacoes }: WireGraph): number[] => {
  const steps = new Map(passos.map((step) => [step.chave, step]));
  const ways = waysOf({ passos, ligacoes });
  const pace = (key: string, { outcome }: Way): Pace => {
    const step = steps.get(key);
    return step ? paceOf(step, outcome) : 'instant';
  };
  const instant = filterWays(ways, (key, way) => pace(key, way) === 'instant');
  const hasty = filterWays(ways, (key, way) => pace(key, way) !== 'waits');
  const circles = closingWays(instant).map(({ index }) => index);
  for (const [key, each] of hasty) {
    const step = steps.get(key);
    const message = step?.tipo === 'esperar_evento' ? step.config.passo : undefined;
    for (const way of each)
      if (pace(key, way) === 'waits_for_message' && reachableFrom(hasty, [way.to], message).has(key))
        circles.push(way.index);
  }
  return circles;
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

/** What a link cannot follow of the step that it leaves, and where; undefined when nothing is wrong. */
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
