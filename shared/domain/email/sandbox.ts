import type { RefusedAnswer, ReportedStatus } from '../messages/provider.ts';
export const emailSandbox = (
  _to: string,
): { refuse?: RefusedAnswer; reports: { status: ReportedStatus; reason?: string }[] } => ({
  reports: [{ status: 'delivered' }],
});
