import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Environment } from '../shared/domain/core/actor.ts';
import type { ContractName } from '../shared/runtime/problem.ts';

/** Everything that differs between stages. Nothing else in `infra/` branches on the stage. */
export interface StageSettings {
  /** Protects the table and its key from deletion, also with their stack. */
  readonly deletionProtection: boolean;
  readonly removal: RemovalPolicy;
  /** Point-in-time recovery window, in days. */
  readonly restoreDays: number;
  readonly logRetention: RetentionDays;
  /**
   * Whether there are alarms, which notify an SNS topic. An alarm without subscribers costs as much as one with; the dashboard is in both
   * stages.
   */
  readonly alarms: boolean;
  /** Throttling of each REST API, in requests per second, and its burst. Bounds the stage's share of the account's Lambda concurrency. */
  readonly gatewayRate: number;
  readonly gatewayBurst: number;
  /** Maximum concurrency of each queue's event source mapping, in batches. */
  readonly consumerConcurrency: number;
  /** The stage's percentage of the divided Lambda concurrency (`CONCURRENCY`). */
  readonly concurrencyPercent: number;
  /** Grants the AWS services that send (SES, End User Messaging). Without the grant, not even a bug can reach a real person. */
  readonly sendsForReal: boolean;
  /** May read the live stage's volume counters, and nothing else of it, so that test sends are priced in the live volume band. */
  readonly readsLiveVolume: boolean;
  /** Tasks of the gateway service, when it is switched on. */
  readonly gatewayTasks: number;
  /** Tasks of the SMPP service, when it is switched on: at least. */
  readonly smppTasks: number;
  /** API Gateway's CloudWatch log role is one setting per account and region, so one stage owns it. */
  readonly ownsGatewayLogRole: boolean;
}

/** The two stages. Neither allows CORS: API keys belong on servers, never in a web page. */
export const STAGES: Readonly<Record<Environment, StageSettings>> = {
  live: {
    deletionProtection: true,
    // Retained, except by a first deployment that fails: its remains would block the next one.
    removal: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    restoreDays: 35,
    logRetention: RetentionDays.THREE_MONTHS,
    alarms: true,
    gatewayRate: 2_000,
    gatewayBurst: 1_000,
    consumerConcurrency: 20,
    concurrencyPercent: 70,
    sendsForReal: true,
    readsLiveVolume: false,
    gatewayTasks: 2,
    smppTasks: 2,
    ownsGatewayLogRole: true,
  },
  test: {
    deletionProtection: false,
    removal: RemovalPolicy.DESTROY,
    restoreDays: 7,
    logRetention: RetentionDays.TWO_WEEKS,
    alarms: false,
    gatewayRate: 500,
    gatewayBurst: 250,
    consumerConcurrency: 5,
    concurrencyPercent: 10,
    sendsForReal: false,
    readsLiveVolume: true,
    gatewayTasks: 1,
    smppTasks: 1,
    ownsGatewayLogRole: false,
  },
};

/** Settings common to both stages. */
export const COMMON = {
  /** Authorizer cache TTL, in s. A revoked key must be refused within 60 s (docs/spec/access.md#revocation). */
  authorizerCacheSeconds: 30,
  deadLetterDays: 14,
  /** AWS recommends a visibility time-out of six times the function's; the function's time-out is derived from the queue's. */
  visibilityPerTimeout: 6,
  operation: { memoryMb: 512, timeoutSeconds: 15 },
  authorizer: { memoryMb: 512, timeoutSeconds: 5 },
  consumer: { memoryMb: 512 },
  /**
   * Started at this interval, `slices` concurrently, each with a part of every kind's due rows: a rule starts at most five. They lease what
   * they process, so that overlapping runs are harmless.
   */
  dispatcher: { memoryMb: 512, timeoutSeconds: 55, everyMinutes: 1, slices: 4 },
  /** Maximum rows of a batch, and how long it is collected, in s. A batch is retried for `recordHours`: the stream keeps records for 24. */
  archiver: {
    memoryMb: 1_024,
    timeoutSeconds: 300,
    batchSize: 2_000,
    windowSeconds: 300,
    retries: 20,
    recordHours: 12,
  },
  /** Most records of a batch, and the longest wait for one to fill, in s: docs/spec/metrics.md promises both. A batch is repeated until its records expire from the stream, after a day. */
  outcomeCounter: { memoryMb: 512, timeoutSeconds: 60, batchSize: 1_000, windowSeconds: 20, tumblingSeconds: 900 },
} as const;

