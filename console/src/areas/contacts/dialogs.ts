import { lazy } from 'react';

/* Loaded when they are opened, since most visits to contacts change none. */

export const CreateContactDialog = lazy(async () => ({
  default: (await import('./contact-form.tsx')).CreateContactDialog,
}));
export const EditContactDialog = lazy(async () => ({
  default: (await import('./contact-form.tsx')).EditContactDialog,
}));
export const MergeDialog = lazy(async () => ({ default: (await import('./merge-dialog.tsx')).MergeDialog }));
