import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import type { Kind } from './tenancy-objects.ts';

/** The kind of object that a path addresses, by the start of the path. */
const KIND_OF_PATH: Readonly<Record<string, Kind>> = {
  '/messages/{id}': 'message',
  '/v1/messages/bulk/{batchId}': 'batch',
  '/v2/sms/messages/{id}': 'message',
  '/v2/sms/replies/{id}': 'reply',
  '/v2/rcs/messages/{id}': 'rcs',
  '/v2/email/messages/{id}': 'email',
  '/v2/push/apps/{id}': 'pushApp',
  '/v2/push/dispatches/{id}': 'pushDispatch',
  '/v2/push/messages/{id}': 'push',
  '/activities/{id}': 'activity',
  '/v2/api-keys/{id}': 'key',
  '/v2/accounts/{id}': 'account',
  '/contacts/import/jobs/{id}': 'importJob',
  '/v2/exports/jobs/{id}': 'exportJob',
  '/v2/companies/{id}': 'company',
  '/pipelines/{id}/stages/{stageId}': 'stage',
  '/pipelines/{id}': 'pipeline',
  '/cards/{id}': 'card',
  '/contacts/{id}': 'contact',
  '/v2/contacts/{id}': 'contact',
  '/v2/journeys/{id}/runs/{runId}': 'run',
  '/v2/campaigns/{id}': 'campaign',
  '/v2/journeys/{id}': 'journey',
  '/v2/email/templates/{id}': 'emailTemplate',
  '/v2/lists/{id}': 'list',
  '/numbers/{numberId}': 'number',
  '/v2/segments/{segmentId}': 'segment',
  '/v2/senders/{id}': 'sender',
  '/v2/smpp/accounts/{id}': 'smppAccount',
  '/v2/templates/{id}': 'template',
  '/v2/flows/{id}': 'flow',
  '/webhooks/{id}/deliveries/{deliveryId}': 'delivery',
  '/webhooks/{id}': 'webhook',
};
/** The kind of object that an operation's path addresses. */
export const kindOf = ({ path }: OperationContract): Kind | undefined =>
  Object.entries(KIND_OF_PATH).find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1];

/** Objects whose paths name the one that they belong to as well: its kind, and the parameter of their own id. */
const WITHIN: Readonly<Partial<Record<Kind, readonly [owner: Kind, parameter: string]>>> = {
  delivery: ['webhook', 'deliveryId'],
  run: ['journey', 'runId'],
  stage: ['pipeline', 'stageId'],
};

/** The ids of an operation's path, `idOf` each kind of object; undefined where it addresses none. */
export const pathIds = (
  contract: OperationContract,
  idOf: (kind: Kind) => string,
): string | Readonly<Record<string, string>> | undefined => {
  const kind = kindOf(contract);
  if (!kind) return undefined;
  const [owner, parameter] = WITHIN[kind] ?? [];
  return owner && parameter ? { id: idOf(owner), [parameter]: idOf(kind) } : idOf(kind);
};
