import { expect, test } from 'vitest';
import { priorityOf, storedPriority } from '../../shared/domain/core/priority.ts';

test('a one-time password is critical whatever its caller says; any other message is what its caller says', () => {
  expect(priorityOf({ route: 'otp', priority: 'bulk' })).toBe('critical');
  expect(priorityOf({ route: 'premium', priority: 'critical' })).toBe('critical');
  expect(priorityOf({ route: 'premium', priority: 'bulk' })).toBe('bulk');
  expect(priorityOf({ route: 'premium' })).toBe('normal');
});

test('work that a message causes stores its priority, unless that is normal', () => {
  expect(storedPriority({ route: 'otp' })).toEqual({ priority: 'critical' });
  expect(storedPriority({ route: 'premium', priority: 'normal' })).toEqual({});
});
