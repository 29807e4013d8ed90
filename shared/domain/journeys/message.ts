import type { AutomatedRequest } from '../api/automated-send.ts';
import type { Contact } from '../contacts/contact.ts';
import { definedFields } from '../core/patch.ts';
import type { Scope } from '../personalization/fill.ts';
import { type CompiledMessage, compileMessage, isFaults } from '../personalization/message.ts';
import type { JourneySettings } from './definition.ts';
import type { JourneyMessage } from './graph.ts';
import type { Run } from './run.ts';

/** The contact fields available to texts. */
type Reader = Pick<Contact, 'attributes' | 'email' | 'externalId' | 'name' | 'phone'>;

/** The placeholder values of a run's texts. */
export const scopeOf = ({ event, variables }: Pick<Run, 'event' | 'variables'>, contact: Reader): Scope => {
  const { name, phone, email, externalId, attributes } = contact;
  return {
    contact: { name, phone, email, externalId, attributes },
    event: event && { nome: event.name, valor: event.value, moeda: event.currency, ...event.properties },
    variable: variables,
  };
};

/** A step's message as a /v1 request: an e-mail's own fields are in its payload. Its texts still contain placeholders. */
const bodyOf = ({ subject, html, transactional, route, ...message }: JourneyMessage): Omit<AutomatedRequest, 'to'> => {
  const email = { subject, html, ...(message.template === undefined ? { text: message.text } : {}), transactional };
  const isEmail = message.channel === 'email' && [subject, html, transactional].some((field) => field !== undefined);
  return { ...message, ...definedFields({ route }), ...(isEmail ? { payload: { email: definedFields(email) } } : {}) };
};

const compiled = new WeakMap<JourneyMessage, CompiledMessage<Omit<AutomatedRequest, 'to'>>>();
const compile = (message: JourneyMessage): CompiledMessage<Omit<AutomatedRequest, 'to'>> => {
  const known = compiled.get(message);
  if (known) return known;
  const made = compileMessage(bodyOf(message));
  if (isFaults(made)) throw new TypeError('The texts of a journey were not checked.');
  compiled.set(message, made);
  return made;
};

/** A step's message to a contact, with its texts filled in. Throws a TypeError for texts that were not validated. */
export const personalizedMessage = (
  message: JourneyMessage,
  run: Pick<Run, 'event' | 'variables'>,
  contact: Reader,
): Omit<AutomatedRequest, 'to'> => compile(message).fill(scopeOf(run, contact)).message;

/** The frequency cap of a journey's messages. */
export const frequencyCapOf = ({ tetoDeFrequencia: cap }: Pick<JourneySettings, 'tetoDeFrequencia'>) =>
  cap && { messages: cap.mensagens, days: cap.dias };
