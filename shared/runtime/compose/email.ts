import type { EmailPorts } from '../../domain/email/send.ts';
import { settings } from './platform.ts';
import { sendPorts } from './send.ts';
import { organizationSettings } from './settings.ts';
import { unsubscribeUrlFor } from './unsubscribe-link.ts';

/** The sandbox's sender for who set none: nothing leaves it. */
const SANDBOX_SENDER = 'Sandbox <no-reply@simulator.amazonses.com>';

/** What the rules of e-mail need. */
export const emailPorts: EmailPorts = {
  ...sendPorts,
  // Loaded by the first send that names a template: a send that brings its content does not wait for it.
  render: async (organizationId, template, variables) => {
    const { renderTemplateOf } = await import('./email-templates.ts');
    return renderTemplateOf(organizationId, template, variables);
  },
  sender: async (organizationId) =>
    (await organizationSettings(organizationId)).emailFrom ?? (settings.STAGE === 'test' ? SANDBOX_SENDER : undefined),
  unsubscribeUrl: ({ organizationId }, to) => unsubscribeUrlFor(organizationId, to),
};
