import type { Area } from '../app/area.ts';
import { messages } from './messages/index.ts';
import { overview } from './overview/index.ts';

/** Every area, in the order of its group: docs/console.md#how-to-add-an-area. */
export const AREAS: readonly Area[] = [overview, messages];
