import { listContacts as contract } from '../../shared/contracts/contact-list.ts';
import { listContacts } from '../../shared/domain/audience/contact-list.ts';
import { contactView } from '../../shared/domain/contacts/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { contactListPorts } from '../../shared/wiring/contacts/list.ts';

const DROPPED = 'q was ignored: searching by personal data needs the scope pii:full.';

export const handler = operation(
  contract,
  async ({ actor, unmasked, query: { limit, skip, q, updatedSince, ...filter } }) => {
    const filters = {
      ...filter,
      q: unmasked ? q : undefined,
      updatedSince: updatedSince === undefined ? undefined : Date.parse(updatedSince),
    };
    const page = await listContacts(contactListPorts, actor.organizationId, filters, { limit, skip });
    return q !== undefined && !unmasked ? { ...page, warnings: [DROPPED] } : page;
  },
  itemsAs(contactView),
);
