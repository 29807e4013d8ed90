import type { MessageStore } from '../../domain/sending/message-store.ts';

/**
 * A message store that uses one for concurrent messages as soon as a process has two in progress, and loads it only then. A function that
 * handles one request at a time, as on Lambda, always uses `alone`; the local stack, and consumers with a batch of messages, share
 * transactions. Both stores answer alike.
 */
export const concurrentStore = (alone: MessageStore, load: () => Promise<MessageStore>): MessageStore => {
  let inProgress = 0;
  let concurrent: Promise<MessageStore> | undefined;
  const using = async <Answer>(work: (store: MessageStore) => Promise<Answer>): Promise<Answer> => {
    inProgress++;
    try {
      if (inProgress > 1) concurrent ??= load();
      return await work(inProgress > 1 && concurrent ? await concurrent : alone);
    } finally {
      inProgress--;
    }
  };
  return {
    ...alone,
    read: (id) => using((store) => store.read(id)),
    reserve: (reservation) => using((store) => store.reserve(reservation)),
    settle: (message, settlement) => using((store) => store.settle(message, settlement)),
  };
};
