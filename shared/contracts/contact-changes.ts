import * as z from 'zod';
import { EXTERNAL_SYSTEMS } from '../domain/contacts/contact.ts';
import { contactAttributesSchema } from '../domain/core/json-values.ts';
import { closedObject, openObject, optionalText } from './common.ts';
import {
  avatarUrl,
  companyId,
  debtorGroups,
  documents,
  email,
  externalId,
  name,
  papelNaEmpresa,
  phone,
  source,
  systemId,
  tags,
} from './contact-fields.ts';
import { Contact, contactParams as params } from './contacts.ts';
import { defineOperation } from './define-operation.ts';

/** A field that null clears. */
const clearable = <T extends z.ZodType>(field: T) => field.nullable().optional();
type System = (typeof EXTERNAL_SYSTEMS)[number];

/** The body of a change: docs/spec/contacts.md#changing-a-contact. */
export const ChangeContact = closedObject('ChangeContact', 'A change to a contact, as JSON Merge Patch.', {
  phone: phone.optional(),
  name: clearable(name),
  email: clearable(email),
  avatarUrl: clearable(avatarUrl),
  attributes: clearable(contactAttributesSchema),
  tags: clearable(tags),
  externalId: clearable(externalId),
  externalIds: clearable(
    z
      .strictObject(
        Object.fromEntries(EXTERNAL_SYSTEMS.map((system) => [system, systemId(system).nullable()])) as Record<
          System,
          z.ZodNullable<ReturnType<typeof systemId>>
        >,
      )
      .meta({ description: "The contact's ids in CRM systems; null clears one." }),
  ),
  companyId: clearable(companyId),
  papelNaEmpresa: clearable(papelNaEmpresa),
  debtorGroups: clearable(debtorGroups),
  cpf: clearable(documents.cpf),
  cnpj: clearable(documents.cnpj),
  nascimento: clearable(documents.nascimento),
  source: source.optional(),
});

export const changeContact = defineOperation({
  id: 'contacts.change',
  route: 'PATCH /contacts/{id}',
  tag: 'Contacts',
  summary: 'Change a contact',
  description:
    'JSON Merge Patch: absent fields stay, null clears. `attributes` and `externalIds` are merged by their keys, where null removes one; `tags` and `debtorGroups` are replaced as a whole. The rules are those of a new contact. Consent can only be changed by opt-out and opt-in; a new phone that had opted out makes the contact opted out, and raises contact.opted_out. 409 if another contact has the phone or externalId, with the `meta` of a creation. A change that changes nothing leaves `updatedAt` as it is.',
  permission: 'contacts:write',
  params,
  body: ChangeContact,
  answer: Contact,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['events'], rootKeys: ['contacts', 'recipients'] },
});

export const deleteContact = defineOperation({
  id: 'contacts.delete',
  route: 'DELETE /contacts/{id}',
  tag: 'Contacts',
  summary: 'Erase a contact',
  description:
    'Once this is answered, no read shows the contact, and its phone and externalId are free. In the background, within minutes, recipient and content of its messages are erased, messages waiting to be sent to it are cancelled, and the person is erased from received messages, turns, devices and the bodies of webhook deliveries. The prices of messages are kept. An opt-out is kept as a blind index, so that the person still gets no messages. The audit log records the start and, with counts, the end.',
  permission: 'contacts:write',
  params,
  responses: { 204: null },
  uses: { table: 'write', queues: ['outcome'] },
});

/** An empty body, which may be omitted. */
const NoFields = z.strictObject({}).meta({ id: 'NoFields', description: 'No fields.' });

export const revealDocuments = defineOperation({
  id: 'contacts.reveal-documents',
  route: 'POST /v2/contacts/{id}/documentos/revelar',
  tag: 'Contacts',
  summary: "Reveal a contact's documents",
  description:
    'In clear, only for a person in a session; every call that shows a document is recorded in the audit log before it is answered. At most 30 contacts a minute for a person, then 429.',
  permission: { session: 'contacts:pii' },
  params,
  body: NoFields,
  answer: openObject('RevealedDocuments', 'The documents of a contact in clear; those that it has.', {
    cpf: optionalText('The CPF: eleven digits.', '52998224725'),
    cnpj: optionalText('The CNPJ: fourteen characters.', '11222333000181'),
    nascimento: optionalText('The birth date as YYYY-MM-DD.', '1990-05-20'),
  }),
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'write', rootKeys: ['contacts'] },
});
