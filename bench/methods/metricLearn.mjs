// Python for benchmarks beside metric-learn: arguments that scikit-learn has renamed since metric-learn 0.7 are translated.
export const METRIC_LEARN = `
import metric_learn._util as util
for name in ("check_array", "check_X_y"):
    def renamed(*args, check=getattr(util, name), **options):
        if "force_all_finite" in options:
            options["ensure_all_finite"] = options.pop("force_all_finite")
        return check(*args, **options)
    setattr(util, name, renamed)
`;
