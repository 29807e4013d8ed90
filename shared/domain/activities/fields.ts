import type { Id } from '../core/ids.ts';
import type { Patch } from '../core/patch.ts';
import type { Activity, ActivityType } from './activity.ts';

/** The fields of an activity that callers write, as on the wire. */
export interface ActivityFields {
  readonly tipo: ActivityType;
  readonly titulo: string;
  readonly descricao?: string | undefined;
  readonly cardId?: Id<'card'> | undefined;
  readonly contatoId?: Id<'contact'> | undefined;
  readonly empresaId?: Id<'company'> | undefined;
  readonly responsavelId?: Id<'account'> | undefined;
  /** ISO 8601. */
  readonly venceEm?: string | undefined;
  readonly lembreteMinutos?: number | undefined;
  readonly concluida?: boolean | undefined;
}
type Clearable = 'descricao' | 'cardId' | 'contatoId' | 'empresaId' | 'responsavelId' | 'venceEm' | 'lembreteMinutos';
export type ActivityChange = Patch<ActivityFields, Clearable>;

type Written = Omit<
  Activity,
  'createdAt' | 'env' | 'id' | 'organizationId' | 'notifiedMoments' | 'updatedAt' | 'version'
>;

/** The fields of a new activity at `now` (ms). */
export const newFields = (given: ActivityFields, now: number): Written => ({
  type: given.tipo,
  title: given.titulo,
  description: given.descricao,
  cardId: given.cardId,
  contactId: given.contatoId,
  companyId: given.empresaId,
  responsibleId: given.responsavelId,
  dueAt: given.venceEm === undefined ? undefined : Date.parse(given.venceEm),
  reminderMinutes: given.lembreteMinutos,
  completedAt: given.concluida ? now : undefined,
});

/** A field after a change: kept if absent, cleared by null. */
const patched = <T>(before: T | undefined, change: T | null | undefined): T | undefined =>
  change === undefined ? before : (change ?? undefined);

/** The fields of an activity after a change at `now` (ms). Clearing its due time clears its reminder, unless the change sets one. */
export const changedFields = (before: Activity, change: ActivityChange, now: number): Written => {
  const { venceEm, lembreteMinutos = venceEm === null ? null : undefined, concluida } = change;
  const isCompleted = concluida ?? before.completedAt !== undefined;
  return {
    type: change.tipo ?? before.type,
    title: change.titulo ?? before.title,
    description: patched(before.description, change.descricao),
    cardId: patched(before.cardId, change.cardId),
    contactId: patched(before.contactId, change.contatoId),
    companyId: patched(before.companyId, change.empresaId),
    responsibleId: patched(before.responsibleId, change.responsavelId),
    dueAt: typeof venceEm === 'string' ? Date.parse(venceEm) : patched(before.dueAt, venceEm),
    reminderMinutes: patched(before.reminderMinutes, lembreteMinutos),
    completedAt: isCompleted ? (before.completedAt ?? now) : undefined,
  };
};
