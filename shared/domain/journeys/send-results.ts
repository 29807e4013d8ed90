import type { ProblemName, Refusal } from '../core/errors.ts';
import { parseId } from '../core/ids.ts';
import type { Performed } from './engine-ports.ts';
import type { PauseReason } from './turn.ts';

const DEFAULT_WAIT_SECONDS = 30;
const later = (seconds = DEFAULT_WAIT_SECONDS): Performed => ({ kind: 'later', ms: seconds * 1000 });
const blocked = (reason: PauseReason): Performed => ({ kind: 'blocked', reason });
const skipped = (detail: string): Performed => ({ kind: 'skipped', detail });

/** Refusals that concern the contact alone, by `meta.motivo`: the run continues without the message. */
const OF_THE_CONTACT: ReadonlySet<unknown> = new Set([
  'opt_out',
  'suppressed',
  'frequency_cap',
  'destination_closed',
  'destination_held',
  'destination_not_priced',
]);
/** Fields whose errors mean that the template is missing or can't be used. */
const TEMPLATE_FIELDS: ReadonlySet<string> = new Set(['template', 'templateId', 'payload.email.templateId']);
/** Fields whose errors mean that the sender is gone: the template's number. */
const SENDER_FIELDS: ReadonlySet<string> = new Set(['numberId', 'instagramAccountId']);
/** Fields of the contact. */
const CONTACT_FIELDS: ReadonlySet<string> = new Set(['to', 'contactId']);

/** 409: already sent, in flight, or currently not possible in this form. */
const conflict = ({ details: { meta, retryAfterSeconds } }: Refusal): Performed => {
  if (meta?.code === 'JA_ENVIADA') return { kind: 'sent', messageId: parseId('message', String(meta.messageId)) };
  if (meta?.code === 'template_not_approved') return blocked('template_indisponivel');
  if (meta?.code === 'window_closed') return skipped('janela_fechada');
  return later(retryAfterSeconds);
};

/** 412: a missing resource of the organization blocks everybody; a high price or a closed destination only this contact. */
const precondition = ({ details: { meta } }: Refusal): Performed => {
  if (meta?.maxCoins !== undefined) return skipped('max_coins');
  if (meta?.motivo === undefined || meta.motivo === 'no_verified_sender') return blocked('numero_desconectado');
  return { kind: 'refused', detail: String(meta.motivo) };
};

const invalid = ({ details: { errors = [] } }: Refusal): Performed => {
  const fields = errors.map(({ path }) => path);
  if (fields.some((path) => TEMPLATE_FIELDS.has(path))) return blocked('template_indisponivel');
  if (fields.some((path) => SENDER_FIELDS.has(path))) return blocked('numero_desconectado');
  if (fields.some((path) => CONTACT_FIELDS.has(path))) return skipped('destinatario_invalido');
  return { kind: 'refused', detail: fields[0] ?? 'invalida' };
};

const BY_NAME: Readonly<Partial<Record<ProblemName, (refusal: Refusal) => Performed>>> = {
  PAYMENT_REQUIRED: () => blocked('saldo_insuficiente'),
  DEPENDENCY_FAILED: () => blocked('provedor_indisponivel'),
  CONFLICT: conflict,
  PRECONDITION_FAILED: precondition,
  RATE_LIMITED: ({ details }) => later(details.retryAfterSeconds),
  SERVICE_UNAVAILABLE: ({ details }) => later(details.retryAfterSeconds),
};

/** A refused change would be refused again: the step failed, and the run continues. */
export const refusedBy = (refusal: Refusal): Extract<Performed, { readonly kind: 'refused' }> => ({
  kind: 'refused',
  detail: refusal.details.errors?.[0]?.path ?? refusal.name.toLowerCase(),
});

/**
 * The effect of a refused send on a run (docs/spec/journeys.md#refused-sends): if it concerns the contact, the message is skipped; if every
 * contact, the journey pauses; if something is busy, it is retried; if the message itself is wrong, the step fails.
 */
export const resultOfRefusal = (refusal: Refusal): Performed => {
  const motivo = refusal.details.meta?.motivo;
  if (OF_THE_CONTACT.has(motivo)) return skipped(String(motivo));
  return (BY_NAME[refusal.name] ?? invalid)(refusal);
};
