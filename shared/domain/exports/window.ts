import type { Refusal } from '../core/errors.ts';
import { refuseField } from '../core/refuse-field.ts';

/** The longest window of an export. */
const MAX_DAYS = 31;
const DAY_MS = 24 * 3_600_000;

/** The window of an export, both ends inclusive, in ms; 422 for one that ends before it begins, or of more than 31 days. */
export const exportWindow = ({
  from,
  to,
}: {
  readonly from: string;
  readonly to: string;
}): { readonly from: number; readonly to: number } | Refusal<'VALIDATION_ERROR'> => {
  const window = { from: Date.parse(from), to: Date.parse(to) };
  const length = window.to - window.from;
  if (length >= 0 && length <= MAX_DAYS * DAY_MS) return window;
  return refuseField('The window cannot be exported.', 'to', `must be from 0 to ${MAX_DAYS} days after from`);
};
