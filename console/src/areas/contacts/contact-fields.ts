import type { ChangeContact, Contact, CreateContact } from '../../sdk.ts';

type AttributeValue = Contact['attributes'][string];

/** An attribute as one types it. */
export interface AttributeText {
  /** Identifies rows while they are edited; not part of the contact. */
  readonly row: string;
  readonly key: string;
  readonly text: string;
}

/** The fields of a form, as one types them. */
export interface ContactText {
  readonly phone: string;
  readonly name: string;
  readonly email: string;
  readonly externalId: string;
  readonly companyId: string;
  readonly papelNaEmpresa: '' | NonNullable<Contact['papelNaEmpresa']>;
  readonly tags: readonly string[];
  readonly attributes: readonly AttributeText[];
  readonly cpf: string;
  readonly cnpj: string;
  readonly nascimento: string;
}

const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/;

const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

const parsedList = (text: string): string[] | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isTextList(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The value that a text stands for: a number, true, false, null or a list where it is written as one, else the text. */
export const attributeOf = (text: string): AttributeValue => {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (text === 'null') return null;
  if (NUMBER.test(text)) return Number(text);
  return (text.startsWith('[') ? parsedList(text) : undefined) ?? text;
};

const textOf = (value: AttributeValue): string => (Array.isArray(value) ? JSON.stringify(value) : String(value));

/** The form of a contact, or of none yet. Its documents are not shown: they begin empty. */
export const textsOf = (contact: Partial<Contact> = {}): ContactText => ({
  phone: contact.phone ?? '',
  name: contact.name ?? '',
  email: contact.email ?? '',
  externalId: contact.externalId ?? '',
  companyId: contact.companyId ?? '',
  papelNaEmpresa: contact.papelNaEmpresa ?? '',
  tags: contact.tags ?? [],
  attributes: Object.entries(contact.attributes ?? {}).map(([key, value]) => ({
    row: crypto.randomUUID(),
    key,
    text: textOf(value),
  })),
  cpf: '',
  cnpj: '',
  nascimento: '',
});

const TEXTS = ['name', 'email', 'externalId', 'companyId', 'papelNaEmpresa'] as const;
const DOCUMENTS = ['cpf', 'cnpj', 'nascimento'] as const;

const filled = <K extends keyof ContactText>(form: ContactText, names: readonly K[]) =>
  Object.fromEntries(names.flatMap((name) => (form[name] === '' ? [] : [[name, form[name]]])));

const attributesOf = (form: ContactText): Record<string, AttributeValue> =>
  Object.fromEntries(
    form.attributes.filter(({ key }) => key.trim() !== '').map(({ key, text }) => [key.trim(), attributeOf(text)]),
  );

/** A new contact; what is empty stays out of the request. */
export const creationOf = (form: ContactText): CreateContact => {
  const attributes = attributesOf(form);
  return {
    phone: form.phone.trim(),
    ...filled(form, [...TEXTS, ...DOCUMENTS]),
    ...(form.tags.length > 0 ? { tags: [...form.tags] } : {}),
    ...(Object.keys(attributes).length > 0 ? { attributes } : {}),
    source: 'manual',
  };
};

/** The attributes that differ from the former ones; a removed one is null. */
const attributeChanges = (before: ContactText, after: ContactText): Record<string, AttributeValue> | undefined => {
  const [old, now] = [attributesOf(before), attributesOf(after)];
  const changed = Object.entries(now).filter(([key, value]) => JSON.stringify(old[key]) !== JSON.stringify(value));
  const gone = Object.keys(old).filter((key) => !Object.hasOwn(now, key));
  const all = [...changed, ...gone.map((key): [string, null] => [key, null])];
  return all.length === 0 ? undefined : Object.fromEntries(all);
};

/** A change of a contact: what was left as it was stays out of the request, so that two people who edit at once do not undo each other's fields. */
export const changeOf = (before: ContactText, after: ContactText): ChangeContact => {
  const texts = TEXTS.filter((name) => before[name] !== after[name]);
  const attributes = attributeChanges(before, after);
  return {
    ...(before.phone === after.phone ? {} : { phone: after.phone.trim() }),
    ...Object.fromEntries(texts.map((name) => [name, after[name] === '' ? null : after[name]])),
    ...filled(after, DOCUMENTS),
    ...(JSON.stringify(before.tags) === JSON.stringify(after.tags) ? {} : { tags: [...after.tags] }),
    ...(attributes ? { attributes } : {}),
  };
};
