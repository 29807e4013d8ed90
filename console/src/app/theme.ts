import {
  type CSSVariablesResolver,
  createTheme,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
} from '@mantine/core';

/* At 7 dark enough for white text on it and to be read on a white page; at 4 light enough to be read on a dark one (WCAG AA). */

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

const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#fa5252',
  '#e03131',
  '#c02626',
  '#a61e1e',
  '#8c1717',
];
const green: MantineColorsTuple = [
  '#ebfbee',
  '#d3f9d8',
  '#b2f2bb',
  '#8ce99a',
  '#69db7c',
  '#40c057',
  '#2f9e44',
  '#237032',
  '#1d5f2a',
  '#174d22',
];
const yellow: MantineColorsTuple = [
  '#fff9db',
  '#fff3bf',
  '#ffec99',
  '#ffe066',
  '#ffd43b',
  '#fab005',
  '#b97a00',
  '#8a5a00',
  '#734b00',
  '#5c3c00',
];

export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 7, dark: 7 },
  colors: { blue, red, green, yellow },
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
