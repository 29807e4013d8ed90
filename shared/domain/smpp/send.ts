import type { SmsSendPorts } from '../api/send-sms.ts';
import { planSms } from '../channels/sms/plan.ts';
import type { SmsRequest } from '../channels/sms/request.ts';
import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import { type Id, randomBase62 } from '../core/ids.ts';
import type { SmppReceipt } from '../message/smpp-origin.ts';
import { type SubmitPorts, scheduleFault, submit } from '../sending/accept.ts';
import { requestKey } from '../sending/idempotency.ts';
import { pricePlan } from '../sending/plan.ts';
import { sendNow } from '../sending/send-now.ts';
import type { SmppAccount } from './account.ts';

export type SmppSendPorts = SmsSendPorts & SubmitPorts;

/** Whose message it is, and on which route. */
export type SmppSubmitter = Pick<SmppAccount, 'id' | 'organizationId' | 'route' | 'senderId'>;

/** A whole message as it was submitted. Moments are ms. */
export interface SmppText {
  /** E.164. */
  readonly destination: string;
  /** The sender to show; the account's where there is none. */
  readonly source?: string | undefined;
  readonly text: string;
  readonly deliverAt?: number | undefined;
  /** The moment as the account wrote it, by which a repeat is recognized. */
  readonly schedule?: string | undefined;
  /** Until when it is of use: one that still waits then fails. */
  readonly validUntil?: number | undefined;
  /** That moment as the account wrote it. */
  readonly validity?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Of each submit_sm that it came in. */
  readonly receipts: readonly SmppReceipt[];
}

/** The command statuses of a refused message, by their names in the protocol; the last four are the product's own. */
export type SubmitStatus =
  | 'ESME_RINVDSTADR'
  | 'ESME_RINVEXPIRY'
  | 'ESME_RINVMSGLEN'
  | 'ESME_RINVOPTPARAMVAL'
  | 'ESME_RINVSCHED'
  | 'ESME_RSUBMITFAIL'
  | 'ESME_RSYSERR'
  | 'ESME_RTHROTTLED'
  | 'destination'
  | 'insufficient_funds'
  | 'opt_out'
  | 'sender';
export type SubmitOutcome =
  | { readonly kind: 'sent'; readonly messageId: Id<'message'> }
  | { readonly kind: 'refused'; readonly status: SubmitStatus; readonly detail: string };

const MAX_TEXT = 10_000;
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
  // The provider's or the service's own fault, as 502 and 503 are over HTTP.
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

const refused = (status: SubmitStatus, detail: string): SubmitOutcome => ({ kind: 'refused', status, detail });

/** What a queued send is besides its plan. */
const SCHEDULED = { channel: 'sms', type: 'text' } as const;

/**
 * Sends what an account submitted, by the rules of an SMS over HTTP (docs/spec/sms.md#sending-an-sms): the answer comes once the provider
 * has accepted it, or once it is stored where it leaves later. Without a key each submission is a message of its own.
 */
export const sendOverSmpp = async (
  ports: SmppSendPorts,
  { env }: Pick<Tenant, 'env'>,
  { id: accountId, organizationId, route, senderId: own }: SmppSubmitter,
  message: SmppText,
): Promise<SubmitOutcome> => {
  const { destination: to, source, text: body, deliverAt, schedule, validUntil, validity } = message;
  const { idempotencyKey, receipts } = message;
  if (body.length > MAX_TEXT) return refused('ESME_RINVMSGLEN', `The text has more than ${MAX_TEXT} characters.`);
  if (idempotencyKey !== undefined && !KEY.test(idempotencyKey))
    return refused('ESME_RINVOPTPARAMVAL', 'The idempotency key has characters that are none of its own.');
  const tenant = { organizationId, env };
  const senderId = source ?? own;
  const request: SmsRequest = { to, body, route, ...(senderId === undefined ? {} : { senderId }) };
  const key = requestKey(idempotencyKey ?? `smpp-${randomBase62(KEY_LENGTH)}`, 'smpp.submit', {
    ...request,
    schedule,
    validity,
  });
  const late = deliverAt === undefined ? undefined : scheduleFault(new Date(deliverAt).toISOString(), ports.clock());
  if (late) return refused(statusOf(late), late.details.detail);
  const plan = async () => {
    const planned = await pricePlan(ports, tenant, request, await planSms(ports, tenant, request));
    if (isRefusal(planned)) return planned;
    const labels = { ...planned.plan.labels, smpp: { accountId, receipts } };
    return { ...planned, plan: { ...planned.plan, labels, scheduledAt: deliverAt, validUntil } };
  };
  const sent =
    deliverAt === undefined
      ? await sendNow(ports, tenant, key, await plan())
      : await submit({ ...ports, plan }, tenant, { key, request: { ...SCHEDULED, to, scheduledAt: deliverAt } });
  if (!isRefusal(sent)) return { kind: 'sent', messageId: sent.message.id };
  ports.observe.sent('sms', sent.name, { organizationId });
  return refused(statusOf(sent), sent.details.detail);
};
