import { importContacts as contract } from '../../shared/contracts/contact-import.ts';
import { type ImportResult, importContacts } from '../../shared/domain/contacts/import.ts';
import { isRefusal, type Refusal } from '../../shared/domain/core/errors.ts';
import { withLookup } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { importPorts } from '../../shared/wiring/contacts/contacts.ts';

/** The number of people that the response reveals: contacts that already existed. */
const revealedBy = (answer: ImportResult | Refusal): number =>
  isRefusal(answer) ? 0 : answer.ignorados + answer.atualizados;

export const handler = operation(
  contract,
  ({ actor, body }) =>
    withLookup(contract, actor, ['phone', 'externalId'], revealedBy)(() => importContacts(importPorts, actor, body)),
  ({ erros, ...counts }) => ({ ...counts, erros: erros.map((row) => ({ ...row })) }),
);
