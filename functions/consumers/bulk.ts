import { consumer } from '../../shared/runtime/consumer.ts';
import { processChunkItem } from '../../shared/wiring/bulk/bulk.ts';
import { processJobItem } from '../../shared/wiring/bulk/jobs.ts';

export const handler = consumer('bulk', (item) =>
  item.kind === 'run_job' ? processJobItem(item) : processChunkItem(item),
);
