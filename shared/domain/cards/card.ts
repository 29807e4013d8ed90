import type { AuditActor, Caller } from '../audit/entry.ts';
import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { ContactAttributes } from '../core/json-values.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Page, PageRequest } from '../message/lists.ts';
import type { PipelineStore, StageType } from '../pipelines/pipeline.ts';

/** The most that a card's value may be, in cents. */
export const MAX_CENTS = 99_999_999_999;
/** The most that a card's attributes may take as JSON, in bytes: a card is moved and shown on boards as a whole. */
export const MAX_ATTRIBUTE_BYTES = 4_096;

/** A card is open, won or lost. */
export type CardStatus = StageType;

/** A card of a pipeline: a deal (docs/spec/cards.md). Times in ms. */
export interface Card extends Tenant {
  readonly id: Id<'card'>;
  readonly pipelineId: Id<'pipeline'>;
  readonly stageId: Id<'stage'>;
  /** The key that its stage had when it came in; the stage keeps it while it has cards. */
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
  /** Its place in its stage: text that sorts. */
  readonly order: string;
  /** Whether it is open in its stage for longer than the stage allows. */
  readonly stalled: boolean;
  /** Since when it is in its stage. */
  readonly stageSince: number;
  /** Of a won or lost card: the open stage that it came from. */
  readonly openStageId?: Id<'stage'> | undefined;
  /** When a worker looks whether it is stalled; at the earliest, since a move leaves an earlier time alone. */
  readonly checkAt?: number | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Optimistic lock. */
  readonly version: number;
}

/** What may happen to a card, as its history names it. */
export const CARD_ACTS = ['criado', 'alterado', 'movido', 'ganho', 'perdido', 'reaberto', 'parado'] as const;
export type CardAct = (typeof CARD_ACTS)[number];
/** An entry of a card's history. */
export interface CardEntry {
  readonly cardId: Id<'card'>;
  readonly organizationId: Id<'organization'>;
  readonly at: number;
  readonly act: CardAct;
  /** Who did it; absent where the service did. */
  readonly actor?: AuditActor | undefined;
  /** Where it was before, and is after, where its stage changed. */
  readonly from?: Id<'stage'> | undefined;
  readonly to?: Id<'stage'> | undefined;
  /** The names of the fields that changed, as the contract names them. */
  readonly fields?: readonly string[] | undefined;
}

/** A change of a card with what it leaves behind, all in one transaction. Without `before` it is created, without `after` deleted. */
export interface CardChange {
  readonly before?: Card | undefined;
  readonly after?: Card | undefined;
  readonly entry?: CardEntry | undefined;
  readonly events: readonly DomainEvent[];
  /** When it was deleted. */
  readonly deletedAt?: number | undefined;
}
/** Result of a change: `unknown`: the contact or company that it comes to name does not exist. */
export type CardOutcome =
  | { readonly kind: 'saved' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'unknown'; readonly field: 'contatoId' | 'empresaId' };

/** Where in its stage a card is put: at the end, or beside another card of the stage. */
export type Place = { readonly at: 'end' } | { readonly at: 'before' | 'after'; readonly cardId: Id<'card'> };
/** The places of the two cards between which another one is put; undefined at an end. */
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
/** A position in a stage: the place and the id of the last card that was read. */
export interface StagePosition {
  readonly order: string;
  readonly id: Id<'card'>;
}
export interface StageCards {
  readonly cards: readonly Card[];
  /** Where to read on; undefined at the end of the stage. */
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
  /** Stores a change in one transaction, over the card's version. */
  save(change: CardChange): Promise<CardOutcome>;
  /** Stores changes of different cards, several in a transaction, each whole or not at all; the outcomes in their order. */
  saveAll(changes: readonly CardChange[]): Promise<readonly CardOutcome[]>;
  /** Strongly consistent, without `self`. Undefined where the card beside which it should be is not in the stage. */
  neighbours(
    organizationId: Id<'organization'>,
    stageId: Id<'stage'>,
    place: Place,
    self?: Id<'card'>,
  ): Promise<Neighbours | undefined>;
  /** The cards of a stage of the organization after a position, in the order of the board; strongly consistent. */
  inStage(stageId: Id<'stage'>, after: StagePosition | undefined, limit: number): Promise<StageCards>;
  /** A page of the organization's cards. */
  page(organizationId: Id<'organization'>, filter: CardFilter, page: PageRequest): Promise<Page<Card>>;
}

/** Ids that cards name. */
export interface LinkIds {
  readonly contatoId: readonly Id<'contact'>[];
  readonly empresaId: readonly Id<'company'>[];
  readonly responsavelId: readonly Id<'account'>[];
}
/** What cards name, which others own. */
export interface CardLinks {
  /** Of these ids, those that may be named: existing contacts and companies of the organization, its active accounts. */
  existing(organizationId: Id<'organization'>, ids: LinkIds): Promise<ReadonlySet<string>>;
  /** The cards as they may be shown: without links to what was deleted, and with a merged contact's heir. */
  shown(organizationId: Id<'organization'>, cards: readonly Card[]): Promise<readonly Card[]>;
}

/** Ports of the card rules. */
export interface CardPorts {
  readonly clock: Clock;
  readonly store: CardStore;
  readonly pipelines: Pick<PipelineStore, 'read'>;
  readonly links: CardLinks;
}
/** Who changes cards: a caller, or the service itself on behalf of a tenant, as its journeys do. */
export type CardCaller = Caller | Tenant;
