import * as bulk from './bulk.ts';
import * as bulkResend from './bulk-resend.ts';
import * as callbacks from './callbacks.ts';
import * as contacts from './contacts.ts';
import type { OperationContract } from './define-operation.ts';
import * as email from './email.ts';
import * as emailTemplates from './email-templates.ts';
import * as flows from './flows.ts';
import * as keys from './keys.ts';
import * as links from './links.ts';
import * as media from './media.ts';
import * as messageCreate from './message-create.ts';
import * as messages from './messages.ts';
import * as meta from './meta.ts';
import * as numbers from './numbers.ts';
import * as organization from './organization.ts';
import * as overview from './overview.ts';
import * as push from './push.ts';
import * as pushDevices from './push-devices.ts';
import * as rcs from './rcs.ts';
import * as sms from './sms.ts';
import * as templates from './templates.ts';
import * as unsubscribe from './unsubscribe.ts';
import * as wallet from './wallet.ts';
import * as webhooks from './webhooks.ts';

/** The areas of the service, in the order in which the documentation shows them. */
const AREAS: readonly Readonly<Record<string, unknown>>[] = [
  messages,
  messageCreate,
  overview,
  bulk,
  bulkResend,
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
  wallet,
  keys,
  organization,
  webhooks,
  links,
  unsubscribe,
  callbacks,
  meta,
];

/** Schemas, and the lists behind them, are exported beside the contracts: only what is an operation is taken. */
const isContract = (exported: unknown): exported is OperationContract =>
  typeof exported === 'object' && exported !== null && 'permission' in exported && 'uses' in exported;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** By path, then by method: a module's exports have an order of their own in every loader. */
const byRoute = (a: OperationContract, b: OperationContract): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : METHODS.indexOf(a.method) - METHODS.indexOf(b.method);

/**
 * Every operation of the service. From this list come the routes, the functions and their grants, the OpenAPI document
 * and the generated tests; functions import their own contract, never this list, so that none carries all schemas.
 */
export const OPERATIONS: readonly OperationContract[] = AREAS.flatMap((area) =>
  Object.values(area).filter(isContract).sort(byRoute),
);
