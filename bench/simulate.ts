import type { WireStep } from '../shared/domain/journeys/definition.ts';
import { simulate } from '../shared/domain/journeys/simulate.ts';
import { definition, passo, scenarioOf } from '../test/support/journeys/build.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, median, type Section, verdict } from './report.ts';

const STEPS = 150;
const DAYS = 90;
const GOAL_MS = 100;
const DAY_MS = 86_400_000;
/** Simulations of a round: each takes less than a clock tells exactly. */
const REPEATS = 20;

/** A journey that goes through all its steps again and again, until its time is up: sends, waits, conditions, branches, tags, waits for events. */
const KINDS: readonly ((key: string) => WireStep)[] = [
  (key) => passo('enviar', { canal: 'sms', texto: 'Olá, {{contato.nome|você}}' }, key),
  (key) => passo('esperar', { horas: 12 }, key),
  (key) =>
    passo('condicao', { filterTree: { kind: 'leaf', filter: { field: 'tag', operator: 'is', value: 'vip' } } }, key),
  (key) => passo('divisao', { ramos: [{ nome: 'A', peso: 100 }] }, key),
  (key) => passo('etiqueta', { adicionar: 'novo' }, key),
  (key) => passo('esperar_evento', { evento: 'compra', prazo: { horas: 1 } }, key),
];
const OUTCOMES = ['', '', 'nao', 'ramo:A', '', 'tempo_esgotado'] as const;

const longJourney = () => {
  const keys = Array.from({ length: STEPS }, (_, at) => `p${at}`);
  const steps = keys.map((key, at) => KINDS[at % KINDS.length]?.(key)).filter((step) => step !== undefined);
  const links = keys.map((key, at) => `${key} ${OUTCOMES[at % OUTCOMES.length]}> ${keys[(at + 1) % STEPS]}`);
  return definition(steps, links, {
    silencio: { inicio: '21:00', fim: '08:00' },
    meta: { evento: 'assinatura' },
  });
};

/** How long a journey of 150 steps takes to be played through over 90 days, when its goal ends it. */
export const benchSimulate = async (): Promise<Section> => {
  const reached = { event: { id: 'compra', name: 'assinatura' }, afterMs: DAYS * DAY_MS };
  const scenario = scenarioOf(longJourney(), { events: [reached] });
  const { steps, end } = simulate(scenario);
  if (end.reason !== 'meta') throw new Error(`ended by ${end.reason}`);
  const round = () => {
    const from = performance.now();
    for (let at = 0; at < REPEATS; at++) simulate(scenario);
    return (performance.now() - from) / REPEATS;
  };
  const ms = median(Array.from({ length: ROUNDS }, round));
  const row = {
    visits: figure(steps.length),
    'ms, median of the rounds': figure(ms),
    'µs a visit': figure((ms * 1000) / steps.length),
  };
  return {
    title: 'A journey played through',
    verdicts: [verdict(`simulation of ${STEPS} steps over ${DAYS} days`, ms, '<', GOAL_MS, ' ms')],
    text: `A journey of ${STEPS} steps of six kinds that begins anew when it is through, with quiet hours of its own, until its goal ends it after ${DAYS} days; without rendering or prices.\n\n${columns([row])}`,
  };
};
