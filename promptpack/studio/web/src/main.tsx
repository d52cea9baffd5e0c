/** The page: it draws the app again whenever something has changed. */
import {render} from "preact";
import {useEffect, useState} from "preact/hooks";
import {app} from "./app";
import {Page} from "./views/page";

function Root() {
  const [, draw] = useState(0);
  useEffect(() => {
    const stop = app.subscribe(() => draw((count) => count + 1));
    app.start();
    return () => void stop();
  }, []);
  return <Page />;
}

const root = document.getElementById("studio");
if (root) render(<Root />, root);
