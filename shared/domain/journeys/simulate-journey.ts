import { automatedSend } from '../api/automated-send.ts';
import { channelOf } from '../channels/registry.ts';
import type { Contact } from '../contacts/contact.ts';
import { NEVER_SENT } from '../contacts/frequency.ts';
import { shownContact } from '../contacts/shown-contact.ts';
import type { Actor } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { refuseField } from '../core/refuse-field.ts';
import type { Clock } from '../core/time.ts';
import type { Channel } from '../message/channel.ts';
import type { SubmitPorts } from '../sending/accept.ts';
import type { SendPlan } from '../sending/plan.ts';
import { quietUntil } from '../sending/quiet-hours.ts';
import { quote } from '../sending/quote.ts';
import { consentRefusal } from '../sending/refusals.ts';
import type { ReadTemplateTexts } from '../sending/template-texts.ts';
import type { SentStatus, WireDuration } from './definition.ts';
import { durationMs } from './durations.ts';
import type { JourneyClock } from './engine-ports.ts';
import { MAX_FAULTS } from './faults.ts';
import { findJourney } from './find.ts';
import { type Graph, graphOf } from './graph.ts';
import type { Journey } from './journey.ts';
import { frequencyCapOf, personalizedMessage } from './message.ts';
import type { JourneyStore, WholeJourney } from './ports.ts';
import type { RunEvent } from './run.ts';
import type { SimulatedMessage } from './run-view.ts';
import { resultOfRefusal } from './send-results.ts';
import { type Scenario, type Simulation, simulate } from './simulate.ts';
import { type BoardPorts, boardOf, SimulatedCards } from './simulated-cards.ts';
import {
  type OpenDraft,
  type SimulatedDraft,
  type SimulatedFrequency,
  SimulatedMessages,
  type Verdict,
} from './simulated-messages.ts';

/** Message outcomes may lead to further messages: the maximum number of rounds. */
const MAX_ROUNDS = 8;

/** A hypothetical contact, which is not stored. */
export interface InventedContact {
  readonly name?: string | undefined;
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  readonly externalId?: string | undefined;
  readonly attributes?: Contact['attributes'] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly optIn?: Pick<Contact['optIn'], 'status'> | undefined;
}
/** A simulation request, with the contract's names. */
export interface SimulationRequest {
  readonly contactId?: Id<'contact'> | undefined;
  readonly contato?: InventedContact | undefined;
  readonly eventos?:
    | readonly {
        readonly nome: string;
        readonly apos: WireDuration;
        readonly propriedades?: RunEvent['properties'] | undefined;
      }[]
    | undefined;
  readonly mensagens?: readonly { readonly passo: string; readonly status: SentStatus }[] | undefined;
  /** ISO 8601. */
  readonly inicio?: string | undefined;
  readonly variaveis?: Readonly<Record<string, string | number | boolean>> | undefined;
}

export interface SimulationPorts extends BoardPorts {
  readonly clock: Clock;
  readonly store: Pick<JourneyStore, 'readWhole'>;
  readonly submit: Pick<
    SubmitPorts,
    'clock' | 'consentFault' | 'messageStore' | 'plan' | 'prices' | 'recipientOf' | 'volume'
  >;
  readonly contactOf: (organizationId: Id<'organization'>, id: Id<'contact'>) => Promise<Contact | undefined>;
  readonly clockOf: (organizationId: Id<'organization'>) => Promise<JourneyClock>;
  readonly templateTexts: ReadTemplateTexts;
}

const inventedContact = ({ organizationId, env }: Actor, given: InventedContact, now: number): Contact => ({
  ...given,
  id: newId('contact'),
  organizationId,
  env,
  number: 0,
  phone: given.phone ?? '',
  phoneHash: '',
  attributes: given.attributes ?? {},
  tags: given.tags ?? [],
  optIn: given.optIn ?? { status: 'unknown' },
  source: 'api',
  createdAt: now,
  updatedAt: now,
  version: 1,
});

const ownAddress = (contact: Contact, channel: Channel): string | undefined => {
  const { recipient } = channelOf(channel);
  if (recipient === 'email') return contact.email;
  return recipient === 'phone' ? contact.phone || undefined : undefined;
};

const skippedFor = (detail: string): Verdict => ({ refused: { kind: 'skipped', detail }, counts: false });

const refusalVerdict = (refusal: Refusal): Verdict => {
  const result = resultOfRefusal(refusal);
  // Obstacles of the journey as a whole, such as an unapproved template, are checked by its activation.
  return result.kind === 'skipped' || result.kind === 'refused' ? { refused: result, counts: false } : { counts: true };
};

/** Whether the contact opted out. Only checked for a stored contact: an address in the request is not looked up. */
const optedOut = async (ports: SimulationPorts, actor: Actor, contact: Contact, isStored: boolean, plan: SendPlan) => {
  if (isStored) return ports.submit.consentFault(actor, plan);
  return plan.requiresConsent && contact.optIn.status === 'denied' ? ('opted_out' as const) : undefined;
};

const AUTOMATION = { origin: 'automation' } as const;

