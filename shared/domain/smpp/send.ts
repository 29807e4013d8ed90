import type { SmsSendPorts } from '../api/send-sms.ts';
import { planSms } from '../channels/sms/plan.ts';
import type { SmsRequest } from '../channels/sms/request.ts';
import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import { type Id, randomBase62 } from '../core/ids.ts';
import type { AssembledFrom, SmppReceipt } from '../message/smpp-origin.ts';
import { type SubmitPorts, scheduleFault, submit } from '../sending/accept.ts';
import { type RequestKey, requestKey } from '../sending/idempotency.ts';
import { pricePlan } from '../sending/plan.ts';
import { sendNow } from '../sending/send-now.ts';
import type { SmppAccount } from './account.ts';
import { MAX_TEXT, type SubmitOptions } from './submit-options.ts';

export type SmppSendPorts = SmsSendPorts & SubmitPorts;

/** The owner of a message, and its route. */
export type SmppSubmitter = Pick<SmppAccount, 'id' | 'organizationId' | 'route' | 'senderId'>;

/** A whole message as it was submitted. */
export interface SmppText extends SubmitOptions {
  /** E.164. */
  readonly destination: string;
  /** The sender to show; absent for the account's. */
  readonly source?: string | undefined;
  readonly text: string;
  /** One for each submit_sm. */
  readonly receipts: readonly SmppReceipt[];
  /** Its parts: it is sent only if they are still as they were read. */
  readonly assembled?: AssembledFrom | undefined;
}

/** The command statuses of a refused message, by their names in the protocol; the last four are product-specific. */
export type SubmitStatus =
  | 'ESME_RINVDCS'
  | 'ESME_RINVDSTADR'
  | 'ESME_RINVEXPIRY'
  | 'ESME_RINVMSGLEN'
  | 'ESME_RINVOPTPARAMVAL'
  | 'ESME_RINVSCHED'
  | 'ESME_RMSGQFUL'
  | 'ESME_RSUBMITFAIL'
  | 'ESME_RSYSERR'
  | 'ESME_RTHROTTLED'
  | 'destination'
  | 'insufficient_funds'
  | 'opt_out'
  | 'sender';
export interface SubmitRefusal {
  readonly kind: 'refused';
  readonly status: SubmitStatus;
  readonly detail: string;
  /** Another call is processing the same message: its result is not known yet. */
  readonly overtaken?: true;
}
export type SubmitOutcome = { readonly kind: 'sent'; readonly messageId: Id<'message'> } | SubmitRefusal;

const KEY = /^[\x21-\x7e]{1,255}$/;
const KEY_LENGTH = 24;

const OF_REASON: Readonly<Record<string, SubmitStatus>> = {
  opt_out: 'opt_out',
  expired: 'ESME_RINVEXPIRY',
  destination_closed: 'destination',
  destination_held: 'destination',
  destination_not_priced: 'destination',
  no_verified_sender: 'sender',
};
const OF_PROBLEM: Readonly<Partial<Record<Refusal['name'], SubmitStatus>>> = {
  PAYMENT_REQUIRED: 'insufficient_funds',
  RATE_LIMITED: 'ESME_RTHROTTLED',
  // A fault of the provider or the service, like 502 and 503 over HTTP.
  DEPENDENCY_FAILED: 'ESME_RSYSERR',
  SERVICE_UNAVAILABLE: 'ESME_RSYSERR',
};
const OF_FIELD: Readonly<Record<string, SubmitStatus>> = {
  to: 'ESME_RINVDSTADR',
  body: 'ESME_RINVMSGLEN',
  scheduledAt: 'ESME_RINVSCHED',
};

/** The command status of a refusal (docs/spec/smpp.md#command-statuses). */
export const statusOf = ({ name, details }: Refusal): SubmitStatus => {
  const reason = OF_REASON[String(details.meta?.motivo)];
  const field = details.errors?.map(({ path }) => OF_FIELD[path]).find((status) => status !== undefined);
  return reason ?? field ?? OF_PROBLEM[name] ?? 'ESME_RSUBMITFAIL';
};

export const refused = (status: SubmitStatus, detail: string): SubmitRefusal => ({ kind: 'refused', status, detail });

/** Why a message, or a part with so many characters, is refused before anything is read; undefined if it is not. */
export const submitFault = (
  characters: number,
  { deliverAt, idempotencyKey }: SubmitOptions,
  now: number,
): SubmitRefusal | undefined => {
  if (characters > MAX_TEXT) return refused('ESME_RINVMSGLEN', `The text has more than ${MAX_TEXT} characters.`);
  if (idempotencyKey !== undefined && !KEY.test(idempotencyKey))
    return refused('ESME_RINVOPTPARAMVAL', 'The idempotency key has characters that are none of its own.');
  const late = deliverAt === undefined ? undefined : scheduleFault(new Date(deliverAt).toISOString(), now);
  return late && refused(statusOf(late), late.details.detail);
};

/** The fields of a queued send besides its plan. */
const SCHEDULED = { channel: 'sms', type: 'text' } as const;
/** Sub-codes of a conflict with a call that is still running. */
const RUNNING: readonly unknown[] = ['EM_ANDAMENTO', 'OVERTAKEN'];

/**
 * Without a key from the account each submission is a new message, and so is one assembled from parts. A caller's key cannot contain a line
 * break, so it never equals a generated one.
 */
const keyOf = (request: SmsRequest, { schedule, validity, idempotencyKey, assembled }: SmppText): RequestKey => {
  const callerKey = idempotencyKey ?? (assembled && `smpp-${assembled.id}`);
  if (callerKey !== undefined) return requestKey(callerKey, 'smpp.submit', { ...request, schedule, validity });
  return { callerKey: `smpp\n${randomBase62(KEY_LENGTH)}`, requestHash: '', unrepeatable: true };
};

/**
 * Sends a submitted message, by the rules of an SMS over HTTP (docs/spec/sms.md#sending-an-sms): returns once the provider has accepted it,
 * or once it is stored if it is sent later.
 */
export const sendOverSmpp = async (
  ports: SmppSendPorts,
  { env }: Pick<Tenant, 'env'>,
  { id: accountId, organizationId, route, senderId: own }: SmppSubmitter,
  message: SmppText,
): Promise<SubmitOutcome> => {
  const { destination: to, source, text: body, deliverAt, validUntil, receipts, assembled } = message;
  const fault = submitFault(body.length, message, ports.clock());
  if (fault) return fault;
  const tenant = { organizationId, env };
  const senderId = source ?? own;
  const request: SmsRequest = { to, body, route, ...(senderId === undefined ? {} : { senderId }) };
  const key = keyOf(request, message);
  const plan = async () => {
    const planned = await pricePlan(ports, tenant, request, await planSms(ports, tenant, request));
    if (isRefusal(planned)) return planned;
    const smpp = { accountId, receipts, ...(assembled ? { assembled } : {}) };
    const labels = { ...planned.plan.labels, smpp };
    return { ...planned, plan: { ...planned.plan, labels, scheduledAt: deliverAt, validUntil } };
  };
  const sent =
    deliverAt === undefined
      ? await sendNow(ports, tenant, key, await plan())
      : await submit({ ...ports, plan }, tenant, { key, request: { ...SCHEDULED, to, scheduledAt: deliverAt } });
  if (!isRefusal(sent)) return { kind: 'sent', messageId: sent.message.id };
  ports.observe.sent('sms', sent.name, { organizationId });
  const refusal = refused(statusOf(sent), sent.details.detail);
  return RUNNING.includes(sent.details.meta?.code) ? { ...refusal, overtaken: true } : refusal;
};
