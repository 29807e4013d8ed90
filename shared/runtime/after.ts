type Work = () => Promise<void>;
const works: Work[] = [];

/** Registers what must be through before a function answers: a Lambda is frozen from its answer to its next event. */
export const beforeAnswer = (work: Work): void => {
  works.push(work);
};

/** Waits for all that was registered. */
export const settled = async (): Promise<void> => {
  for (const work of works) await work();
};
