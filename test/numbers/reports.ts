import type { MetaReport } from '../../shared/domain/channels/whatsapp/meta-reports/report.ts';
import type { WhatsappNumber } from '../../shared/domain/channels/whatsapp/numbers/number.ts';

/** When the first report is dated; others so many seconds after it. */
export const AT = Date.parse('2026-03-10T11:00:00Z');

/** A report on a number's quality, which the platform names without its plus sign. */
export const quality = (
  { wabaId, displayPhone }: WhatsappNumber,
  event: string,
  seconds: number,
  currentLimit?: string,
): MetaReport => ({
  kind: 'platform',
  about: 'number_quality',
  at: AT + seconds * 1000,
  wabaId,
  displayPhone: displayPhone.slice(1),
  event,
  ...(currentLimit === undefined ? {} : { currentLimit }),
});

export const account = (wabaId: string, event: string, seconds: number, detail?: string): MetaReport => ({
  kind: 'platform',
  about: 'account',
  at: AT + seconds * 1000,
  wabaId,
  event,
  ...(detail === undefined ? {} : { detail }),
});

/** Every order of a list. */
export const orders = <T>(items: readonly T[]): T[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((item, at) => orders(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
