import type { AutomatedRequest } from '../api/automated-send.ts';
import { writtenText } from '../channels/registry.ts';
import { type FrequencyCap, fitsFrom, hourOf, type SentByHour } from '../contacts/frequency.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { definedFields } from '../core/patch.ts';
import type { TemplateTexts } from '../message/define-channel.ts';
import type { SimulatedMessage } from './run-view.ts';
import type { SimulatedSend } from './simulate.ts';

/** Maximum messages of a simulation that are planned and priced, and concurrency; the price of others is not determined. */
const MAX_PLANNED = 500;
const CONCURRENCY = 8;
/** Maximum characters of texts in a response; messages beyond show only channel and price. */
const MAX_SHOWN = 1_500_000;

/** A step's message with its texts filled in. */
export type SimulatedDraft = Omit<AutomatedRequest, 'to'>;
type Unsent = SimulatedSend<never>['unsent'];
/** The expected result of a message: the texts of its template, its price, and why it would not be sent to the contact, regardless of earlier sends. */
export interface Verdict {
  readonly coins?: number | undefined;
  readonly texts?: TemplateTexts | undefined;
  /** Refused before the frequency cap is checked. */
  readonly refused?: Unsent;
  /** Refused after that check: the contact opted out. */
  readonly consent?: Unsent;
  /** Whether it counts for frequency caps. */
  readonly counts: boolean;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
/** A message as rendered, with its price; an SMS with character replacements, but without shortened links. */
const shownMessage = (
  draft: SimulatedDraft,
  texts: TemplateTexts = {},
  coins: number | undefined,
): SimulatedMessage => {
  const email = draft.payload?.email as { subject?: unknown; html?: unknown; text?: unknown } | undefined;
  const text = texts.text ?? draft.text ?? textOf(email?.text);
  return {
    canal: draft.channel,
    ...definedFields({
      texto: writtenText(draft.channel, text),
      template: draft.template,
      variaveis: draft.variables as SimulatedMessage['variaveis'],
      assunto: texts.subject ?? textOf(email?.subject),
      html: texts.html ?? textOf(email?.html),
      coins,
    }),
  };
};
const lengthOf = ({ texto = '', html = '', assunto = '' }: SimulatedMessage): number =>
  texto.length + html.length + assunto.length;

/** A message whose result is unknown: what would be sent, and what the caller may see of it. */
export interface OpenDraft {
  readonly draft: SimulatedDraft;
  readonly shown: SimulatedDraft;
}

/** The frequency cap of a journey's messages to one contact, and its earlier sends. */
export interface SimulatedFrequency {
  readonly cap: FrequencyCap | undefined;
  readonly sent: SentByHour;
}
const UNKNOWN: Verdict = { counts: true };

/** The expected results of a simulation's messages, as far as known; unknown ones are planned before the next round. */
export class SimulatedMessages {
  readonly #frequency: SimulatedFrequency;
  readonly #verdicts = new Map<string, Verdict>();
  readonly #open = new Map<string, OpenDraft>();
  #sent = new Map<number, number>();
  #shown = 0;

  constructor(frequency: SimulatedFrequency) {
    this.#frequency = frequency;
  }

  /** Starts a round without sends. */
  begin(): void {
    this.#open.clear();
    this.#sent = new Map(this.#frequency.sent);
    this.#shown = 0;
  }

  /** The result of a message at a time (ms), and how it is shown; `draft` is what would be sent, `shown` what the caller may see of it. */
  show(draft: SimulatedDraft, shown: SimulatedDraft, at: number): SimulatedSend<SimulatedMessage> {
    const name = JSON.stringify(draft);
    const known = this.#verdicts.get(name);
    if (!known) this.#open.set(name, { draft, shown });
    const verdict = known ?? UNKNOWN;
    const unsent = verdict.refused ?? this.#capped(verdict, at) ?? this.#left(verdict, at);
    const message = shownMessage(shown, verdict.texts, unsent ? undefined : verdict.coins);
    this.#shown += lengthOf(message);
    const { canal, coins } = message;
    return { shown: this.#shown <= MAX_SHOWN ? message : { canal, ...definedFields({ coins }) }, unsent };
  }

  #capped({ counts }: Verdict, at: number): Unsent {
    const { cap } = this.#frequency;
    const isFull = cap && counts && fitsFrom(this.#sent, cap, at) > at;
    return isFull ? { kind: 'skipped', detail: 'frequency_cap' } : undefined;
  }

  /** Counts a sent message; returns why it is not sent if the contact opted out. */
  #left({ consent, counts }: Verdict, at: number): Unsent {
    if (counts && !consent) this.#sent.set(hourOf(at), (this.#sent.get(hourOf(at)) ?? 0) + 1);
    return consent;
  }

  /** Determines unknown results. False if there were none, or too many. */
  async settle(verdictOf: (open: OpenDraft) => Promise<Verdict>): Promise<boolean> {
    const open = [...this.#open].slice(0, Math.max(0, MAX_PLANNED - this.#verdicts.size));
    const found = await mapConcurrently(
      open,
      CONCURRENCY,
      async ([name, each]) => [name, await verdictOf(each)] as const,
    );
    for (const [name, verdict] of found) this.#verdicts.set(name, verdict);
    return found.length > 0;
  }
}
