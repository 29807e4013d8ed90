import type { Actor } from '../../core/actor.ts';
import { parseAddress } from '../../core/email-address.ts';
import { refuse } from '../../core/errors.ts';
import type { ListPorts, PageRequest } from '../../message/lists.ts';
import { type EmailStatus, statesOfEmail } from './views.ts';

interface Query extends PageRequest {
  readonly to?: string | undefined;
  readonly status?: EmailStatus | undefined;
  readonly campaignId?: string | undefined;
}

/** A page of the caller's e-mails, newest first. 400 if `to` is not an address. */
export const listEmails = async (
  { recipients, page }: ListPorts,
  { organizationId }: Actor,
  { to, status, campaignId, limit, skip }: Query,
) => {
  const address = to === undefined ? undefined : parseAddress(to);
  if (to !== undefined && address === undefined)
    return refuse('BAD_REQUEST', {
      detail: 'The query violates the contract.',
      errors: [{ path: 'to', message: 'must be an e-mail address' }],
    });
  const recipientHash = address && (await recipients()).blindIndex(organizationId, 'email', address);
  const filter = { campaignId, recipientHash, status: status && statesOfEmail(status) };
  return page(organizationId, 'email', filter, { limit, skip });
};
