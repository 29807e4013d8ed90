import { type AutomatedRequest, sendAutomated } from '../api/automated-send.ts';
import type { Card, CardPorts } from '../cards/card.ts';
import { createCardOf } from '../cards/cards.ts';
import { moveCard } from '../cards/moves.ts';
import { changeContact, contactAfter, storeChange } from '../contacts/change.ts';
import { findContact } from '../contacts/consent.ts';
import type { Contact } from '../contacts/contact.ts';
import type { ContactPorts } from '../contacts/ports.ts';
import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import { derivedId, type Id } from '../core/ids.ts';
import { retryOnConflict } from '../core/retry-on-conflict.ts';
import type { SubmitPorts } from '../sending/accept.ts';
import { journeyKey } from '../sending/automated.ts';
import type { EffectContext, Performed } from './engine-ports.ts';
import { frequencyCapOf, personalizedMessage } from './message.ts';
import { type PostPorts, postStep } from './post-step.ts';
import { refusedBy, resultOfRefusal } from './send-results.ts';
import type { PerformedEffect } from './turn.ts';

/** Ports of the steps' effects. */
export interface PerformPorts extends PostPorts {
  readonly submit: SubmitPorts;
  readonly contacts: ContactPorts;
  readonly cards: CardPorts;
  /** The last created open card of a contact in a pipeline; undefined if there is none. */
  readonly openCard: (
    organizationId: Id<'organization'>,
    contactId: Id<'contact'>,
    pipelineId: Id<'pipeline'>,
  ) => Promise<Card | undefined>;
}

type EffectOf<K extends PerformedEffect['kind']> = Extract<PerformedEffect, { kind: K }>;

/** Performs an effect of a kind, and returns its result. */
type Perform<K extends PerformedEffect['kind']> = (
  ports: PerformPorts,
  context: EffectContext,
  effect: EffectOf<K>,
) => Promise<Performed>;

const DONE: Performed = { kind: 'done' };
/** Sends a step's message to the run's contact, once per visit. */
const send: Perform<'send'> = async (ports, { run, journey, graph, contact }, { step, visit, message }) => {
  const { organizationId, env } = journey;
  const tenant: Tenant = { organizationId, env };
  const { channel } = message;
  const to = await ports.submit.recipientOf(tenant, contact.id, channel);
  if (to === undefined) return { kind: 'skipped', detail: 'sem_endereco' };
  const label = { journeyId: journey.id, stepId: step, runId: run.id };
  const labels = { ...label, ...(graph.watched.has(step) ? { awaited: true as const } : {}) };
  const automated = {
    key: journeyKey(run.id, step, visit),
    labels: { origin: 'automation' as const, journey: labels },
    frequency: { cap: frequencyCapOf(journey) },
  };
  const body: AutomatedRequest = { ...personalizedMessage(message, run, contact), to, contactId: contact.id };
  const sent = await sendAutomated(ports.submit, tenant, automated, body);
  return isRefusal(sent) ? resultOfRefusal(sent) : { kind: 'sent', messageId: sent.message.id };
};

const withTags = ({ tags }: Contact, { add, remove }: Pick<EffectOf<'tag'>, 'add' | 'remove'>): readonly string[] => {
  const kept = tags.filter((tag) => !remove.includes(tag));
  return [...kept, ...add.filter((tag) => !kept.includes(tag))];
};

/** Adds and removes tags of the contact; concurrent changes of other tags are kept. */
const tag: Perform<'tag'> = async ({ contacts }, { contact: { id, organizationId } }, effect) => {
  const changed = await retryOnConflict<Contact | Refusal>('The contact', async () => {
    const before = await findContact(contacts, organizationId, id);
    if (isRefusal(before)) return before;
    const after = await contactAfter(contacts, before, { tags: [...withTags(before, effect)] }, contacts.clock());
    return isRefusal(after) || after === before ? after : storeChange(contacts.store, before, after);
  });
  return isRefusal(changed) ? refusedBy(changed) : DONE;
};

/** Sets an attribute of the contact; null removes it. */
const attribute: Perform<'attribute'> = async ({ contacts }, { contact }, { key, value }) => {
  const changed = await changeContact(contacts, contact, contact.id, { attributes: { [key]: value } });
  return isRefusal(changed) ? refusedBy(changed) : DONE;
};

/** Moves the contact's open card, or creates one with an id derived from the visit. */
const moveOpenCard: Perform<'move_card'> = async (ports, { run, contact }, { step, visit, ...to }) => {
  const { organizationId, env, id: contactId, companyId } = contact;
  const { pipelineId, stageId, create } = to;
  const caller = { organizationId, env };
  const cardId = derivedId('card', [run.id, step, String(visit)]);
  const own = await ports.cards.store.read(organizationId, cardId);
  const open = own ?? (await ports.openCard(organizationId, contactId, pipelineId));
  if (open) {
    const moved = await moveCard(ports.cards, caller, open.id, { estagioId: stageId, pipelineId });
    return isRefusal(moved) ? refusedBy(moved) : DONE;
  }
  if (!create) return { kind: 'skipped', detail: 'sem_cartao' };
  const fields = { pipelineId, estagioId: stageId, contatoId: contactId, empresaId: companyId };
  const card = await createCardOf(ports.cards, caller, cardId, {
    ...fields,
    titulo: create.title,
    ...(create.value === undefined ? {} : { valor: create.value }),
  });
  return isRefusal(card) ? refusedBy(card) : DONE;
};

/**
 * Performs a step's effect. Idempotent per run, step and visit: messages and new cards have derived keys, tags, attributes and positions
 * are set to fixed values, and posts carry an id for deduplication by the receiver.
 */
export const performEffect = (
  ports: PerformPorts,
  context: EffectContext,
  effect: PerformedEffect,
): Promise<Performed> => {
  switch (effect.kind) {
    case 'send':
      return send(ports, context, effect);
    case 'tag':
      return tag(ports, context, effect);
    case 'attribute':
      return attribute(ports, context, effect);
    case 'move_card':
      return moveOpenCard(ports, context, effect);
    case 'webhook':
      return postStep(ports, context, effect);
  }
};
