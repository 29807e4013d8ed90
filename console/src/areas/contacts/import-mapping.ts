import type { ImportField } from './import-texts.ts';

/** The field that a column fills; empty for an ignored column. */
export type Target = '' | ImportField | `attributes.${string}`;

/** Frequent names of headers in spreadsheets, without case and accents. */
const KNOWN: Readonly<Record<string, ImportField>> = {
  telefone: 'phone',
  celular: 'phone',
  whatsapp: 'phone',
  fone: 'phone',
  nome: 'name',
  'nome completo': 'name',
  'e-mail': 'email',
  etiquetas: 'tags',
  tag: 'tags',
  'data de nascimento': 'nascimento',
  'birth date': 'nascimento',
  id: 'externalId',
  codigo: 'externalId',
  consentimento: 'optIn.status',
};

const plain = (name: string): string => name.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase();

/** The most likely field of each column, by its name: a field once, an attribute of its own name otherwise. */
export const guessTargets = (header: readonly string[], fields: readonly ImportField[]): Target[] => {
  const taken = new Set<Target>();
  return header.map((name) => {
    const field = fields.find((each) => plain(each) === plain(name)) ?? KNOWN[plain(name)];
    const target: Target = field ?? (name.startsWith('attributes.') ? (name as Target) : `attributes.${name}`);
    if (name === '' || taken.has(target)) return '';
    taken.add(target);
    return target;
  });
};

/** By column, the field that it fills, as the operation takes it. */
export const mappingOf = (header: readonly string[], targets: readonly Target[]): Record<string, string> =>
  Object.fromEntries(header.flatMap((name, at) => (targets[at] ? [[name, targets[at]]] : [])));

/** The fault of a choice, if there is one. */
export const faultOf = (targets: readonly Target[]): 'needsPhone' | 'twice' | undefined => {
  const chosen = targets.filter((target) => target !== '');
  if (new Set(chosen).size !== chosen.length) return 'twice';
  return chosen.includes('phone') ? undefined : 'needsPhone';
};
