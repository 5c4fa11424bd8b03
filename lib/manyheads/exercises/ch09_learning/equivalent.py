"""Mutants of right answers that do the same, with the reason."""

EQUIVALENT = {
    "compare-head-counts": {
        "A mean difference is never exactly two standard errors away from 0.": [
            "solution: verdicts = np.sign(mean) * (abs(mean) > 2 * error)  =>  "
            "verdicts = np.sign(mean) * (abs(mean) >= 2 * error)",
            "whole arrays: return (losses.mean(axis=0), "
            "np.where(abs(mean) > 2 * error, np.sign(mean), 0).astype(int))  =>  return (losses.mean(axis=0), "
            "np.where(abs(mean) >= 2 * error, np.sign(mean), 0).astype(int))",
            "two bounds: helped, hurt = (d.mean(axis=1) - margin > 0, d.mean(axis=1) + margin < 0)  =>  "
            "helped, hurt = (d.mean(axis=1) - margin >= 0, d.mean(axis=1) + margin < 0)",
            "two bounds: helped, hurt = (d.mean(axis=1) - margin > 0, d.mean(axis=1) + margin < 0)  =>  "
            "helped, hurt = (d.mean(axis=1) - margin > 0, d.mean(axis=1) + margin <= 0)",
            "sums of squares: told = sum(d) ** 2 * (n - 1) > 4 * n * squares  =>  "
            "told = sum(d) ** 2 * (n - 1) >= 4 * n * squares",
            "kept in a dictionary: verdicts.append(int(t > 2) - int(t < -2))  =>  "
            "verdicts.append(int(t >= 2) - int(t < -2))",
            "kept in a dictionary: verdicts.append(int(t > 2) - int(t < -2))  =>  "
            "verdicts.append(int(t > 2) - int(t <= -2))",
            "covariances: verdicts.append(round(np.sign(fall)) if fall ** 2 * len(seeds) > 4 * variance else 0)  =>  "
            "verdicts.append(round(np.sign(fall)) if fall ** 2 * len(seeds) >= 4 * variance else 0)",
        ],
    },
}
