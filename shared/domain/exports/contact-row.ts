import { type Contact, EXTERNAL_SYSTEMS } from '../contacts/contact.ts';
import { LIST_SEPARATOR, tagsCell } from '../contacts/tags-cell.ts';
import { contactView } from '../contacts/views.ts';
import { definedFields } from '../core/patch.ts';

/** The CSV columns of contacts: named as in file imports, except for fields that an import cannot set. */
export const CONTACT_COLUMNS = [
  'id',
  'phone',
  'name',
  'email',
  'externalId',
  'companyId',
  'papelNaEmpresa',
  'tags',
  'optIn.status',
  'optIn.source',
  'source',
  'avatarUrl',
  ...EXTERNAL_SYSTEMS.map((system) => `externalIds.${system}` as const),
  'whatsappProfileName',
  'otherPhones',
  'attributes',
  'debtorGroups',
  'lastInteractionAt',
  'createdAt',
  'updatedAt',
] as const;

/**
 * A contact as a row of an export (docs/spec/exports.md#contacts-in-a-file): as in lists, without sealed fields and without data URI
 * pictures. Phones and the e-mail address are masked without pii:full.
 */
export const contactExportRow = (contact: Contact, unmasked: boolean) => {
  const { cpfCipher: _, cnpjCipher: __, birthDateCipher: ___, avatarUrl, ...row } = contactView(contact, unmasked);
  return { ...row, ...definedFields({ avatarUrl: avatarUrl?.startsWith('data:') ? undefined : avatarUrl }) };
};
export type ContactExportRow = ReturnType<typeof contactExportRow>;

const jsonOf = (value: object | undefined) => value && JSON.stringify(value);

/** A row's fields as table cells: lists with the separator that imports use, objects as JSON. */
export const contactCells = (row: ContactExportRow) => ({
  ...definedFields({
    id: row.id,
    phone: row.phone,
    name: row.name,
    email: row.email,
    externalId: row.externalId,
    companyId: row.companyId,
    papelNaEmpresa: row.papelNaEmpresa,
    source: row.source,
    avatarUrl: row.avatarUrl,
    whatsappProfileName: row.whatsappProfileName,
    lastInteractionAt: row.lastInteractionAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    debtorGroups: jsonOf(row.debtorGroups),
    'optIn.source': row.optIn.source,
  }),
  'optIn.status': row.optIn.status,
  tags: tagsCell(row.tags),
  otherPhones: row.otherPhones?.join(LIST_SEPARATOR) ?? '',
  attributes: JSON.stringify(row.attributes),
  ...Object.fromEntries(
    Object.entries(row.externalIds ?? {}).map(([system, value]) => [`externalIds.${system}`, value] as const),
  ),
});
