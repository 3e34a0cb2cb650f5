// What a duel is played with: side, board, tiles, opponent, the dial; and who advises.

import { VARIANTS, type Variant } from "../game/duel";
import { ROLES, type Role } from "../lib/duel_table";
import { percent } from "../lib/format";
import { t } from "../lib/i18n";
import { opponentAgent, opponentNames } from "../lib/opponents";
import { AgentField, BudgetField, SizeField } from "./fields";
import { opponentWords, roleWords } from "./duel_results";

interface Props {
  role: Role;
  size: string;
  variant: Variant;
  /** The name of the opponent, or an agent's text. */
  opponent: string;
  hostility: number;
  solved: boolean;
  adviser: string;
  usualAdviser: string;
  budget: string;
  seed: string;
  position: string;
  /** Another duel. */
  onDuel: (next: { role?: Role; size?: string; variant?: Variant }) => void;
  /** The same duel against somebody else, or with other advice. */
  onChange: (changes: Record<string, string | null>) => void;
}

export function DuelSetup({ role, size, variant, opponent, hostility, solved, adviser, usualAdviser, budget, seed, position, onDuel, onChange }: Props) {
  const names = opponentNames(solved);
  const choices = [...new Set(names.map((name) => opponentAgent(name, size)))].filter((agent) => agent !== "random");
  return (
    <section class="panel" aria-labelledby="duel-setup-title">
      <h2 id="duel-setup-title">{t("duelSetup")}</h2>
      <div class="form">
        <label>
          {t("role")}
          <select value={role} onChange={(e) => onDuel({ role: e.currentTarget.value as Role })}>
            {ROLES.map((name) => (
              <option key={name} value={name}>
                {roleWords(name)}
              </option>
            ))}
          </select>
        </label>
        <SizeField value={size} onChange={(text) => onDuel({ size: text })} />
        <label title={t("variantTip")}>
          {t("variant")}
          <select value={variant} onChange={(e) => onDuel({ variant: e.currentTarget.value as Variant })}>
            {VARIANTS.map((name) => (
              <option key={name} value={name}>
                {t(name)}
              </option>
            ))}
          </select>
        </label>
        {role !== "both" && (
          <label class="wide" title={t("opponentTip")}>
            {t("opponent")}
            <select value={opponent} onChange={(e) => onChange({ opponent: e.currentTarget.value })}>
              {[...new Set([...names, opponent])].map((name) => (
                <option key={name} value={name}>
                  {opponentWords(name)}
                </option>
              ))}
            </select>
          </label>
        )}
        {role === "defender" && (
          <label class="slider wide" title={t("hostilityTip")}>
            {t("hostility", { share: percent(hostility, 0) })}
            <input
              type="range"
              min="0"
              max="100"
              step="5"
              value={Math.round(100 * hostility)}
              aria-valuetext={percent(hostility, 0)}
              onInput={(e) => onChange({ hostility: String(Number(e.currentTarget.value) / 100) })}
            />
          </label>
        )}
      </div>
      {role === "attacker" && <p class="muted small">{t("hostilityNone")}</p>}
      <details class="more">
        <summary>{t("agentsMore")}</summary>
        <div class="form">
          {role !== "both" && (
            <AgentField size={size} label={`${t("opponent")}: ${t("otherAgent")}`} value={opponentAgent(opponent, size)} usual="" choices={choices} onChange={(text) => onChange({ opponent: text })} />
          )}
          <AgentField size={size} label={t("adviser")} value={adviser} usual={usualAdviser} choices={[...new Set([usualAdviser, ...choices])]} onChange={(text) => onChange({ agent: text })} />
          <BudgetField value={budget} onChange={(name) => onChange({ budget: name === "usual" ? null : name })} />
        </div>
      </details>
      <p class="muted small">
        {t("seed")} <code>{seed}</code> · <code>{position}</code>
      </p>
    </section>
  );
}
