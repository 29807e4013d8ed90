import { Logger } from '@aws-lambda-powertools/logger';
import { MetricUnit, Metrics } from '@aws-lambda-powertools/metrics';

const SERVICE = 'messaging';

/** Structured logs. What goes in is chosen field by field: ids, codes and durations, never a recipient, a name or a text. */
export const logger = new Logger({ serviceName: SERVICE });

/** Business and provider metrics, in the embedded metric format: no call is made for them. */
export const metrics = new Metrics({ namespace: 'Messaging', serviceName: SERVICE });

/** Counts something that happened, by low-cardinality dimensions. */
export const countMetric = (name: string, dimensions: Readonly<Record<string, string>> = {}, value = 1): void =>
  addMetric(name, MetricUnit.Count, value, dimensions);

/** A duration in ms. */
export const durationMetric = (name: string, ms: number, dimensions: Readonly<Record<string, string>> = {}): void =>
  addMetric(name, MetricUnit.Milliseconds, ms, dimensions);

const addMetric = (name: string, unit: (typeof MetricUnit)[keyof typeof MetricUnit], value: number, dimensions: Readonly<Record<string, string>>) => {
  const single = metrics.singleMetric();
  for (const [dimension, of] of Object.entries(dimensions)) single.addDimension(dimension, of);
  single.addMetric(name, unit, value);
};