/**
 * How the account's Lambda concurrency is divided, if the operator sets it (`-c concurrency=1000`): each area of a stage has a percentage
 * of the stage's, reserved for its functions and their limit, so that an area that hangs leaves the others theirs.
 * `infra/constructs/reserved-concurrency.ts` defines the functions of each area; all others share the rest.
 */
export const CONCURRENCY = {
  /** AWS rejects a reservation that leaves fewer to functions without one. */
  unreserved: 100,
  areas: {
    authorizer: 8,
    /** Receipts and replies. */
    callbacks: 12,
    /** Operations that send, by channel: they wait for a provider of messages. */
    sending: 38,
    /** Other operations that wait for a provider: numbers, templates, media, senders. */
    platforms: 10,
    /** Of the queues; limited by how many batches each queue may run concurrently. */
    consumers: 30,
    dispatcher: 2,
  },
} as const;
export type ConcurrencyArea = keyof typeof CONCURRENCY.areas;

/**
 * The areas whose functions are resources of the App stack itself. The functions of any other area are in a nested stack, so that the limit
 * of 500 resources per stack is not reached. Never move an area from one to the other: functions have fixed names, and CloudFormation
 * creates new resources before it deletes old ones.
 */
export const APP_AREAS: ReadonlySet<string> = new Set([
  'accounts',
  'ai',
  'audit',
  'authorizer',
  'bulk',
  'callbacks',
  'consumers',
  'contacts',
  'email',
  'email-templates',
  'flows',
  'keys',
  'links',
  'media',
  'messages',
  'meta',
  'numbers',
  'organization',
  'prices',
  'push',
  'rcs',
  'schedules',
  'senders',
  'sessions',
  'sms',
  'templates',
  'unsubscribe',
  'v1',
  'wallet',
  'webhooks',
]);

/** Areas in the nested stack of another area: each nested stack is a resource of the App stack. Never move an area that is deployed. */
export const SHARED_STACKS: Readonly<Record<string, string>> = { metrics: 'operator' };

/** Alarm thresholds. */
export const THRESHOLDS = {
  /** Latency target of a single send, p95 (docs/spec/platform.md#targets). */
  sendP95Ms: 118,
  serverErrors: 5,
  oldestMessageSeconds: 300,
  lambdaThrottles: 1,
  tableThrottles: 1,
  /** Item-level conflicts of transactions per minute: ten a second. */
  transactionConflicts: 600,
  destinationsHeld: 1,
  /** Age of the last record of a batch of the metrics' counter, in ms. */
  metricsLateMs: 300_000,
  workSetAside: 1,
} as const;

const CAPITALIZED: Readonly<Record<Environment, string>> = { live: 'Live', test: 'Test' };

/** Fixed resource names, which people, the operator's command line and other resources refer to. */
export const NAMES = {
  dataStack: (environment: Environment) => `Messaging-${CAPITALIZED[environment]}-Data`,
  apiStack: (environment: Environment) => `Messaging-${CAPITALIZED[environment]}-Api`,
  appStack: (environment: Environment) => `Messaging-${CAPITALIZED[environment]}-App`,
  edgeStack: 'Messaging-Edge',
  firewallStack: 'Messaging-Edge-Firewall',
  api: (environment: Environment, contract: ContractName) =>
    contract === 'v1' ? `messaging-${environment}-v1` : `messaging-${environment}`,
  /** Fixed, so that a retained live table makes a redeployment fail instead of being replaced by an empty one. */
  table: (environment: Environment) => `messaging-${environment}`,
  queue: (environment: Environment, queue: string) => `messaging-${environment}-${queue}`,
  /** A prefix: account and region are appended, because bucket names are global. */
  uploadBucket: (environment: Environment) => `messaging-${environment}-uploads`,
  /** A prefix, as of the upload bucket. */
  archiveBucket: (environment: Environment) => `messaging-${environment}-archive`,
  gatewayServiceStack: (environment: Environment) => `Messaging-${CAPITALIZED[environment]}-Gateway`,
  smppServiceStack: (environment: Environment) => `Messaging-${CAPITALIZED[environment]}-Smpp`,
  /** One a generation of the edge's secret. By name, so that no stack holds another's export while it is rotated. */
  originSecret: (environment: Environment, generation: number) => `messaging-${environment}-origin-${generation}`,
  /** Not below `/aws/lambda/`: those names belong to log groups of single functions. */
  functionLogs: (environment: Environment, area: string) => `/messaging/${environment}/functions/${area}`,
  /** Fixed, so that the API's definition can name a function that in turn has the API's address in its environment. */
  function: (environment: Environment, path: string) =>
    `messaging-${environment}-${path.replaceAll(/[^A-Za-z0-9]+/g, '-')}`,
} as const;
