import type { Contact } from '../../../shared/domain/contacts/contact.ts';
import { newId } from '../../../shared/domain/core/ids.ts';
import type {
  JourneyDefinition,
  StepKind,
  WireConfigs,
  WireLink,
  WireStep,
} from '../../../shared/domain/journeys/definition.ts';
import { type Graph, graphOf, type JourneyMessage } from '../../../shared/domain/journeys/graph.ts';
import { beginRun, type Run, type RunEntry } from '../../../shared/domain/journeys/run.ts';
import type { Scenario } from '../../../shared/domain/journeys/simulate.ts';
import type { Moment } from '../../../shared/domain/journeys/turn.ts';

/** A step; its key is its kind unless another is given. */
export const passo = <K extends StepKind>(tipo: K, config: WireConfigs[K], chave: string = tipo): WireStep =>
  ({ chave, tipo, config }) as WireStep;

/** Links from texts: `a > b`, `a sim> b`, `a ramo:X> b`. */
export const ligacoes = (...texts: string[]): WireLink[] =>
  texts.map((text) => {
    const [, de = '', outcome = '', para = ''] = /^(\S+) (\S*)> (\S+)$/.exec(text) ?? [];
    const [quando, ramo] = outcome.split(':');
    return {
      de,
      para,
      ...(quando ? { quando: quando as WireLink['quando'] } : {}),
      ...(ramo === undefined ? {} : { ramo }),
    };
  });

/** A journey that contacts enter by hand, once. */
export const definition = (
  passos: readonly WireStep[],
  links: readonly string[],
  rest: Partial<JourneyDefinition> = {},
): JourneyDefinition => ({
  name: 'Boas-vindas',
  gatilho: { tipo: 'manual' },
  passos,
  ligacoes: ligacoes(...links),
  reentrada: 'nunca',
  ...rest,
});

/** A path of steps that take no time: each decides, and continues with the same outcome. */
export const decisions = (count: number) => {
  const keys = Array.from({ length: count }, (_, at) => `se${at}`);
  return {
    passos: keys.map((key) => passo('divisao', { ramos: [{ nome: 'A', peso: 100 }] }, key)),
    ligacoes: ligacoes(...keys.slice(1).map((key, at) => `${keys[at]} ramo:A> ${key}`)),
  };
};

export const START = Date.parse('2026-03-10T12:00:00Z');

/** A moment of a journey that was never paused, in São Paulo, without quiet hours; conditions never match. */
export const momentAt = (now: number, fields: Partial<Moment> = {}): Moment => ({
  now,
  pausedMs: 0,
  timeZone: 'America/Sao_Paulo',
  quietUntil: (_, at) => at,
  matches: () => false,
  ...fields,
});

const rootId = newId('journey');
/** Who enters, with ids of their own. */
export const entryOf = (fields: Partial<RunEntry> = {}): RunEntry => ({
  id: newId('run'),
  organizationId: newId('organization'),
  env: 'test',
  journeyId: rootId,
  rootId,
  contactId: newId('contact'),
  ...fields,
});

/** A run at the first step of a definition, with its graph. */
export const startedRun = (
  of: JourneyDefinition,
  fields: Partial<RunEntry> = {},
): { readonly run: Run; readonly graph: Graph } => {
  const graph = graphOf(of);
  return { graph, run: beginRun(entryOf(fields), graph, START) };
};

/** A contact that entered nothing yet. */
export const contactOf = (fields: Partial<Contact> = {}): Contact => ({
  id: newId('contact'),
  organizationId: newId('organization'),
  env: 'test',
  number: 1,
  phone: '+5511999990005',
  phoneHash: 'hash',
  name: 'Ana',
  attributes: {},
  tags: [],
  optIn: { status: 'granted' },
  source: 'api',
  createdAt: START,
  updatedAt: START,
  version: 1,
  ...fields,
});

/** The input of a simulation: a contact, and no events; its messages are shown unchanged. */
export const scenarioOf = (
  of: JourneyDefinition,
  fields: Partial<Scenario<JourneyMessage>> = {},
): Scenario<JourneyMessage> => ({
  graph: graphOf(of),
  entry: entryOf(),
  contact: contactOf(),
  beginsAt: START,
  events: [],
  messages: [],
  timeZone: 'America/Sao_Paulo',
  quietUntil: (_, at) => at,
  send: ({ message }) => ({ shown: message }),
  moveCard: () => ({ kind: 'done' }),
  ...fields,
});
