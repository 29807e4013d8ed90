import {
  type CSSVariablesResolver,
  createTheme,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
} from '@mantine/core';

/** Dark enough at 7 for white text on it, and light enough at 3 to be read on a dark page (WCAG AA). */
const blue: MantineColorsTuple = [
  '#eaf3fd',
  '#d3e4f7',
  '#a3c7ef',
  '#70a9e7',
  '#4a8fe0',
  '#337edb',
  '#1f6fc9',
  '#1460b3',
  '#0d549f',
  '#06437f',
];

export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 7, dark: 7 },
  colors: { blue },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  autoContrast: true,
});

/** Texts that Mantine draws too faint for WCAG AA. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#566170',
    '--mantine-color-placeholder': '#66707d',
    '--mantine-color-error': '#c0271f',
    '--mantine-color-anchor': '#1460b3',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b2bf',
    '--mantine-color-placeholder': '#9aa3b0',
    '--mantine-color-error': '#ff8f87',
    '--mantine-color-anchor': '#7db4f0',
  },
});

/** `console/public/scheme.js` reads the same key before the first paint. */
export const schemeManager = localStorageColorSchemeManager({ key: 'console-color-scheme' });

/** The nonce of this response: styles that components make carry it. */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