/** The result of a step's message, at present prices. */
const verdictOf =
  (ports: SimulationPorts, actor: Actor, contact: Contact, isStored: boolean) =>
  async ({ draft, shown }: OpenDraft): Promise<Verdict> => {
    const { submit } = ports;
    const { channel } = draft;
    const to = isStored ? await submit.recipientOf(actor, contact.id, channel) : ownAddress(contact, channel);
    if (to === undefined) return skippedFor('sem_endereco');
    const requestOf = (message: SimulatedDraft) =>
      automatedSend({ ...message, to, ...(isStored ? { contactId: contact.id } : {}) }, { labels: AUTOMATION });
    const [planned, texts] = await Promise.all([
      submit.plan(actor, requestOf(draft)),
      ports.templateTexts(actor, requestOf(shown)),
    ]);
    if (isRefusal(planned)) return { ...refusalVerdict(planned), texts };
    const { plan } = planned;
    const { coins } = await quote(submit, actor.organizationId, actor.env, plan.price, plan.units);
    if (draft.maxCoins !== undefined && coins > draft.maxCoins) return { ...skippedFor('max_coins'), texts };
    const fault = await optedOut(ports, actor, contact, isStored, plan);
    const consent = fault && refusalVerdict(consentRefusal(fault)).refused;
    return { coins, texts, counts: plan.requiresConsent, consent };
  };

const scenarioOf = (
  { journey }: WholeJourney,
  graph: Graph,
  request: SimulationRequest,
  { timeZone, quietHours }: JourneyClock,
  now: number,
): Omit<Scenario<SimulatedMessage>, 'contact' | 'moveCard' | 'send'> => {
  const { id: journeyId, rootId, organizationId, env, gatilho } = journey;
  const events = (request.eventos ?? []).map(({ nome: name, apos, propriedades: properties }, at) => ({
    event: { id: `evento ${at}`, name, ...definedFields({ properties }) },
    afterMs: durationMs(apos),
  }));
  const entered = gatilho.tipo === 'evento' && gatilho.nome ? { id: 'entrada', name: gatilho.nome } : undefined;
  const entry = { id: newId('run'), organizationId, env, journeyId, rootId };
  return {
    graph,
    entry: { ...entry, ...definedFields({ event: entered, variables: request.variaveis }) },
    beginsAt: request.inicio === undefined ? now : Date.parse(request.inicio),
    events,
    messages: (request.mensagens ?? []).map(({ passo: step, status }) => ({ step, status })),
    timeZone,
    quietUntil: (channel, at) => quietUntil(quietHours, channel, at),
  };
};

/** 422 for outcomes of steps that don't exist, or send no message. */
const outcomesFault = ({ steps }: Graph, { mensagens = [] }: SimulationRequest) => {
  const errors = mensagens.flatMap(({ passo }, at) =>
    steps.get(passo)?.kind === 'enviar'
      ? []
      : [{ path: `mensagens.${at}.passo`, message: 'must be the key of a step that sends' }],
  );
  return errors.length === 0
    ? undefined
    : refuse('VALIDATION_ERROR', {
        detail: 'The simulation names steps that the journey does not have.',
        errors: errors.slice(0, MAX_FAULTS),
      });
};

/** The frequency cap of a journey, and the sends that already count. */
const frequencyOf = async (
  { submit }: SimulationPorts,
  journey: Journey,
  { id }: Contact,
  isStored: boolean,
): Promise<SimulatedFrequency> => {
  const cap = frequencyCapOf(journey);
  const { byHour } = cap && isStored ? await submit.messageStore.sentTo(id) : NEVER_SENT;
  return { cap, sent: byHour };
};

/** The simulated contact. Showing a stored one requires `contacts:read`. */
const contactFor = async (
  ports: SimulationPorts,
  actor: Actor,
  { contactId, contato = {} }: SimulationRequest,
  now: number,
): Promise<Contact | Refusal<'FORBIDDEN' | 'VALIDATION_ERROR'>> => {
  if (contactId === undefined) return inventedContact(actor, contato, now);
  if (!actor.scopes.has('contacts:read'))
    return refuse('FORBIDDEN', 'A simulation for a contact shows its data: that needs contacts:read.');
  const found = await ports.contactOf(actor.organizationId, contactId);
  return found ?? refuseField('There is no such contact.', 'contactId', 'is not a contact of the organization');
};

/**
 * Simulates a version of a journey for a contact, exactly as its runs would proceed: each message as rendered, with its present price.
 * Nothing is stored, sent or charged. 403 for a stored contact without `contacts:read`, 422 for a missing one.
 */
export const simulateJourney = async (
  ports: SimulationPorts,
  actor: Actor,
  id: Id<'journey'>,
  request: SimulationRequest,
): Promise<Simulation<SimulatedMessage> | Refusal<'FORBIDDEN' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  const found = await findJourney(ports, actor, id);
  if (isRefusal(found)) return found;
  const now = ports.clock();
  const contact = await contactFor(ports, actor, request, now);
  if (isRefusal(contact)) return contact;
  const isStored = request.contactId !== undefined;
  const graph = graphOf({ ...found.journey, ...found.graph });
  const unknown = outcomesFault(graph, request);
  if (unknown) return unknown;
  const unmasked = actor.scopes.has('pii:full');
  const [clock, board, frequency] = await Promise.all([
    ports.clockOf(actor.organizationId),
    boardOf(ports, graph, contact, isStored),
    frequencyOf(ports, found.journey, contact, isStored),
  ]);
  const scenario = scenarioOf(found, graph, request, clock, now);
  const messages = new SimulatedMessages(frequency);
  const play = (): Simulation<SimulatedMessage> => {
    messages.begin();
    const cards = new SimulatedCards(board);
    return simulate({
      ...scenario,
      contact,
      moveCard: (owner, move, at) => cards.move(owner, move, at),
      send: ({ message, run, contact: reader, at }) =>
        messages.show(
          personalizedMessage(message, run, reader),
          personalizedMessage(message, run, shownContact(reader, unmasked)),
          at,
        ),
    });
  };
  const settled = verdictOf(ports, actor, contact, isStored);
  let simulation = play();
  for (let round = 0; round < MAX_ROUNDS && (await messages.settle(settled)); round++) simulation = play();
  return simulation;
};
