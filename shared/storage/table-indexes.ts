import { createHash } from 'node:crypto';
import type { WorkItem } from '../queues/queues.ts';

/** The table of a stage. `infra/` creates it from this declaration; access-patterns.ts lists its rows. */
export const TABLE = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'ttl' } as const;

/** Projected for the filters of the lists of WhatsApp numbers, templates and flows. */
const RESOURCE_ATTRIBUTES = ['qualityRating', 'category', 'language', 'platformStatus', 'platformCategories'] as const;

/** Projected into the list indexes: every attribute that a filter reads, so that a filtered total reads no full row. */
const LIST_ATTRIBUTES = [
  'org',
  'channel',
  'status',
  'region',
  'via',
  'contactId',
  'campaignId',
  'recipientHash',
  'archivedAt',
  'numberId',
  'batchId',
  'sentByAccountId',
] as const;

export const INDEXES = {
  /** Lists of an organization's objects, newest first. */
  gsi1: {
    partitionKey: 'gsi1pk',
    sortKey: 'gsi1sk',
    sortType: 'S',
    attributes: [...LIST_ATTRIBUTES, ...RESOURCE_ATTRIBUTES, 'origin'],
  },
  /** Objects of one contact or one message; when a message was sent, for attributions, and how an event is called. */
  gsi2: {
    partitionKey: 'gsi2pk',
    sortKey: 'gsi2sk',
    sortType: 'S',
    attributes: [...LIST_ATTRIBUTES, 'sentAt', 'eventName'],
  },
  /** Messages with a campaign tag, an assistant's turns about one message, and push devices by the organization's own id of a person. */
  gsi3: { partitionKey: 'gsi3pk', sortKey: 'gsi3sk', sortType: 'S', attributes: LIST_ATTRIBUTES },
  /**
   * Messages to or from one recipient, and contacts by e-mail address. Omits attributes that receipts change, so that they don't write the
   * entry again.
   */
  gsi4: {
    partitionKey: 'gsi4pk',
    sortKey: 'gsi4sk',
    sortType: 'S',
    attributes: LIST_ATTRIBUTES.filter((name) => name !== 'status' && name !== 'via'),
  },
  /** Work items, by the time they are due (ms). Sparse: only rows with pending work have an entry. */
  due: { partitionKey: 'duePk', sortKey: 'dueAt', sortType: 'N', attributes: [] },
} as const;

/**
 * Due-index partitions of the kinds of work that come with every message, contact or chunk; other kinds have one. A partition takes 1,000
 * writes a second, and a row is two of them, one in and one out: 48 take 24,000 rows a second, or 20,000 given an uneven spread of ids.
 * Each costs the dispatcher a query a minute, so not all kinds have as many. May grow, but never shrink once a stage exists: rows are not
 * moved.
 */
const DUE_SHARDS: Readonly<Partial<Record<WorkItem['kind'], number>>> = {
  send_message: 48,
  recover_send: 48,
  publish_event: 48,
  deliver_webhook: 48,
  sandbox_outcome: 16,
  apply_receipt: 16,
  fallback: 16,
  tell_activity: 4,
  drain_backlog: 4,
  send_chunk: 4,
  close_escrow: 4,
  send_push: 4,
  run_journey: 8,
  journey_signal: 4,
  campaign_work: 4,
  index_contacts: 4,
  segment_members: 4,
};
/** The number of due-index partitions of a kind of work item. */
export const dueShards = (kind: WorkItem['kind']): number => DUE_SHARDS[kind] ?? 1;
/** Counter rows that a wallet's captures are spread over, so that settling never contends with reserving. */
export const CAPTURE_SHARDS = 8;

/** Shards of an organization's lists of messages, besides the one used at low traffic: each takes 1,000 writes a second. */
const LIST_SHARDS = 8;
/** The shard that lists a lane's messages. */
export const listShardOf = (lane: number): number => (lane === 0 ? 0 : 1 + ((lane - 1) % LIST_SHARDS));
/** How many shards besides 0 have messages, once lanes up to `lane` were used. */
export const listShardsUpTo = (lane: number): number => Math.min(lane, LIST_SHARDS);

/** Counter rows of a channel's inbound messages: concurrent ones rarely conflict. May grow, never shrink. */
export const INBOUND_SHARDS = 32;

/**
 * Counter rows of an organization's objects of a kind. Of 24 concurrent creations, one in six conflicts and is retried; reading a total
 * takes one query of this many rows.
 */
export const COUNTER_SHARDS = 128;

/**
 * Counter rows of a limited counter, each with its part of the limit: of 24 concurrent creations, about half conflict. May not change once
 * there are counts: the parts would no longer add up to the limit.
 */
export const LIMIT_SHARDS = 32;

/** Counter rows of a pipeline, by card id. May not change once there are pipelines. */
export const PIPELINE_SHARDS = 8;

/** Counter rows of a company, by the ids of its contacts and cards. May not change once there are companies. */
export const COMPANY_SHARDS = 4;

/** Counter rows for writes of company attributes, each counted on any one of them. May not change once there are definitions. */
export const ATTRIBUTE_WRITE_SHARDS = 16;

/** Rows of the directory of an organization's companies, by company id. May not change once there are companies. */
export const DIRECTORY_BUCKETS = 256;

/**
 * Index partitions of a subscription's deliveries, and of its backlog: a delivery writes an entry twice, and a partition takes 1,000 writes
 * a second.
 */
export const DELIVERY_SHARDS = 4;

/**
 * Partitions of the counters of a journey or a campaign, and rows in each. A campaign message is counted when accepted, sent, delivered and
 * read, so that a million in ten minutes are 6,000 additions a second, of two write units each; reading a sum is a query of each partition.
 * May grow, never shrink.
 */
export const AUTOMATION_PARTS = 16;
export const AUTOMATION_ROWS = 4;

/**
 * Rows over which a busy organization's metrics of a channel and twelve hours are spread, since shards of the table's stream are counted concurrently.
 * All are in one partition: a row is written once per batch of changes. May grow, never shrink.
 */
export const METRIC_ROWS = 16;

/** Shards of an organization's push devices, read in parallel when an audience is built. */
export const PUSH_SHARDS = 16;

/** Partitions of an organization's changed contacts: each takes 500 transactional changes a second. */
export const CHANGED_SHARDS = 16;

/**
 * Index partitions of an organization's customer events, and of those with one name: an event is one write to each, and a partition takes
 * 1,000 a second.
 */
export const CUSTOMER_EVENT_SHARDS = 4;

/**
 * Index partitions of a journey's runs of a status: 50,000 simultaneous entries are one write each, and a partition takes 1,000 a second.
 * May grow, never shrink.
 */
export const RUN_SHARDS = 8;

/** Counter rows of a journey's runs, each in a separate partition. May grow, never shrink. */
export const RUN_COUNT_ROWS = 16;

/**
 * Partitions of an account's SMPP notices, by message: a notice is three write units, and a partition takes 1,000 a second. Each costs a
 * process with a bound receiver half a read unit per poll. May grow, never shrink.
 */
export const SMPP_SHARDS = 8;

/** A stable shard of an id. */
export const shardOf = (id: string, shards: number): number =>
  createHash('sha256').update(id).digest().readUInt16BE(0) % shards;
