import { revealDocuments as contract } from '../../shared/contracts/contact-changes.ts';
import { revealDocuments } from '../../shared/domain/contacts/reveal.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { revealPorts } from '../../shared/wiring/contacts/reveal.ts';

export const handler = operation(contract, ({ actor, params }) => revealDocuments(revealPorts, actor, params.id));
