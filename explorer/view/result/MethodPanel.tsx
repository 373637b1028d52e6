import type { JSX } from "preact";
import { change, settings } from "../../app/history.ts";
import { held, method, methods, options, slow, solution, table } from "../../app/known.ts";
import { narrow } from "../../app/media.ts";
import { clusterNow } from "../../app/solve/solving.ts";
import type { MethodShown, OptionShown, OwnValue } from "../../protocol.ts";
import { Icon } from "../icons.tsx";

/** Which method, how many clusters, and the options worth showing. */
export function MethodPanel(): JSX.Element | null {
  const chosen = method.value;
  if (chosen === undefined || table.value === undefined) return null;
  const { seed } = settings.value;
  const groups = [...new Set(methods.value.map(({ group }) => group))];
  return (
    <section class="card" aria-labelledby="method-title">
      <h2 id="method-title">Method</h2>
      <label class="field">
        <span class="unseen">Method</span>
        <select value={chosen.name} onChange={(event) => choose(event.currentTarget.value)}>
          {groups.map((group) => (
            <optgroup key={group} label={group}>
              {methods.value
                .filter((one) => one.group === group)
                .map(({ name, title, needs }) => (
                  // A method that learns from labels starts from the known classes.
                  <option
                    key={name}
                    value={name}
                    disabled={needs.labels === "required" && table.value?.label === undefined}
                  >
                    {title}
                    {needs.labels === "required" && table.value?.label === undefined
                      ? " (needs known classes)"
                      : ""}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
        <small>
          {chosen.sentence}
          {chosen.needs.labels === "required" &&
            ` Here it starts from ${table.value.label ?? "known classes"}.`}
        </small>
      </label>
      {!narrow.value && <ClusterCount chosen={chosen} />}
      <details>
        <summary>Options</summary>
        {options.value[chosen.name]?.map((option) => (
          <OwnOption key={`${chosen.name} ${option.name}`} option={option} />
        ))}
        <label class="field inline">
          <span>Seed</span>
          <input
            type="number"
            min="0"
            step="1"
            value={seed}
            onChange={(event) =>
              change({ seed: Math.max(0, Math.trunc(Number(event.currentTarget.value) || 0)) })
            }
          />
        </label>
      </details>
      {slow.value && (
        <p class="note">
          With {table.value.rows.toLocaleString("en")} rows this method may take minutes. It can be stopped.
        </p>
      )}
      {(held.value || slow.value) && (
        <button type="button" class="primary" onClick={clusterNow}>
          Cluster {table.value.rows.toLocaleString("en")} rows
        </button>
      )}
    </section>
  );
}

/** Another method keeps K where both need one. */
function choose(name: string): void {
  const next = methods.value.find((one) => one.name === name);
  const found = solution.value?.sizes.length ?? 3;
  const { clusters } = settings.value;
  const needed = next?.needs.clusters === "required" || next?.needs.instead !== undefined;
  change({ method: name, own: {}, ...(needed && { clusters: clusters ?? found }) });
}

/** The number of clusters. */
export function ClusterCount({ chosen }: { readonly chosen: MethodShown }): JSX.Element {
  const { clusters } = settings.value;
  const most = table.value?.rows ?? 1;
  const optional = chosen.needs.clusters === "optional";
  const set = (count: number | undefined): void =>
    change(
      { clusters: count === undefined ? undefined : Math.min(most, Math.max(1, Math.trunc(count))) },
      "clusters",
    );
  const now = clusters ?? solution.value?.sizes.length ?? 3;
  return (
    <div class="field inline">
      <label for="clusters">Clusters</label>
      <div class="stepper">
        <button type="button" aria-label="One cluster fewer" onClick={() => set(now - 1)} disabled={now <= 1}>
          <Icon name="minus" />
        </button>
        <input
          id="clusters"
          type="number"
          min="1"
          max={most}
          step="1"
          value={clusters ?? ""}
          placeholder={optional ? "found" : ""}
          onChange={(event) => {
            const text = event.currentTarget.value;
            if (text === "" && !optional) event.currentTarget.value = String(clusters ?? "");
            else set(text === "" ? undefined : Number(text));
          }}
        />
        <button
          type="button"
          aria-label="One cluster more"
          onClick={() => set(now + 1)}
          disabled={now >= most}
        >
          <Icon name="plus" />
        </button>
      </div>
      {optional && clusters !== undefined && (
        <button type="button" class="plain" onClick={() => set(undefined)}>
          let the method find it
        </button>
      )}
    </div>
  );
}

function OwnOption({ option }: { readonly option: OptionShown }): JSX.Element {
  const { own } = settings.value;
  const { name, label, says, kind, fallback, usual } = option;
  const value = own[name];
  const set = (next: OwnValue | undefined): void => {
    const { [name]: _, ...rest } = own;
    change({ own: next === undefined || next === fallback ? rest : { ...rest, [name]: next } });
  };
  if (kind === "flag") {
    return (
      <label class="field inline" title={says}>
        <input
          type="checkbox"
          checked={(value ?? fallback) === true}
          onChange={(event) => set(event.currentTarget.checked)}
        />
        <span>
          {label} <small>{says}</small>
        </span>
      </label>
    );
  }
  if (kind === "choice") {
    return (
      <label class="field inline" title={says}>
        <span>
          {label} <small>{says}</small>
        </span>
        <select
          value={String(value ?? fallback ?? "")}
          onChange={(event) => {
            const text = event.currentTarget.value;
            set(option.choices?.find((choice) => String(choice) === text));
          }}
        >
          {fallback === undefined && <option value="">{usual ?? "decided by the method"}</option>}
          {option.choices?.map((choice) => (
            <option key={choice} value={String(choice)}>
              {choice}
            </option>
          ))}
        </select>
      </label>
    );
  }
  return (
    <label class="field inline" title={says}>
      <span>
        {label} <small>{says}</small>
      </span>
      <input
        {...(kind === "numbers"
          ? { type: "text" as const }
          : {
              type: "number" as const,
              min: option.min ?? option.above,
              max: option.max ?? option.below,
              step: kind === "integer" ? 1 : "any",
            })}
        value={String(value ?? "")}
        placeholder={usual ?? (fallback === undefined ? "" : String(fallback))}
        onChange={(event) => {
          const next = parsed(option, event.currentTarget.value);
          set(next);
          if (next === undefined) event.currentTarget.value = "";
        }}
      />
    </label>
  );
}

/** A number in the range of its option, or a list of them as text. */
function parsed({ kind, min = -Infinity, max = Infinity }: OptionShown, text: string): OwnValue | undefined {
  if (text.trim() === "") return undefined;
  if (kind === "numbers") return text.trim();
  const value = Math.min(max, Math.max(min, Number(text)));
  if (Number.isNaN(value)) return undefined;
  return kind === "integer" ? Math.round(value) : value;
}
