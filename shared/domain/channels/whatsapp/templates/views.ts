import { definedFields } from '../../../core/patch.ts';
import { isoTime } from '../../../core/time.ts';
import type { WhatsappTemplate } from './template.ts';

/** A template as the API returns it (docs/spec/whatsapp-templates.md#template-shape). */
export const templateView = (template: WhatsappTemplate) => {
  const { headerExampleUrl, platformTemplateId, rejectionReason } = template;
  return {
    id: template.id,
    organizationId: template.organizationId,
    numberId: template.numberId,
    name: template.name,
    language: template.language,
    category: template.category,
    status: template.status,
    components: template.components.map(({ type, payload }) => ({ type, payload })),
    ...definedFields({ headerExampleUrl, platformTemplateId, rejectionReason }),
    version: template.version,
    createdAt: isoTime(template.createdAt),
    updatedAt: isoTime(template.updatedAt),
  };
};
