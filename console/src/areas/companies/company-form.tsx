import type { ReactNode } from 'react';
import { useTexts } from '../../app/texts.ts';
import type { ChangeCompany, Company, CompanyAttributeDefinition, CreateCompany } from '../../sdk.ts';
import {
  type Attributes,
  AttributesField,
  attributeLines,
  attributeText,
  parseAttributeLines,
} from '../../ui/attributes.tsx';
import { ContactField } from '../../ui/contact-field.tsx';
import { ChoiceField, TextField } from '../../ui/fields.tsx';
import { MemberField } from '../../ui/members.tsx';
import { bareCnpj, maskCnpj } from './cnpj.ts';
import { texts } from './texts.ts';

const FIELDS = ['nome', 'cnpj', 'segmento', 'site', 'endereco', 'responsavelId', 'contatoPrincipalId'] as const;
type Field = (typeof FIELDS)[number];

/** A company as one types it. */
export interface CompanyDraft {
  readonly fields: Readonly<Record<Field, string>>;
  /** Values of defined attributes, by key; empty: none. */
  readonly defined: Readonly<Record<string, string>>;
  /** The other attributes, one a line. */
  readonly others: string;
}

type Definitions = readonly CompanyAttributeDefinition[];
type Value = Attributes[string];

/** The initial values of the form. */
export const draftOf = (company: Partial<Company>, definitions: Definitions): CompanyDraft => {
  const attributes = company.atributos ?? {};
  const keys = new Set(definitions.map(({ key }) => key));
  const others = Object.fromEntries(Object.entries(attributes).filter(([key]) => !keys.has(key)));
  return {
    fields: Object.fromEntries(FIELDS.map((name) => [name, company[name] ?? ''])) as Record<Field, string>,
    defined: Object.fromEntries(
      definitions.flatMap(({ key, type }) => {
        const value = attributes[key] ?? null;
        if (value === null) return [];
        return [[key, type === 'string' && typeof value === 'string' ? value : attributeText(value)]];
      }),
    ),
    others: attributeLines(others),
  };
};

const typedValue = ({ type }: CompanyAttributeDefinition, text: string): Value => {
  if (type === 'number') return Number(text);
  return type === 'boolean' ? text === 'true' : text;
};

const attributesOf = ({ defined, others }: CompanyDraft, definitions: Definitions): Record<string, Value> => ({
  ...parseAttributeLines(others),
  ...Object.fromEntries(
    definitions.flatMap((definition) => {
      const text = defined[definition.key] ?? '';
      return text === '' ? [] : [[definition.key, typedValue(definition, text)]];
    }),
  ),
});

const typed = ({ fields }: CompanyDraft, name: Field): string =>
  name === 'cnpj' ? bareCnpj(fields.cnpj) : fields[name].trim();

/** A new company: what was left empty stays out. */
export const newCompany = (draft: CompanyDraft, definitions: Definitions): CreateCompany => {
  const given = FIELDS.flatMap((name) => (typed(draft, name) === '' ? [] : [[name, typed(draft, name)]]));
  const atributos = attributesOf(draft, definitions);
  return {
    nome: draft.fields.nome.trim(),
    ...Object.fromEntries(given),
    ...(Object.keys(atributos).length > 0 ? { atributos } : {}),
  };
};

/** Only the changed fields: the others keep their current values, and are not checked again. */
export const changesOf = (company: Company, draft: CompanyDraft, definitions: Definitions): ChangeCompany => {
  const before = draftOf(company, definitions);
  const changed = FIELDS.filter((name) => typed(draft, name) !== typed(before, name));
  const atributos = attributesOf(draft, definitions);
  const same = JSON.stringify(atributos) === JSON.stringify(attributesOf(before, definitions));
  return {
    ...Object.fromEntries(
      changed.map((name) => [name, typed(draft, name) === '' && name !== 'nome' ? null : typed(draft, name)]),
    ),
    ...(same ? {} : { atributos }),
  };
};

interface DefinedFieldProps {
  readonly definition: CompanyAttributeDefinition;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const DefinedField = ({ definition, value, onChange }: DefinedFieldProps) => {
  const t = useTexts(texts);
  const { key, type, label = key, required } = definition;
  const named = { name: `atributos.${key}`, label, required, value, onChange };
  if (type === 'boolean')
    return (
      <ChoiceField
        {...named}
        choices={[
          { value: '', label: t.unset },
          { value: 'true', label: t.yes },
          { value: 'false', label: t.no },
        ]}
      />
    );
  if (type === 'number') return <TextField {...named} type="number" step="any" />;
  return <TextField {...named} placeholder={type === 'date' ? 'AAAA-MM-DD' : ''} />;
};

interface CompanyFieldsProps {
  readonly draft: CompanyDraft;
  readonly onChange: (draft: CompanyDraft) => void;
  readonly definitions: Definitions;
}

/** The fields of a company. */
export const CompanyFields = ({ draft, onChange, definitions }: CompanyFieldsProps): ReactNode => {
  const t = useTexts(texts);
  const { fields, defined, others } = draft;
  const set = (name: Field) => (value: string) => onChange({ ...draft, fields: { ...fields, [name]: value } });
  const text = (name: Field) => ({
    name,
    label: t[name],
    value: fields[name],
    onChange: set(name),
  });
  return (
    <>
      <TextField {...text('nome')} required />
      <TextField
        {...text('cnpj')}
        description={t.cnpjHint}
        value={maskCnpj(fields.cnpj)}
        placeholder="00.000.000/0000-00"
      />
      <TextField {...text('segmento')} />
      <TextField {...text('site')} type="url" placeholder="https://" />
      <TextField {...text('endereco')} />
      <MemberField label={t.responsavelId} value={fields.responsavelId} onChange={set('responsavelId')} />
      <ContactField
        label={t.contatoPrincipalId}
        description={t.contactHint}
        value={fields.contatoPrincipalId}
        onChange={set('contatoPrincipalId')}
      />
      {definitions.map((definition) => (
        <DefinedField
          key={definition.key}
          definition={definition}
          value={defined[definition.key] ?? ''}
          onChange={(value) => onChange({ ...draft, defined: { ...defined, [definition.key]: value } })}
        />
      ))}
      <AttributesField
        label={t.notDefined}
        description={t.notDefinedHint}
        value={others}
        onChange={(value) => onChange({ ...draft, others: value })}
      />
    </>
  );
};
