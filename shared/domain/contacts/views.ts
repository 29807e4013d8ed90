import { definedFields } from '../core/patch.ts';
import { maskEmail, maskPhone } from '../core/phone.ts';
import type { Vault } from '../core/secrets.ts';
import { isoTime } from '../core/time.ts';
import { withinBytes } from '../core/within-bytes.ts';
import type { Contact, OptIn } from './contact.ts';
import { hasDocuments, maskedDocuments } from './documents.ts';

const time = (ms: number | undefined) => (ms === undefined ? undefined : isoTime(ms));

const optInView = ({ status, source, at, ip, userAgent, revokedAt, revokedReason }: OptIn) => ({
  status,
  ...definedFields({ source, at: time(at), ip, userAgent, revokedAt: time(revokedAt), revokedReason }),
});

const debtorGroupViews = (contact: Contact, unmasked: boolean) =>
  contact.debtorGroups?.map(({ phones, ...group }) => ({
    ...definedFields(group),
    id: group.id,
    company: group.company,
    phones: unmasked ? [...phones] : phones.map(maskPhone),
  }));

/** The phones of contacts merged into this one, which also find it. */
const otherPhones = ({ mergedContacts = [] }: Contact, unmasked: boolean) => {
  const phones = mergedContacts.flatMap(({ phone }) => phone ?? []);
  return phones.length === 0 ? {} : { otherPhones: unmasked ? phones : phones.map(maskPhone) };
};

/** A contact as the API returns it (docs/spec/contacts.md#contact-shape). Phones and the e-mail address are masked without pii:full. */
export const contactView = (contact: Contact, unmasked: boolean) => {
  const {
    name,
    email,
    avatarUrl,
    whatsappProfileName,
    cpfCipher,
    cnpjCipher,
    birthDateCipher,
    externalId,
    externalIds,
    companyId,
    papelNaEmpresa,
  } = contact;
  return {
    id: contact.id,
    organizationId: contact.organizationId,
    phone: unmasked ? contact.phone : maskPhone(contact.phone),
    phoneHash: contact.phoneHash,
    ...otherPhones(contact, unmasked),
    ...definedFields({
      name,
      email: email === undefined || unmasked ? email : maskEmail(email),
      avatarUrl,
      whatsappProfileName,
      cpfCipher,
      cnpjCipher,
      birthDateCipher,
      debtorGroups: debtorGroupViews(contact, unmasked),
      externalId,
      externalIds: externalIds && definedFields(externalIds),
      companyId,
      papelNaEmpresa,
      lastInteractionAt: time(contact.lastInteractionAt),
    }),
    attributes: { ...contact.attributes },
    tags: [...contact.tags],
    optIn: optInView(contact.optIn),
    source: contact.source,
    createdAt: isoTime(contact.createdAt),
    updatedAt: isoTime(contact.updatedAt),
  };
};

/** The first contacts of a page that fit into one response, at least one. */
export const fittingContacts = (contacts: readonly Contact[]): readonly Contact[] =>
  withinBytes(contacts, (contact) => contactView(contact, true));

/** The single read adds the documents, masked for everyone. Opens the vault only if there are any. */
export const contactReadView = async (
  contact: Contact,
  unmasked: boolean,
  vault: () => Promise<Pick<Vault, 'open'>>,
) => {
  const view = contactView(contact, unmasked);
  return hasDocuments(contact) ? { ...view, documentos: maskedDocuments(await vault(), contact) } : view;
};
