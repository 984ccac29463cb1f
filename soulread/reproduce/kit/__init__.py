"""What experiments share: options, tasks of matches, verdicts, reports."""
