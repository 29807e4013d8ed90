import { Button, Group, Text } from '@mantine/core';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useFormat } from '../app/format.ts';
import { shellTexts } from '../app/shell-texts.ts';
import { useTexts } from '../app/texts.ts';
import { useSearchValues } from './filters.tsx';

/** The page of a list that pages by number, from the address: how many items come before it. */
export const useSkip = (limit: number): number => {
  const [{ page }] = useSearchValues();
  const number = Number(page ?? 1);
  return Number.isInteger(number) && number > 1 ? (number - 1) * limit : 0;
};

/** Goes through the pages of a list that pages by number. */
export const Paging = ({ limit, total }: { readonly limit: number; readonly total: number }) => {
  const t = useTexts(shellTexts);
  const format = useFormat();
  const [, change] = useSearchValues();
  const skip = useSkip(limit);
  if (total <= limit && skip === 0) return null;
  const go = (to: number) => change({ page: to <= 0 ? undefined : String(to / limit + 1) });
  const last = Math.min(skip + limit, total);
  return (
    <Group justify="space-between" component="nav" aria-label={t.nextPage}>
      <Text size="sm" c="dimmed">
        {t.range(format.number(Math.min(skip + 1, total)), format.number(last), format.number(total))}
      </Text>
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          disabled={skip === 0}
          onClick={() => go(skip - limit)}
          leftSection={<ChevronLeft size={16} aria-hidden />}
        >
          {t.previousPage}
        </Button>
        <Button
          variant="default"
          size="xs"
          disabled={skip + limit >= total}
          onClick={() => go(skip + limit)}
          rightSection={<ChevronRight size={16} aria-hidden />}
        >
          {t.nextPage}
        </Button>
      </Group>
    </Group>
  );
};

interface LoadMoreProps {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}
/** The next page of a list that pages by cursor. */
export const LoadMore = ({ query }: LoadMoreProps) => {
  const t = useTexts(shellTexts);
  if (!query.hasNextPage) return null;
  return (
    <Group justify="center">
      <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {t.more}
      </Button>
    </Group>
  );
};
