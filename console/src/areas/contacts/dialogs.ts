import { lazy } from 'react';

/* Loaded when they are opened: of those who look at contacts, few change one. */

export const CreateContactDialog = lazy(async () => ({
  default: (await import('./contact-form.tsx')).CreateContactDialog,
}));
export const EditContactDialog = lazy(async () => ({
  default: (await import('./contact-form.tsx')).EditContactDialog,
}));
export const MergeDialog = lazy(async () => ({ default: (await import('./merge-dialog.tsx')).MergeDialog }));
