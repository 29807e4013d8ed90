import { randomInt, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';

/*
 * Plays one of the journeys of events/journeys in the sandbox: shows it on a virtual clock with its real waits, then lets a contact go through it
 * with short ones.
 */

const FOLDER = join(import.meta.dirname, '../../events/journeys');
/** The length of a day of the example, in ms; waits are at least a second. */
const DAY_MS = 2_000;
const HOURS: Readonly<Record<string, number>> = { segundos: 1 / 3600, minutos: 1 / 60, horas: 1, dias: 24 };

const event = z.strictObject({ name: z.string(), properties: z.record(z.string(), z.unknown()).optional() });
const example = z.strictObject({
  journey: z.looseObject({ passos: z.array(z.looseObject({ config: z.record(z.string(), z.unknown()) })) }),
  contact: z.strictObject({ name: z.string(), phone: z.string(), email: z.string() }),
  begin: z.union([z.strictObject({ event }), z.strictObject({ tag: z.string() })]),
  // The contact's next act, once a step is done.
  next: event.optional(),
});
type Example = z.output<typeof example>;

/** The names of the examples. */
export const journeyExamples = (): string[] => readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ''));

/** Reads an example. */
export const readJourneyExample = (name: string): Example =>
  example.parse(JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')));

/** A call of the service with a test key; throws an Error with the problem where it is refused. */
export type Call = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

const shortened = (duration: Readonly<Record<string, number>>) => {
  const hours = Object.entries(duration).reduce((sum, [unit, count]) => sum + count * (HOURS[unit] ?? 0), 0);
  return { segundos: Math.max(1, Math.round((hours / 24) * (DAY_MS / 1000))) };
};
/** The steps with waits that one can watch. */
const watchable = ({ passos }: Example['journey']) =>
  passos.map((step) => {
    const { prazo } = step.config as { readonly prazo?: Record<string, number> };
    return prazo ? { ...step, config: { ...step.config, prazo: shortened(prazo) } } : step;
  });

const visitSchema = z.looseObject({
  passo: z.string(),
  em: z.string(),
  resultado: z.string(),
  mensagem: z.looseObject({ texto: z.string().optional() }).optional(),
});
const lineOf = ({ em, passo, resultado, mensagem }: z.output<typeof visitSchema>): string =>
  `  ${em}  ${passo.padEnd(14)} ${resultado}${mensagem?.texto ? `: ${mensagem.texto}` : ''}`;

const created = z.looseObject({ id: z.string() });
const runSchema = z.looseObject({ id: z.string(), status: z.string(), espera: z.looseObject({}).optional() });

/** A new contact for each run of an example, since phones are unique. */
const newContact = async (call: Call, { contact: { phone, ...contact } }: Example) => {
  const number = `${phone.slice(0, 6)}${randomInt(1_000, 9_999)}${phone.slice(10)}`;
  const optIn = { status: 'granted', source: 'example' };
  return created.parse(await call('POST', '/contacts', { ...contact, phone: number, optIn })).id;
};

const happen = (call: Call, contactId: string, { name, properties }: z.output<typeof event>) =>
  call('POST', '/v2/events', { name, properties, eventId: randomUUID(), contact: { contactId } });

/** Waits for the run of a contact, triggers the example's events, and prints each visit as it ends. Returns how the run ended. */
const watch = async (
  call: Call,
  journeyId: string,
  contactId: string,
  next: Example['next'],
  say: (line: string) => void,
) => {
  let [printed, happened] = [0, next === undefined];
  for (;;) {
    const page = await call('GET', `/v2/journeys/${journeyId}/runs?contactId=${contactId}`);
    const [found] = z.array(runSchema).parse(page.items);
    if (found) {
      const run = await call('GET', `/v2/journeys/${journeyId}/runs/${found.id}`);
      const history = z.array(visitSchema).parse(run.historico);
      for (const visit of history.slice(printed)) say(lineOf(visit));
      printed = history.length;
      if (found.status !== 'ativa') return found.status;
      if (!happened && printed > 0 && next) {
        happened = true;
        say(`  ${new Date().toISOString()}  (the contact: ${next.name})`);
        await happen(call, contactId, next);
      }
    }
    await sleep(500);
  }
};

/** Plays an example and answers the status of its run. The journey is archived in the end, so that the next one is alone. */
export const playJourneyExample = async (name: string, call: Call, say: (line: string) => void): Promise<string> => {
  const played = readJourneyExample(name);
  const contactId = await newContact(call, played);
  const { id } = created.parse(await call('POST', '/v2/journeys', played.journey));
  const simulation = await call('POST', `/v2/journeys/${id}/simulate`, { contactId });
  say('The simulation for a contact who does nothing:');
  for (const visit of z.array(visitSchema).parse(simulation.passos)) say(lineOf(visit));
  await call('PATCH', `/v2/journeys/${id}`, { passos: watchable(played.journey) });
  await call('POST', `/v2/journeys/${id}/activate`);
  say(`As it goes now, a day in ${DAY_MS / 1000} s:`);
  if ('tag' in played.begin) await call('PATCH', `/contacts/${contactId}`, { tags: [played.begin.tag] });
  else await happen(call, contactId, played.begin.event);
  const status = await watch(call, id, contactId, played.next, say);
  await call('POST', `/v2/journeys/${id}/archive`);
  return status;
};
