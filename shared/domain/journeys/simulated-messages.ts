import type { AutomatedRequest } from '../api/automated-send.ts';
import { writtenText } from '../channels/registry.ts';
import { type FrequencyCap, fitsFrom, hourOf, type SentByHour } from '../contacts/frequency.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { definedFields } from '../core/patch.ts';
import type { SimulatedMessage } from './run-view.ts';
import type { SimulatedSend } from './simulate.ts';

/** Messages of one simulation that are planned and priced, at most, and so many at once; the price of others stays open. */
const MAX_PLANNED = 500;
const AT_ONCE = 8;
/** Characters of texts that an answer shows; of what comes behind them only the channel and the price. */
const MAX_SHOWN = 1_500_000;

/** A message of a step, filled. */
export type SimulatedDraft = Omit<AutomatedRequest, 'to'>;
type Unsent = SimulatedSend<never>['unsent'];
/** What would become of a message: its price, and why it would not be sent to the contact, whatever was sent before. */
export interface Verdict {
  readonly coins?: number | undefined;
  /** Refused before the frequency cap is looked at. */
  readonly refused?: Unsent;
  /** Refused after that: the contact opted out. */
  readonly consent?: Unsent;
  /** It counts for frequency caps. */
  readonly counts: boolean;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
/** A message as it would read, with its price: an SMS as it leaves, its links aside. */
const shownMessage = (draft: SimulatedDraft, coins: number | undefined): SimulatedMessage => {
  const email = draft.payload?.email as { subject?: unknown; html?: unknown; text?: unknown } | undefined;
  const text = draft.text ?? textOf(email?.text);
  return {
    canal: draft.channel,
    ...definedFields({
      texto: writtenText(draft.channel, text),
      template: draft.template,
      variaveis: draft.variables as SimulatedMessage['variaveis'],
      assunto: textOf(email?.subject),
      html: textOf(email?.html),
      coins,
    }),
  };
};
const lengthOf = ({ texto = '', html = '', assunto = '' }: SimulatedMessage): number =>
  texto.length + html.length + assunto.length;

/** What a journey's messages to one contact are limited by, and what that contact was sent before. */
export interface SimulatedFrequency {
  readonly cap: FrequencyCap | undefined;
  readonly sent: SentByHour;
}
const UNKNOWN: Verdict = { counts: true };

/** What the messages of a simulation would come to, as far as it is known; the others are planned before the next round. */
export class SimulatedMessages {
  readonly #frequency: SimulatedFrequency;
  readonly #verdicts = new Map<string, Verdict>();
  readonly #open = new Map<string, SimulatedDraft>();
  #sent = new Map<number, number>();
  #shown = 0;

  constructor(frequency: SimulatedFrequency) {
    this.#frequency = frequency;
  }

  /** Begins a round: nothing was sent in it yet. */
  begin(): void {
    this.#open.clear();
    this.#sent = new Map(this.#frequency.sent);
    this.#shown = 0;
  }

  /** What becomes of a message at a moment (ms), and how it is shown; `draft` is what would be sent, `shown` what the caller may see of it. */
  show(draft: SimulatedDraft, shown: SimulatedDraft, at: number): SimulatedSend<SimulatedMessage> {
    const name = JSON.stringify(draft);
    const known = this.#verdicts.get(name);
    if (!known) this.#open.set(name, draft);
    const verdict = known ?? UNKNOWN;
    const unsent = verdict.refused ?? this.#capped(verdict, at) ?? this.#left(verdict, at);
    const message = shownMessage(shown, unsent ? undefined : verdict.coins);
    this.#shown += lengthOf(message);
    const { canal, coins } = message;
    return { shown: this.#shown <= MAX_SHOWN ? message : { canal, ...definedFields({ coins }) }, unsent };
  }

  #capped({ counts }: Verdict, at: number): Unsent {
    const { cap } = this.#frequency;
    const isFull = cap && counts && fitsFrom(this.#sent, cap, at) > at;
    return isFull ? { kind: 'skipped', detail: 'frequency_cap' } : undefined;
  }

  /** Counts a message that leaves; why it does not, for a contact that opted out. */
  #left({ consent, counts }: Verdict, at: number): Unsent {
    if (counts && !consent) this.#sent.set(hourOf(at), (this.#sent.get(hourOf(at)) ?? 0) + 1);
    return consent;
  }

  /** Finds out what is open. False where nothing was, or there is too much. */
  async settle(verdictOf: (draft: SimulatedDraft) => Promise<Verdict>): Promise<boolean> {
    const open = [...this.#open].slice(0, Math.max(0, MAX_PLANNED - this.#verdicts.size));
    const found = await mapConcurrently(
      open,
      AT_ONCE,
      async ([name, draft]) => [name, await verdictOf(draft)] as const,
    );
    for (const [name, verdict] of found) this.#verdicts.set(name, verdict);
    return found.length > 0;
  }
}
