import { pushRules } from '../platforms/rules.ts';
import type { PushAnswer, PushDispatch, PushTransport } from './transport.ts';

const unreachable: PushAnswer = {
  kind: 'refused',
  cause: 'recipient',
  detail: 'the sandbox plays an unreachable device',
};
/** What a push service would have said where an ending of the sandbox tells a failure, by the ending's reason. */
const FAILED: Readonly<Record<string, PushAnswer>> = {
  invalid_number: { kind: 'refused', cause: 'recipient', detail: 'the sandbox plays a dead token', deadToken: true },
  blacklisted: { kind: 'refused', cause: 'blacklisted', detail: 'the sandbox plays a blocked device' },
};

/**
 * The transport that reaches nobody: it answers by the last four characters of the token, as the sandbox of the other channels does
 * (decisions, part 4). A push service reports nothing after its acceptance: 0099 is accepted as well.
 */
export const sandboxTransport: PushTransport = {
  async send({ device, dispatchId }: PushDispatch): Promise<PushAnswer> {
    const play = pushRules.sandbox(device.token);
    if (play.kind === 'refused') return play;
    const failed = play.reports.find(({ status }) => status === 'failed');
    if (failed) return FAILED[failed.reason ?? ''] ?? unreachable;
    return { kind: 'accepted', providerMessageId: `sbx_${dispatchId.slice(4)}` };
  },
  close() {},
};
