import { consumer } from '../../shared/runtime/consumer.ts';
import { processBulkItem } from '../../shared/wiring/bulk/jobs.ts';

export const handler = consumer('bulk', processBulkItem);
