"""Experiments at the prompt."""

from typing import Any

from soulread.reproduce.experiments import run_experiment
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.report import Report


def experiment(name: str, **options: Any) -> Report:
    """Run an experiment, our numbers beside the published ones: ``experiment("hand-strength")``.

    ``name`` is one of ``soulread reproduce --list``, or "module:function" of your own. The options are those
    of `soulread.reproduce.kit.experiment.RunOptions`: quick, matches, hands, seed, jobs, data and so on.
    """
    return run_experiment(name, RunOptions(**options))
