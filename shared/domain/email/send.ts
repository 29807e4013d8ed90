import { isRefusal, type Refusal, refuse } from '../errors.ts';
import type { Asked, PlanOf, Tenant } from '../messages/plan.ts';
import { planWith, sendingBy } from '../messages/planning.ts';
import type { SendPorts } from '../messages/ports.ts';
import type { SendRequest } from '../messages/unified.ts';
import { formatMailbox, mailboxFault, parseAddress, parseMailbox, subjectFault } from './address.ts';
import type { EmailContent } from './content.ts';
import type { TemplateValue } from './placeholders.ts';
import { bodyBytes, type EmailBody, MOST_BODY_BYTES, withText } from './text.ts';
import { sentEmailView } from './views.ts';

/** The parsed body of a send (interface 4.5). */
export interface EmailRequest extends EmailBody, SendRequest {
  readonly subject?: string | undefined;
  readonly templateId?: string | undefined;
  readonly variables?: Readonly<Record<string, TemplateValue>> | undefined;
  readonly from?: string | undefined;
  readonly transactional?: boolean | undefined;
}

/** A template with its variables filled in. */
export interface RenderedEmail extends EmailBody {
  readonly subject: string;
}

/** What e-mail needs besides the common ports. */
export interface EmailPorts extends SendPorts {
  /** Fills a saved template, by its id or name, and `subject` in the place of its own; undefined when there is none. */
  readonly render: (
    organizationId: string,
    template: string,
    variables: Readonly<Record<string, TemplateValue>>,
    subject: string | undefined,
  ) => Promise<RenderedEmail | Refusal<'VALIDATION_ERROR'> | undefined>;
  /** The sender of who names none; undefined where none is set. */
  readonly sender: (organizationId: string) => Promise<string | undefined>;
  /** Where one click takes the recipient out (RFC 8058). */
  readonly unsubscribeUrl: (tenant: Tenant, to: string) => Promise<string>;
  /** Whether its provider reported an address as suppressed; false where that cannot be learned. Absent where no provider reports. */
  readonly suppressed?: (tenant: Tenant, to: string) => Promise<boolean>;
}

/** The price row of every e-mail: a fixed price per recipient, without bands (interface 4.5, rule 4). */
export const EMAIL_ROUTE = 'email';

const wrong = (path: string, message: string) =>
  refuse('VALIDATION_ERROR', { detail: 'The e-mail breaks a rule.', errors: [{ path, message }] });

/** What leaves: the given parts, or the template's, the given subject above the template's (interface 4.5, rule 5). */
const composed = async (ports: EmailPorts, organizationId: string, request: EmailRequest) => {
  const { templateId, html, text, subject } = request;
  if (templateId === undefined) {
    if (html === undefined && text === undefined) return wrong('html', 'is needed, or text, or templateId');
    if (subject === undefined) return wrong('subject', 'is needed without a template');
    return { subject, html, text };
  }
  if (html !== undefined || text !== undefined) return wrong('templateId', 'stands alone: the template has the body');
  const rendered = await ports.render(organizationId, templateId, request.variables ?? {}, subject);
  return rendered ?? wrong('templateId', 'is no template of the organization');
};

const senderOf = async (ports: EmailPorts, organizationId: string, from: string | undefined) => {
  const sender = from ?? (await ports.sender(organizationId));
  if (sender === undefined)
    return refuse('PRECONDITION_FAILED', {
      detail: 'No sender is set: name one in `from`, or set one with `npm run admin -- organization set --email-from`.',
      meta: { motivo: 'no_verified_sender' },
    });
  const mailbox = parseMailbox(sender);
  return mailbox ? formatMailbox(mailbox) : wrong('from', mailboxFault(sender) ?? 'is no sender');
};

/** Makes the plan of an e-mail and what leaves of it: 422 for what would break its headers or has no content, 412 without a sender. */
export const planEmail = async (
  ports: EmailPorts,
  ...asked: Asked<EmailRequest>
): Promise<
  | { readonly plan: PlanOf<'email'>; readonly content: EmailContent }
  | Refusal<'PRECONDITION_FAILED' | 'VALIDATION_ERROR'>
> => {
  const [tenant, request] = asked;
  const to = parseAddress(request.to);
  if (to === undefined) return wrong('to', 'must be an e-mail address');
  const parts = await composed(ports, tenant.organizationId, request);
  if (isRefusal(parts)) return parts;
  const fault = subjectFault(parts.subject);
  if (fault) return wrong('subject', fault);
  const body = withText(parts);
  if (bodyBytes(body) > MOST_BODY_BYTES) return wrong('html', `must have at most ${MOST_BODY_BYTES} bytes with text`);
  const from = await senderOf(ports, tenant.organizationId, request.from);
  if (isRefusal(from)) return from;
  const transactional = request.transactional === true;
  const { subject } = parts;
  const planned = await planWith(ports, asked, {
    channel: 'email',
    route: EMAIL_ROUTE,
    to,
    type: request.templateId === undefined ? 'text' : 'template',
    content: { from, subject, bodyBytes: bodyBytes(body) },
    mayOptOut: !transactional,
  });
  if (isRefusal(planned)) return planned;
  const oneClick = transactional ? {} : { unsubscribeUrl: await ports.unsubscribeUrl(tenant, to) };
  return { ...planned, content: { from, subject, ...body, ...oneClick } };
};

/** The same for a caller who waits: what leaves knows whether its recipient is suppressed. */
const planLeaving = async (ports: EmailPorts, ...asked: Asked<EmailRequest>) => {
  const planned = await planEmail(ports, ...asked);
  if (isRefusal(planned)) return planned;
  const { plan, content } = planned;
  return { plan, content: { ...content, suppressed: ports.suppressed?.(asked[0], plan.to) } };
};

/** Sends an e-mail (interface 4.5). */
export const sendEmail = sendingBy('email', planLeaving, sentEmailView);
