"""The kit of experiments: options, grids of tasks, means, verdicts, tables, figures and reports."""
