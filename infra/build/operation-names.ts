import { SCOPES, type Scope } from '../../shared/domain/core/scopes.ts';

/** Every name that a new operation gets, from its id alone. */
export interface OperationNames {
  readonly id: string;
  readonly area: string;
  readonly verb: string;
  /** `sms.send` is `sendSms`, in contract, rule and handler alike. */
  readonly variable: string;
  readonly schema: string;
  readonly tag: string;
  readonly path: string;
  readonly scope: Scope;
}

const ID = /^([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\.([a-z][a-z0-9]*(?:-[a-z0-9]+)*)$/;
/** Areas that are written in capitals. */
const CAPITALS: Readonly<Record<string, string>> = { sms: 'SMS', rcs: 'RCS', crm: 'CRM', email: 'E-mail' };

const pascal = (text: string): string =>
  text.replaceAll(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** The most suitable scope of the area: to send, else to write, else to read; `messages:send` if the area has none. */
const scopeOf = (area: string): Scope =>
  (['send', 'write', 'read'] as const)
    .map((action) => SCOPES.find((scope) => scope === `${area}:${action}`))
    .find((scope) => scope !== undefined) ?? 'messages:send';

/** Reads an id of the form `area.verb`. Throws an Error that says what is wrong with it. */
export const namesOf = (id: string): OperationNames => {
  const [, area, verb] = ID.exec(id) ?? [];
  if (!area || !verb)
    throw new Error('An operation is named area.verb in lower case, with dashes inside: sms.send, contacts.opt-in.');
  const schema = pascal(verb) + pascal(area);
  return {
    id,
    area,
    verb,
    schema,
    variable: lowerFirst(schema),
    tag: CAPITALS[area] ?? pascal(area),
    path: `/v2/${area}/${verb}`,
    scope: scopeOf(area),
  };
};
