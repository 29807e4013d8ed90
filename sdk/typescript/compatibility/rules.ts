/**
 * What may change between two versions of the contract, and what a client of the earlier one makes of it. `break`: its calls are refused, or it
 * misses what it reads. `value`: it gets a value that it has never heard of, where the contract promises only that fields may be added.
 */
export const RULES = {
  'operation-removed': { effect: 'break', says: 'The operation is gone.' },
  'operation-renamed': { effect: 'break', says: 'The operation has another id, so that its method has another name.' },
  'credential-required': { effect: 'break', says: 'The operation needs a credential that it did not need.' },
  'scope-changed': {
    effect: 'break',
    says: 'The operation needs a scope that a key of the earlier version need not have.',
  },
  'parameter-removed': { effect: 'break', says: 'The operation refuses a parameter that it took.' },
  'parameter-required': { effect: 'break', says: 'The operation needs a parameter that it did not need.' },
  'body-required': { effect: 'break', says: 'The operation needs a body that it did not need.' },
  'body-removed': { effect: 'break', says: 'The operation takes no body of this type any more.' },
  'answer-removed': { effect: 'break', says: 'The operation no longer answers in this type.' },
  'event-removed': { effect: 'break', says: 'Events of this type are no longer sent.' },
  'request-field-removed': { effect: 'break', says: 'A field that was taken is refused.' },
  'request-field-required': { effect: 'break', says: 'A field that could be left out must be given.' },
  'request-value-removed': { effect: 'break', says: 'A value that was taken is refused.' },
  'request-type-narrowed': { effect: 'break', says: 'A type of value that was taken is refused.' },
  'request-bound-narrowed': { effect: 'break', says: 'A value within the earlier bounds is refused.' },
  'response-field-removed': { effect: 'break', says: 'A field that was answered is not there.' },
  'response-field-optional': { effect: 'break', says: 'A field that was always answered may be missing.' },
  'response-type-widened': { effect: 'break', says: 'A type of value is answered that was not.' },
  'response-value-added': { effect: 'value', says: 'A value is answered that was not.' },
  'response-kind-added': { effect: 'value', says: 'An object of a kind is answered that was not.' },
} as const satisfies Readonly<Record<string, { readonly effect: 'break' | 'value'; readonly says: string }>>;

export type RuleName = keyof typeof RULES;

/** Who makes the values: clients of the earlier version for a request, the service of the later version for an answer. */
export type Direction = 'request' | 'response';

/** A difference that a client of the earlier version notices. */
export interface Finding {
  readonly rule: RuleName;
  /** An operation's id, or a schema's name and a path in it. */
  readonly place: string;
  readonly detail: string;
}
