/** Whether what is edited may be lost: the page that holds it asks the person. */
type Guard = () => Promise<boolean>;

let guard: Guard | undefined;

/** Sets what is asked before the page is left other than by its address. Answers how to take it back. */
export const guardUnsaved = (ask: Guard): (() => void) => {
  guard = ask;
  return () => {
    if (guard === ask) guard = undefined;
  };
};

/** Whether the page that is open may be left. */
export const mayDiscard = async (): Promise<boolean> => guard === undefined || guard();
