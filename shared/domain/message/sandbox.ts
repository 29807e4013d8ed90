import type { Provider, RefusedAnswer, ReportedStatus } from './provider-port.ts';

/** The wire name of the sandbox on every channel (docs/spec/sends.md#sandbox). */
export const SANDBOX_PROVIDER = 'sandbox_provider';

/** A delivery report that the sandbox makes of an accepted message. */
export interface SandboxReport {
  readonly status: ReportedStatus;
  readonly reason?: string;
  readonly via?: 'rcs' | 'sms';
}
/** The sandbox's behavior for a recipient: a refusal, or an acceptance and its reports in order; none means silence. */
export type SandboxScript = RefusedAnswer | { readonly kind: 'accepted'; readonly reports: readonly SandboxReport[] };

/** Delay of each sandbox report after the acceptance or the report before it, in ms (docs/spec/sends.md#sandbox). */
export const SANDBOX_REPORT_DELAY_MS = 3_000;

/** An acceptance followed by these reports. */
export const acceptedThen = (...reports: readonly SandboxReport[]): SandboxScript => ({ kind: 'accepted', reports });

type Endings = Readonly<Record<string, SandboxScript>>;

/** Recipient endings that behave alike on every channel (docs/spec/sends.md#sandbox-endings). */
const ENDINGS: Endings = {
  '0008': acceptedThen({ status: 'failed', reason: 'invalid_number' }),
  '0013': acceptedThen({ status: 'failed', reason: 'expired' }),
  '0018': acceptedThen({ status: 'failed', reason: 'blacklisted' }),
  '0099': acceptedThen(),
  '0114': { kind: 'refused', cause: 'credit', detail: 'the sandbox simulates a provider without credit' },
};

/** Selects a script by the last four characters of the recipient: the channel's own endings, then the common ones, else `otherwise`. */
export const scriptByEnding = (otherwise: SandboxScript, own: Endings): ((to: string) => SandboxScript) => {
  const scripts: Endings = { ...ENDINGS, ...own };
  return (to) => scripts[to.slice(-4)] ?? otherwise;
};

/**
 * The provider that sends nothing. It is stateless: status queries answer `not_found`, so a send that crashed before it settled was not
 * sent.
 */
export const sandboxProvider = ({
  sandbox,
}: {
  readonly sandbox: (to: string) => SandboxScript;
}): Provider<unknown> => ({
  name: SANDBOX_PROVIDER,
  send: async ({ messageId, to }) => {
    const script = sandbox(to);
    return script.kind === 'refused' ? script : { kind: 'accepted', providerMessageId: `sbx_${messageId.slice(4)}` };
  },
  queryStatus: async () => ({ kind: 'not_found' }),
});
