"""Statistics of samples: pure functions, standard library only, no assumption of a bell curve.

Times are skewed and drift, so everything here rests on order statistics.

    quantiles   a median with its exact interval; percentiles only where the samples support one
    ratios      who is faster, looked at after every round; how many of a run's differences may be declared
    trends      slopes and steadiness
"""

from torchstone.stats.quantiles import (
    CONFIDENCE,
    PERCENTILE_CONFIDENCE,
    Interval,
    Percentile,
    binomial_cdf,
    interval_ranks,
    percentile,
    quantile_interval,
    samples_needed,
)
from torchstone.stats.ratios import (
    BAND,
    FALSE_SHARE,
    MARGIN,
    STRICT,
    WORTH_MARGIN,
    Band,
    PairedRatio,
    RunningRatio,
    Verdict,
    anytime_rank,
    band_around,
    declare,
    e_bh,
    fewest_rounds,
    log_evidence,
    paired_ratio,
    smallest_detectable_change,
    verdict_of,
)
from torchstone.stats.trends import (
    is_steady,
    spread,
    theil_sen,
)

__all__ = [
    "BAND",
    "CONFIDENCE",
    "FALSE_SHARE",
    "MARGIN",
    "PERCENTILE_CONFIDENCE",
    "STRICT",
    "WORTH_MARGIN",
    "Band",
    "Interval",
    "PairedRatio",
    "Percentile",
    "RunningRatio",
    "Verdict",
    "anytime_rank",
    "band_around",
    "binomial_cdf",
    "declare",
    "e_bh",
    "fewest_rounds",
    "interval_ranks",
    "is_steady",
    "log_evidence",
    "paired_ratio",
    "percentile",
    "quantile_interval",
    "samples_needed",
    "smallest_detectable_change",
    "spread",
    "theil_sen",
    "verdict_of",
]
