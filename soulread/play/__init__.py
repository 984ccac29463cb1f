"""Agents, and tables for them to play at."""

from soulread.play.agent import Agent
from soulread.play.baselines import AlwaysCall, AlwaysFold, AlwaysRaise, Probe, Random
from soulread.play.catalogue import AGENTS, parse_agent
from soulread.play.match import Match, MatchResult, play_hand, play_match, play_matches, stream
from soulread.play.tabular import TabularAgent

__all__ = [
    "AGENTS",
    "Agent",
    "AlwaysCall",
    "AlwaysFold",
    "AlwaysRaise",
    "Match",
    "MatchResult",
    "Probe",
    "Random",
    "TabularAgent",
    "parse_agent",
    "play_hand",
    "play_match",
    "play_matches",
    "stream",
]
