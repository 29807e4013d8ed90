import { describe, expect, test } from 'vitest';
import { type QuietHours, QuietHoursSchema, quietUntil } from '../../shared/domain/sending/quiet-hours.ts';

const NIGHT: QuietHours = { inicio: '22:00', fim: '08:00', timeZone: 'America/Sao_Paulo', channels: ['sms'] };
const at = (text: string) => Date.parse(text);
const until = (quiet: QuietHours | undefined, text: string) =>
  new Date(quietUntil(quiet, 'sms', at(text))).toISOString();

describe('quiet hours', () => {
  // São Paulo is three hours behind UTC.
  test.each([
    ['2026-03-10T00:59:59.000Z', '2026-03-10T00:59:59.000Z'],
    ['2026-03-10T01:00:00.000Z', '2026-03-10T11:00:00.000Z'],
    ['2026-03-10T10:59:59.999Z', '2026-03-10T11:00:00.000Z'],
    ['2026-03-10T11:00:00.000Z', '2026-03-10T11:00:00.000Z'],
    ['2026-03-10T04:30:30.000Z', '2026-03-10T11:00:00.000Z'],
  ])('over midnight defer a message of %s to %s', (now, sentAt) => {
    expect(until(NIGHT, now)).toBe(sentAt);
  });

  test('within a day end on the same day', () => {
    const lunch = { ...NIGHT, inicio: '12:00', fim: '14:00' };
    expect(until(lunch, '2026-03-10T15:30:00.000Z')).toBe('2026-03-10T17:00:00.000Z');
    expect(until(lunch, '2026-03-10T17:00:00.000Z')).toBe('2026-03-10T17:00:00.000Z');
  });

  test('end at the local time of their time zone when daylight saving time changes meanwhile', () => {
    const york = { ...NIGHT, timeZone: 'America/New_York' };
    // The clock goes forward on 8 March 2026 and back on 1 November 2026, at 2 in the morning.
    expect(until(york, '2026-03-08T04:00:00.000Z')).toBe('2026-03-08T12:00:00.000Z');
    expect(until(york, '2026-11-01T03:30:00.000Z')).toBe('2026-11-01T13:00:00.000Z');
  });

  test.each([
    ['02:30', '03:30'],
    ['02:00', '03:00'],
  ])('whose end at %s is skipped by a daylight saving change end at %s', (fim, local) => {
    const york = { ...NIGHT, fim, timeZone: 'America/New_York' };
    const end = Date.parse(until(york, '2026-03-08T05:00:00.000Z'));
    const shown = new Intl.DateTimeFormat('en-GB', { timeZone: york.timeZone, timeStyle: 'short' }).format(end);
    expect(shown).toBe(local);
  });

  test('apply only to the listed channels', () => {
    const night = at('2026-03-10T04:00:00Z');
    expect(quietUntil(NIGHT, 'email', night)).toBe(night);
    expect(quietUntil({ ...NIGHT, channels: [] }, 'sms', night)).toBe(night);
    expect(quietUntil(undefined, 'sms', night)).toBe(night);
  });

  test.each([
    { inicio: '24:00' },
    { fim: '8:00' },
    { fim: '22:00' },
    { timeZone: 'Brasil/Lua' },
    { channels: ['fax'] },
    { extra: 1 },
  ])('are refused with %j', (fields) => {
    expect(QuietHoursSchema.safeParse({ ...NIGHT, ...fields }).success).toBe(false);
  });
});
