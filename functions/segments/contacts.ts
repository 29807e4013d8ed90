import { listSegmentContacts as contract } from '../../shared/contracts/segments.ts';
import { contactView } from '../../shared/domain/contacts/views.ts';
import { segmentContactPage } from '../../shared/domain/segments/contact-page.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { cursorRequest } from '../../shared/wiring/access/cursor-lists.ts';
import { segmentPorts } from '../../shared/wiring/segments/segments.ts';

export const handler = operation(
  contract,
  async ({ actor, params, query }) =>
    segmentContactPage(
      segmentPorts,
      actor,
      params.segmentId,
      await cursorRequest(contract, actor, { ...query, ...params }),
    ),
  itemsAs(contactView),
);
