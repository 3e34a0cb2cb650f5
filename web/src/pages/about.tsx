// About: what this program is, and what it stands on.

import { bytes } from "../lib/format";
import { t } from "../lib/i18n";
import { about } from "../lib/server";
import { KeyList } from "../parts/help";

function note(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : JSON.stringify(value);
}

/** A note of a network: a word, or a recipe that opens. */
function Note({ value }: { value: unknown }) {
  if (typeof value !== "object" || value === null) return <>{note(value)}</>;
  const fields = Object.entries(value);
  return (
    <details>
      <summary>{t("parameters", { n: fields.length })}</summary>
      <code>{fields.map(([key, own]) => `${key} = ${note(own)}`).join(", ")}</code>
    </details>
  );
}

export default function About() {
  const known = about.value;
  if (!known) return <p class="muted">{t("loading")}</p>;
  return (
    <div class="prose">
      <h1>{t("aboutTitle")}</h1>
      <p>{t("aboutLead")}</p>
      <p id="version">
        {t("version")} <b>{known.version}</b>
        {known.commit && (
          <>
            {" · "}
            {t("commit")} <code>{known.commit}</code>
          </>
        )}
      </p>
      <section class="panel" aria-labelledby="networks-title">
        <h2 id="networks-title">{t("networks")}</h2>
        {known.networks.map((network) => (
          <div key={network.name}>
            <h3>
              <code>{network.name}</code> <span class="muted small">{bytes(network.bytes)}</span>
            </h3>
            <dl class="notes">
              {Object.entries(network.notes).map(([key, value]) => (
                <div key={key}>
                  <dt>{key.replace(/_/g, " ")}</dt>
                  <dd>
                    <Note value={value} />
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </section>
      <section class="panel" aria-labelledby="agents-title">
        <h2 id="agents-title">{t("agents")}</h2>
        <dl class="notes">
          {known.agents.map((agent) => (
            <div key={agent.name}>
              <dt>
                <code>{agent.name}</code>
              </dt>
              <dd>
                {agent.summary}
                {agent.parameters.length > 0 && (
                  <details>
                    <summary>{t("parameters", { n: agent.parameters.length })}</summary>
                    <ul>
                      {agent.parameters.map((parameter) => (
                        <li key={parameter.name}>
                          <code>
                            {parameter.name}={note(parameter.default)}
                          </code>{" "}
                          {parameter.meaning}
                        </li>
                      ))}
                    </ul>
                  </details>
                )}
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <section class="panel" aria-labelledby="rules-title">
        <h2 id="rules-title">{t("rules")}</h2>
        <ul>
          <li>{t("rule1")}</li>
          <li>{t("rule2")}</li>
          <li>{t("rule3")}</li>
          <li>{t("rule4")}</li>
          <li>{t("rule5")}</li>
        </ul>
        <p>{t("skillRule")}</p>
        <p>{t("gradeRule")}</p>
      </section>
      <section class="panel" aria-labelledby="keylist-title">
        <h2 id="keylist-title">{t("keys")}</h2>
        <KeyList />
        <p class="muted small">{t("keysHere")}</p>
      </section>
      <section class="panel" aria-labelledby="protocol-title">
        <h2 id="protocol-title">{t("protocol")}</h2>
        <p>
          {t("protocolLead")} <a href="/api/openapi.json">openapi.json</a>
        </p>
      </section>
    </div>
  );
}
