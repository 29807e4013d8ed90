import type { AuditActor, Caller } from '../audit/entry.ts';
import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { ContactAttributes } from '../core/json-values.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Page, PageRequest } from '../message/lists.ts';
import type { PipelineStore, StageType } from '../pipelines/pipeline.ts';

/** The maximum value of a card, in cents. */
export const MAX_CENTS = 99_999_999_999;
/** The maximum size of a card's attributes as JSON, in bytes: cards are moved and shown on boards as a whole. */
export const MAX_ATTRIBUTE_BYTES = 4_096;

/** A card is open, won or lost. */
export type CardStatus = StageType;

/** A card of a pipeline: a deal (docs/spec/cards.md). Times in ms. */
export interface Card extends Tenant {
  readonly id: Id<'card'>;
  readonly pipelineId: Id<'pipeline'>;
  readonly stageId: Id<'stage'>;
  /** The key of its stage when it entered; a stage keeps its key while it has cards. */
  readonly stageKey: string;
  readonly title: string;
  /** Whole cents of `currency`; absent: no value yet. */
  readonly cents?: number | undefined;
  readonly currency: string;
  readonly responsibleId?: Id<'account'> | undefined;
  readonly contactId?: Id<'contact'> | undefined;
  readonly companyId?: Id<'company'> | undefined;
  readonly status: CardStatus;
  readonly lossReason?: string | undefined;
  /** The day on which it is expected to be won, `YYYY-MM-DD`. */
  readonly expectedOn?: string | undefined;
  readonly wonAt?: number | undefined;
  readonly lostAt?: number | undefined;
  readonly attributes: ContactAttributes;
  /** Its position in its stage, as sortable text. */
  readonly order: string;
  /** Whether it has been open in its stage for longer than the stage allows. */
  readonly stalled: boolean;
  /** When it entered its stage. */
  readonly stageSince: number;
  /** For a won or lost card: the open stage that it came from. */
  readonly openStageId?: Id<'stage'> | undefined;
  /** When a worker checks whether it is stalled, or earlier: a move never postpones an existing check. */
  readonly checkAt?: number | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Optimistic lock. */
  readonly version: number;
}

/** The actions on a card, as its history names them. */
export const CARD_ACTS = ['criado', 'alterado', 'movido', 'ganho', 'perdido', 'reaberto', 'parado'] as const;
export type CardAct = (typeof CARD_ACTS)[number];
/** An entry of a card's history. */
export interface CardEntry {
  readonly cardId: Id<'card'>;
  readonly organizationId: Id<'organization'>;
  readonly at: number;
  readonly act: CardAct;
  /** The person or key that did it; absent for the service itself. */
  readonly actor?: AuditActor | undefined;
  /** The stages before and after, if the stage changed. */
  readonly from?: Id<'stage'> | undefined;
  readonly to?: Id<'stage'> | undefined;
  /** The contract's names of the changed fields. */
  readonly fields?: readonly string[] | undefined;
}

/** A change of a card with its history and events, in one transaction. Without `before` it is created, without `after` deleted. */
export interface CardChange {
  readonly before?: Card | undefined;
  readonly after?: Card | undefined;
  readonly entry?: CardEntry | undefined;
  readonly events: readonly DomainEvent[];
  /** When it was deleted. */
  readonly deletedAt?: number | undefined;
}
/** Result of a change. `unknown`: the contact or company of a new link does not exist. */
export type CardOutcome =
  | { readonly kind: 'saved' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'unknown'; readonly field: 'contatoId' | 'empresaId' };

/** The requested position of a card in its stage: at the end, or next to another card. */
export type Place = { readonly at: 'end' } | { readonly at: 'before' | 'after'; readonly cardId: Id<'card'> };
/** The positions of the two cards around a new one; undefined at an end. */
export interface Neighbours {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** Filters of a list of cards; an absent field does not filter. */
export interface CardFilter {
  readonly pipelineId?: Id<'pipeline'> | undefined;
  readonly stageId?: Id<'stage'> | undefined;
  readonly status?: CardStatus | undefined;
  readonly responsibleId?: Id<'account'> | undefined;
  readonly contactId?: Id<'contact'> | undefined;
  readonly companyId?: Id<'company'> | undefined;
}
/** A position in a stage: order and id of the last card read. */
export interface StagePosition {
  readonly order: string;
  readonly id: Id<'card'>;
}
export interface StageCards {
  readonly cards: readonly Card[];
  /** Where the next page starts; undefined at the end of the stage. */
  readonly next?: StagePosition | undefined;
}

/** Stores cards. */
export interface CardStore {
  /** A card by its id alone, for due work. */
  find(id: Id<'card'>): Promise<Card | undefined>;
  /** A card of the organization, strongly consistent. */
  read(organizationId: Id<'organization'>, id: Id<'card'>): Promise<Card | undefined>;
  /** Cards of the organization by their ids, in their order, strongly consistent. */
  readMany(organizationId: Id<'organization'>, ids: readonly Id<'card'>[]): Promise<readonly (Card | undefined)[]>;
  /** Stores a change in one transaction, if the card's version is unchanged. */
  save(change: CardChange): Promise<CardOutcome>;
  /** Stores changes of different cards, several per transaction, each whole or not at all; the outcomes in their order. */
  saveAll(changes: readonly CardChange[]): Promise<readonly CardOutcome[]>;
  /** Strongly consistent, ignoring `self`. Undefined if the card to place it next to is not in the stage. */
  neighbours(
    organizationId: Id<'organization'>,
    stageId: Id<'stage'>,
    place: Place,
    self?: Id<'card'>,
  ): Promise<Neighbours | undefined>;
  /** The cards of a stage of the organization after a position, in board order; strongly consistent. */
  inStage(stageId: Id<'stage'>, after: StagePosition | undefined, limit: number): Promise<StageCards>;
  /** A page of the organization's cards. */
  page(organizationId: Id<'organization'>, filter: CardFilter, page: PageRequest): Promise<Page<Card>>;
}

/** Ids that cards refer to. */
export interface LinkIds {
  readonly contatoId: readonly Id<'contact'>[];
  readonly empresaId: readonly Id<'company'>[];
  readonly responsavelId: readonly Id<'account'>[];
}
/** The objects that cards refer to. */
export interface CardLinks {
  /** The valid ones of these ids: existing contacts and companies of the organization, and its active accounts. */
  existing(organizationId: Id<'organization'>, ids: LinkIds): Promise<ReadonlySet<string>>;
  /** The cards with their links resolved: none to deleted objects, and merged contacts replaced by the surviving one. */
  shown(organizationId: Id<'organization'>, cards: readonly Card[]): Promise<readonly Card[]>;
}

/** Ports of the card rules. */
export interface CardPorts {
  readonly clock: Clock;
  readonly store: CardStore;
  readonly pipelines: Pick<PipelineStore, 'read'>;
  readonly links: CardLinks;
}
/** The caller of a change, or the tenant for changes by the service itself, such as its journeys. */
export type CardCaller = Caller | Tenant;
