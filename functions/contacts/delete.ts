import { deleteContact as contract } from '../../shared/contracts/contact-changes.ts';
import { deleteContact } from '../../shared/domain/contacts/erase.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { deletionPorts } from '../../shared/wiring/contacts/contacts.ts';

export const handler = operation(contract, ({ actor, params }) => deleteContact(deletionPorts, actor, params.id));
