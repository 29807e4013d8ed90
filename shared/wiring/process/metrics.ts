/**
 * The service's own metrics, each with its dimensions beside the stage. CloudWatch bills every combination of dimensions that is sent as a
 * metric of its own, so dimensions have few values, and there is no metric here that neither an alarm nor the dashboard reads.
 */
export const METRICS = {
  Sends: ['channel', 'outcome'],
  Refusals: ['channel', 'outcome'],
  /** Milliseconds. */
  ProviderLatency: ['provider', 'outcome'],
  ResolvedHolds: ['channel', 'outcome'],
  Callbacks: ['provider', 'effect'],
  RefusedCallbacks: ['provider', 'cause'],
  WebhookAttempts: ['outcome'],
  /** Milliseconds. */
  WebhookLatency: ['outcome'],
  ConsumerFailures: ['queue'],
  PublishFailures: ['queue'],
  OverdueWork: ['kind'],
  RepeatedWork: ['kind'],
  WorkSetAside: [],
  /** Calls that DynamoDB refused for lack of throughput, of the table or of an index, whether or not a retry succeeded. */
  TableThrottles: [],
  DestinationsHeld: [],
  PersonLookups: ['operation'],
  SignInMails: ['outcome'],
  PushOptOuts: ['platform'],
  SmppAccountsUnheard: [],
  /** Records of the table's stream that the metrics of messages could not count. */
  UncountedChanges: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type MetricName = keyof typeof METRICS;
type DimensionOf<M extends MetricName> = (typeof METRICS)[M][number];

/** Values by metric that share dimensions, and the dimensions that all of them declare. */
export type Values<M extends MetricName> = Readonly<Partial<Record<M, number>>>;
export type Dimensions<M extends MetricName> = Readonly<Record<DimensionOf<M>, string>>;
