/** The tests of the pack, and what they cover. */
import {app} from "../app";
import {t} from "../words";
import {Icon, ProblemRow, Section} from "./parts";

export function TestsTab() {
  const {trials, coverage} = app;
  return (
    <>
      <div class="line">
        <button class="main" disabled={app.isTesting} onClick={() => void app.runTests()}>
          <Icon name="play" />
          {t(app.isTesting ? "running" : "runTests")}
        </button>
        {trials && trials.tests.length > 0 && (
          <span class={`outcome ${trials.failed ? "bad" : "good"}`} role="status">
            {trials.failed ? t("testsFailed", trials.failed) : t("testsOk", trials.tests.length)}
          </span>
        )}
      </div>
      {trials && !trials.tests.length && <p class="empty">{t("noTests")}</p>}
      <ul class="trials">
        {trials?.tests.map((one) => (
          <li key={one.name} class={one.passed ? "good" : "bad"}>
            <button class="plain" onClick={() => void app.open(one.path, one.line)}>
              <Icon name={one.passed ? "check" : "cross"} />
              <span>{one.name}</span>
              <span class="hidden">{t(one.passed ? "passed" : "failed")}</span>
            </button>
            {one.failures.map((failure, index) => (
              <div class="miss" key={index}>
                <button class="plain" onClick={() => void app.open(failure.path, failure.line)}>{failure.message}</button>
                {(failure.expected || failure.found) && (
                  <dl>
                    <dt>{t("expected")}</dt>
                    <dd>{failure.expected}</dd>
                    <dt>{t("found")}</dt>
                    <dd>{failure.found}</dd>
                  </dl>
                )}
              </div>
            ))}
          </li>
        ))}
      </ul>
      {coverage && coverage.points > 0 && (
        <Section title={t("coverage")} extra={<span class="facts">{t("covers", Math.round(coverage.percent), coverage.points)}</span>}>
          <div class="meter" role="img" aria-label={t("covers", Math.round(coverage.percent), coverage.points)}>
            <i style={{width: `${coverage.percent}%`}} />
          </div>
          <label class="check">
            <input type="checkbox" checked={app.isCovered} onChange={(event) => app.drawCoverage(event.currentTarget.checked)} />
            {t("showCoverage")}
          </label>
          <ul class="missing">{coverage.missing.slice(0, 50).map((one, index) => <ProblemRow key={index} problem={one} />)}</ul>
        </Section>
      )}
    </>
  );
}
