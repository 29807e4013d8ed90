import { payloadChannelDefaults } from '../meta/channel-common.ts';
import type { PushAnswer, PushDispatch, PushTransport } from './transport.ts';

const unreachable: PushAnswer = {
  kind: 'refused',
  cause: 'recipient',
  detail: 'the sandbox simulates an unreachable device',
};
/** Push services' answers for the sandbox's failure reports, by reason. */
const FAILURES: Readonly<Record<string, PushAnswer>> = {
  invalid_number: {
    kind: 'refused',
    cause: 'recipient',
    detail: 'the sandbox simulates a dead token',
    deadToken: true,
  },
  blacklisted: { kind: 'refused', cause: 'blacklisted', detail: 'the sandbox simulates a blocked device' },
};

/**
 * Transport of the sandbox: answers by the last four characters of the token (docs/spec/sends.md#sandbox-endings). Push services send no
 * reports after acceptance, so 0099 is simply accepted.
 */
export const sandboxTransport: PushTransport = {
  async send({ device, dispatchId }: PushDispatch): Promise<PushAnswer> {
    const play = payloadChannelDefaults.sandbox(device.token);
    if (play.kind === 'refused') return play;
    const failed = play.reports.find(({ status }) => status === 'failed');
    if (failed) return FAILURES[failed.reason ?? ''] ?? unreachable;
    return { kind: 'accepted', providerMessageId: `sbx_${dispatchId.slice(4)}` };
  },
  close() {},
};
