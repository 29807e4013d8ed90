import type { ProblemName, Refusal } from '../core/errors.ts';
import { parseId } from '../core/ids.ts';
import type { Performed } from './engine-ports.ts';
import type { PauseReason } from './turn.ts';

const DEFAULT_WAIT_SECONDS = 30;
const later = (seconds = DEFAULT_WAIT_SECONDS): Performed => ({ kind: 'later', ms: seconds * 1000 });
const blocked = (reason: PauseReason): Performed => ({ kind: 'blocked', reason });
const skipped = (detail: string): Performed => ({ kind: 'skipped', detail });

/** What is refused of the contact alone, by `meta.motivo`: the run goes on without the message. */
const OF_THE_CONTACT: ReadonlySet<unknown> = new Set([
  'opt_out',
  'suppressed',
  'frequency_cap',
  'destination_closed',
  'destination_held',
  'destination_not_priced',
]);
/** Fields whose fault is that there is no such template, or none that may be used. */
const TEMPLATE_FIELDS: ReadonlySet<string> = new Set(['template', 'templateId', 'payload.email.templateId']);
/** Fields whose fault is that the sender is gone: the number that a template belongs to. */
const SENDER_FIELDS: ReadonlySet<string> = new Set(['numberId', 'instagramAccountId']);
/** Fields that are the contact's own. */
const CONTACT_FIELDS: ReadonlySet<string> = new Set(['to', 'contactId']);

/** 409: what was sent already, is on its way, or cannot be sent in that form now. */
const conflict = ({ details: { meta, retryAfterSeconds } }: Refusal): Performed => {
  if (meta?.code === 'JA_ENVIADA') return { kind: 'sent', messageId: parseId('message', String(meta.messageId)) };
  if (meta?.code === 'template_not_approved') return blocked('template_indisponivel');
  if (meta?.code === 'window_closed') return skipped('janela_fechada');
  return later(retryAfterSeconds);
};

/** 412: what the organization lacks stops everybody, what is dear or closed this contact alone. */
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

/** A change that the service refuses would be refused again: the step failed, and the run goes on. */
export const refusedBy = (refusal: Refusal): Extract<Performed, { readonly kind: 'refused' }> => ({
  kind: 'refused',
  detail: refusal.details.errors?.[0]?.path ?? refusal.name.toLowerCase(),
});

/**
 * What a refused send means for a run (docs/spec/journeys.md#refused-sends): what concerns the contact skips the message, what concerns every contact pauses the
 * journey, what is busy is tried again, and what the message itself is wrong in fails the step.
 */
export const resultOfRefusal = (refusal: Refusal): Performed => {
  const motivo = refusal.details.meta?.motivo;
  if (OF_THE_CONTACT.has(motivo)) return skipped(String(motivo));
  return (BY_NAME[refusal.name] ?? invalid)(refusal);
};
