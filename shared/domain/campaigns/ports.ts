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

/** What is counted of a campaign: of its messages (docs/spec/sends.md#counts), and of its portions. */
export interface Figures extends Required<MessageCounts> {
  readonly skipped: number;
  /** Portions that are done. */
  readonly portionsDone: number;
}

/** Stores campaigns. Every change is conditional on the version that it was derived from. */
export interface CampaignStore {
  create(campaign: Campaign, entry: AuditEntry): Promise<void>;
  read(organizationId: Org, id: Id<'campaign'>): Promise<Campaign | undefined>;
  /** For work of the campaign's own. */
  readById(id: Id<'campaign'>): Promise<Campaign | undefined>;
  page(organizationId: Org, status: CampaignStatus | undefined, page: PageRequest): Promise<Page<Campaign>>;
  /** Replaces a campaign with the events of the change, and the entry of a caller's act; due at `dueAt` (ms), or not. False when it changed since it was read. */
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
  /** Takes a campaign that nothing is to be done for out of the due work, unless it changed since it was read. */
  rest(campaign: Campaign): Promise<void>;
  /** Takes up to `coins` of what a campaign may still spend, for a portion that its worker has claimed; how many it got. */
  allot(campaign: Campaign, portion: Portion, coins: number): Promise<number | 'lost'>;
}

/** Stores the snapshot of an audience until its portions are made. */
export interface SnapshotStore {
  /** Keeps the contacts of a snapshot; answers its chunks. It is gone after a month: its portions are made in minutes. */
  keep(id: Id<'campaign'>, snapshot: string, reach: NumberSet): Promise<readonly number[]>;
  read(id: Id<'campaign'>, snapshot: string, chunks: readonly number[]): Promise<NumberSet>;
}

/** What a worker found out about a portion. */
export interface PortionResult {
  readonly portion: Portion;
  /** Skips since it was claimed. */
  readonly skipped: number;
  /** Coins that it gives back to the campaign. */
  readonly returned: number;
}

/** Stores portions. */
export interface PortionStore {
  read(id: Id<'campaign'>, portion: number): Promise<Portion | undefined>;
  readMany(id: Id<'campaign'>, portions: readonly number[]): Promise<readonly (Portion | undefined)[]>;
  /** Stores new portions with the campaign's progress, in one transaction. False when another driver was faster. */
  add(before: Campaign, after: Campaign, portions: readonly Portion[], dueAt: number): Promise<boolean>;
  /** Claims a portion that nobody has at `now`, until a time (ms); undefined where somebody has it, or it is of another epoch by now. */
  claim(portion: Portion, now: number, until: number): Promise<Portion | undefined>;
  /** Stores what its worker did, if the claim is still its own, with the figures of the campaign; when it is due only where it was told of no later epoch meanwhile. */
  save(claimed: Portion, result: PortionResult): Promise<boolean>;
  /** Makes a portion due when the claim of its worker ends (ms), unless it changed since it was read. */
  postpone(portion: Portion, at: number): Promise<void>;
  /** Takes a portion that was paused out of the due work, unless it was told of a later epoch. */
  park(portion: Portion): Promise<void>;
  /** Tells a portion of a later epoch: it is due at a time (ms). Nothing for one that knows. */
  tell(id: Id<'campaign'>, portion: number, epoch: number, dueAt: number): Promise<void>;
}

/** Ports of the campaigns' rules. */
export interface CampaignPorts {
  readonly clock: Clock;
  readonly store: CampaignStore;
  readonly audience: AudiencePorts;
  readonly figures: (campaign: Pick<Campaign, 'id' | 'organizationId'>) => Promise<Figures>;
  /** Hands a campaign's own work over. Best effort: lost work is found by its due row. */
  readonly enqueue: (campaign: Pick<Campaign, 'id' | 'organizationId'>, at: number) => void;
}

/** Ports of starting, pausing and the rest. */
export interface LifecyclePorts extends CampaignPorts {
  readonly snapshots: SnapshotStore;
}

/** Ports of a campaign's own work. */
export interface DrivePorts extends LifecyclePorts {
  readonly portions: PortionStore;
  /** Hands portions over for their time (ms). Best effort. */
  readonly enqueuePortions: (
    portions: readonly Pick<Portion, 'campaignId' | 'organizationId' | 'portion' | 'dueAt'>[],
  ) => void;
}

/** Ports of sending to a portion. */
export interface PortionPorts extends DrivePorts {
  readonly bulk: BulkPorts;
  /** The contacts with these numbers; those that are gone are left out. One that was merged into another stands for that one. */
  readonly contactsOf: (organizationId: Org, numbers: readonly number[]) => Promise<ReadonlyMap<number, Contact>>;
  /** A contact's address on a channel other than phone and e-mail. */
  readonly recipientOf: (
    tenant: Tenant,
    contact: Contact,
    channel: MessageRecord['channel'],
  ) => Promise<string | undefined>;
  /** Ends the fallback that begins with a message: no step follows. The messages of its steps so far. */
  readonly endFallback: (id: Id<'message'>) => Promise<readonly Id<'message'>[]>;
  /** Cancels a queued message; false where it is queued no more. */
  readonly cancelMessage: (tenant: Tenant, id: Id<'message'>) => Promise<boolean>;
  readonly readMessages: (ids: readonly Id<'message'>[]) => Promise<readonly (MessageRecord | undefined)[]>;
}
