import { chunkWork } from '../../shared/runtime/compose/bulk.ts';
import { consumer } from '../../shared/runtime/consumer.ts';

export const handler = consumer('bulk', chunkWork);
