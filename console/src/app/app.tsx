import { MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { newQueryClient } from './queries.ts';
import { router } from './router.tsx';
import { useSession } from './session.ts';
import { initialLanguage, type Language, LanguageContext, LOCALES, storeLanguage } from './texts.ts';
import { schemeManager, styleNonce, theme, variables } from './theme.ts';

/** Data of one environment or person must not be shown in another: each session has its own cache. */
const useOwnCache = (): QueryClient => {
  const { environment, session } = useSession();
  const whose = `${environment} ${session?.session.id ?? ''}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever it is somebody else, or elsewhere.
  useEffect(() => void router.invalidate(), [whose]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  return useMemo(() => newQueryClient(() => void router.invalidate()), [whose]);
};

export const App = () => {
  const [language, setLanguage] = useState<Language>(initialLanguage);
  const choice = useMemo(() => {
    const choose = (chosen: Language) => {
      storeLanguage(chosen);
      setLanguage(chosen);
    };
    return { language, choose };
  }, [language]);
  useEffect(() => {
    document.documentElement.lang = LOCALES[language];
  }, [language]);
  const queryClient = useOwnCache();
  return (
    <LanguageContext value={choice}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        defaultColorScheme="auto"
        colorSchemeManager={schemeManager}
        getStyleNonce={styleNonce}
      >
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </LanguageContext>
  );
};
