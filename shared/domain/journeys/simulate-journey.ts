import type { AutomatedRequest } from '../api/automated-send.ts';
import { automatedSend } from '../api/automated-send.ts';
import { channelOf } from '../channels/registry.ts';
import type { Contact } from '../contacts/contact.ts';
import type { Actor } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { definedFields } from '../core/patch.ts';
import { maskEmail, maskPhone } from '../core/phone.ts';
import { refuseField } from '../core/refuse-field.ts';
import type { Clock } from '../core/time.ts';
import type { Channel } from '../message/channel.ts';
import type { SubmitPorts } from '../sending/accept.ts';
import type { SendPlan } from '../sending/plan.ts';
import { quietUntil } from '../sending/quiet-hours.ts';
import { quote } from '../sending/quote.ts';
import { consentRefusal } from '../sending/refusals.ts';
import type { SentStatus, WireDuration } from './definition.ts';
import { durationMs } from './durations.ts';
import type { JourneyClock } from './engine-ports.ts';
import { findJourney } from './find.ts';
import { type Graph, graphOf } from './graph.ts';
import { personalizedMessage } from './message.ts';
import type { JourneyStore, WholeJourney } from './ports.ts';
import type { RunEvent } from './run.ts';
import type { SimulatedMessage } from './run-view.ts';
import { resultOfRefusal } from './send-results.ts';
import { type Scenario, type Simulation, simulate } from './simulate.ts';

/** Messages of one simulation that are planned and priced, at most, and so many at once; the price of others stays open. */
const MAX_PLANNED = 500;
const AT_ONCE = 8;
/** What becomes of a message may lead to others: how often that is looked at. */
const MAX_ROUNDS = 8;
/** Characters of texts that an answer shows; of what comes behind them only the channel and the price. */
const MAX_SHOWN = 1_500_000;

/** A contact that is not stored. */
export interface InventedContact {
  readonly name?: string | undefined;
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  readonly externalId?: string | undefined;
  readonly attributes?: Contact['attributes'] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly optIn?: Pick<Contact['optIn'], 'status'> | undefined;
}
/** What a simulation is asked for, as the contract names it. */
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

export interface SimulationPorts {
  readonly clock: Clock;
  readonly store: Pick<JourneyStore, 'readWhole'>;
  readonly submit: Pick<SubmitPorts, 'clock' | 'consentFault' | 'plan' | 'prices' | 'recipientOf' | 'volume'>;
  readonly contactOf: (organizationId: Id<'organization'>, id: Id<'contact'>) => Promise<Contact | undefined>;
  readonly clockOf: (organizationId: Id<'organization'>) => Promise<JourneyClock>;
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

/** A contact as its texts may be shown: phone and address as lists show them. */
const shownContact = (contact: Contact, unmasked: boolean): Contact =>
  unmasked
    ? contact
    : {
        ...contact,
        phone: contact.phone && maskPhone(contact.phone),
        ...definedFields({ email: contact.email && maskEmail(contact.email) }),
      };

/** What would become of a message: its price, or why it would not be sent to the contact. */
interface Verdict {
  readonly coins?: number | undefined;
  readonly skipped?: string | undefined;
}
type Draft = Omit<AutomatedRequest, 'to'>;

const ownAddress = (contact: Contact, channel: Channel): string | undefined => {
  const { recipient } = channelOf(channel);
  if (recipient === 'email') return contact.email;
  return recipient === 'phone' ? contact.phone || undefined : undefined;
};

const refusalVerdict = (refusal: Refusal): Verdict => {
  const result = resultOfRefusal(refusal);
  // What stops the journey as a whole, such as a template that is not approved yet, is looked at by its activation.
  return result.kind === 'skipped' || result.kind === 'refused' ? { skipped: result.detail } : {};
};

/** Whether the contact opted out. What is stored is asked for a stored contact alone: an address that somebody names is not looked up. */
const optedOut = async (ports: SimulationPorts, actor: Actor, contact: Contact, isStored: boolean, plan: SendPlan) => {
  if (isStored) return ports.submit.consentFault(actor, plan);
  return plan.requiresConsent && contact.optIn.status === 'denied' ? ('opted_out' as const) : undefined;
};

/** What would become of a message that a step sends. Prices are those of this moment. */
const verdictOf =
  (ports: SimulationPorts, actor: Actor, contact: Contact, isStored: boolean) =>
  async (draft: Draft): Promise<Verdict> => {
    const { submit } = ports;
    const { channel } = draft;
    const to = isStored ? await submit.recipientOf(actor, contact.id, channel) : ownAddress(contact, channel);
    if (to === undefined) return { skipped: 'sem_endereco' };
    const body = { ...draft, to, ...(isStored ? { contactId: contact.id } : {}) };
    const planned = await submit.plan(actor, automatedSend(body, { labels: { origin: 'automation' } }));
    if (isRefusal(planned)) return refusalVerdict(planned);
    const { plan } = planned;
    const fault = await optedOut(ports, actor, contact, isStored, plan);
    if (fault) return refusalVerdict(consentRefusal(fault));
    const { coins } = await quote(submit, actor.organizationId, actor.env, plan.price, plan.units);
    return draft.maxCoins !== undefined && coins > draft.maxCoins ? { skipped: 'max_coins' } : { coins };
  };

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
/** A message as it would read, with its price. */
const shownMessage = (draft: Draft, { coins }: Verdict): SimulatedMessage => {
  const email = draft.payload?.email as { subject?: unknown; html?: unknown; text?: unknown } | undefined;
  return {
    canal: draft.channel,
    ...definedFields({
      texto: draft.text ?? textOf(email?.text),
      template: draft.template,
      variaveis: draft.variables as SimulatedMessage['variaveis'],
      assunto: textOf(email?.subject),
      html: textOf(email?.html),
      coins,
    }),
  };
};
const lengthOf = ({ texto = '', html = '', assunto = '' }: SimulatedMessage): number =>
  texto.length + html.length + assunto.length;

/** What the messages of a simulation would come to, as far as it is known; the others are planned before the next round. */
class Messages {
  readonly #verdicts = new Map<string, Verdict>();
  readonly #open = new Map<string, Draft>();
  #shown = 0;

