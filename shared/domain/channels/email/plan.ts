import type { Tenant } from '../../core/actor.ts';
import {
  addressesIn,
  formatMailbox,
  type Mailbox,
  mailboxError,
  parseAddress,
  parseMailbox,
  subjectError,
} from '../../core/email-address.ts';
import { isRefusal, type Refusal, refuse } from '../../core/errors.ts';
import type { Id } from '../../core/ids.ts';
import { refuseField } from '../../core/refuse-field.ts';
import type { Planned, PlanRefusal } from '../../message/plan.ts';
import { notOwnSender, type SenderChecks } from '../../senders/permission.ts';
import type { EmailContent } from './content.ts';
import type { TemplateValue } from './placeholders.ts';
import type { EmailRequest } from './request.ts';
import { bodyBytes, type EmailBody, MAX_BODY_BYTES, withText } from './text.ts';

/** A rendered template. */
export interface RenderedEmail extends EmailBody {
  readonly templateId: Id<'emailTemplate'>;
  readonly subject: string;
}

/** Ports of e-mail planning. */
export interface EmailPlanPorts extends SenderChecks {
  /** Renders a saved template by id or name; `subject` overrides its own. Undefined if it doesn't exist. */
  readonly renderEmailTemplate: (
    organizationId: Id<'organization'>,
    template: string,
    variables: Readonly<Record<string, TemplateValue>>,
    subject: string | undefined,
  ) => Promise<RenderedEmail | Refusal<'VALIDATION_ERROR'> | undefined>;
  /** The organization's default sender; undefined if none is set. */
  readonly emailSender: (organizationId: Id<'organization'>) => Promise<string | undefined>;
  /** One-click unsubscribe URL of a recipient (RFC 8058). */
  readonly unsubscribeUrl: (tenant: Tenant, to: string) => Promise<string>;
}

/** Price route of every e-mail: a fixed price per recipient, without bands (docs/spec/email.md#e-mail-price). */
export const EMAIL_ROUTE = 'email';

const invalidField = (path: string, message: string) => refuseField('The e-mail violates a rule.', path, message);

/** Subject and body: as given or from the template, whose subject the request may override (docs/spec/email.md#e-mail-content). */
const composeContent = async (ports: EmailPlanPorts, organizationId: Id<'organization'>, request: EmailRequest) => {
  const { templateId, html, text, subject } = request;
  if (templateId === undefined) {
    if (html === undefined && text === undefined) return invalidField('html', 'is required, or text, or templateId');
    if (subject === undefined) return invalidField('subject', 'is required without a template');
    return { subject, html, text, templateId: undefined };
  }
  if (html !== undefined || text !== undefined)
    return invalidField('templateId', 'must be given without html and text: the template has the body');
  const rendered = await ports.renderEmailTemplate(organizationId, templateId, request.variables ?? {}, subject);
  return rendered ?? invalidField('templateId', 'is not a template of the organization');
};

const FOREIGN_NAME = 'has a display name with an e-mail address that is not a verified sender of the organization';

/** Whether the display name shows an address that the organization may not send as: many readers see the name alone. */
const namesForeignAddress = async (
  { ownsSender }: Pick<SenderChecks, 'ownsSender'>,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  { name = '', address }: Mailbox,
): Promise<boolean> => {
  for (const shown of addressesIn(name))
    if (shown.toLowerCase() !== address.toLowerCase() && !(await ownsSender(organizationId, 'email', shown)))
      return true;
  return false;
};

const noSender = (detail: string) => refuse('PRECONDITION_FAILED', { detail, meta: { motivo: 'no_verified_sender' } });
const NONE_SET = noSender(
  'No sender is set: name one in `from`, or set one with `npm run admin -- organization set --email-from`.',
);
const LOST = noSender('The sender that the operator set is no verified sender of the organization any more.');

/** The sender of an e-mail: `shown` in answers as it was given, and the `header` that the provider gets. */
interface Sender {
  readonly shown: string;
  readonly header: string;
}

/** The sender of an e-mail that names none: the organization's default, else the one that the operator set, if it is still the organization's. */
const unnamedSender = async (ports: EmailPlanPorts, tenant: Tenant): Promise<Sender | PlanRefusal> => {
  const { organizationId } = tenant;
  const registered = await ports.defaultSender(organizationId, 'email');
  const sender = registered ?? (await ports.emailSender(organizationId));
  if (sender === undefined) return NONE_SET;
  // Both were validated when they were set.
  const mailbox = parseMailbox(sender);
  if (!mailbox) return invalidField('from', mailboxError(sender) ?? 'is no sender');
  // The sandbox provides one to organizations that have none, and nothing leaves under it.
  const isOwn =
    registered !== undefined || tenant.env === 'test' || (await ports.mayUseSender(tenant, 'email', mailbox.address));
  return isOwn ? { shown: sender, header: formatMailbox(mailbox) } : LOST;
};

/** The sender of an e-mail: as given if the organization may send as it. */
const senderOf = async (
  ports: EmailPlanPorts,
  tenant: Tenant,
  from: string | undefined,
): Promise<Sender | PlanRefusal> => {
  if (from === undefined) return unnamedSender(ports, tenant);
  const mailbox = parseMailbox(from);
  if (!mailbox) return invalidField('from', mailboxError(from) ?? 'is no sender');
  if (!(await ports.mayUseSender(tenant, 'email', mailbox.address))) return notOwnSender('from');
  const hasForeign = await namesForeignAddress(ports, tenant, mailbox);
  return hasForeign ? invalidField('from', FOREIGN_NAME) : { shown: from, header: formatMailbox(mailbox) };
};

/** Plans an e-mail, and builds what is sent but not stored. 422 for invalid headers or missing content, 412 without a sender. */
export const planEmail = async (
  ports: EmailPlanPorts,
  tenant: Tenant,
  request: EmailRequest,
): Promise<(Planned<'email'> & { readonly outbound: EmailContent }) | PlanRefusal> => {
  const to = parseAddress(request.to);
  if (to === undefined) return invalidField('to', 'must be an e-mail address');
  const content = await composeContent(ports, tenant.organizationId, request);
  if (isRefusal(content)) return content;
  const fault = subjectError(content.subject);
  if (fault) return invalidField('subject', fault);
  const { templateId: usedId, ...parts } = content;
  const body = withText(parts);
  if (bodyBytes(body) > MAX_BODY_BYTES)
    return invalidField('html', `must have at most ${MAX_BODY_BYTES} bytes with text`);
  const sender = await senderOf(ports, tenant, request.from);
  if (isRefusal(sender)) return sender;
  const transactional = request.transactional === true;
  const { subject } = content;
  const oneClick = transactional ? {} : { unsubscribeUrl: await ports.unsubscribeUrl(tenant, to) };
  return {
    plan: {
      channel: 'email',
      route: EMAIL_ROUTE,
      to,
      type: request.templateId === undefined ? 'text' : 'template',
      content: { from: sender.shown, subject, bodyBytes: bodyBytes(body) },
      requiresConsent: !transactional,
      ...(usedId === undefined ? {} : { labels: { templateId: usedId } }),
    },
    outbound: { from: sender.header, subject, ...body, ...oneClick },
  };
};
