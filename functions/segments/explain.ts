import { explainSegmentContact as contract } from '../../shared/contracts/segments.ts';
import { explainContact } from '../../shared/domain/segments/explain.ts';
import { explanationView } from '../../shared/domain/segments/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { contactPorts } from '../../shared/wiring/contacts/contacts.ts';
import { membershipStatus, segmentPorts } from '../../shared/wiring/segments/segments.ts';

export const handler = operation(
  contract,
  ({ actor, params }) =>
    explainContact({ ...segmentPorts, membershipStatus, contacts: contactPorts.store }, actor, params),
  explanationView,
);
