import './html-preview.css';
import { useEffect, useRef, useState } from 'react';

interface HtmlPreviewProps {
  readonly html: string;
  /** A description for screen readers. */
  readonly title: string;
}

/**
 * HTML that people wrote, as a device would show it. It stands in a frame within the frame that may do nothing: no script, form, link or style sheet
 * from elsewhere (docs/console.md#html-of-people).
 */
export const HtmlPreview = ({ html, title }: HtmlPreviewProps) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isLoaded, setIsLoaded] = useState(false);
  useEffect(() => {
    // The frame has no origin that could be named; nothing else can be in it than the preview's page.
    if (isLoaded) frame.current?.contentWindow?.postMessage({ html, title }, '*');
  }, [html, title, isLoaded]);
  return (
    <iframe
      ref={frame}
      className="html-preview"
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      src="/console/preview"
      title={title}
      onLoad={() => setIsLoaded(true)}
    />
  );
};
