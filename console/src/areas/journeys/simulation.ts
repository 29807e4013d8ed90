import { fromLocal } from '../../app/local-time.ts';
import type { JourneySimulation, SimulatedEvent, SimulateJourney } from '../../sdk.ts';
import type { Mark } from './canvas-types.ts';
import { parsePairs, parseValue } from './config.ts';

export type Visit = JourneySimulation['passos'][number];

const UNITS: Readonly<Record<string, keyof SimulatedEvent['apos']>> = {
  s: 'segundos',
  m: 'minutos',
  h: 'horas',
  d: 'dias',
};

/** Lines `2h compra`: how long after the beginning, and the event's name. What is not understood is left to the service to name. */
export const parseEvents = (text: string): SimulatedEvent[] =>
  text.split('\n').flatMap((line) => {
    if (line.trim() === '') return [];
    const [, number, unit = '', name] = /^\s*(\d+)\s*([smhd])\s+(.+?)\s*$/.exec(line) ?? [];
    if (number === undefined || name === undefined) return [{ nome: line.trim(), apos: {} }];
    return [{ nome: name, apos: { [UNITS[unit] ?? 'horas']: Number(number) } }];
  });

/** Lines `name: value` as an object; numbers, true and false are what they are. */
export const parseValues = (text: string): Record<string, string | number | boolean> =>
  Object.fromEntries(
    parsePairs(text).map(([name, value]) => [name, (parseValue(value) ?? '') as string | number | boolean]),
  );

/** Who goes through a journey, and what happens meanwhile, as it is typed. */
export interface Scenario {
  readonly isMade: boolean;
  readonly contactId: string;
  readonly name: string;
  readonly phone: string;
  readonly email: string;
  readonly tags: string;
  readonly attributes: string;
  readonly variables: string;
  readonly events: string;
  /** As `datetime-local` has it; empty begins now. */
  readonly begin: string;
  /** The result of the message of each step. */
  readonly outcomes: Readonly<Record<string, string>>;
}

const given = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));

/** The scenario as the operation takes it. */
export const simulationOf = (scenario: Scenario): SimulateJourney => {
  const { isMade, contactId, name, phone, email, begin } = scenario;
  const tags = scenario.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  const attributes = parseValues(scenario.attributes);
  const contato = { ...given({ name, phone, email }), tags, attributes };
  const variaveis = parseValues(scenario.variables);
  const eventos = parseEvents(scenario.events);
  const inicio = fromLocal(begin);
  const mensagens = Object.entries(scenario.outcomes).flatMap(([passo, status]) =>
    status === '' ? [] : [{ passo, status }],
  );
  return {
    ...(isMade ? { contato } : { contactId }),
    ...(inicio ? { inicio } : {}),
    ...(eventos.length > 0 ? { eventos } : {}),
    ...(mensagens.length > 0 ? { mensagens: mensagens as SimulateJourney['mensagens'] & object } : {}),
    ...(Object.keys(variaveis).length > 0 ? { variaveis } : {}),
  };
};

/** When it begins and ends, in ms. */
export const spanOf = ({ passos, fim }: JourneySimulation): { readonly from: number; readonly to: number } => ({
  from: Date.parse(passos[0]?.desde ?? fim.em),
  to: Date.parse(fim.em),
});

/** The simulation as it is at a moment of its clock, in ms. */
export const stateAt = ({ passos, fim }: JourneySimulation, now: number) => {
  const isOver = Date.parse(fim.em) <= now;
  const done = passos.filter(({ em }) => Date.parse(em) <= now);
  const current = isOver ? undefined : passos.find(({ desde, em }) => Date.parse(desde) <= now && now < Date.parse(em));
  const marks = new Map<string, Mark>(done.map(({ passo }) => [passo, 'done']));
  if (current) marks.set(current.passo, 'now');
  return {
    isOver,
    done,
    current,
    marks,
    coins: done.reduce((sum, { mensagem }) => sum + (mensagem?.coins ?? 0), 0),
  };
};

/** The moments at which something changes, in ms, in their order. */
export const momentsOf = ({ passos, fim }: JourneySimulation): readonly number[] =>
  [...new Set([...passos.flatMap(({ desde, em }) => [desde, em]), fim.em].map((each) => Date.parse(each)))].sort(
    (a, b) => a - b,
  );
