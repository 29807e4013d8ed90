// Before the first paint, so that no page flashes in the other colour scheme.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('console-color-scheme');
  } catch {}
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
