"""Models that weigh strategies by what each of them predicted."""
