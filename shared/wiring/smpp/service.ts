import * as z from 'zod';
import { definedFields } from '../../domain/core/patch.ts';
import { RECEIPT_WISHES } from '../../domain/message/smpp-origin.ts';
import { type BoundAccount, DLR_FORMATS, SMPP_ROUTES, type SmppAccount } from '../../domain/smpp/account.ts';
import { type BindOutcome, bind, keepBind } from '../../domain/smpp/bind.ts';
import { cancelOverSmpp, queryMessage } from '../../domain/smpp/look-up.ts';
import { type PartOutcome, submitPart } from '../../domain/smpp/parts.ts';
import { sendOverSmpp } from '../../domain/smpp/send.ts';
import { id } from '../../storage/client/attributes.ts';
import { readMessageOf } from '../../storage/messages/message-lists.ts';
import { cancelAndForcePorts } from '../messages/cancel-and-force.ts';
import { submitPorts } from '../messages/queue-and-send.ts';
import { settings, table } from '../process/aws.ts';
import { smsPorts } from '../sending/ports.ts';
import { bindPorts } from './binds.ts';
import { partsPorts } from './parts.ts';

/*
 * The stage's functions for the SMPP service, which speaks the protocol and keeps the connections, but contains no rules. Events come from
 * its own process, and are parsed anyway.
 */

/** An account as the service receives it: without its password. */
const boundAccount = z.object({
  id: id('smppAccount'),
  organizationId: id('organization'),
  route: z.enum(SMPP_ROUTES),
  senderId: z.string().optional(),
  window: z.int(),
  dlrFormat: z.enum(DLR_FORMATS),
});
const withoutPassword = (account: SmppAccount): BoundAccount => boundAccount.parse(account);

const slot = z.object({ accountId: id('smppAccount'), slot: z.int(), bindId: z.string() });

const BindEvent = z.object({ systemId: z.string(), password: z.string(), address: z.string(), bindId: z.string() });
/** Binds an account; returns the command status if it may not. */
export const bindOverSmpp = async (event: unknown) => {
  const outcome: BindOutcome = await bind(bindPorts, BindEvent.parse(event));
  return outcome.kind === 'bound' ? { ...outcome, account: withoutPassword(outcome.account) } : outcome;
};

const KeepEvent = z.object({ organizationId: id('organization'), slot, address: z.string() });
/** Renews a bind; undefined if it must end, else its account's present state. */
export const keepSmppBind = async (event: unknown) => {
  const account = await keepBind(bindPorts, KeepEvent.parse(event));
  return account && withoutPassword(account);
};

/** Frees a bind that has ended. */
export const freeSmppBind = (event: unknown) => bindPorts.binds.free(slot.parse(event));

const submitted = {
  destination: z.string(),
  source: z.string().optional(),
  deliverAt: z.number().optional(),
  schedule: z.string().optional(),
  validUntil: z.number().optional(),
  validity: z.string().optional(),
  idempotencyKey: z.string().optional(),
};
const receipt = z.object({ wants: z.enum(RECEIPT_WISHES), intermediate: z.literal(true).optional() });
const SubmitEvent = z.union([
  z.object({
    account: boundAccount,
    message: z.object({ ...submitted, text: z.string(), receipts: z.array(receipt) }),
  }),
  z.object({
    account: boundAccount,
    part: z.object({
      ...submitted,
      form: z.string(),
      reference: z.int(),
      total: z.int(),
      number: z.int(),
      content: z.object({ coding: z.int(), bytes: z.string() }),
      characters: z.int(),
      receipt,
    }),
  }),
]);
const textPorts = { ...submitPorts, ...smsPorts };

/** Sends a submitted message, or a part of one. */
export const submitOverSmpp = (event: unknown): Promise<PartOutcome> => {
  const submission = SubmitEvent.parse(event);
  const { account } = submission;
  if ('part' in submission)
    return submitPart(
      partsPorts,
      { env: settings.STAGE },
      account,
      definedFields(submission.part) as typeof submission.part,
    );
  const { message } = submission;
  return sendOverSmpp(textPorts, { env: settings.STAGE }, account, definedFields(message) as typeof message);
};

const MessageEvent = z.object({ organizationId: id('organization'), messageId: z.string() });
const reader = {
  parts: partsPorts.parts,
  readSms: (organizationId: BoundAccount['organizationId'], messageId: Parameters<typeof readMessageOf>[3]) =>
    readMessageOf(table, organizationId, 'sms', messageId),
};
/** The status of a message; undefined if there is none. */
export const queryOverSmpp = (event: unknown) => {
  const { messageId, ...owner } = MessageEvent.parse(event);
  return queryMessage(reader, owner, messageId);
};
/** Cancels a message; false if that is not possible. */
export const cancelSmppMessage = (event: unknown) => {
  const { messageId, ...owner } = MessageEvent.parse(event);
  return cancelOverSmpp({ ...cancelAndForcePorts, ...reader }, owner, messageId);
};
