import type * as z from 'zod';
import type { Tenant } from '../../core/actor.ts';
import { refuse } from '../../core/errors.ts';
import { refuseField } from '../../core/refuse-field.ts';
import type { Clock } from '../../core/time.ts';
import { payloadFaults } from '../../message/payload.ts';
import type { SendRequest } from '../../message/send-request.ts';
import type { MetaChannel } from './providers.ts';
import { windowRefusal } from './window.ts';

/** A lookup of the sender and its window. */
export interface SenderQuery {
  readonly channel: MetaChannel;
  readonly to: string;
  /** Our id of the sender that the request names. */
  readonly requestedId: string | undefined;
  /** Whether the message needs an open 24-hour window. */
  readonly needsWindow: boolean;
}

/** Ports of planning WhatsApp and Instagram messages. */
export interface MetaPlanPorts {
  readonly clock: Clock;
  /**
   * Finds the number or account to send from, by our id: the requested one, else the organization's only one, else the number that the
   * recipient last wrote to. No id if none was requested and the provider's own account sends, or in the sandbox. `lastInboundAt`: when the
   * recipient last wrote there, in ms, if ever and if `needsWindow`. Undefined if the organization has no such sender
   * (docs/spec/whatsapp.md#which-number).
   */
  readonly senderOf: (
    tenant: Tenant,
    query: SenderQuery,
  ) => Promise<{ readonly id?: string | undefined; readonly lastInboundAt?: number | undefined } | undefined>;
}

const SENDER_LABEL = { whatsapp: 'numberId', instagram: 'instagramAccountId' } as const;

const unknownSender = (channel: MetaChannel, requestedId: string | undefined) =>
  requestedId === undefined
    ? refuse('PRECONDITION_FAILED', 'The organization has no account to send from on this channel.')
    : refuseField('The sender does not exist.', SENDER_LABEL[channel], 'does not belong to the organization');

/** The payload of a request: as given, else built from its text or template. */
export const payloadOf = (request: SendRequest): Record<string, unknown> => {
  const vars = request.type === 'template' ? { templateVars: { ...request.variables } } : {};
  const text = request.text === undefined ? {} : { text: request.text };
  if (request.payload) return { ...text, ...request.payload, ...(request.variables ? vars : {}) };
  if (request.template !== undefined) return { template: { name: request.template, language: 'pt-BR' }, ...vars };
  return { text: request.text ?? '' };
};

/** Builds content and sender of a WhatsApp or Instagram message, or a refusal. `schema` validates the payload. */
export const composeMetaMessage = async (
  ports: MetaPlanPorts,
  tenant: Tenant,
  request: SendRequest,
  schema: z.ZodType,
  { channel, to, needsWindow }: Omit<SenderQuery, 'requestedId'>,
) => {
  const { type, labels } = request;
  const payload = payloadOf(request);
  const errors = payloadFaults(schema, payload);
  if (errors.length > 0) return refuse('VALIDATION_ERROR', { detail: 'The payload does not match its type.', errors });
  const requestedId = labels?.[SENDER_LABEL[channel]];
  const sender = await ports.senderOf(tenant, { channel, to, requestedId, needsWindow });
  if (!sender) return unknownSender(channel, requestedId);
  const { id, lastInboundAt } = sender;
  const closed = needsWindow ? windowRefusal(channel, ports.clock(), lastInboundAt, 'tag' in payload) : undefined;
  if (closed) return closed;
  if (id === undefined) return { to, type, content: { payload }, labels };
  return { to, type, content: { payload, from: id }, labels: { ...labels, [SENDER_LABEL[channel]]: id } };
};
