import { useFormat } from '../../app/format.ts';

/** How long ago work became due, in words; a dash where none is due. */
export const useAge = (): ((seconds: number | null) => string) => {
  const format = useFormat();
  return (seconds) => (seconds === null ? '—' : format.relative(new Date(Date.now() - seconds * 1_000).toISOString()));
};
