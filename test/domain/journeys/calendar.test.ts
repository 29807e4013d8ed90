import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wallTime } from '../../../shared/domain/core/wall-time.ts';
import { sendableFrom, untilMoment } from '../../../shared/domain/journeys/calendar.ts';
import { WEEKDAYS, type WireUntil } from '../../../shared/domain/journeys/definition.ts';
import { graphOf } from '../../../shared/domain/journeys/graph.ts';
import { quietUntil } from '../../../shared/domain/sending/quiet-hours.ts';
import { definition, momentAt, passo } from '../../support/journeys/build.ts';

const at = (text: string) => Date.parse(text);
const iso = (ms: number) => new Date(ms).toISOString();
const DAY = 86_400_000;

describe('a wait for a time of day', () => {
  // A Tuesday; São Paulo is three hours behind UTC.
  const NOON = '2026-03-10T15:00:00.000Z';
  test.each<[string, string, WireUntil, string]>([
    ['later on the same day', NOON, { hora: '18:30' }, '2026-03-10T21:30:00.000Z'],
    ['on the next day if the time is past', NOON, { hora: '09:00' }, '2026-03-11T12:00:00.000Z'],
    ['on the next day if it is that time just now', NOON, { hora: '12:00' }, '2026-03-11T15:00:00.000Z'],
    ['on the next such day of the week', NOON, { hora: '09:00', diaDaSemana: 'segunda' }, '2026-03-16T12:00:00.000Z'],
    [
      'on that day of the week while the time is ahead',
      NOON,
      { hora: '12:01', diaDaSemana: 'terca' },
      '2026-03-10T15:01:00.000Z',
    ],
    ['a week later once it is past', NOON, { hora: '11:59', diaDaSemana: 'terca' }, '2026-03-17T14:59:00.000Z'],
    ['on a day', NOON, { hora: '09:00', data: '2026-12-24' }, '2026-12-24T12:00:00.000Z'],
    ['on a day that is past', NOON, { hora: '09:00', data: '2026-03-09' }, '2026-03-09T12:00:00.000Z'],
    [
      'by the local day, which is another than UTC’s',
      '2026-03-11T01:00:00.000Z',
      { hora: '23:00' },
      '2026-03-11T02:00:00.000Z',
    ],
  ])('ends %s', (_, now, until, end) => {
    expect(iso(untilMoment(until, 'America/Sao_Paulo', at(now)))).toBe(end);
  });

  test('does not end again when the clock is set back over it', () => {
    const first = at('2026-11-01T05:30:00Z');
    expect(iso(untilMoment({ hora: '01:30' }, 'America/New_York', first - 1))).toBe('2026-11-01T05:30:00.000Z');
    expect(iso(untilMoment({ hora: '01:30' }, 'America/New_York', first))).toBe('2026-11-02T06:30:00.000Z');
  });

  test('ends when the clock is set forward over it', () => {
    expect(iso(untilMoment({ hora: '02:30' }, 'America/New_York', at('2026-03-08T05:00:00Z')))).toBe(
      '2026-03-08T07:00:00.000Z',
    );
  });

  test('always ends later than now, within eight days, at its time on its day', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') }),
        fc.constantFrom('America/Sao_Paulo', 'America/New_York', 'Europe/Lisbon', 'Australia/Lord_Howe'),
        fc.constantFrom(...WEEKDAYS, undefined),
        fc.integer({ min: 0, max: 23 }),
        (now, timeZone, diaDaSemana, hour) => {
          const hora = `${String(hour).padStart(2, '0')}:00`;
          const end = untilMoment({ hora, diaDaSemana }, timeZone, now);
          expect(end).toBeGreaterThan(now);
          expect(end).toBeLessThan(now + 8 * DAY + 3_600_000);
          const shown = new Date(wallTime(timeZone, end));
          if (diaDaSemana) expect(WEEKDAYS[shown.getUTCDay()]).toBe(diaDaSemana);
          // An hour that the clock skips ends with the change.
          expect([hour, hour + 1]).toContain(shown.getUTCHours());
        },
      ),
      { seed: 2, numRuns: 400 },
    );
  });
});

describe('a journey that is silent', () => {
  const graph = (silencio?: { inicio: string; fim: string }) =>
    graphOf(definition([passo('sair', {})], [], { silencio }));
  const NIGHT = { inicio: '21:00', fim: '08:00' };
  const quiet = (inicio: string, fim: string) => (channel: 'sms' | 'push', when: number) =>
    quietUntil({ inicio, fim, timeZone: 'America/Sao_Paulo', channels: ['sms'] }, channel, when);
  const from = (now: string, silencio?: typeof NIGHT, organization?: ReturnType<typeof quiet>) =>
    iso(
      sendableFrom(
        graph(silencio),
        momentAt(at(now), organization ? { quietUntil: organization as never } : {}),
        'sms',
      ),
    );
  const TEN_AT_NIGHT = '2026-03-11T01:00:00.000Z';

  test('sends when its silence ends', () => {
    expect(from(TEN_AT_NIGHT, NIGHT)).toBe('2026-03-11T11:00:00.000Z');
    expect(from('2026-03-11T11:00:00.000Z', NIGHT)).toBe('2026-03-11T11:00:00.000Z');
    expect(from(TEN_AT_NIGHT)).toBe(TEN_AT_NIGHT);
  });

  test("sends when the organization's quiet hours end, where those last longer or begin within its own", () => {
    expect(from(TEN_AT_NIGHT, NIGHT, quiet('23:00', '10:00'))).toBe('2026-03-11T13:00:00.000Z');
    expect(from(TEN_AT_NIGHT, NIGHT, quiet('20:00', '07:00'))).toBe('2026-03-11T11:00:00.000Z');
    expect(from('2026-03-10T23:30:00.000Z', NIGHT, quiet('20:00', '21:30'))).toBe('2026-03-11T11:00:00.000Z');
    expect(from(TEN_AT_NIGHT, undefined, quiet('20:00', '07:00'))).toBe('2026-03-11T10:00:00.000Z');
  });

  test('keeps its own alone where both together cover the day', () => {
    expect(from(TEN_AT_NIGHT, NIGHT, quiet('08:00', '21:00'))).toBe('2026-03-11T11:00:00.000Z');
  });
});
