import { chunkOf } from '../../ui/chunk.tsx';

/* Loaded when they are opened, since most visits to contacts change none. */

export const CreateContactDialog = chunkOf(async () => ({
  default: (await import('./contact-form.tsx')).CreateContactDialog,
}));
export const EditContactDialog = chunkOf(async () => ({
  default: (await import('./contact-form.tsx')).EditContactDialog,
}));
export const MergeDialog = chunkOf(async () => ({ default: (await import('./merge-dialog.tsx')).MergeDialog }));
