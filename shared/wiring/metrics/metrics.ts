import type { Actor } from '../../domain/core/actor.ts';
import { isRefusal } from '../../domain/core/errors.ts';
import type { Channel } from '../../domain/message/channel.ts';
import { metricsView } from '../../domain/metrics/metrics.ts';
import { bucketsOf, type MetricsQuery } from '../../domain/metrics/window.ts';
import { readOutcomeCounts } from '../../storage/metrics/outcome-counts.ts';
import { clock, table } from '../process/aws.ts';

/** The metrics of the caller's organization in its environment; 422 for an invalid window or time zone. */
export const readMetrics = async (
  actor: Actor,
  { channel, ...query }: MetricsQuery & { readonly channel?: Channel | undefined },
) => {
  const buckets = bucketsOf(query, clock());
  if (isRefusal(buckets)) return buckets;
  const [from = 0, to = from] = [buckets.edges[0], buckets.edges.at(-1)];
  const counts = await readOutcomeCounts(table, actor.organizationId, { from, to });
  return metricsView(actor, buckets, channel ? counts.filter((each) => each.channel === channel) : counts);
};
