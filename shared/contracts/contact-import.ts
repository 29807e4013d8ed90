import * as z from 'zod';
import { type ImportRow, MAX_ROWS } from '../domain/contacts/import.ts';
import { closedObject, count, openObject, ordinal, part, text } from './common.ts';
import { source } from './contact-fields.ts';
import { CreateContact } from './contacts.ts';
import { defineOperation } from './define-operation.ts';
import { brokenRow, hostileRow } from './import-rows.ts';

/** A contact of an import. An invalid one is refused on its own, so the operation's body does not enforce this schema. */
const ImportContact = CreateContact.extend({ source: source.default('import') }).meta({
  id: 'ImportContact',
  description: 'A contact to create or, where its phone or externalId is known, to change.',
});

/** A valid contact, or its errors. */
const Entry = z
  .union([hostileRow, ImportContact.transform((valid) => ({ valid })), brokenRow(() => ImportContact)])
  .meta({
    override: ({ jsonSchema }) => {
      delete jsonSchema.anyOf;
      jsonSchema.$ref = '#/components/schemas/ImportContact';
    },
  });

/** Parses any value as a row of an import. */
export const importRow = (row: unknown): ImportRow => Entry.parse(row);

/** The body of an import: docs/spec/contacts.md#importing-contacts. */
const ImportContacts = closedObject('ImportContacts', 'Contacts to import.', {
  contatos: z
    .array(Entry)
    .min(1)
    .max(MAX_ROWS)
    .meta({ description: `1 to ${MAX_ROWS} contacts. An invalid one is refused on its own, and listed in \`erros\`.` }),
  onConflict: z.enum(['update', 'skip']).meta({
    description: 'For existing contacts: `update` changes the fields of their row, `skip` leaves them unchanged.',
    example: 'update',
  }),
});

export const importContacts = defineOperation({
  id: 'contacts.import',
  route: 'POST /contacts/import',
  tag: 'Contacts',
  summary: 'Import contacts',
  description:
    'Rows are processed in their order. A row matches its contact by its phone, else by its externalId. With `update` it changes the fields that it has, as a PATCH does, and records a withdrawal, or a consent if it was `unknown`; a consent never ends a withdrawal here. Repeating the call changes nothing more, so that an interrupted import can be repeated as a whole. A body of up to 6 MB. Raises contact.created and contact.opted_out. Without pii:full an answer that reveals existing contacts uses lookups, a burst of 60 and one more each second; on 429 the rows are imported nevertheless.',
  permission: 'contacts:write',
  rate: 'bulk_send',
  body: ImportContacts,
  rowsIn: 'contatos',
  answer: openObject('ImportedContacts', 'The results of the rows; together as many as were sent.', {
    criados: count('How many contacts were created.', 2),
    atualizados: count('How many rows matched a contact and were applied to it.', 1),
    ignorados: count('How many rows were skipped, because their contact exists.', 0),
    erros: z
      .array(
        part('A row that was refused.', {
          linha: ordinal('Its number in `contatos`, from 1.', 3),
          mensagem: text('What is wrong with it, without its values.', 'phone must be an existing number in E.164'),
        }),
      )
      .meta({ description: 'The rows that were refused, in their order.' }),
  }),
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['events'], rootKeys: ['contacts', 'recipients'] },
  memoryMb: 1769,
  timeoutSeconds: 28,
});
