import type { FieldError } from '../core/errors.ts';
import { type Escape, fill, type Scope } from './fill.ts';
import { compile, isTemplateFault, ROOTS, type Root, type TemplateFault } from './template.ts';

/** A message whose texts are compiled. */
export interface CompiledMessage<M> {
  /** The message with its texts filled in, and the names without a value or fallback word. */
  readonly fill: (scope: Scope) => { readonly message: M; readonly missing: readonly string[] };
}

/** Whether the texts of a message failed to compile. */
export const isFaults = <T extends object>(compiled: T | readonly FieldError[]): compiled is readonly FieldError[] =>
  Array.isArray(compiled);

/** Fills in one value of a message; collects missing names. */
type Filler = (scope: Scope, missing: Set<string>) => unknown;
interface Compiling {
  readonly roots: readonly Root[];
  readonly faults: FieldError[];
}

const PROBLEMS: Readonly<Record<TemplateFault['problem'], string>> = {
  unclosed: 'has braces that are not closed',
  unknown_root: 'has a placeholder that begins with none of the words that are known here',
  unknown_field: 'has a placeholder that names no field',
};
/** How each text field of a message is escaped; other payload fields are filled unescaped. */
const ESCAPE_OF: ReadonlyMap<string, Escape> = new Map([
  ['html', 'html'],
  ['subject', 'line'],
]);
const TEXT_FIELDS: ReadonlySet<string> = new Set(['text', 'html', 'subject']);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const compileText = (of: Compiling, text: string, path: string, into: Escape): Filler => {
  const parts = compile(text, of.roots);
  if (isTemplateFault(parts)) {
    of.faults.push({ path, message: `${PROBLEMS[parts.problem]}, at character ${parts.at + 1}` });
    return () => text;
  }
  return (scope, missing) => {
    const filled = fill(parts, scope, { escape: into });
    for (const name of filled.missing) missing.add(name);
    return filled.text;
  };
};

type CompileField = (of: Compiling, value: unknown, path: string, name: string) => Filler;

const compileFields = (of: Compiling, value: object, path: string, field: CompileField): Filler => {
  const fields = Object.entries(value).map(
    ([name, each]) => [name, field(of, each, path === '' ? name : `${path}.${name}`, name)] as const,
  );
  return (scope, missing) => Object.fromEntries(fields.map(([name, filled]) => [name, filled(scope, missing)]));
};

const compileList = (of: Compiling, values: readonly unknown[], path: string, each: CompileField): Filler => {
  const filled = values.map((value, at) => each(of, value, `${path}.${at}`, ''));
  return (scope, missing) => filled.map((one) => one(scope, missing));
};

/** Compiles every text of a payload, at any depth. */
const compilePayload: CompileField = (of, value, path, name) => {
  if (typeof value === 'string') return compileText(of, value, path, ESCAPE_OF.get(name) ?? 'none');
  if (Array.isArray(value)) return compileList(of, value, path, compilePayload);
  return isObject(value) ? compileFields(of, value, path, compilePayload) : () => value;
};

const compileVariable: CompileField = (of, value, path) =>
  typeof value === 'string' ? compileText(of, value, path, 'line') : () => value;

const compileFallback: CompileField = (of, value, path) =>
  isObject(value) ? compileFields(of, value, path, compileMessageField) : () => value;

const compileMessageField: CompileField = (of, value, path, name) => {
  if (typeof value === 'string' && TEXT_FIELDS.has(name))
    return compileText(of, value, path, ESCAPE_OF.get(name) ?? 'none');
  if (name === 'variables' && isObject(value)) return compileFields(of, value, path, compileVariable);
  if (name === 'fallback' && Array.isArray(value)) return compileList(of, value, path, compileFallback);
  return name === 'payload' ? compilePayload(of, value, path, name) : () => value;
};

/**
 * Compiles the texts of a /v1 message and its fallbacks: `text`, `subject`, `html`, the values of `variables`, and all texts of a payload.
 * Recipients, template names, labels and metadata stay as they are. Returns the faults of all texts, if any.
 */
export const compileMessage = <M extends object>(
  message: M,
  roots: readonly Root[] = ROOTS,
): CompiledMessage<M> | readonly FieldError[] => {
  const of: Compiling = { roots, faults: [] };
  const filled = compileFields(of, message, '', compileMessageField);
  if (of.faults.length > 0) return of.faults;
  return {
    fill: (scope) => {
      const missing = new Set<string>();
      return { message: filled(scope, missing) as M, missing: [...missing] };
    },
  };
};

/** Fills in a message's texts for one recipient; for many, compile once instead. */
export const personalize = <M extends object>(
  message: M,
  scope: Scope,
  roots: readonly Root[] = ROOTS,
): ReturnType<CompiledMessage<M>['fill']> | readonly FieldError[] => {
  const compiled = compileMessage(message, roots);
  return isFaults(compiled) ? compiled : compiled.fill(scope);
};
