import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { config } from './config.ts';
import type { Dimensions, MetricName, Values } from './metrics.ts';

const SERVICE = 'messaging';

/** Structured logs of ids, codes and durations; never recipients, names or texts (docs/spec/personal-data.md#logs-queues-and-errors). */
export const logger = new Logger({ serviceName: SERVICE });

const metrics = new Metrics({ namespace: 'Messaging', serviceName: SERVICE });

/** Metrics in ms; all others are counts. */
const DURATIONS: ReadonlySet<string> = new Set<MetricName>(['ProviderLatency', 'WebhookLatency']);

/**
 * Records metrics that share dimensions as one line of CloudWatch's embedded metric format, without an API call. `METRICS` declares them.
 */
export const measure = <M extends MetricName>(dimensions: Dimensions<M>, values: Values<M>): void => {
  metrics.addDimensions({ stage: config().STAGE, ...dimensions });
  for (const [name, value] of Object.entries(values as Readonly<Record<string, number>>))
    metrics.addMetric(name, DURATIONS.has(name) ? MetricUnit.Milliseconds : MetricUnit.Count, value);
  metrics.publishStoredMetrics();
};
