import type { SendEmailPorts } from '../../domain/api/send-email.ts';
import { organizationSettings } from '../access/settings.ts';
import { unsubscribeUrlFor } from '../contacts/unsubscribe-link.ts';
import { settings } from '../process/aws.ts';
import { senderChecks } from '../senders/checks.ts';
import { sendPorts } from '../sending/ports.ts';
import { suppressionPorts } from './suppression.ts';

/** Default sender in the sandbox, which delivers nothing. */
const SANDBOX_SENDER = 'Sandbox <no-reply@simulator.amazonses.com>';

export const emailPorts: SendEmailPorts = {
  ...sendPorts,
  ...senderChecks,
  // Loaded by the first send that names a template, to keep it out of other sends' cold starts.
  renderEmailTemplate: async (...args) => {
    const { renderTemplateOf } = await import('./templates.ts');
    return renderTemplateOf(...args);
  },
  emailSender: async (organizationId) =>
    (await organizationSettings(organizationId)).emailFrom ?? (settings.STAGE === 'test' ? SANDBOX_SENDER : undefined),
  unsubscribeUrl: ({ organizationId }, to) => unsubscribeUrlFor(organizationId, to),
  isSuppressed: suppressionPorts.isSuppressed,
};