  begin(): void {
    this.#open.clear();
    this.#shown = 0;
  }

  /** How a message is shown; `draft` is what would be sent, `shown` what the caller may see of it. */
  show(draft: Draft, shown: Draft): { readonly shown: SimulatedMessage; readonly skipped?: string | undefined } {
    const name = JSON.stringify(draft);
    const verdict = this.#verdicts.get(name) ?? {};
    if (!this.#verdicts.has(name)) this.#open.set(name, draft);
    const message = shownMessage(shown, verdict);
    this.#shown += lengthOf(message);
    const { canal, coins } = message;
    const fitting = this.#shown <= MAX_SHOWN ? message : { canal, ...definedFields({ coins }) };
    return { shown: fitting, skipped: verdict.skipped };
  }

  /** Finds out what is open. False where nothing was, or there is too much. */
  async settle(verdictOf: (draft: Draft) => Promise<Verdict>): Promise<boolean> {
    const open = [...this.#open].slice(0, Math.max(0, MAX_PLANNED - this.#verdicts.size));
    const found = await mapConcurrently(
      open,
      AT_ONCE,
      async ([name, draft]) => [name, await verdictOf(draft)] as const,
    );
    for (const [name, verdict] of found) this.#verdicts.set(name, verdict);
    return found.length > 0;
  }
}

const scenarioOf = (
  { journey }: WholeJourney,
  graph: Graph,
  request: SimulationRequest,
  { timeZone, quietHours }: JourneyClock,
  now: number,
): Omit<Scenario<SimulatedMessage>, 'contact' | 'send'> => {
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

/** Whom it is played through for. A stored contact is shown to those who may read contacts. */
const contactFor = async (
  ports: SimulationPorts,
  actor: Actor,
  { contactId, contato = {} }: SimulationRequest,
  now: number,
): Promise<Contact | Refusal<'FORBIDDEN' | 'VALIDATION_ERROR'>> => {
  if (contactId === undefined) return inventedContact(actor, contato, now);
  if (!actor.scopes.has('contacts:read'))
    return refuse('FORBIDDEN', 'A simulation for a contact shows what is known of it: that needs contacts:read.');
  const found = await ports.contactOf(actor.organizationId, contactId);
  return found ?? refuseField('There is no such contact.', 'contactId', 'is no contact of the organization');
};

/**
 * Plays a version of a journey through for a contact, as its runs would go: each message as it would read, with its price of this moment. Nothing is stored, sent or
 * charged. 403 for a stored contact without `contacts:read`, 422 for one that there is not.
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
  const unmasked = actor.scopes.has('pii:full');
  const graph = graphOf({ ...found.journey, ...found.graph });
  const scenario = scenarioOf(found, graph, request, await ports.clockOf(actor.organizationId), now);
  const messages = new Messages();
  const play = (): Simulation<SimulatedMessage> => {
    messages.begin();
    return simulate({
      ...scenario,
      contact,
      send: ({ message, run, contact: reader }) =>
        messages.show(
          personalizedMessage(message, run, reader),
          personalizedMessage(message, run, shownContact(reader, unmasked)),
        ),
    });
  };
  const settled = verdictOf(ports, actor, contact, request.contactId !== undefined);
  let simulation = play();
  for (let round = 0; round < MAX_ROUNDS && (await messages.settle(settled)); round++) simulation = play();
  return simulation;
};
