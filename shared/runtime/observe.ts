import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { config } from './config.ts';

const SERVICE = 'messaging';

/** Structured logs. What goes in is chosen field by field: ids, codes and durations, never a recipient, a name or a text. */
export const logger = new Logger({ serviceName: SERVICE });

const metrics = new Metrics({ namespace: 'Messaging', serviceName: SERVICE });

/** Values in ms; all others are counts. */
const DURATIONS: ReadonlySet<string> = new Set(['ProviderLatency', 'QueueAge', 'WebhookLatency']);

/**
 * Records metrics that share their dimensions as one line of the embedded metric format: no call is made for them, and the line is the
 * unit of cost. Dimensions are names and outcomes of small, closed sets.
 */
export const measure = (
  dimensions: Readonly<Record<string, string>>,
  values: Readonly<Record<string, number>>,
): void => {
  metrics.addDimensions({ stage: config().STAGE, ...dimensions });
  for (const [name, value] of Object.entries(values))
    metrics.addMetric(name, DURATIONS.has(name) ? MetricUnit.Milliseconds : MetricUnit.Count, value);
  metrics.publishStoredMetrics();
};
