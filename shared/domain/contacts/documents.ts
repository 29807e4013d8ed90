import { maskBirthDate, maskCnpj, maskCpf } from '../core/documents.ts';
import type { Id } from '../core/ids.ts';
import type { Vault } from '../core/secrets.ts';
import type { Contact } from './contact.ts';

/** A contact's documents by API name: the sealed attribute and the mask. */
const DOCUMENTS = {
  cpf: { sealed: 'cpfCipher', mask: maskCpf },
  cnpj: { sealed: 'cnpjCipher', mask: maskCnpj },
  nascimento: { sealed: 'birthDateCipher', mask: maskBirthDate },
} as const;
export type DocumentName = keyof typeof DOCUMENTS;
const DOCUMENT_NAMES = Object.keys(DOCUMENTS) as DocumentName[];
export type SealedDocuments = Pick<Contact, 'birthDateCipher' | 'cnpjCipher' | 'cpfCipher'>;

const PURPOSE = 'contact-document';
/** Binds a sealed document to its contact and field, so it cannot be opened elsewhere. */
const aadOf = (contactId: Id<'contact'>, name: DocumentName) => `${contactId}#${name}`;

/** Seals parsed documents for one contact. Opens the vault only if there are any. */
export const sealDocuments = async (
  vault: () => Promise<Pick<Vault, 'seal'>>,
  { id, organizationId }: Pick<Contact, 'id' | 'organizationId'>,
  documents: Readonly<Partial<Record<DocumentName, string>>>,
): Promise<SealedDocuments> => {
  const sealed: Record<string, string> = {};
  for (const name of DOCUMENT_NAMES) {
    const text = documents[name];
    if (text !== undefined)
      sealed[DOCUMENTS[name].sealed] = (await vault()).seal(PURPOSE, organizationId, text, aadOf(id, name));
  }
  return sealed;
};

/** Whether the contact has any document, i.e. whether the vault is needed at all. */
export const hasDocuments = (contact: Contact): boolean =>
  DOCUMENT_NAMES.some((name) => contact[DOCUMENTS[name].sealed] !== undefined);

/**
 * A contact's documents, always masked, as the single read returns them (docs/spec/contacts.md#documents). Throws BrokenSeal if one was
 * altered or moved.
 */
export const maskedDocuments = (
  vault: Pick<Vault, 'open'>,
  contact: Contact,
): Partial<Record<DocumentName, string>> => {
  const shown: Partial<Record<DocumentName, string>> = {};
  for (const name of DOCUMENT_NAMES) {
    const { sealed, mask } = DOCUMENTS[name];
    const text = contact[sealed];
    if (text !== undefined)
      shown[name] = mask(vault.open(PURPOSE, contact.organizationId, text, aadOf(contact.id, name)));
  }
  return shown;
};
