import type { EmailPorts } from '../../domain/email/send.ts';
import { settings } from './platform.ts';
import { sendPorts } from './send.ts';
import { organizationSettings } from './settings.ts';
import { suppressed } from './suppression.ts';
import { unsubscribeUrlFor } from './unsubscribe-link.ts';

/** The sandbox's sender for who set none: nothing leaves it. */
const SANDBOX_SENDER = 'Sandbox <no-reply@simulator.amazonses.com>';

/** What the rules of e-mail need. */
export const emailPorts: EmailPorts = {
  ...sendPorts,
  // Loaded by the first send that names a template: a send that brings its content does not wait for it.
  render: async (...given) => {
    const { renderTemplateOf } = await import('./email-templates.ts');
    return renderTemplateOf(...given);
  },
  sender: async (organizationId) =>
    (await organizationSettings(organizationId)).emailFrom ?? (settings.STAGE === 'test' ? SANDBOX_SENDER : undefined),
  unsubscribeUrl: ({ organizationId }, to) => unsubscribeUrlFor(organizationId, to),
  suppressed: ({ organizationId }, to) =>
    suppressed(organizationId, () => sendPorts.hashTo(organizationId, 'email', to)),
};
