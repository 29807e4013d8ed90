export const failUnless = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what);
};
