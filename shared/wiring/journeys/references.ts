import type { ReferencePorts } from '../../domain/journeys/check-references.ts';
import { pushApps } from '../../storage/push/apps.ts';
import { emailPorts } from '../email/email.ts';
import { templatePorts as emailTemplatePorts } from '../email/templates.ts';
import { listPorts } from '../lists/lists.ts';
import { pipelinePorts } from '../pipelines/pipelines.ts';
import { table, vaults } from '../process/aws.ts';
import { segmentPorts } from '../segments/segments.ts';
import { quotePorts } from '../wallet/quote.ts';
import { templatePorts } from '../whatsapp/numbers.ts';

/** The lookups for journeys' references. */
export const referencePorts: ReferencePorts = {
  lists: listPorts.store,
  segments: segmentPorts.store,
  pipelines: pipelinePorts.store,
  templates: templatePorts.templates,
  emailTemplates: emailTemplatePorts.store,
  numbers: templatePorts.numbers,
  prices: quotePorts.prices,
  pushApps: pushApps(table, vaults.push),
  hasEmailSender: async ({ organizationId }) =>
    ((await emailPorts.defaultSender(organizationId, 'email')) ?? (await emailPorts.emailSender(organizationId))) !==
    undefined,
};
