import type { Contact } from '../contacts/contact.ts';
import type { Actor } from '../core/actor.ts';
import { parseAddress } from '../core/email-address.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { parsePhone } from '../core/phone.ts';
import { refuseField } from '../core/refuse-field.ts';

/** The identifiers of the customer in a report; at least one. */
export interface CustomerNames {
  readonly externalId?: string | undefined;
  readonly contactId?: Id<'contact'> | undefined;
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
}

type OrganizationId = Id<'organization'>;
export interface CustomerPorts {
  readonly contactOfExternalId: (organizationId: OrganizationId, id: string) => Promise<Id<'contact'> | undefined>;
  /** The contact with a phone (E.164) or an e-mail address; undefined if several contacts share the address. */
  readonly contactAt: (
    organizationId: OrganizationId,
    kind: 'phone' | 'email',
    address: string,
  ) => Promise<Id<'contact'> | undefined>;
  readonly readContact: (organizationId: OrganizationId, id: Id<'contact'>) => Promise<Contact | undefined>;
  /** Admits a lookup of a person by these fields: docs/spec/personal-data.md#lookups-by-address. */
  readonly admitLookup: (actor: Actor, fields: readonly string[]) => Promise<Refusal<'RATE_LIMITED'> | undefined>;
}

type Invalid = Refusal<'VALIDATION_ERROR'>;
const invalid = (path: string, message: string): Invalid =>
  refuseField('The event does not identify one customer.', `contact.${path}`, message);

/** The normalized addresses of a report; 422 for an invalid one. */
const addressesOf = ({ phone, email }: CustomerNames): Pick<CustomerNames, 'phone' | 'email'> | Invalid => {
  if (phone !== undefined && parsePhone(phone) === undefined)
    return invalid('phone', 'must be an existing number in E.164');
  const address = email === undefined ? undefined : parseAddress(email);
  if (email !== undefined && address === undefined) return invalid('email', 'must be an e-mail address');
  return { phone, email: address };
};

/** The customer of an event; both fields are absent for an unknown person identified by address only. */
export interface Customer {
  readonly contactId?: Id<'contact'>;
  readonly contactExternalId?: string;
}

/**
 * The customer of a report, found by externalId, contactId, phone and e-mail address in this order; identifiers without a contact are
 * skipped. 422 if they belong to different people, for an unknown contactId, and for an invalid address; 429 for too many lookups by
 * address.
 */
export const identifyCustomer = async (
  ports: CustomerPorts,
  actor: Actor,
  names: CustomerNames,
): Promise<Customer | Refusal<'RATE_LIMITED' | 'VALIDATION_ERROR'>> => {
  const { organizationId } = actor;
  const { externalId, contactId } = names;
  const addresses = addressesOf(names);
  if (isRefusal(addresses)) return addresses;
  const { phone, email } = addresses;
  const fields = Object.entries({ phone, email }).flatMap(([name, at]) =>
    at === undefined ? [] : [`contact.${name}`],
  );
  const limited = fields.length === 0 ? undefined : await ports.admitLookup(actor, fields);
  if (limited) return limited;
  const [byExternalId, byId, byPhone, byEmail] = await Promise.all([
    externalId === undefined ? undefined : ports.contactOfExternalId(organizationId, externalId),
    contactId === undefined ? undefined : ports.readContact(organizationId, contactId),
    phone === undefined ? undefined : ports.contactAt(organizationId, 'phone', phone),
    email === undefined ? undefined : ports.contactAt(organizationId, 'email', email),
  ]);
  if (contactId !== undefined && !byId) return invalid('contactId', 'there is no such contact');
  const found = { externalId: byExternalId, contactId: byId?.id, phone: byPhone, email: byEmail };
  const [first, ...others] = Object.entries(found).filter(([, id]) => id !== undefined);
  const differing = others.find(([, id]) => id !== first?.[1]);
  if (differing) return invalid(differing[0], `belongs to another contact than ${first?.[0]}`);
  const contact = byId ?? (first?.[1] && (await ports.readContact(organizationId, first[1])));
  if (!contact) return definedFields({ contactExternalId: externalId });
  if (externalId !== undefined && contact.externalId !== undefined && contact.externalId !== externalId)
    return invalid('externalId', `is not that of the contact that ${first?.[0]} belongs to`);
  return definedFields({ contactId: contact.id, contactExternalId: contact.externalId ?? externalId });
};
