import { describe, expect, test } from 'vitest';
import { type Activity, shownActivities } from '../../shared/domain/activities/activity.ts';
import { changedFields } from '../../shared/domain/activities/fields.ts';
import { armed, nextMoment } from '../../shared/domain/activities/moments.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { LinkedId } from '../../shared/domain/core/tombstones.ts';

const MINUTE = 60_000;
const NOW = Date.parse('2026-03-02T12:00:00.000Z');
const activity = (fields: Partial<Activity> = {}): Activity => ({
  id: newId('activity'),
  organizationId: newId('organization'),
  env: 'test',
  type: 'ligacao',
  title: 'Ligar',
  notifiedMoments: [],
  createdAt: NOW,
  updatedAt: NOW,
  version: 1,
  ...fields,
});
const due = (minutes: number, fields: Partial<Activity> = {}) => activity({ dueAt: NOW + minutes * MINUTE, ...fields });

describe('the moments of an activity', () => {
  test('are its reminder and then its due time', () => {
    const open = armed(undefined, due(60, { reminderMinutes: 15 }), NOW);
    expect(nextMoment(open)).toEqual({ moment: 'lembrete', at: NOW + 45 * MINUTE });
    expect(nextMoment({ ...open, notifiedMoments: ['lembrete'] })).toEqual({
      moment: 'vencimento',
      at: NOW + 60 * MINUTE,
    });
    expect(nextMoment({ ...open, notifiedMoments: ['lembrete', 'vencimento'] })).toBeUndefined();
  });

  test('are none without a due time, and none once it is completed', () => {
    expect(nextMoment(activity())).toBeUndefined();
    expect(nextMoment(due(60, { completedAt: NOW }))).toBeUndefined();
  });

  test('that had passed when they were set raise an event for the due time, not for a reminder', () => {
    const overdue = armed(undefined, due(-1, { reminderMinutes: 15 }), NOW);
    expect(overdue.notifiedMoments).toEqual(['lembrete']);
    expect(nextMoment(overdue)).toEqual({ moment: 'vencimento', at: NOW - MINUTE });
    expect(armed(undefined, due(5, { reminderMinutes: 15 }), NOW).notifiedMoments).toEqual(['lembrete']);
    const reported = due(60, { notifiedMoments: ['lembrete', 'vencimento'] });
    expect(armed(reported, { ...reported, dueAt: NOW - MINUTE }, NOW).notifiedMoments).toEqual([]);
  });

  test('that had passed when they were set on a completed activity never raise an event', () => {
    const done = armed(undefined, due(-1, { completedAt: NOW }), NOW);
    expect(done.notifiedMoments).toEqual(['vencimento']);
    expect(armed(done, { ...done, completedAt: undefined }, NOW).notifiedMoments).toEqual(['vencimento']);
    const later = armed(undefined, due(5, { completedAt: NOW }), NOW);
    expect(armed(later, { ...later, completedAt: undefined }, NOW + 10 * MINUTE).notifiedMoments).toEqual([
      'vencimento',
    ]);
    const opened = { ...done, dueAt: NOW - 2 * MINUTE, completedAt: undefined };
    expect(armed(done, opened, NOW).notifiedMoments).toEqual([]);
  });

  test('are armed again by another date, and only the reminder by another reminder', () => {
    const before = due(60, { reminderMinutes: 15, notifiedMoments: ['lembrete'] });
    expect(armed(before, { ...before, dueAt: NOW + 90 * MINUTE }, NOW).notifiedMoments).toEqual([]);
    const reported = due(1, { notifiedMoments: ['vencimento'], reminderMinutes: 2 });
    expect(armed(reported, { ...reported, reminderMinutes: 0 }, NOW).notifiedMoments).toEqual(['vencimento']);
  });

  test('keep their state, raised or pending, through changes of other fields', () => {
    const reported = due(-5, { notifiedMoments: ['vencimento'] });
    expect(armed(reported, { ...reported, title: 'Escrever' }, NOW).notifiedMoments).toEqual(['vencimento']);
    const late = due(-5);
    expect(armed(late, { ...late, title: 'Escrever' }, NOW).notifiedMoments).toEqual([]);
  });

  test('that passed while it was completed raise nothing when it is reopened', () => {
    const done = due(-5, { completedAt: NOW - 10 * MINUTE });
    expect(armed(done, { ...done, completedAt: undefined }, NOW).notifiedMoments).toEqual(['vencimento']);
  });
});

describe('a change', () => {
  const before = due(60, { reminderMinutes: 15, description: 'Prazo', completedAt: NOW - 1 });

  test('leaves absent fields and clears those that are null', () => {
    expect(changedFields(before, {}, NOW)).toMatchObject({
      dueAt: before.dueAt,
      description: 'Prazo',
      reminderMinutes: 15,
    });
    expect(changedFields(before, { descricao: null }, NOW).description).toBeUndefined();
  });

  test('clearing the due time clears the reminder', () => {
    expect(changedFields(before, { venceEm: null }, NOW)).toMatchObject({
      dueAt: undefined,
      reminderMinutes: undefined,
    });
    expect(changedFields(before, { venceEm: null, lembreteMinutos: 5 }, NOW).reminderMinutes).toBe(5);
  });

  test('keeps when it was first completed, and reopens', () => {
    expect(changedFields(before, { concluida: true }, NOW).completedAt).toBe(NOW - 1);
    expect(changedFields(before, { concluida: false }, NOW).completedAt).toBeUndefined();
    expect(changedFields(activity(), { concluida: true }, NOW).completedAt).toBe(NOW);
  });
});

describe('activities as reads show them', () => {
  test('omit links to deleted objects, and activities of a deleted card', () => {
    const [cardId, contactId, heir] = [newId('card'), newId('contact'), newId('contact')];
    const [ofCard, ofContact] = [activity({ cardId }), activity({ contactId })];
    const shown = (to?: typeof heir) =>
      shownActivities(
        new Map<LinkedId, Id<'contact'> | undefined>([
          [cardId, undefined],
          [contactId, to],
        ]),
        [ofCard, ofContact],
      );
    expect(shown()).toEqual([{ ...ofContact, contactId: undefined }]);
    expect(shown(heir)).toEqual([{ ...ofContact, contactId: heir }]);
  });
});
