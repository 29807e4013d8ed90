import type { Provider, RefusedAnswer, ReportedStatus } from './provider.ts';

/** One report that the sandbox makes of an accepted message, in its order. */
export interface SandboxReport {
  readonly status: ReportedStatus;
  readonly reason?: string;
  readonly via?: 'rcs' | 'sms';
  /** What it says instead of a message that carries the text of an SMS for devices without RCS. */
  readonly unlessFallback?: SandboxReport;
}
/** What the sandbox plays for a recipient: a refusal, or an acceptance and its reports; none means silence. */
export type SandboxPlay = RefusedAnswer | { readonly kind: 'accepted'; readonly reports: readonly SandboxReport[] };

/** How long after its acceptance the first report of a sandbox send comes, and each that follows, in ms (interface 4.1, rule 4). */
export const SANDBOX_OUTCOME_MS = 3_000;

/** An acceptance that is reported so. */
export const reported = (...reports: readonly SandboxReport[]): SandboxPlay => ({ kind: 'accepted', reports });

type Endings = Readonly<Record<string, SandboxPlay>>;

/** The endings that mean the same wherever a recipient has them (interface 4.1, rule 4; decisions, part 4). */
const ENDINGS: Endings = {
  '0008': reported({ status: 'failed', reason: 'invalid_number' }),
  '0013': reported({ status: 'failed', reason: 'expired' }),
  '0018': reported({ status: 'failed', reason: 'blacklisted' }),
  '0099': reported(),
  '0114': { kind: 'refused', cause: 'credit', detail: 'the sandbox plays a provider without credit' },
};

/** What the sandbox plays by the last four characters of a recipient: the channel's own endings, those of all, else `otherwise`. */
export const playsByEnding = (otherwise: SandboxPlay, own: Endings): ((to: string) => SandboxPlay) => {
  const plays: Endings = { ...ENDINGS, ...own };
  return (to) => plays[to.slice(-4)] ?? otherwise;
};

/** The provider that reaches nobody. It remembers nothing, so what a crash left without a settlement was not sent. */
export const sandboxProvider = ({ sandbox }: { readonly sandbox: (to: string) => SandboxPlay }): Provider<unknown> => ({
  name: 'sandbox_provider',
  send: async ({ messageId, to }) => {
    const play = sandbox(to);
    return play.kind === 'refused' ? play : { kind: 'accepted', providerMessageId: `sbx_${messageId.slice(4)}` };
  },
  inquire: async () => ({ kind: 'not_found' }),
  readCallback: async () => ({ kind: 'forged', detail: 'the sandbox calls nobody back' }),
});
