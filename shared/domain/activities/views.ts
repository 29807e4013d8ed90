import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import type { Activity } from './activity.ts';
import type { CardFile } from './card-file.ts';

const optionalTime = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : isoTime(ms));

/** An activity as the API returns it (docs/spec/activities.md#activity-shape). */
export const activityView = (activity: Activity) => ({
  id: activity.id,
  tipo: activity.type,
  titulo: activity.title,
  concluida: activity.completedAt !== undefined,
  createdAt: isoTime(activity.createdAt),
  updatedAt: isoTime(activity.updatedAt),
  ...definedFields({
    descricao: activity.description,
    cardId: activity.cardId,
    contatoId: activity.contactId,
    empresaId: activity.companyId,
    responsavelId: activity.responsibleId,
    venceEm: optionalTime(activity.dueAt),
    lembreteMinutos: activity.reminderMinutes,
    concluidaEm: optionalTime(activity.completedAt),
  }),
});

/** A file of a card as the API returns it (docs/spec/activities.md#files). */
export const cardFileView = (file: CardFile) => ({
  id: file.id,
  cardId: file.cardId,
  nome: file.name,
  mimeType: file.mimeType,
  tamanho: file.size,
  sha256: file.sha256,
  criadoPorId: file.createdById,
  createdAt: isoTime(file.createdAt),
});
