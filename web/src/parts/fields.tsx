// Fields that several pages ask with.

import { useId } from "preact/hooks";
import { t } from "../lib/i18n";
import { BUDGETS, about, budgetText, usualAgent } from "../lib/server";

const SIZES = ["4x4", "3x4", "4x3", "3x3", "2x4", "2x3", "2x2"];

interface Field {
  value: string;
  onChange: (value: string) => void;
}

export function SizeField({ value, onChange }: Field) {
  const sizes = [...new Set([...SIZES.filter((size) => about.value?.boards.includes(size) ?? true), value])];
  return (
    <label>
      {t("size")}
      <select value={value} onChange={(e) => onChange(e.currentTarget.value)}>
        {sizes.map((size) => (
          <option key={size} value={size}>
            {size.replace("x", "×")}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The agents one would want on a board of this size, ready to choose. */
export function agentChoices(size: string): string[] {
  const names = (about.value?.agents ?? []).map((agent) => agent.name).filter((name) => name !== "exact");
  const exact = about.value?.solved.includes(size) ? ["exact"] : [];
  return [...new Set([usualAgent(size), ...exact, ...names])];
}

interface AgentProps extends Field {
  size: string;
  label?: string;
  /** Who stands for an empty field, and whom to offer, where that is not as in the ordinary game. */
  usual?: string;
  choices?: string[];
}

export function AgentField({ size, value, onChange, label, usual = usualAgent(size), choices = agentChoices(size) }: AgentProps) {
  const id = useId();
  return (
    <label class="wide" title={t("agentTip")}>
      {label ?? t("agent")}
      <input
        list={id}
        value={value}
        spellcheck={false}
        autocomplete="off"
        onChange={(e) => onChange(e.currentTarget.value.trim() || usual)}
      />
      <datalist id={id}>
        {choices.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </label>
  );
}

export function BudgetField({ value, onChange }: Field) {
  return (
    <label title={t("budgetTip")}>
      {t("budget")}
      <select value={value} onChange={(e) => onChange(e.currentTarget.value)}>
        {Object.keys(BUDGETS).map((name) => (
          <option key={name} value={name}>
            {budgetText(name) || t("usual")}
          </option>
        ))}
      </select>
    </label>
  );
}
