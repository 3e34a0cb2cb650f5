// Navigation, settings and the page below them.

import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { type Word, t } from "./lib/i18n";
import { helpOpen, useKeys } from "./lib/keys";
import { announcement } from "./lib/live";
import { navigate, path } from "./lib/router";
import { aboutProblem } from "./lib/server";
import { lang, palette, theme } from "./lib/settings";
import { Help } from "./parts/help";
import { SCREENS, screenOf } from "./screens";

function Settings() {
  return (
    <details class="settings">
      <summary aria-label={t("settings")} title={t("settings")}>
        <span aria-hidden="true">⚙</span>
      </summary>
      <div class="menu">
        <label>
          {t("theme")}
          <select value={theme.value} onChange={(e) => (theme.value = e.currentTarget.value as typeof theme.value)}>
            <option value="auto">{t("themeAuto")}</option>
            <option value="light">{t("themeLight")}</option>
            <option value="dark">{t("themeDark")}</option>
          </select>
        </label>
        <label>
          {t("palette")}
          <select value={palette.value} onChange={(e) => (palette.value = e.currentTarget.value as typeof palette.value)}>
            <option value="standard">{t("paletteStandard")}</option>
            <option value="blind">{t("paletteBlind")}</option>
          </select>
        </label>
        <label>
          {t("language")}
          <select value={lang.value} onChange={(e) => (lang.value = e.currentTarget.value as typeof lang.value)}>
            <option value="en">English</option>
            <option value="ja">日本語</option>
          </select>
        </label>
        <button type="button" onClick={() => (helpOpen.value = true)}>
          {t("keys")} <kbd>?</kbd>
        </button>
      </div>
    </details>
  );
}

function NotFound() {
  return (
    <div class="panel">
      <h1>{t("notFound")}</h1>
      <p>
        <a href="/">{t("play")}</a>
      </p>
    </div>
  );
}

function Page() {
  const screen = screenOf(path.value);
  const loaded = useSignal<Record<string, ComponentType>>({});
  const failed = useSignal(false);
  const Ready = screen ? (screen.ready ?? loaded.value[screen.path]) : NotFound;
  useEffect(() => {
    if (!screen || Ready) return;
    screen.load().then(
      (module) => (loaded.value = { ...loaded.value, [screen.path]: module.default }),
      () => (failed.value = true),
    );
  }, [screen?.path]);
  useEffect(() => {
    document.title = screen ? `${t(screen.title)} – Maxtile` : "Maxtile";
  });
  if (failed.value) return <p class="problem">{t("loadFailed")}</p>;
  return Ready ? <Ready /> : <p class="muted">{t("loading")}</p>;
}

const NUMBERS: Word[] = SCREENS.map((screen) => screen.title);

export function Shell() {
  useKeys([
    { keys: ["?"], does: "keyHelp", run: () => (helpOpen.value = true) },
    ...NUMBERS.map((title, i) => ({ keys: [String(i + 1)], does: title, run: () => navigate(SCREENS[i]!.path) })),
  ]);
  const here = screenOf(path.value);
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => (e.preventDefault(), document.getElementById("main")?.focus())}>
        {t("skip")}
      </a>
      <header>
        <nav aria-label={t("pages")}>
          {SCREENS.map((screen) => (
            <a key={screen.path} href={screen.path} aria-current={screen === here ? "page" : undefined}>
              {t(screen.title)}
            </a>
          ))}
        </nav>
        <Settings />
      </header>
      {aboutProblem.value && (
        <p class="problem" role="alert">
          {t("noServer")} {aboutProblem.value}
        </p>
      )}
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
      <div class="hidden" aria-live="polite" role="status">
        {announcement.value}
      </div>
      <Help />
    </>
  );
}
