import { useTexts } from '../../app/texts.ts';
import type { Card, ChangeCard } from '../../sdk.ts';
import { attributeLines, parseAttributeLines } from '../../ui/attributes.tsx';
import { texts } from './texts.ts';

const FIELDS = [
  'titulo',
  'valor',
  'moeda',
  'responsavelId',
  'contatoId',
  'empresaId',
  'dataPrevista',
  'atributos',
] as const;
export type CardField = (typeof FIELDS)[number];
/** A card as one types it. */
export type CardDraft = Readonly<Record<CardField, string>>;

const ATTRIBUTE = 'atributos.';

export const cardDraft = (card: Partial<Card>): CardDraft => ({
  titulo: card.titulo ?? '',
  valor: card.valor === undefined ? '' : String(card.valor),
  moeda: card.moeda ?? 'BRL',
  responsavelId: card.responsavelId ?? '',
  contatoId: card.contatoId ?? '',
  empresaId: card.empresaId ?? '',
  dataPrevista: card.dataPrevista ?? '',
  atributos: attributeLines(card.atributos ?? {}),
});

const valueOfField = (name: CardField, text: string) => {
  if (name === 'atributos') return parseAttributeLines(text);
  if (name === 'valor') return text === '' ? null : Number(text);
  return text.trim() === '' && name !== 'titulo' && name !== 'moeda' ? null : text.trim();
};

/** Only the changed fields. */
export const cardChanges = (before: CardDraft, draft: CardDraft): ChangeCard =>
  Object.fromEntries(
    FIELDS.filter((name) => draft[name] !== before[name]).map((name) => [name, valueOfField(name, draft[name])]),
  );

/** The fields of a new card: empty ones are omitted. */
export const cardValues = (draft: CardDraft) => {
  const { titulo, ...rest } = draft;
  const given = Object.entries(cardChanges(cardDraft({}), { ...rest, titulo: '' })).filter(
    ([, value]) => value !== null,
  );
  return { ...Object.fromEntries(given), titulo: titulo.trim() };
};

/** The field of the form in which a field that a stage requires is filled in. */
export const fieldOf = (required: string): CardField | undefined =>
  required.startsWith(ATTRIBUTE) ? 'atributos' : FIELDS.find((name) => name === required);

/** How a required field is called: an attribute, by its key. */
export const useFieldName = (): ((field: string) => string) => {
  const { fields } = useTexts(texts);
  return (field) => {
    const name = fieldOf(field);
    return name && name !== 'atributos' ? fields[name] : field.replace(ATTRIBUTE, '');
  };
};

export interface CardFieldsProps {
  readonly draft: CardDraft;
  readonly onChange: (draft: CardDraft) => void;
  /** Only these fields, which are then required. */
  readonly only?: ReadonlySet<CardField>;
}
