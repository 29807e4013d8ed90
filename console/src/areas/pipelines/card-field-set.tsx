import { useTexts } from '../../app/texts.ts';
import { AttributesField } from '../../ui/attributes.tsx';
import { CompanyField } from '../../ui/company-field.tsx';
import { ContactField } from '../../ui/contact-field.tsx';
import { TextField } from '../../ui/fields.tsx';
import { MemberField } from '../../ui/members.tsx';
import type { CardField, CardFieldsProps } from './card-draft.ts';
import { texts } from './texts.ts';

/** The fields themselves. */
export default function CardFieldSet({ draft, onChange, only }: CardFieldsProps) {
  const t = useTexts(texts);
  const shows = (name: CardField) => only?.has(name) ?? true;
  const set = (name: CardField) => (value: string) => onChange({ ...draft, [name]: value });
  const common = (name: CardField) => ({ name, label: t.fields[name], value: draft[name], onChange: set(name) });
  const typed = (name: CardField) => ({
    ...common(name),
    required: name === 'titulo' || only !== undefined,
  });
  return (
    <>
      {shows('titulo') ? <TextField {...typed('titulo')} /> : null}
      {shows('valor') ? <TextField {...typed('valor')} type="number" step="0.01" /> : null}
      {shows('moeda') ? <TextField {...typed('moeda')} maxLength={3} /> : null}
      {shows('dataPrevista') ? <TextField {...typed('dataPrevista')} type="date" /> : null}
      {shows('responsavelId') ? <MemberField {...common('responsavelId')} /> : null}
      {shows('contatoId') ? <ContactField {...common('contatoId')} /> : null}
      {shows('empresaId') ? <CompanyField {...common('empresaId')} /> : null}
      {shows('atributos') ? <AttributesField {...common('atributos')} description={t.attributesHint} /> : null}
    </>
  );
}
