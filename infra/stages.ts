import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Environment } from '../shared/domain/actor.ts';
import type { ContractName } from '../shared/runtime/problem.ts';

/** What a stage may differ in. Nothing else in `infra/` asks which stage it builds. */
export interface StageSettings {
  /** The table and its key cannot be deleted by mistake, nor by deleting the stack. */
  readonly deletionProtection: boolean;
  readonly removal: RemovalPolicy;
  /** How many days the table can be restored back to, second by second. */
  readonly restoreDays: number;
  readonly logRetention: RetentionDays;
  /** Alarms show in both stages; only where this holds do they tell somebody. */
  readonly alarmActions: boolean;
  /** Requests a second, and the burst above it, that the gateway lets into each of the stage's APIs. Lambda's concurrency is shared by the whole account. */
  readonly gatewayRate: number;
  readonly gatewayBurst: number;
  /** Batches of one queue that are worked on at once. */
  readonly consumerConcurrency: number;
  /** May call AWS's carriers. Without it not even a bug can send to a real person. */
  readonly sendsForReal: boolean;
  /** Reads the live stage's volume counters, for the price of the real band, and nothing else of it. */
  readonly readsLiveVolume: boolean;
  /** Containers of the gateway service, where it is switched on. */
  readonly gatewayTasks: number;
  /** The gateway's log role is one setting per account and region: one stage owns it. */
  readonly ownsGatewayLogRole: boolean;
}

/** Every difference between the stages. Neither allows CORS: keys belong on servers, never in a page. */
export const STAGES: Readonly<Record<Environment, StageSettings>> = {
  live: {
    deletionProtection: true,
    removal: RemovalPolicy.RETAIN,
    restoreDays: 35,
    logRetention: RetentionDays.THREE_MONTHS,
    alarmActions: true,
    gatewayRate: 2_000,
    gatewayBurst: 1_000,
    consumerConcurrency: 20,
    sendsForReal: true,
    readsLiveVolume: false,
    gatewayTasks: 2,
    ownsGatewayLogRole: true,
  },
  test: {
    deletionProtection: false,
    removal: RemovalPolicy.DESTROY,
    restoreDays: 7,
    logRetention: RetentionDays.TWO_WEEKS,
    alarmActions: false,
    gatewayRate: 500,
    gatewayBurst: 250,
    consumerConcurrency: 5,
    sendsForReal: false,
    readsLiveVolume: true,
    gatewayTasks: 1,
    ownsGatewayLogRole: false,
  },
};

/** What both stages share. */
export const COMMON = {
  /** Seconds that the gateway reuses the authorizer's answer for a credential: a revoked key must be refused within 60. */
  authorizerCacheSeconds: 30,
  deadLetterDays: 14,
  /** AWS advises a visibility of six times the consumer's time-out; the queue table gives the visibility. */
  visibilityPerTimeout: 6,
  operation: { memoryMb: 512, timeoutSeconds: 15 },
  authorizer: { memoryMb: 512, timeoutSeconds: 5 },
  consumer: { memoryMb: 512 },
  /** Shorter than its schedule, so that two runs never overlap. */
  dispatcher: { memoryMb: 512, timeoutSeconds: 50, everyMinutes: 1 },
} as const;

/** When an alarm rings. */
export const THRESHOLDS = {
  /** The promise of a single send: 95 of 100 are answered within this. */
  sendP95Ms: 118,
  serverErrors: 5,
  oldestMessageSeconds: 300,
  lambdaThrottles: 1,
  tableThrottles: 1,
} as const;

const CAPITALIZED: Readonly<Record<Environment, string>> = { live: 'Live', test: 'Test' };

/** Names that people and the operator's command line rely on. */
export const NAMES = {
  dataStack: (environment: Environment) => `Messaging-${CAPITALIZED[environment]}-Data`,
  appStack: (environment: Environment) => `Messaging-${CAPITALIZED[environment]}-App`,
  edgeStack: 'Messaging-Edge',
  firewallStack: 'Messaging-Edge-Firewall',
  api: (environment: Environment, contract: ContractName) =>
    contract === 'overview' ? `messaging-${environment}-v1` : `messaging-${environment}`,
  /** A fixed name: a live table that was kept on purpose is never silently replaced by an empty one. */
  table: (environment: Environment) => `messaging-${environment}`,
  queue: (environment: Environment, queue: string) => `messaging-${environment}-${queue}`,
  /** With the account and the region behind it: buckets share one space of names. */
  uploadBucket: (environment: Environment) => `messaging-${environment}-uploads`,
  gatewayServiceStack: (environment: Environment) => `Messaging-${CAPITALIZED[environment]}-Gateway`,
  /** Fixed names let the gateway's document name a function that in turn knows the gateway's address. */
  function: (environment: Environment, path: string) =>
    `messaging-${environment}-${path.replaceAll(/[^A-Za-z0-9]+/g, '-')}`,
} as const;
