import { consumer } from '../../shared/runtime/consumer.ts';
import { processChunkItem } from '../../shared/wiring/bulk/bulk.ts';

export const handler = consumer('bulk', processChunkItem);
