import type { ContactLists } from '../../domain/contacts/ports.ts';

/** The static lists that contacts are in: there are none yet. */
export const contactLists: ContactLists = {
  forget: async () => {},
};
