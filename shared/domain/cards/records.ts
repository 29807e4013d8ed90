import { actorOf } from '../audit/entry.ts';
import { definedFields } from '../core/patch.ts';
import { isSameValue } from '../core/same-value.ts';
import { isoTime } from '../core/time.ts';
import type { EventType } from '../events/catalogue.ts';
import { type DomainEvent, newEvent } from '../events/event.ts';
import type { Card, CardAct, CardCaller, CardChange, CardEntry } from './card.ts';

/** The fields whose changes the history records, by the contract's names. */
const NAMED: readonly (readonly [name: string, field: keyof Card])[] = [
  ['titulo', 'title'],
  ['valor', 'cents'],
  ['moeda', 'currency'],
  ['responsavelId', 'responsibleId'],
  ['contatoId', 'contactId'],
  ['empresaId', 'companyId'],
  ['motivoPerda', 'lossReason'],
  ['dataPrevista', 'expectedOn'],
  ['atributos', 'attributes'],
];
/** The names of the fields in which two states of a card differ. */
export const changedFields = (before: Card, after: Card): string[] =>
  NAMED.filter(([, field]) => !isSameValue(before[field], after[field])).map(([name]) => name);

/** The data of a card's event: ids, states, and the value of a won or lost card; no free text. */
const eventData = (card: Card, more: Readonly<Record<string, unknown>>): DomainEvent['data'] =>
  definedFields({
    cardId: card.id,
    pipelineId: card.pipelineId,
    estagioId: card.stageId,
    contatoId: card.contactId,
    empresaId: card.companyId,
    status: card.status,
    ...more,
  });
const event = (type: EventType, card: Card, now: number, more: Readonly<Record<string, unknown>> = {}): DomainEvent => {
  const { organizationId, env } = card;
  return newEvent({ type, organizationId, env, createdAt: now, data: eventData(card, more) });
};

const worth = ({ cents, currency }: Card) => ({
  ...(cents === undefined ? {} : { valor: cents / 100 }),
  moeda: currency,
});
const statusEvents = (before: Card | undefined, after: Card, now: number): DomainEvent[] => {
  if (before?.status === after.status || after.status === 'aberto') return [];
  return [event(after.status === 'ganho' ? 'card.won' : 'card.lost', after, now, worth(after))];
};
const stageEvents = (before: Card | undefined, after: Card, now: number): DomainEvent[] => {
  if (!before) return [event('card.created', after, now)];
  if (before.stageId === after.stageId) return [];
  return [event('card.moved', after, now, { estagioAnteriorId: before.stageId })];
};
/** The events of a change: created or moved, and then won or lost, 1 ms later, so that their times reflect their order. */
export const eventsOf = (before: Card | undefined, after: Card, now: number): DomainEvent[] => {
  const first = stageEvents(before, after, now);
  return [...first, ...statusEvents(before, after, now + first.length)];
};

const actOf = (before: Card | undefined, after: Card): CardAct => {
  if (!before) return 'criado';
  if (before.status !== after.status) return after.status === 'aberto' ? 'reaberto' : after.status;
  return before.stageId === after.stageId ? 'alterado' : 'movido';
};

const entryOf = (caller: CardCaller, before: Card | undefined, after: Card, now: number): CardEntry | undefined => {
  const act = actOf(before, after);
  const fields = before ? changedFields(before, after) : [];
  // A new position in the same stage is not recorded.
  if (act === 'alterado' && fields.length === 0) return undefined;
  const isMoved = before?.stageId !== after.stageId;
  return {
    cardId: after.id,
    organizationId: after.organizationId,
    at: now,
    act,
    ...('credentialId' in caller ? { actor: actorOf(caller) } : {}),
    ...(isMoved ? { from: before?.stageId, to: after.stageId } : {}),
    ...(fields.length > 0 ? { fields } : {}),
  };
};

/** A caller's change of a card, with its history entry and events, as the next version. */
export const changeOf = (caller: CardCaller, before: Card | undefined, after: Card, now: number): CardChange => {
  const next = { ...after, updatedAt: now, version: (before?.version ?? 0) + 1 };
  return { before, after: next, entry: entryOf(caller, before, next, now), events: eventsOf(before, next, now) };
};

/** The change that marks a card as stalled, after its stage's limit of days. */
export const stalledChange = (before: Card, after: Card, maxDays: number, now: number): CardChange => {
  const next = { ...after, updatedAt: now, version: before.version + 1 };
  const data = { estagioDesde: isoTime(before.stageSince), tempoMaximoDias: maxDays };
  const entry = { cardId: next.id, organizationId: next.organizationId, at: now, act: 'parado' } as const;
  return { before, after: next, entry, events: [event('card.stalled', next, now, data)] };
};

/** A change without history and events: of resolved links, or of the next check. */
export const silentChange = (before: Card, after: Card): CardChange => ({
  before,
  after: { ...after, version: before.version + 1 },
  events: [],
});
