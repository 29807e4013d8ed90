import type { FieldError } from '../core/errors.ts';
import type { WireLink } from './definition.ts';

/** Maximum number of faults reported at once. */
export const MAX_FAULTS = 100;

/** The faults of a definition, each with its path; the first hundred. */
export class Faults {
  readonly list: FieldError[] = [];

  add(path: string, message: string): void {
    if (this.list.length < MAX_FAULTS) this.list.push({ path, message });
  }
  /** Adds a fault if `isWrong`. */
  addIf(isWrong: boolean, path: string, message: string): void {
    if (isWrong) this.add(path, message);
  }
}

/** Paths in a definition. */
export const stepPath = (index: number, field = ''): string => `passos.${index}${field === '' ? '' : `.${field}`}`;
export const configPath = (index: number, field = ''): string =>
  stepPath(index, field === '' ? 'config' : `config.${field}`);
export const linkPath = (index: number, field: keyof WireLink): string => `ligacoes.${index}.${field}`;
