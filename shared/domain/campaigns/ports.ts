import type { NumberSet } from '../audience/number-set.ts';
import type { AuditEntry } from '../audit/entry.ts';
import type { BulkPorts } from '../bulk/ports.ts';
import type { Contact } from '../contacts/contact.ts';
import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { MessageCounts } from '../message/automation-counts.ts';
import type { Page, PageRequest } from '../message/lists.ts';
import type { MessageRecord } from '../message/message.ts';
import type { AudiencePorts } from './audience.ts';
import type { Campaign, CampaignStatus, Portion } from './campaign.ts';

type Org = Id<'organization'>;

/** The counters of a campaign: of its messages (docs/spec/sends.md#counts), and of its portions. */
export interface Figures extends Required<MessageCounts> {
  readonly skipped: number;
  /** Completed portions. */
  readonly portionsDone: number;
}

/** Stores campaigns. Every change is conditional on the version that was read. */
export interface CampaignStore {
  create(campaign: Campaign, entry: AuditEntry): Promise<void>;
  read(organizationId: Org, id: Id<'campaign'>): Promise<Campaign | undefined>;
  /** For background work on the campaign. */
  readById(id: Id<'campaign'>): Promise<Campaign | undefined>;
  page(organizationId: Org, status: CampaignStatus | undefined, page: PageRequest): Promise<Page<Campaign>>;
  /**
   * Replaces a campaign, with the events of the change and a caller's audit entry; due at `dueAt` (ms), or not. False if it changed since
   * it was read.
   */
  change(
    before: Campaign,
    after: Campaign,
    more?: {
      readonly dueAt?: number | undefined;
      readonly events?: readonly DomainEvent[];
      readonly entry?: AuditEntry | undefined;
    },
  ): Promise<boolean>;
  remove(campaign: Campaign, entry: AuditEntry): Promise<boolean>;
  /** Removes an idle campaign from the due index, unless it changed since it was read. */
  rest(campaign: Campaign): Promise<void>;
  /** Reserves up to `coins` of what a campaign may still spend, for a claimed portion; returns how many it got. */
  allot(campaign: Campaign, portion: Portion, coins: number): Promise<number | 'lost'>;
}

/** Stores the snapshot of an audience until its portions are created. */
export interface SnapshotStore {
  /** Stores the contacts of a snapshot; returns its chunks. It expires after a month; its portions are created within minutes. */
  keep(id: Id<'campaign'>, snapshot: string, reach: NumberSet): Promise<readonly number[]>;
  read(id: Id<'campaign'>, snapshot: string, chunks: readonly number[]): Promise<NumberSet>;
}

/** The result of a worker's attempt at a portion. */
export interface PortionResult {
  readonly portion: Portion;
  /** Recipients skipped since it was claimed. */
  readonly skipped: number;
  /** Coins returned to the campaign. */
  readonly returned: number;
}

/** Stores portions. */
export interface PortionStore {
  read(id: Id<'campaign'>, portion: number): Promise<Portion | undefined>;
  readMany(id: Id<'campaign'>, portions: readonly number[]): Promise<readonly (Portion | undefined)[]>;
  /** Stores new portions with the campaign's progress, in one transaction. False if another driver was faster. */
  add(before: Campaign, after: Campaign, portions: readonly Portion[], dueAt: number): Promise<boolean>;
  /** Claims an unclaimed portion at `now`, until a time (ms); undefined if another worker has it, or it is in another epoch by now. */
  claim(portion: Portion, now: number, until: number): Promise<Portion | undefined>;
  /**
   * Stores the result if the worker still holds the claim, with the campaign's counters; its due time only if no later epoch was set
   * meanwhile.
   */
  save(claimed: Portion, result: PortionResult): Promise<boolean>;
  /** Makes a portion due when its worker's claim ends (ms), unless it changed since it was read. */
  postpone(portion: Portion, at: number): Promise<void>;
  /** Removes a paused portion from the due index, unless it was moved to a later epoch. */
  park(portion: Portion): Promise<void>;
  /** Moves a portion to a later epoch and makes it due at a time (ms). No effect if it is already there. */
  moveToEpoch(id: Id<'campaign'>, portion: number, epoch: number, dueAt: number): Promise<void>;
}

/** Ports of the campaigns' rules. */
export interface CampaignPorts {
  readonly clock: Clock;
  readonly store: CampaignStore;
  readonly audience: AudiencePorts;
  readonly figures: (campaign: Pick<Campaign, 'id' | 'organizationId'>) => Promise<Figures>;
  /** Enqueues a campaign's own work. Best effort: lost work is found by its due row. */
  readonly enqueue: (campaign: Pick<Campaign, 'id' | 'organizationId'>, at: number) => void;
}

/** Ports for starting, pausing, resuming and cancelling. */
export interface LifecyclePorts extends CampaignPorts {
  readonly snapshots: SnapshotStore;
}

/** Ports of the campaign driver. */
export interface DrivePorts extends LifecyclePorts {
  readonly portions: PortionStore;
  /** Enqueues portions for their due time (ms). Best effort. */
  readonly enqueuePortions: (
    portions: readonly Pick<Portion, 'campaignId' | 'organizationId' | 'portion' | 'dueAt'>[],
  ) => void;
}

/** Ports for sending to a portion. */
export interface PortionPorts extends DrivePorts {
  readonly bulk: BulkPorts;
  /** The contacts with these numbers; deleted ones are omitted, merged ones replaced by the surviving contact. */
  readonly contactsOf: (organizationId: Org, numbers: readonly number[]) => Promise<ReadonlyMap<number, Contact>>;
  /** A contact's address on a channel other than phone and e-mail. */
  readonly recipientOf: (
    tenant: Tenant,
    contact: Contact,
    channel: MessageRecord['channel'],
  ) => Promise<string | undefined>;
  /** Ends the fallback that starts with a message, so that no step follows. Returns the messages of its steps so far. */
  readonly endFallback: (id: Id<'message'>) => Promise<readonly Id<'message'>[]>;
  /** Cancels a queued message; false if it is no longer queued. */
  readonly cancelMessage: (tenant: Tenant, id: Id<'message'>) => Promise<boolean>;
  readonly readMessages: (ids: readonly Id<'message'>[]) => Promise<readonly (MessageRecord | undefined)[]>;
}
