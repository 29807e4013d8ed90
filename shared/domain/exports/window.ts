import type { Refusal } from '../core/errors.ts';
import { refuseField } from '../core/refuse-field.ts';

/** The longest window of a paged export. */
const MAX_DAYS = 31;
const DAY_MS = 24 * 3_600_000;

/** The window of an export, both ends inclusive, in ms; 422 if it ends before it starts, or exceeds `maxDays`. */
export const exportWindow = (
  { from, to }: { readonly from: string; readonly to: string },
  maxDays = MAX_DAYS,
): { readonly from: number; readonly to: number } | Refusal<'VALIDATION_ERROR'> => {
  const window = { from: Date.parse(from), to: Date.parse(to) };
  const length = window.to - window.from;
  if (length >= 0 && length <= maxDays * DAY_MS) return window;
  return refuseField('The window cannot be exported.', 'to', `must be from 0 to ${maxDays} days after from`);
};
