import { MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { cacheNow, router } from './router.tsx';
import { useSession } from './session.ts';
import { initialLanguage, type Language, LanguageContext, LOCALES, storeLanguage } from './texts.ts';
import { schemeManager, styleNonce, theme, variables } from './theme.ts';

/** The cache of whoever is signed in. Pages that were opened before are loaded again. */
const useOwnCache = (): QueryClient => {
  useSession();
  const cache = cacheNow();
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever it is somebody else's, or of another environment.
  useEffect(() => void router.invalidate(), [cache]);
  return cache;
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
