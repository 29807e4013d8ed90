import { importContacts as contract } from '../../shared/contracts/contact-import.ts';
import { type ImportResult, importContacts } from '../../shared/domain/contacts/import.ts';
import { isRefusal, type Refusal } from '../../shared/domain/core/errors.ts';
import { asLookup } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { importPorts } from '../../shared/wiring/contacts/contacts.ts';

/** How many people the answer tells of: those who were there. */
const tellsOf = (answer: ImportResult | Refusal): number =>
  isRefusal(answer) ? 0 : answer.ignorados + answer.atualizados;

export const handler = operation(
  contract,
  ({ actor, body }) =>
    importContacts(importPorts, actor, body).then(asLookup(contract, actor, ['phone', 'externalId'], tellsOf)),
  ({ erros, ...counts }) => ({ ...counts, erros: erros.map((row) => ({ ...row })) }),
);
