import type { Area } from '../app/area.ts';
import { audit } from './audit/index.ts';
import { campaigns } from './campaigns/index.ts';
import { companies } from './companies/index.ts';
import { composer } from './composer/index.ts';
import { contacts } from './contacts/index.ts';
import { journeys } from './journeys/index.ts';
import { keys } from './keys/index.ts';
import { lists } from './lists/index.ts';
import { messages } from './messages/index.ts';
import { operator } from './operator/index.ts';
import { overview } from './overview/index.ts';
import { people } from './people/index.ts';
import { pipelines } from './pipelines/index.ts';
import { segments } from './segments/index.ts';
import { senders } from './senders/index.ts';
import { settings } from './settings/index.ts';
import { templates } from './templates/index.ts';
import { webhooks } from './webhooks/index.ts';

/** Every area, in the order of its group: docs/console.md#how-to-add-an-area. */
export const AREAS: readonly Area[] = [
  overview,
  messages,
  composer,
  contacts,
  lists,
  segments,
  campaigns,
  journeys,
  templates,
  companies,
  pipelines,
  webhooks,
  senders,
  keys,
  people,
  audit,
  settings,
  operator,
];
