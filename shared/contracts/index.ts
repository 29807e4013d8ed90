import * as accounts from './accounts.ts';
import * as activities from './activities.ts';
import * as ai from './ai.ts';
import * as audit from './audit.ts';
import * as boards from './boards.ts';
import * as bulk from './bulk.ts';
import * as bulkResend from './bulk-resend.ts';
import * as callbacks from './callbacks.ts';
import * as campaigns from './campaigns.ts';
import * as cardFiles from './card-files.ts';
import * as cards from './cards.ts';
import * as companies from './companies.ts';
import * as contactChanges from './contact-changes.ts';
import * as contactExport from './contact-export.ts';
import * as contactImport from './contact-import.ts';
import * as contactImports from './contact-imports.ts';
import * as contactList from './contact-list.ts';
import * as contactMerge from './contact-merge.ts';
import * as contactTimeline from './contact-timeline.ts';
import * as contacts from './contacts.ts';
import * as customerEvents from './customer-events.ts';
import type { OperationContract } from './define-operation.ts';
import * as email from './email.ts';
import * as emailTemplates from './email-templates.ts';
import * as exportJobs from './export-jobs.ts';
import * as exports from './exports.ts';
import * as flows from './flows.ts';
import * as journeyRuns from './journey-runs.ts';
import * as journeySimulation from './journey-simulation.ts';
import * as journeys from './journeys.ts';
import * as keys from './keys.ts';
import * as links from './links.ts';
import * as lists from './lists.ts';
import * as media from './media.ts';
import * as messageCreate from './message-create.ts';
import * as messages from './messages.ts';
import * as meta from './meta.ts';
import * as metrics from './metrics.ts';
import * as numbers from './numbers.ts';
import * as operator from './operator.ts';
import * as operatorStage from './operator-stage.ts';
import * as organization from './organization.ts';
import * as pipelines from './pipelines.ts';
import * as push from './push.ts';
import * as pushDevices from './push-devices.ts';
import * as rcs from './rcs.ts';
import * as segments from './segments.ts';
import * as senders from './senders.ts';
import * as sessions from './sessions.ts';
import * as smpp from './smpp.ts';
import * as sms from './sms.ts';
import * as templates from './templates.ts';
import * as unsubscribe from './unsubscribe.ts';
import * as v1 from './v1.ts';
import * as wallet from './wallet.ts';
import * as webhooks from './webhooks.ts';

/** All areas, in the order of the documentation. */
const AREAS: readonly Readonly<Record<string, unknown>>[] = [
  messages,
  messageCreate,
  v1,
  bulk,
  bulkResend,
  campaigns,
  sms,
  rcs,
  email,
  emailTemplates,
  numbers,
  templates,
  flows,
  push,
  pushDevices,
  media,
  contacts,
  contactList,
  contactChanges,
  contactMerge,
  contactExport,
  contactImport,
  contactImports,
  contactTimeline,
  companies,
  segments,
  lists,
  journeys,
  journeyRuns,
  journeySimulation,
  activities,
  pipelines,
  boards,
  cards,
  cardFiles,
  ai,
  customerEvents,
  exports,
  exportJobs,
  metrics,
  wallet,
  keys,
  senders,
  smpp,
  organization,
  accounts,
  sessions,
  audit,
  operator,
  operatorStage,
  webhooks,
  links,
  unsubscribe,
  callbacks,
  meta,
];

/** Contract files also export schemas and lists. */
const isContract = (exported: unknown): exported is OperationContract =>
  typeof exported === 'object' && exported !== null && 'permission' in exported && 'uses' in exported;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Sorted, because the order of a module's exports depends on the loader. */
const byRoute = (a: OperationContract, b: OperationContract): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : METHODS.indexOf(a.method) - METHODS.indexOf(b.method);

/**
 * Every operation. Routes, functions and their permissions, the OpenAPI document and generated tests derive from this list. Functions
 * import their own contract instead, so that they do not bundle every schema.
 */
export const OPERATIONS: readonly OperationContract[] = AREAS.flatMap((area) =>
  Object.values(area).filter(isContract).sort(byRoute),
);
